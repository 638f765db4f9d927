//! Asks the app to quit: one SIGTERM, by pidfd, to exactly this process.
//!
//! A number may be given to another process at any time; a pidfd cannot. It is opened first and the
//! process is recognised afterwards, so what is signalled is what was recognised. There is no second
//! signal, to it or to anybody: its children and its VM are the app's to end.

use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::super::patience::wait;
use super::super::{ASKED, App, MAY_ASK, Quit};
use super::look;
use crate::walk::Cancel;

pub(in super::super) fn quit(
    app: &App,
    limit: Duration,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&str),
) -> Quit {
    if cancel.is_cancelled() {
        return Quit::Stopped;
    }
    let pidfd = match open(app) {
        Ok(pidfd) => pidfd,
        Err(answer) => return answer,
    };
    match pidfd_send_signal(&pidfd, Signal::TERM) {
        Ok(()) => {}
        Err(Errno::SRCH) => return Quit::Gone,
        Err(error) => return cannot(error),
    }
    tell(ASKED);
    wait(limit, cancel, tell, MAY_ASK, &mut |patience| {
        ended(&pidfd, patience).map_err(|error| std::io::Error::from(error).to_string())
    })
}

/// The process that was found, and no other.
fn open(app: &App) -> Result<OwnedFd, Quit> {
    let pid = i32::try_from(app.pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| Quit::CannotAsk(format!("{} is no process number", app.pid)))?;
    let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd,
        Err(Errno::SRCH) => return Err(Quit::Gone),
        Err(error) => return Err(cannot(error)),
    };
    match look::stat(app.pid) {
        Some(stat) if stat.started == app.started && !stat.ended => {}
        // Its number is another's now, or nobody's: the one we know has ended.
        _ => return Err(Quit::Gone),
    }
    let same = look::executable(app.pid).is_some_and(|path| path == stripped(&app.executable));
    if same && look::is_own(app.pid) {
        Ok(pidfd)
    } else if look::stat(app.pid).is_none_or(|stat| stat.ended) {
        Err(Quit::Gone)
    } else {
        Err(Quit::CannotAsk(format!(
            "process {} is not what it was",
            app.pid
        )))
    }
}

fn stripped(path: &Path) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    super::super::proc::undeleted(path.as_os_str().as_bytes()).0
}

/// Waits for the end of the process; one that nobody has waited for yet has ended as well.
fn ended(pidfd: &OwnedFd, patience: Duration) -> Result<bool, Errno> {
    let patience = Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(patience.subsec_nanos()),
    };
    let mut watched = [PollFd::new(pidfd, PollFlags::IN)];
    match poll(&mut watched, Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error),
    }
}

fn cannot(error: Errno) -> Quit {
    Quit::CannotAsk(std::io::Error::from(error).to_string())
}
