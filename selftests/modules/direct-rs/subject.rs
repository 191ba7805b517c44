// SPDX-License-Identifier: GPL-2.0-only

//! What direct_target calls: the subject's functions, and offering them.

use core::cell::UnsafeCell;
use core::ffi::{c_int, c_uint};
use core::ptr;
use core::slice;

use kernel::error::to_result;
use kernel::prelude::*;

use crate::bindings::{self, Ulong};
use crate::ftrace::{Attachment, Ops};
use crate::sabotage::Sabotage;
use crate::trampolines::Trampoline;

/// Enough for workers to make calls, on a slow emulator too.
const PAUSE_MS: c_uint = 5;

/// What the callbacks work on.
struct State {
    module: Option<&'static ThisModule>,
    sabotage: Option<Sabotage>,
    attachment: Option<Attachment>,
    /// As given to `attach`, for [`Sabotage::Pause`] to attach again.
    ips: &'static [usize],
}

/// A value that one caller at a time uses.
struct Serialized<T>(UnsafeCell<T>);

// SAFETY: Its users promise never to be there at the same time: module init and exit, and the
// callbacks in between, which direct_target never calls concurrently, see direct_target.h.
unsafe impl<T> Sync for Serialized<T> {}

static OPS: Ops = Ops::new();

static STATE: Serialized<State> = Serialized(UnsafeCell::new(State {
    module: None,
    sabotage: None,
    attachment: None,
    ips: &[],
}));

static SUBJECT: Serialized<bindings::direct_subject> =
    Serialized(UnsafeCell::new(bindings::direct_subject {
        name: c"rust".as_ptr().cast(),
        era: c"ops".as_ptr().cast(),
        owner: ptr::null_mut(),
        attach: Some(attach),
        modify: Some(modify),
        detach: Some(detach),
    }));

impl State {
    fn attach(&mut self, which: u32) -> Result {
        if self.attachment.is_some() {
            return Err(EBUSY);
        }
        let module = self.module.ok_or(EINVAL)?;
        let trampoline = Trampoline::numbered(which, self.sabotage).ok_or(EINVAL)?;
        self.attachment = Some(Attachment::new(module, &OPS, self.ips, trampoline)?);
        Ok(())
    }

    fn modify(&mut self, which: u32) -> Result {
        let trampoline = Trampoline::numbered(which, self.sabotage).ok_or(EINVAL)?;
        match self.sabotage {
            Some(Sabotage::Stale) => Ok(()),
            Some(Sabotage::Pause) => {
                self.detach()?;
                // SAFETY: Callbacks may sleep.
                unsafe { bindings::msleep(PAUSE_MS) };
                self.attach(which)
            }
            _ => self.attachment.as_mut().ok_or(EINVAL)?.modify(trampoline),
        }
    }

    fn detach(&mut self) -> Result {
        self.attachment.take().map_or(Ok(()), Attachment::detach)
    }
}

/// Runs `callback` on the state, and gives C an error number.
fn with_state(callback: impl FnOnce(&mut State) -> Result) -> c_int {
    // SAFETY: See `Serialized`: nobody else uses it now.
    let state = unsafe { &mut *STATE.0.get() };
    match callback(state) {
        Ok(()) => 0,
        Err(error) => error.to_errno(),
    }
}

/// # Safety
///
/// `ips` are `nr` addresses that stay until the subject is unregistered.
unsafe extern "C" fn attach(ips: *const Ulong, nr: c_uint) -> c_int {
    // SAFETY: By the caller's promise; unsigned long and usize are the same here.
    let ips = unsafe { slice::from_raw_parts(ips.cast::<usize>(), nr as usize) };
    with_state(|state| {
        state.ips = ips;
        // This one has left the run before attached.
        if state.sabotage == Some(Sabotage::Late) {
            state.detach()?;
        }
        state.attach(0)
    })
}

/// # Safety
///
/// None is needed, but C's pointers to functions are unsafe.
unsafe extern "C" fn modify(which: c_uint) -> c_int {
    with_state(|state| state.modify(which))
}

/// # Safety
///
/// None is needed, but C's pointers to functions are unsafe.
unsafe extern "C" fn detach() -> c_int {
    with_state(|state| match state.sabotage {
        Some(Sabotage::Late) => Ok(()),
        _ => state.detach(),
    })
}

/// The subject is offered to direct_target as long as this lives.
pub(crate) struct Offer(());

impl Offer {
    /// Offers it.
    pub(crate) fn new(module: &'static ThisModule, sabotage: Option<Sabotage>) -> Result<Self> {
        with_state(|state| {
            state.module = Some(module);
            state.sabotage = sabotage;
            Ok(())
        });
        let subject = SUBJECT.0.get();
        // SAFETY: direct_target does not know it yet, and it stays as long as the module, which an
        // `Offer` does not outlive.
        to_result(unsafe {
            (*subject).owner = module.as_ptr().cast();
            bindings::direct_subject_register(subject)
        })?;
        Ok(Self(()))
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        // SAFETY: It is the registered one.
        unsafe { bindings::direct_subject_unregister(SUBJECT.0.get()) };
        // Statics are not dropped. Only `Sabotage::Late` leaves something to detach; the workers were
        // stopped at the end of the run, so nobody is in a trampoline.
        with_state(State::detach);
    }
}
