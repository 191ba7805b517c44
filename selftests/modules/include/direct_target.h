/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DIRECT_TARGET_H
#define DIRECT_TARGET_H

/**
 * DOC: subjects of the direct-call stress
 *
 * direct_target owns functions that ftrace can trace, kernel threads that call
 * them, and the stress loop with its accounting. A *subject* is a module that
 * attaches trampolines directly to these functions through the API under test.
 * It registers a &struct direct_subject and is then driven through
 * /sys/kernel/debug/direct_target/.
 *
 * Each traced function gets a pointer to its caller's &struct direct_record as
 * its first argument. A trampoline must hand that pointer and its own number to
 * direct_target_hit(), exactly once per call, and then return to the traced
 * function with all argument registers as it found them.
 */

struct direct_record;
struct module;

/** DIRECT_TRAMPOLINES - how many trampolines a subject has, numbered from 0. */
#define DIRECT_TRAMPOLINES	2

/**
 * struct direct_subject - a module that attaches trampolines to the targets
 * @name: short name without spaces, shown in ``result``
 * @era: API the subject was built for: ``single``, ``multi`` or ``ops``
 * @owner: module that holds the callbacks and the trampolines; it is pinned
 *	while a run uses them
 * @attach: attach trampoline 0 to the @nr functions at @ips. @ips stays valid
 *	until the subject is unregistered. On error nothing is left attached.
 * @modify: make trampoline @which the one that all attached functions call.
 *	When it returns 0, no new call may reach the other one.
 * @detach: undo @attach. When it returns 0, no new call may reach a
 *	trampoline. Nothing attached is not an error.
 *
 * The callbacks may sleep, are never called concurrently, and return 0 or a
 * negative errno. A run calls @attach once, @modify any number of times with
 * alternating @which, beginning with 1, and always @detach at the end, after
 * failures too.
 */
struct direct_subject {
	const char *name;
	const char *era;
	struct module *owner;
	int (*attach)(const unsigned long *ips, unsigned int nr);
	int (*modify)(unsigned int which);
	int (*detach)(void);
};

/**
 * direct_subject_register() - offer a subject to the stress loop
 * @subject: stays valid until direct_subject_unregister() has returned
 *
 * Return: 0, -EINVAL if a field is missing, -EBUSY if there is a subject
 * already.
 */
int direct_subject_register(const struct direct_subject *subject);

/**
 * direct_subject_unregister() - take a subject back
 * @subject: the registered one; anything else is ignored
 *
 * For the module's exit function: no run can be using @subject there, because a
 * run pins its owner.
 */
void direct_subject_unregister(const struct direct_subject *subject);

/**
 * direct_target_hit() - note that a call has reached a trampoline
 * @record: first argument of the traced function
 * @which: number of the trampoline, below %DIRECT_TRAMPOLINES
 *
 * Called by trampolines, in the context of the traced call. Touches nothing but
 * @record, so it is safe wherever the traced function is.
 */
void direct_target_hit(struct direct_record *record, unsigned int which);

#endif /* DIRECT_TARGET_H */
