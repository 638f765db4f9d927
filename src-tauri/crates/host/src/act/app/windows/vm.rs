//! The VM's service: every user may stop it, nobody may reconfigure it (#78467, #89711).

#![allow(unsafe_code, reason = "service control has no safe wrapper")]

use std::io;

use windows_sys::Win32::System::Services::{
    CloseServiceHandle, ControlService, OpenSCManagerW, OpenServiceW, QueryServiceStatus,
    SC_HANDLE, SC_MANAGER_CONNECT, SERVICE_CONTROL_STOP, SERVICE_QUERY_STATUS, SERVICE_STATUS,
    SERVICE_STOP, SERVICE_STOPPED,
};
use windows_sys::w;

/// A handle of the service manager, closed when dropped.
struct Handle(SC_HANDLE);

impl Handle {
    fn of(handle: SC_HANDLE) -> io::Result<Self> {
        match handle.is_null() {
            true => Err(io::Error::last_os_error()),
            false => Ok(Self(handle)),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle is open and nobody else's.
        unsafe { CloseServiceHandle(self.0) };
    }
}

fn open(access: u32) -> io::Result<Handle> {
    // SAFETY: this machine and its usual database are named by null pointers.
    let all = Handle::of(unsafe {
        OpenSCManagerW(std::ptr::null(), std::ptr::null(), SC_MANAGER_CONNECT)
    })?;
    // SAFETY: the handle is open and the name ends with a NUL.
    Handle::of(unsafe { OpenServiceW(all.0, w!("CoworkVMService"), access) })
}

/// Asks the service to stop; it ends the VM in its own way.
pub(super) fn stop() -> io::Result<()> {
    let service = open(SERVICE_STOP | SERVICE_QUERY_STATUS)?;
    let mut status = SERVICE_STATUS::default();
    // SAFETY: the handle is open and the place can be written.
    let asked = unsafe { ControlService(service.0, SERVICE_CONTROL_STOP, &raw mut status) };
    if asked != 0 || is_stopped() {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// Whether it has stopped, or is not there.
pub(super) fn is_stopped() -> bool {
    let Ok(service) = open(SERVICE_QUERY_STATUS) else {
        return true;
    };
    let mut status = SERVICE_STATUS::default();
    // SAFETY: the handle is open and the place can be written.
    let known = unsafe { QueryServiceStatus(service.0, &raw mut status) };
    known != 0 && status.dwCurrentState == SERVICE_STOPPED
}
