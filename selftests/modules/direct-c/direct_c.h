/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DIRECT_C_H
#define DIRECT_C_H

#include "direct_target.h"

/*
 * trampolines.c: ordinary ones, and for sabotage ones that call
 * direct_target_hit() twice, and ones that lose an argument
 */
void direct_c_trampoline_0(void);
void direct_c_trampoline_1(void);
void direct_c_twice_0(void);
void direct_c_twice_1(void);
void direct_c_forgetful_0(void);
void direct_c_forgetful_1(void);

/*
 * attachment.c: the API under test, whichever this tree has
 */

extern const char * const attachment_era;

int attachment_attach(const unsigned long *ips, unsigned int nr,
		      unsigned long trampoline);
int attachment_modify(unsigned long trampoline);
int attachment_detach(void);

#endif /* DIRECT_C_H */
