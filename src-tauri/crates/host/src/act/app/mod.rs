//! Claude Desktop itself: found, asked to quit by its own polite means, proven gone, started again.

#[cfg(any(target_os = "macos", windows, test))]
mod installed;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
mod other;
mod patience;
#[cfg(any(target_os = "linux", target_os = "macos", test))]
#[cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        unused_imports,
        reason = "elsewhere there is no /proc: tests read it, and macOS shares what is told of kin"
    )
)]
pub(crate) mod proc;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use self::linux as system;
#[cfg(target_os = "linux")]
pub(crate) use self::linux::data_folders;
#[cfg(target_os = "macos")]
use self::macos as system;
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
use self::other as system;
#[cfg(windows)]
use self::windows as system;
#[cfg(windows)]
pub(crate) use self::windows::holders_of;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use sandtray_core::act::Launch;
use sandtray_core::act::refusal::Holder;
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use crate::error::Failure;
use crate::walk::Cancel;

const START: &str = "start Claude Desktop";
const YOURSELF: &str = "Start Claude Desktop yourself; nothing else depends on it.";
const ASKED: &str = "Claude Desktop was asked to quit";
#[cfg(unix)]
const MAY_ASK: &str =
    "Claude Desktop is still closing; it may be asking whether running sessions may end";

/// The app's main process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its number.
    pub pid: u32,
    /// When it started, in the system's own unit: a number may be given again.
    pub started: u64,
    /// Its executable.
    pub executable: PathBuf,
    /// Its arguments, the program's own name first.
    pub arguments: Vec<OsString>,
}

/// Whether the app runs for a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    /// It does not.
    No,
    /// It does.
    Yes(App),
    /// More than one process could be it.
    Several(Vec<u32>),
    /// It cannot be told on this system.
    Unknown(String),
}

/// Looks for the app that uses `bundle`.
#[must_use]
pub fn find(machine: &Machine, claude: &Claude, bundle: &Bundle) -> Running {
    system::find(machine, claude, bundle)
}

/// How the app is started again: as the settings say, as it ran, or the usual way of this system.
#[must_use]
pub fn launch(
    machine: &Machine,
    claude: &Claude,
    bundle: &Bundle,
    app: Option<&App>,
) -> Option<Launch> {
    system::launch(machine, claude, bundle, app)
}

/// How a polite quit ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quit {
    /// It has ended.
    Gone,
    /// It is still there after so many seconds, and was left running.
    TimedOut,
    /// Somebody stopped the waiting; it may still quit.
    Stopped,
    /// It could not be asked.
    CannotAsk(String),
}

/// Asks the app to quit and waits until it has; `tell` is called about once a second with what is waited
/// for. Never by force, and never anything but this one process.
pub fn quit(app: &App, limit: Duration, cancel: &Cancel, tell: &mut dyn FnMut(&str)) -> Quit {
    system::quit(app, limit, cancel, tell)
}

/// Whether a process holds one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// None does, and none that could not be looked at is a suspect.
    No,
    /// These do.
    By(Vec<Holder>),
    /// It cannot be told.
    Unknown(String),
}

/// Looks for processes that have one of `files` open, mapped, or behind a loop device, by device and
/// inode, so that a renamed file is found as well.
#[must_use]
pub fn holders(machine: &Machine, claude: &Claude, files: &[PathBuf]) -> Held {
    system::holders(machine, claude, files)
}

/// Starts the app, detached from us: a session of its own, nothing inherited, its home as working folder.
///
/// # Errors
/// Where it cannot be started.
pub fn start(machine: &Machine, launch: &Launch) -> Result<(), Failure> {
    system::start(machine, launch)
}

/// Which start of the machine this is; none where the system does not say.
#[must_use]
pub fn boot() -> Option<String> {
    system::boot()
}
