//! `ioprio_set`, which the C library does not wrap.
#![allow(unsafe_code, reason = "ioprio_get and ioprio_set have no wrapper")]

const WHO_THREAD: libc::c_int = 1;
/// Class idle (3), in the bits above the level.
pub(super) const IDLE: Before = Before(3 << 13);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Before(libc::c_long);

pub(super) fn now() -> Option<Before> {
    // SAFETY: takes two numbers, 0 being this thread, and touches no memory of ours.
    let priority = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_THREAD, 0) };
    (priority >= 0).then_some(Before(priority))
}

pub(super) fn lower() -> Option<Before> {
    let before = now()?;
    set(IDLE).then_some(before)
}

pub(super) fn restore(before: Before) {
    set(before);
}

fn set(priority: Before) -> bool {
    // SAFETY: takes three numbers, 0 being this thread, and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_THREAD, 0, priority.0) == 0 }
}
