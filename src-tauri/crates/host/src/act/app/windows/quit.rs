//! Asks the app to quit by closing its windows, then the VM's service to stop.
//!
//! Closing the last window may only hide it (facts of the VM §3): then a person is told to choose Quit in
//! the app's own tray menu, and nothing is forced.

#![allow(unsafe_code, reason = "windows are messaged by system calls alone")]

use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{HWND, LPARAM};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    EnumWindows, GetWindowThreadProcessId, IsWindowVisible, PostMessageW, WM_CLOSE,
};
use windows_sys::core::BOOL;

use super::super::patience::wait;
use super::super::{ASKED, App, Quit};
use super::{process, vm};
use crate::walk::Cancel;

const HIDDEN: &str = "Claude Desktop is still running; choose Quit in its tray menu, and answer it if it asks whether running sessions may end";
const STOPPING: &str = "The sandbox's service is still stopping";

pub(in super::super) fn quit(
    app: &App,
    limit: Duration,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&str),
) -> Quit {
    if cancel.is_cancelled() {
        return Quit::Stopped;
    }
    let begun = Instant::now();
    // From here on the number is this process's: it was recognised with the handle open.
    let Ok(process) = process::open(app.pid) else {
        return Quit::Gone;
    };
    if process::started_of(&process) != Some(app.started) {
        return Quit::Gone;
    }
    if let Ok(true) = process::ended(&process, Duration::ZERO) {
        return Quit::Gone;
    }
    close_windows(app.pid);
    tell(ASKED);
    let answer = wait(limit, cancel, tell, HIDDEN, &mut |patience| {
        process::ended(&process, patience).map_err(|error| error.to_string())
    });
    if answer != Quit::Gone
        || !super::super::installed::is_windows_app(&app.executable.to_string_lossy())
    {
        return answer;
    }
    // The VM is the service's. That it cannot be stopped is no reason to refuse: who still holds a disk is
    // proven afterwards.
    if let Err(error) = vm::stop() {
        tracing::warn!(%error, "the sandbox's service cannot be stopped");
        return Quit::Gone;
    }
    let left = limit
        .saturating_sub(begun.elapsed())
        .max(Duration::from_secs(1));
    match wait(left, cancel, tell, STOPPING, &mut |patience| {
        let stopped = vm::is_stopped();
        if !stopped {
            std::thread::sleep(patience);
        }
        Ok(stopped)
    }) {
        Quit::Stopped => Quit::Stopped,
        _ => Quit::Gone,
    }
}

/// Closes the visible windows of one process, as a click on their cross does.
fn close_windows(pid: u32) {
    // SAFETY: the function is called during this call alone, with the number that is given here.
    unsafe { EnumWindows(Some(close), isize::try_from(pid).unwrap_or(-1)) };
}

/// Called for every top-level window; 1 goes on to the next.
unsafe extern "system" fn close(window: HWND, pid: LPARAM) -> BOOL {
    let mut owner = 0_u32;
    // SAFETY: the system names the window, and the place can be written.
    unsafe {
        GetWindowThreadProcessId(window, &raw mut owner);
        if isize::try_from(owner) == Ok(pid) && IsWindowVisible(window) != 0 {
            PostMessageW(window, WM_CLOSE, 0, 0);
        }
    }
    1
}
