//! A process by handle: its number cannot be given to another while the handle is open.

#![allow(
    unsafe_code,
    reason = "process handles have no safe wrapper for others' processes"
)]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::time::Duration;

use windows_sys::Win32::Foundation::{FILETIME, WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE,
    WaitForSingleObject,
};

/// Opens a process to look at it and to wait for it, no more.
pub(super) fn open(pid: u32) -> io::Result<OwnedHandle> {
    // SAFETY: the call takes numbers.
    let handle = unsafe {
        OpenProcess(
            PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE,
            0,
            pid,
        )
    };
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open and nobody else's.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// When a process started, in 100 ns since 1601.
pub(super) fn started(pid: u32) -> Option<u64> {
    started_of(&open(pid).ok()?)
}

pub(super) fn started_of(process: &OwnedHandle) -> Option<u64> {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle is open, and the four places can be written.
    let known = unsafe {
        GetProcessTimes(
            process.as_raw_handle(),
            &raw mut created,
            &raw mut ended,
            &raw mut kernel,
            &raw mut user,
        )
    };
    (known != 0).then(|| u64::from(created.dwHighDateTime) << 32 | u64::from(created.dwLowDateTime))
}

/// Waits for its end, up to `patience`.
pub(super) fn ended(process: &OwnedHandle, patience: Duration) -> io::Result<bool> {
    let millis = u32::try_from(patience.as_millis()).unwrap_or(1000);
    // SAFETY: the handle is open.
    match unsafe { WaitForSingleObject(process.as_raw_handle(), millis) } {
        WAIT_OBJECT_0 => Ok(true),
        WAIT_TIMEOUT => Ok(false),
        _ => Err(io::Error::last_os_error()),
    }
}
