//! Starts a program so that it owes us nothing: its life, its terminal and its files are its own.

#![allow(
    unsafe_code,
    reason = "only code between fork and exec can begin a new session"
)]

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use sandtray_core::act::Launch;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;

use super::{START, YOURSELF};
use crate::act::path::exact;
use crate::error::{Cause, Failure};

pub(super) fn start(machine: &Machine, launch: &Launch) -> Result<(), Failure> {
    let damaged = |text: &PathText| {
        Failure::new(
            START,
            Path::new(&text.path),
            Cause::Corrupt("the record of how it is started is damaged".to_owned()),
        )
        .hint(YOURSELF)
    };
    let program = exact(&launch.program).ok_or_else(|| damaged(&launch.program))?;
    let mut command = Command::new(&program);
    for argument in &launch.arguments {
        command.arg(exact(argument).ok_or_else(|| damaged(argument))?);
    }
    let home = match machine.home.is_dir() {
        true => machine.home.as_path(),
        false => Path::new("/"),
    };
    command
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Set where we were started from an editor's terminal: it would make the app a plain Node.
        .env_remove("ELECTRON_RUN_AS_NODE");
    // SAFETY: both calls are safe between fork and exec: system calls alone, no memory is allocated and
    // no lock is taken.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            keep_nothing_open();
            Ok(())
        });
    }
    let mut child = command
        .spawn()
        .map_err(|error| Failure::io(START, &program, error).hint(YOURSELF))?;
    // Waited for, so that it is no zombie when it ends before us. Where no thread can be had it becomes
    // one, which costs a number and nothing else.
    let waiting = thread::Builder::new()
        .name("app-started".to_owned())
        .spawn(move || child.wait());
    if let Err(error) = waiting {
        tracing::warn!(%error, "nobody waits for Claude Desktop");
    }
    Ok(())
}

/// Marks every descriptor but the three standard ones to be closed by exec. Ours are made that way; those
/// we were started with, and those of libraries, need not be. Marked and not closed: std tells a failed
/// exec through one of them.
fn keep_nothing_open() {
    if mark_all() {
        return;
    }
    // One by one: as many as there may be, and not for ever.
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .unwrap_or(u64::MAX)
        .min(65_536);
    for fd in 3..i32::try_from(most).unwrap_or(65_536) {
        // SAFETY: the command takes a number; a descriptor that is not open is refused.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// In one call, from Linux 5.11 on.
#[cfg(target_os = "linux")]
fn mark_all() -> bool {
    const FIRST: libc::c_uint = 3;
    // SAFETY: the call takes three numbers.
    let marked = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            FIRST,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    marked == 0
}

#[cfg(not(target_os = "linux"))]
const fn mark_all() -> bool {
    false
}
