//! `setiopolicy_np`, for this thread.
#![allow(
    unsafe_code,
    reason = "getiopolicy_np and setiopolicy_np have no wrapper"
)]

use libc::c_int;

/// `IOPOL_TYPE_DISK`, `IOPOL_SCOPE_THREAD` and `IOPOL_THROTTLE` of `<sys/resource.h>`.
const DISK: c_int = 0;
const THREAD: c_int = 1;
const THROTTLE: c_int = 3;

unsafe extern "C" {
    fn getiopolicy_np(kind: c_int, scope: c_int) -> c_int;
    fn setiopolicy_np(kind: c_int, scope: c_int, policy: c_int) -> c_int;
}

pub(super) struct Before(c_int);

pub(super) fn lower() -> Option<Before> {
    // SAFETY: takes two numbers and touches no memory of ours.
    let before = unsafe { getiopolicy_np(DISK, THREAD) };
    (before >= 0 && set(THROTTLE)).then_some(Before(before))
}

pub(super) fn restore(before: Before) {
    set(before.0);
}

fn set(policy: c_int) -> bool {
    // SAFETY: takes three numbers and touches no memory of ours.
    unsafe { setiopolicy_np(DISK, THREAD, policy) == 0 }
}
