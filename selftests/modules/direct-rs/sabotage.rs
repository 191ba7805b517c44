// SPDX-License-Identifier: GPL-2.0-only

//! Breaking a promise on purpose, to prove that its check can fail.

use core::cell::UnsafeCell;
use core::ffi::{c_char, CStr};
use core::ptr;

use kernel::prelude::*;

use crate::bindings;

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// Modify detaches and attaches: calls are missed.
    Pause,
    /// Trampolines count twice.
    Double,
    /// Trampolines lose an argument.
    Corrupt,
    /// Modify does nothing.
    Stale,
    /// Detach does nothing.
    Late,
}

impl Sabotage {
    const ALL: [Self; 5] = [
        Self::Pause,
        Self::Double,
        Self::Corrupt,
        Self::Stale,
        Self::Late,
    ];

    /// As the parameter says it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Double => "double",
            Self::Corrupt => "corrupt",
            Self::Stale => "stale",
            Self::Late => "late",
        }
    }
}

/// What the module's parameter asks for.
pub(crate) fn asked_for() -> Result<Option<Sabotage>> {
    // SAFETY: The parameter is read-only in sysfs: it was written before init, and is not again.
    let value = unsafe { *VALUE.0.get() };
    if value.is_null() {
        return Ok(None);
    }
    // SAFETY: C's charp parameters are strings, and stay until the module is gone.
    let value = unsafe { CStr::from_ptr(value) }.to_str().map_err(|_| EINVAL)?;
    if value == "none" {
        return Ok(None);
    }
    let found = Sabotage::ALL.into_iter().find(|s| s.name() == value);
    if found.is_none() {
        pr_err!("sabotage: unknown value '{}'\n", value);
    }
    found.map(Some).ok_or(EINVAL)
}

/// Lets C's pointers into statics.
#[repr(transparent)]
struct Shared<T>(T);

// SAFETY: For the two statics below, which the kernel's module loader uses before init, and which
// are only read from then on.
unsafe impl<T> Sync for Shared<T> {}

static VALUE: Shared<UnsafeCell<*mut c_char>> =
    Shared(UnsafeCell::new(ptr::null_mut()));

/// The parameter, as `module_param(sabotage, charp, 0444)` would make it: `module!` knows no
/// parameters before 7.0, and no strings since.
#[link_section = "__param"]
#[used]
static PARAMETER: Shared<bindings::kernel_param> = Shared(bindings::kernel_param {
    name: c"sabotage".as_ptr().cast(),
    mod_: ptr::null_mut(),
    // SAFETY: Only its address is taken; from 1.82 on Rust knows that this is no use of it.
    #[allow(unused_unsafe)]
    ops: unsafe { ptr::addr_of!(bindings::param_ops_charp) },
    perm: 0o444,
    level: -1,
    flags: 0,
    __bindgen_anon_1: bindings::kernel_param__bindgen_ty_1 {
        arg: VALUE.0.get().cast(),
    },
});
