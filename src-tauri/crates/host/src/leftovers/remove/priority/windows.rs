//! Background mode of this thread.
#![allow(unsafe_code, reason = "SetThreadPriority has no safe wrapper")]

use windows_sys::Win32::System::Threading::{
    GetCurrentThread, SetThreadPriority, THREAD_MODE_BACKGROUND_BEGIN, THREAD_MODE_BACKGROUND_END,
};

pub(super) struct Before;

pub(super) fn lower() -> Option<Before> {
    // SAFETY: the handle of the calling thread is a constant that is always valid.
    let done = unsafe { SetThreadPriority(GetCurrentThread(), THREAD_MODE_BACKGROUND_BEGIN) };
    (done != 0).then_some(Before)
}

pub(super) fn restore(_before: Before) {
    // SAFETY: as above.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_MODE_BACKGROUND_END) };
}
