//! The program: one executable, many roles, told apart as the real ones are.
//!
//! | started as | role |
//! | --- | --- |
//! | `…/claude-desktop --user-data-dir=DIR` | `app`: the parent, the one to be asked to quit |
//! | the same, with `--type=zygote\|utility\|renderer` | `child`: same executable, not to be asked |
//! | `…/vm/cowork-linux-helper -socket PATH` | `vm`: starts and stops the VM |
//! | `…/vm/qemu-system-x86_64 -drive file=…` | `vm`: holds the disks open |
//! | `…/vm/virtiofsd` | `vm`: shares folders; holds no disk |
//! | `…/cli/claude-desktop` | `child`: a command line program of the same name, a decoy |
//! | `…/vm/autostart-watch` | `again`: starts the app again |
//!
//! Those below `vm/` are hard links to one copy: another inode than the app's, so that nothing takes
//! them for the app.

mod again;
mod app;
mod boot;
mod child;
mod control;
mod tether;
mod vm;

use std::fs::{self, File};
use std::io::{Error, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::script::Script;

pub(super) use app::SOCKET as CONTROL;
pub(super) use tether::{PIDS, SIGNALS, SOCKET as TETHER};
pub(super) use vm::SOCKET as VM;

/// Carries the script down to every process that the app starts.
pub(super) const HANDED_DOWN: &str = "STAND_IN_SCRIPT";
/// Names of the programs below `vm/`.
pub const VM_PROGRAMS: [&str; 4] = [
    "cowork-linux-helper",
    "qemu-system-x86_64",
    "virtiofsd",
    "autostart-watch",
];

/// Runs the role that this process was started for.
///
/// # Errors
/// Where it cannot do its work.
pub fn main() -> Result<ExitCode, Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let executable = executable()?;
    let handed = std::env::var(HANDED_DOWN);
    let script = match &handed {
        Ok(text) => serde_json::from_str(text)?,
        Err(_) => Script::of(&words, &executable)?,
    };
    fs::create_dir_all(&script.run)?;
    let name = executable.file_name().unwrap_or_default().to_string_lossy();
    match name.as_ref() {
        "cowork-linux-helper" => vm::starter(&script, &words, &executable),
        "qemu-system-x86_64" => vm::machine(&script, &words),
        "virtiofsd" => vm::share(&script),
        "autostart-watch" => again::run(&script, &words),
        _ if executable
            .parent()
            .is_some_and(|folder| folder.ends_with("cli")) =>
        {
            child::command_line(&script)
        }
        _ => match words.iter().find_map(|word| word.strip_prefix("--type=")) {
            Some(kind) => child::run(&script, kind),
            None => app::run(script, &words, &executable),
        },
    }
}

/// Where this program was started from, also after an update has replaced it.
fn executable() -> Result<PathBuf, Error> {
    let path = std::env::current_exe()?;
    let text = path.to_string_lossy();
    Ok(text
        .strip_suffix(" (deleted)")
        .map_or(path.clone(), PathBuf::from))
}

/// A command of the same executable, by its inode: an update may have replaced the name.
fn same_executable(script: &Script, named: &Path) -> Result<Command, Error> {
    let mut command = Command::new("/proc/self/exe");
    command.arg0(named).env(HANDED_DOWN, handed(script)?);
    Ok(command)
}

/// A command of one of the programs below `vm/`.
fn vm_program(script: &Script, executable: &Path, name: &str) -> Result<Command, Error> {
    let folder = executable.parent().unwrap_or(Path::new("/"));
    let folder = if folder.ends_with("vm") {
        folder.to_owned()
    } else {
        folder.join("vm")
    };
    let mut command = Command::new(folder.join(name));
    command.env(HANDED_DOWN, handed(script)?);
    Ok(command)
}

fn handed(script: &Script) -> Result<String, Error> {
    Ok(serde_json::to_string(script)?)
}

/// Makes the programs below `vm/`, once. Called before this process has started another: a copy that
/// is still open for writing somewhere cannot be run.
fn install(executable: &Path) -> Result<(), Error> {
    let folder = executable.parent().unwrap_or(Path::new("/")).join("vm");
    let done = folder.join(VM_PROGRAMS[3]);
    if done.exists() {
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    let first = folder.join(VM_PROGRAMS[0]);
    let _bytes = fs::copy("/proc/self/exe", &first)?;
    for name in &VM_PROGRAMS[1..] {
        let link = folder.join(name);
        super::rebuild::remove(&link)?;
        fs::hard_link(&first, link)?;
    }
    Ok(())
}

/// Adds a line to a file of the run folder, whole.
fn note(script: &Script, file: &str, line: &str) -> Result<(), Error> {
    File::options()
        .create(true)
        .append(true)
        .open(script.run.join(file))?
        .write_all(format!("{line}\n").as_bytes())
}

/// A line on standard output, for whoever started this; nobody may read it.
fn say(line: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out
        .write_all(format!("{line}\n").as_bytes())
        .and_then(|()| out.flush())
    {
        Err(cause) if cause.kind() != std::io::ErrorKind::BrokenPipe => Err(cause),
        _ => Ok(()),
    }
}
