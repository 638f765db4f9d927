//! Asks the kernel whether anybody has a file open for writing, without seeing who.
//!
//! A read lease is given only on a file that nobody may write to now, whichever user, container or
//! socket the descriptor is in. It is handed back at once. Why it does not stand alone: readers do not
//! count, and network filesystems give none.

#![allow(unsafe_code, reason = "leases have no safe wrapper")]

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The kernel closes the files of an ended process a moment after it has ended.
const ATTEMPTS: usize = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// Chooses the signal of a lease; not in `libc`. The generic number, right for every architecture we build.
const F_SETSIG: libc::c_int = 10;

/// Whether somebody has it open for writing. What cannot be asked about says nothing: `false`.
pub(super) fn is_written(path: &Path) -> bool {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
        if !refused(path) {
            return false;
        }
    }
    true
}

fn refused(path: &Path) -> bool {
    // Never a link, and never a pipe or device whose opening waits or acts.
    if !std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path);
    let Ok(file) = opened else { return false };
    let fd = file.as_raw_fd();
    // SAFETY: `fd` is open until `file` is dropped, and these commands take numbers, no pointers. Should
    // somebody open the file while we hold the lease, the signal for it is one that is ignored unless
    // asked for; the usual one, SIGIO, would end this process.
    unsafe {
        if libc::fcntl(fd, F_SETSIG, libc::SIGURG) != 0 {
            return false;
        }
        if libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK) != 0 {
            return io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN);
        }
        libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK);
    }
    false
}
