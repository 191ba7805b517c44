/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between direct_target, which owns traced functions, their callers and the
 * accounting, and a subject, which attaches ftrace direct trampolines to them.
 */
#ifndef DIRECT_TARGET_H
#define DIRECT_TARGET_H

#include <linux/module.h>
#include <linux/types.h>

/** DIRECT_TARGET_MAX - number of traced functions there are */
#define DIRECT_TARGET_MAX 256

/**
 * struct direct_record - what became of one call
 * @seen: how many trampolines the call reached
 * @which: the trampoline that was reached last
 * @entered: how often the traced function itself was entered
 *
 * Each worker has a record of its own and passes its address as the first
 * argument of every call, so that a trampoline accounts without sharing.
 */
struct direct_record {
	unsigned int seen;
	unsigned int which;
	unsigned int entered;
};

/**
 * struct direct_subject - a module under test
 * @name: shown in the result
 * @era: the ftrace API that it uses: "single", "multi" or "ops"
 * @owner: held while a run uses the subject
 * @attach: attach trampoline 0 to the first @nr traced functions
 * @modify: have all of them call trampoline @which, 0 or 1, instead
 * @detach: detach from all of them
 *
 * The callbacks may sleep, return 0 or a negative errno, and are never called
 * at the same time. @detach is also called after a failed @modify.
 */
struct direct_subject {
	const char *name;
	const char *era;
	struct module *owner;
	int (*attach)(unsigned int nr);
	int (*modify)(unsigned int which);
	int (*detach)(void);
};

int direct_target_register(struct direct_subject *subject);
void direct_target_unregister(struct direct_subject *subject);

/* The address of traced function @index, 0 to DIRECT_TARGET_MAX - 1. */
unsigned long direct_target_ip(unsigned int index);

/* To be called, once, by trampoline @which with the call's first argument. */
void direct_target_hit(struct direct_record *record, unsigned int which);

#endif /* DIRECT_TARGET_H */
