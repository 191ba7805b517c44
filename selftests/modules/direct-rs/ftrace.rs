// SPDX-License-Identifier: GPL-2.0-only

//! Direct calls, safely: functions are attached as long as an [`Attachment`] lives.

use core::cell::UnsafeCell;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use kernel::error::to_result;
use kernel::prelude::*;

use crate::bindings;
use crate::trampolines::Trampoline;

/// An `ftrace_ops`, in a place that is there as long as the module is. One attachment at a time can
/// use it.
pub(crate) struct Ops {
    ops: UnsafeCell<MaybeUninit<bindings::ftrace_ops>>,
    taken: AtomicBool,
}

// SAFETY: `ops` is touched by whoever has set `taken` only, and by ftrace under locks of its own.
unsafe impl Sync for Ops {}

impl Ops {
    /// One that is not in use. All zeroes is what C starts with, too.
    pub(crate) const fn new() -> Self {
        Self {
            ops: UnsafeCell::new(MaybeUninit::zeroed()),
            taken: AtomicBool::new(false),
        }
    }

    fn as_ptr(&'static self) -> *mut bindings::ftrace_ops {
        self.ops.get().cast()
    }
}

/// Functions that call a trampoline. Dropped, they no longer do.
pub(crate) struct Attachment {
    ops: &'static Ops,
    module: &'static ThisModule,
    trampoline: Trampoline,
}

impl Attachment {
    /// Attaches `trampoline` to the functions at `ips`: to all of them or to none.
    pub(crate) fn new(
        module: &'static ThisModule,
        ops: &'static Ops,
        ips: &[usize],
        trampoline: Trampoline,
    ) -> Result<Self> {
        if ops.taken.swap(true, Ordering::Acquire) {
            return Err(EBUSY);
        }
        let attached = ips
            .iter()
            // SAFETY: `ops` is zeroed or was used before, both of which ftrace takes; ftrace checks
            // the address.
            .try_for_each(|&ip| {
                to_result(unsafe {
                    bindings::ftrace_set_filter_ip(ops.as_ptr(), ip as _, 0, 0)
                })
            })
            // SAFETY: A `Trampoline` is the address of code that keeps to the rules of direct calls
            // and stays as long as the module, which outlives what is attached (see `Drop`).
            .and_then(|()| {
                to_result(unsafe {
                    bindings::register_ftrace_direct(ops.as_ptr(), trampoline.address() as _)
                })
            });
        if let Err(error) = attached {
            release(ops);
            return Err(error);
        }
        Ok(Self {
            ops,
            module,
            trampoline,
        })
    }

    /// Has all functions call `trampoline`. On an error they go on calling the one of before.
    pub(crate) fn modify(&mut self, trampoline: Trampoline) -> Result {
        // SAFETY: As in `new`, and `self` is proof that `ops` is registered.
        to_result(unsafe {
            bindings::modify_ftrace_direct(self.ops.as_ptr(), trampoline.address() as _)
        })?;
        self.trampoline = trampoline;
        Ok(())
    }

    /// Detaches, and tells whether that worked. If not, functions may go on calling the trampoline
    /// for ever: so the module stays for ever, and its `Ops` is never used again.
    pub(crate) fn detach(self) -> Result {
        ManuallyDrop::new(self).unregister()
    }

    fn unregister(&mut self) -> Result {
        // SAFETY: `self` is proof that `ops` is registered with this trampoline.
        let result = to_result(unsafe {
            bindings::unregister_ftrace_direct(
                self.ops.as_ptr(),
                self.trampoline.address() as _,
                false,
            )
        });
        match result {
            Ok(()) => release(self.ops),
            // SAFETY: It is this module, whose code is running.
            Err(_) => unsafe { bindings::__module_get(self.module.as_ptr().cast()) },
        }
        result
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        if let Err(error) = self.unregister() {
            pr_err!("cannot detach: {:?}; the module stays\n", error);
        }
    }
}

/// Frees the filter, as an `Ops` goes away with the module; by a reset, as C's subject does.
fn release(ops: &'static Ops) {
    // SAFETY: The caller has `taken` it, and it is not registered. No string is no filter.
    unsafe { bindings::ftrace_set_filter(ops.as_ptr(), ptr::null_mut(), 0, 1) };
    ops.taken.store(false, Ordering::Release);
}
