// SPDX-License-Identifier: GPL-2.0-only

//! The trampolines. Called from the traced function's very begin, they pass its first argument, the
//! caller's record, to direct_target_hit(), and return into the traced function.

use crate::sabotage::Sabotage;

#[cfg(not(CONFIG_X86_64))]
compile_error!("direct_rs has trampolines for x86-64 only");

// Its macro is made of C's alternatives, which Rust cannot expand.
#[cfg(CONFIG_MITIGATION_CALL_DEPTH_TRACKING)]
compile_error!("direct_rs does not account for CONFIG_MITIGATION_CALL_DEPTH_TRACKING");

/// C's `ASM_RET`, of arch/x86/include/asm/linkage.h.
#[cfg(CONFIG_MITIGATION_RETHUNK)]
macro_rules! asm_ret {
    () => {
        "jmp __x86_return_thunk"
    };
}
#[cfg(all(not(CONFIG_MITIGATION_RETHUNK), CONFIG_MITIGATION_SLS))]
macro_rules! asm_ret {
    () => {
        "ret\n int3"
    };
}
#[cfg(not(any(CONFIG_MITIGATION_RETHUNK, CONFIG_MITIGATION_SLS)))]
macro_rules! asm_ret {
    () => {
        "ret"
    };
}

/// C's `ASM_ENDBR`, of arch/x86/include/asm/ibt.h.
#[cfg(CONFIG_X86_KERNEL_IBT)]
macro_rules! asm_endbr {
    () => {
        "endbr64"
    };
}
#[cfg(not(CONFIG_X86_KERNEL_IBT))]
macro_rules! asm_endbr {
    () => {
        ""
    };
}

macro_rules! hit {
    ($which:literal) => {
        concat!(
            "movq -8(%rbp), %rdi\n",
            "movl $",
            $which,
            ", %esi\n",
            "call direct_target_hit\n",
        )
    };
}

/// Aligned to 16, as kernels with CONFIG_DYNAMIC_FTRACE_WITH_JMP take the low bit of the address as a
/// flag. The traced function has not pushed anything yet, so with the return address, %rbp and seven
/// registers the stack is aligned to 16 where it calls. %rax is saved for variadic functions.
macro_rules! trampoline {
    ($name:ident, $hits:expr, $after:literal) => {
        core::arch::global_asm!(
            ".pushsection .text, \"ax\", @progbits",
            ".balign 16",
            concat!(".type ", stringify!($name), ", @function"),
            concat!(".globl ", stringify!($name)),
            concat!(stringify!($name), ":"),
            asm_endbr!(),
            "pushq %rbp",
            "movq %rsp, %rbp",
            "pushq %rdi",
            "pushq %rsi",
            "pushq %rdx",
            "pushq %rcx",
            "pushq %r8",
            "pushq %r9",
            "pushq %rax",
            $hits,
            "popq %rax",
            "popq %r9",
            "popq %r8",
            "popq %rcx",
            "popq %rdx",
            "popq %rsi",
            "popq %rdi",
            $after,
            "leave",
            asm_ret!(),
            concat!(".size ", stringify!($name), ", .-", stringify!($name)),
            ".popsection",
            options(att_syntax, raw),
        );

        extern "C" {
            fn $name();
        }
    };
}

trampoline!(direct_rs_trampoline_0, hit!("0"), "");
trampoline!(direct_rs_trampoline_1, hit!("1"), "");
trampoline!(direct_rs_twice_0, concat!(hit!("0"), hit!("0")), "");
trampoline!(direct_rs_twice_1, concat!(hit!("1"), hit!("1")), "");
// These lose the sixth argument.
trampoline!(direct_rs_forgetful_0, hit!("0"), "xorl %r9d, %r9d");
trampoline!(direct_rs_forgetful_1, hit!("1"), "xorl %r9d, %r9d");

/// One of the above, so code that a traced function may be made to call.
#[derive(Clone, Copy)]
pub(crate) struct Trampoline(unsafe extern "C" fn());

impl Trampoline {
    /// The one with this number, if there is one.
    pub(crate) fn numbered(which: u32, sabotage: Option<Sabotage>) -> Option<Self> {
        let [first, second]: [unsafe extern "C" fn(); 2] = match sabotage {
            Some(Sabotage::Double) => [direct_rs_twice_0, direct_rs_twice_1],
            Some(Sabotage::Corrupt) => [direct_rs_forgetful_0, direct_rs_forgetful_1],
            _ => [direct_rs_trampoline_0, direct_rs_trampoline_1],
        };
        match which {
            0 => Some(Self(first)),
            1 => Some(Self(second)),
            _ => None,
        }
    }

    /// Where it is.
    pub(crate) fn address(self) -> usize {
        self.0 as usize
    }
}
