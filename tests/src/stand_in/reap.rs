//! One process, held by a descriptor and told from a later one of the same number by its start.

use std::fs;
use std::io::Error;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// When a process began, in ticks since boot; none where it is gone.
#[must_use]
pub fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything; the rest is numbers. The 22nd field of all.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// What a process runs; none where it is gone or is another user's.
#[must_use]
pub fn executable(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// A process.
#[derive(Debug)]
pub struct Handle(OwnedFd);

impl Handle {
    /// The process of that number, where there is one.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
        pidfd_open(pid, PidfdFlags::empty()).ok().map(Self)
    }

    /// The process of that number that began then; none where it has ended, whoever has its number.
    #[must_use]
    pub fn of_start(pid: u32, start: u64) -> Option<Self> {
        // First held, then looked at: between the two it can end, but its number is not given away.
        let handle = Self::of(pid)?;
        (started(pid) == Some(start)).then_some(handle)
    }

    /// Whether it runs still.
    #[must_use]
    pub fn lives(&self) -> bool {
        !self.wait(Some(Duration::ZERO)).unwrap_or(true)
    }

    /// Waits for its end; whether it has ended.
    ///
    /// # Errors
    /// Where the system cannot wait.
    pub fn wait(&self, at_most: Option<Duration>) -> Result<bool, Error> {
        let limit = at_most.and_then(|limit| Timespec::try_from(limit).ok());
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        loop {
            match poll(&mut fds, limit.as_ref()) {
                Err(rustix::io::Errno::INTR) => {}
                ready => return Ok(ready? > 0),
            }
        }
    }

    /// Asks it to end.
    ///
    /// # Errors
    /// Where it is not ours, or gone.
    pub fn terminate(&self) -> Result<(), Error> {
        Ok(pidfd_send_signal(&self.0, Signal::TERM)?)
    }

    /// Ends it at once.
    ///
    /// # Errors
    /// Where it is not ours, or gone.
    pub fn kill(&self) -> Result<(), Error> {
        Ok(pidfd_send_signal(&self.0, Signal::KILL)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_is_known_by_its_start_and_its_end_is_seen() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let start = started(child.id()).unwrap();
        assert!(Handle::of_start(child.id(), start + 1).is_none());
        let handle = Handle::of_start(child.id(), start).unwrap();
        assert!(handle.lives());
        handle.kill().unwrap();
        assert!(handle.wait(Some(Duration::from_secs(60))).unwrap());
        assert!(!handle.lives());
        let _status = child.wait().unwrap();
        assert_eq!(started(child.id()), None);
    }
}
