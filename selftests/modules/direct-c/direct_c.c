// SPDX-License-Identifier: GPL-2.0-only
/*
 * The subject in C: two trampolines, attached directly to the functions of
 * direct_target through whichever direct-call API the tree has.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#if __has_include(<asm/ibt.h>)
#include <asm/ibt.h>
#endif
#include <asm/nospec-branch.h>

#include "direct_target.h"

#if !defined(DIRECT_API_SINGLE) && !defined(DIRECT_API_MULTI) && \
	!defined(DIRECT_API_OPS)
#error "set DIRECT_API to the tree's era: single, multi or ops"
#endif

/* Trees without return thunks have no ASM_RET. */
#ifndef ASM_RET
#define ASM_RET "ret\n"
#endif
/* Nor do all have indirect branch tracking or call depth tracking. */
#ifndef ASM_ENDBR
#define ASM_ENDBR
#endif
#ifndef CALL_DEPTH_ACCOUNT
#define CALL_DEPTH_ACCOUNT
#endif

static char *sabotage = "none";
module_param(sabotage, charp, 0400);
MODULE_PARM_DESC(sabotage,
		 "Misbehave, to prove that the checks can fail: none, pause, double, stale, late");

static bool sabotaged(const char *how)
{
	return !strcmp(sabotage, how);
}

void direct_c_hit(struct direct_record *record, unsigned int which);

static bool hit_twice;

void notrace direct_c_hit(struct direct_record *record, unsigned int which)
{
	direct_target_hit(record, which);
	if (hit_twice)
		direct_target_hit(record, which);
}

/*
 * ftrace calls a trampoline in place of the traced function's first
 * instruction: it must keep every argument register, and rax for functions
 * with variable arguments. The pushes keep the stack aligned to 16 at the
 * call: return addresses of traced function and caller, rbp, eight registers
 * minus the two return addresses are an even number of words.
 *
 * Aligned to 16, since kernels with CONFIG_DYNAMIC_FTRACE_WITH_JMP use bit 0
 * of the address as a flag.
 */
#define TRAMPOLINE(n)							\
	asm (								\
"	.pushsection .text, \"ax\", @progbits\n"			\
"	.balign 16\n"							\
"	.type direct_c_trampoline_" #n ", @function\n"			\
"	.globl direct_c_trampoline_" #n "\n"				\
"direct_c_trampoline_" #n ":\n"						\
	ASM_ENDBR							\
"	pushq %rbp\n"							\
"	movq %rsp, %rbp\n"						\
	CALL_DEPTH_ACCOUNT						\
"	pushq %rdi\n"							\
"	pushq %rsi\n"							\
"	pushq %rdx\n"							\
"	pushq %rcx\n"							\
"	pushq %r8\n"							\
"	pushq %r9\n"							\
"	pushq %rax\n"							\
"	pushq %r10\n"							\
"	movl $" #n ", %esi\n"						\
"	call direct_c_hit\n"						\
"	popq %r10\n"							\
"	popq %rax\n"							\
"	popq %r9\n"							\
"	popq %r8\n"							\
"	popq %rcx\n"							\
"	popq %rdx\n"							\
"	popq %rsi\n"							\
"	popq %rdi\n"							\
"	leave\n"							\
	ASM_RET								\
"	.size direct_c_trampoline_" #n ", .-direct_c_trampoline_" #n "\n" \
"	.popsection\n"							\
	)

TRAMPOLINE(0);
TRAMPOLINE(1);

extern void direct_c_trampoline_0(void);
extern void direct_c_trampoline_1(void);

static const unsigned long trampolines[] = {
	(unsigned long)direct_c_trampoline_0,
	(unsigned long)direct_c_trampoline_1,
};

static unsigned int attached;
static unsigned int current_which;

#ifdef DIRECT_API_SINGLE
#define ERA "single"

static int do_attach(unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		err = register_ftrace_direct(direct_target_ip(i),
					     trampolines[current_which]);
		if (err)
			goto undo;
	}
	return 0;
undo:
	while (i--)
		unregister_ftrace_direct(direct_target_ip(i),
					 trampolines[current_which]);
	return err;
}

static int do_modify(unsigned int which)
{
	unsigned int i;
	int err;

	for (i = 0; i < attached; i++) {
		err = modify_ftrace_direct(direct_target_ip(i),
					   trampolines[!which],
					   trampolines[which]);
		if (err)
			return err;
	}
	return 0;
}

static int do_detach(void)
{
	int first_err = 0;
	unsigned int i;

	for (i = 0; i < attached; i++) {
		unsigned long ip = direct_target_ip(i);
		int err;

		err = unregister_ftrace_direct(ip, trampolines[current_which]);
		/* After a modify that failed half-way it may be the other. */
		if (err)
			err = unregister_ftrace_direct(ip,
						       trampolines[!current_which]);
		if (err && !first_err)
			first_err = err;
	}
	return first_err;
}

#else /* all functions of an ops at once */

static struct ftrace_ops ops;

static int set_filter(unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		err = ftrace_set_filter_ip(&ops, direct_target_ip(i), 0, 0);
		if (err)
			return err;
	}
	return 0;
}

#ifdef DIRECT_API_MULTI
#define ERA "multi"

static int do_register(void)
{
	return register_ftrace_direct_multi(&ops, trampolines[current_which]);
}

static int do_modify(unsigned int which)
{
	return modify_ftrace_direct_multi(&ops, trampolines[which]);
}

static int do_unregister(void)
{
	return unregister_ftrace_direct_multi(&ops, trampolines[current_which]);
}
#else
#define ERA "ops"

static int do_register(void)
{
	return register_ftrace_direct(&ops, trampolines[current_which]);
}

static int do_modify(unsigned int which)
{
	return modify_ftrace_direct(&ops, trampolines[which]);
}

static int do_unregister(void)
{
	return unregister_ftrace_direct(&ops, trampolines[current_which], false);
}
#endif

static int do_attach(unsigned int nr)
{
	int err = set_filter(nr);

	if (!err)
		err = do_register();
	if (err)
		ftrace_free_filter(&ops);
	return err;
}

static int do_detach(void)
{
	int err = do_unregister();

	/* A filter of an ops that is still registered must stay. */
	if (!err)
		ftrace_free_filter(&ops);
	return err;
}
#endif

static int direct_c_attach(unsigned int nr)
{
	int err;

	current_which = 0;
	err = do_attach(nr);
	if (!err)
		attached = nr;
	return err;
}

static int really_detach(void)
{
	int err;

	if (!attached)
		return 0;
	err = do_detach();
	if (!err)
		attached = 0;
	return err;
}

static int direct_c_detach(void)
{
	return sabotaged("late") ? 0 : really_detach();
}

static int direct_c_modify(unsigned int which)
{
	int err;

	if (sabotaged("stale"))
		return 0;
	if (sabotaged("pause")) {
		unsigned int nr = attached;

		err = really_detach();
		if (err)
			return err;
		current_which = which;
		err = do_attach(nr);
		if (!err)
			attached = nr;
		return err;
	}
	err = do_modify(which);
	if (!err)
		current_which = which;
	return err;
}

static struct direct_subject subject = {
	.name = "direct-c",
	.era = ERA,
	.owner = THIS_MODULE,
	.attach = direct_c_attach,
	.modify = direct_c_modify,
	.detach = direct_c_detach,
};

static int __init direct_c_init(void)
{
	static const char * const known[] = {
		"none", "pause", "double", "stale", "late"
	};

	if (match_string(known, ARRAY_SIZE(known), sabotage) < 0)
		return -EINVAL;
	hit_twice = sabotaged("double");
	return direct_target_register(&subject);
}
module_init(direct_c_init);

static void __exit direct_c_exit(void)
{
	direct_target_unregister(&subject);
	really_detach();
}
module_exit(direct_c_exit);

MODULE_DESCRIPTION("Attach trampolines directly to traced functions");
MODULE_LICENSE("GPL");
