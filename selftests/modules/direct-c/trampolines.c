// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trampolines. Called from the traced function's very begin, they pass its
 * first argument, the caller's record, to direct_target_hit(), and return into
 * the traced function.
 */

#include <linux/linkage.h>
#include <linux/stringify.h>

#include "direct_c.h"

#ifndef CONFIG_X86_64
#error "direct_c has trampolines for x86-64 only"
#endif

/* Since 5.18; kernels without the header have no IBT. */
#if __has_include("asm/ibt.h")
#include <asm/ibt.h>
#endif
#ifndef ASM_ENDBR
#define ASM_ENDBR
#endif

/* Since 5.17 and in stable trees of before; others return plainly. */
#ifndef ASM_RET
#define ASM_RET		"ret\n"
#endif

/* Since 6.2: needs the offsets for what it expands to. */
#include <asm/asm-offsets.h>
#include <asm/nospec-branch.h>
#ifndef CALL_DEPTH_ACCOUNT
#define CALL_DEPTH_ACCOUNT
#endif

#define HIT(which)							\
"	movq	-8(%rbp), %rdi\n"					\
"	movl	$" __stringify(which) ", %esi\n"			\
"	call	direct_target_hit\n"

/*
 * Aligned to 16, as kernels with CONFIG_DYNAMIC_FTRACE_WITH_JMP take the low bit
 * of the address as a flag. The traced function has not pushed anything yet, so
 * with the return address, %rbp and seven registers the stack is aligned to 16
 * where it calls. %rax is saved for variadic functions.
 */
#define TRAMPOLINE(name, hits, after)					\
asm(									\
"	.pushsection .text, \"ax\", @progbits\n"			\
"	.balign	16\n"							\
"	.type	" #name ", @function\n"					\
"	.globl	" #name "\n"						\
#name ":\n"								\
	ASM_ENDBR							\
"	pushq	%rbp\n"							\
"	movq	%rsp, %rbp\n"						\
	CALL_DEPTH_ACCOUNT						\
"	pushq	%rdi\n"							\
"	pushq	%rsi\n"							\
"	pushq	%rdx\n"							\
"	pushq	%rcx\n"							\
"	pushq	%r8\n"							\
"	pushq	%r9\n"							\
"	pushq	%rax\n"							\
	hits								\
"	popq	%rax\n"							\
"	popq	%r9\n"							\
"	popq	%r8\n"							\
"	popq	%rcx\n"							\
"	popq	%rdx\n"							\
"	popq	%rsi\n"							\
"	popq	%rdi\n"							\
	after								\
"	leave\n"							\
	ASM_RET								\
"	.size	" #name ", .-" #name "\n"				\
"	.popsection\n"							\
)

/* Loses the sixth argument. */
#define FORGET "	xorl	%r9d, %r9d\n"

TRAMPOLINE(direct_c_trampoline_0, HIT(0), "");
TRAMPOLINE(direct_c_trampoline_1, HIT(1), "");
TRAMPOLINE(direct_c_twice_0, HIT(0) HIT(0), "");
TRAMPOLINE(direct_c_twice_1, HIT(1) HIT(1), "");
TRAMPOLINE(direct_c_forgetful_0, HIT(0), FORGET);
TRAMPOLINE(direct_c_forgetful_1, HIT(1), FORGET);
