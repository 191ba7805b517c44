// SPDX-License-Identifier: GPL-2.0-only
/*
 * The traced functions.
 *
 * They are reached only through direct_targets[], so each keeps the standard
 * calling convention, and each adds its own number to what it returns, so no
 * two are identical code that could be folded into one.
 */

#include <linux/compiler.h>
#include <linux/export.h>

#include "target.h"

#define TARGET(nr)							\
static noinline __noclone unsigned long					\
direct_target_fn_##nr(struct direct_record *record,			\
		      unsigned long a, unsigned long b,			\
		      unsigned long c, unsigned long d,			\
		      unsigned long e)					\
{									\
	record->ran++;							\
	return direct_target_value(0x##nr, a, b, c, d, e);		\
}
#include "function_list.h"
#undef TARGET

direct_target_fn * const direct_targets[DIRECT_TARGETS_MAX] = {
#define TARGET(nr)	direct_target_fn_##nr,
#include "function_list.h"
#undef TARGET
};

notrace void direct_target_hit(struct direct_record *record, unsigned int which)
{
	record->seen++;
	record->reached |= 1U << (which & 31);
}
EXPORT_SYMBOL_GPL(direct_target_hit);
