//! Starts the app so that it owes us nothing: its life, its terminal and its files are its own.

#![allow(
    unsafe_code,
    reason = "only code between fork and exec can begin a new session"
)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use sandtray_core::act::Launch;
use sandtray_core::bundle::{Bundle, Profile};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Claude;

use super::super::App;
use super::executable::PACKAGES;
use super::find::data_of;
use crate::act::path::exact;
use crate::error::{Cause, Failure};

const START: &str = "start Claude Desktop";
const HINT: &str = "Start Claude Desktop yourself; nothing else depends on it.";

pub(in super::super) fn launch(
    machine: &Machine,
    claude: &Claude,
    bundle: &Bundle,
    app: Option<&App>,
) -> Option<Launch> {
    if let Some((program, arguments)) = claude.launch.split_first() {
        let text = |text: &String| PathText::from_bytes(text.as_bytes());
        return Some(Launch {
            program: text(program),
            arguments: arguments.iter().map(text).collect(),
        });
    }
    if let Some(app) = app {
        return Some(Launch {
            program: (&app.executable).into(),
            arguments: app
                .arguments
                .iter()
                .skip(1)
                // A link that was opened once (a sign-in) is not opened again.
                .filter(|argument| !argument.as_bytes().starts_with(b"claude://"))
                .map(|argument| PathText::from_bytes(argument.as_bytes()))
                .collect(),
        });
    }
    let program = usual(machine, claude)?;
    let mut arguments = Vec::new();
    // Without it another account's data would be opened.
    if bundle.profile == Profile::Extra
        && let Some(data) = data_of(bundle)
    {
        let mut argument = OsString::from("--user-data-dir=");
        argument.push(data);
        arguments.push(PathText::from_bytes(argument.as_bytes()));
    }
    Some(Launch {
        program: (&program).into(),
        arguments,
    })
}

/// The program a person would start.
fn usual(machine: &Machine, claude: &Claude) -> Option<PathBuf> {
    if !claude.executable.is_empty() {
        return Some(PathBuf::from(&claude.executable));
    }
    if machine.is_confined() {
        return None;
    }
    PACKAGES
        .iter()
        .filter(|package| Path::new(package.executable).is_file())
        .map(|package| PathBuf::from(package.starter))
        .find(|starter| starter.is_file())
}

pub(in super::super) fn start(machine: &Machine, launch: &Launch) -> Result<(), Failure> {
    let damaged = |text: &PathText| {
        Failure::new(
            START,
            Path::new(&text.path),
            Cause::Corrupt("the record of how it is started is damaged".to_owned()),
        )
        .hint(HINT)
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
        .map_err(|error| Failure::io(START, &program, error).hint(HINT))?;
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
    if marked == 0 {
        return;
    }
    // Before Linux 5.11, one by one: as many as there may be, and not for ever.
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .unwrap_or(u64::MAX)
        .min(65_536);
    for fd in 3..i32::try_from(most).unwrap_or(65_536) {
        // SAFETY: the command takes a number; a descriptor that is not open is refused.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}
