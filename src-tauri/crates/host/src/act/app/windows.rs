//! The app on Windows: asked by closing its windows, its VM by the control of its service that every user
//! is allowed (#78467); holders by the Restart Manager and an exclusive open. Type-checked only.
//!
//! The VM's path does not follow `--user-data-dir` and only one VM runs at a time (#78467, #67972), so the
//! app that runs is the app of every bundle. Which start of the machine it is, Windows does not say.

mod holders;
mod process;
mod quit;
mod vm;

use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sandtray_core::act::Launch;
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Claude;
use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};

use super::installed::{is_windows_app, package_start};
use super::{App, Running, START, YOURSELF};
use crate::act::path::exact;
use crate::error::{Cause, Failure};

pub(super) use holders::holders;
pub(crate) use holders::holders_of;
pub(super) use quit::quit;

pub(super) fn find(machine: &Machine, claude: &Claude, _bundle: &Bundle) -> Running {
    let mut system = match System::new() {
        Ok(system) => system,
        Err(error) => return Running::Unknown(error.to_string()),
    };
    let wanted = ProcessRefreshKind::nothing()
        .with_exe(UpdateKind::Always)
        .with_cmd(UpdateKind::Always)
        .with_user(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, wanted);
    let own = system.process(sysinfo::Pid::from_u32(std::process::id()));
    let Some(user) = own.and_then(Process::user_id) else {
        return Running::Unknown("the system does not show this user's processes".to_owned());
    };
    let is_app = |process: &Process| {
        let executable = process.exe()?;
        is_app(machine, claude, executable).then(|| executable.to_owned())
    };
    let mut apps = Vec::new();
    for process in system.processes().values() {
        let Some(executable) = is_app(process) else {
            continue;
        };
        let parent = process.parent().and_then(|parent| system.process(parent));
        let child = parent.and_then(is_app).is_some()
            || process
                .cmd()
                .iter()
                .skip(1)
                .any(|argument| argument.as_encoded_bytes().starts_with(b"--type="));
        if child || process.user_id() != Some(user) {
            continue;
        }
        let pid = process.pid().as_u32();
        let Some(started) = process::started(pid) else {
            continue;
        };
        apps.push(App {
            pid,
            started,
            executable,
            arguments: process.cmd().to_vec(),
        });
    }
    match apps.len() {
        0 => Running::No,
        1 => apps.pop().map_or(Running::No, Running::Yes),
        _ => Running::Several(apps.iter().map(|app| app.pid).collect()),
    }
}

fn is_app(machine: &Machine, claude: &Claude, executable: &Path) -> bool {
    match claude.executable.as_str() {
        "" => !machine.is_confined() && executable.to_str().is_some_and(is_windows_app),
        named => executable.as_os_str().eq_ignore_ascii_case(named),
    }
}

pub(super) fn launch(
    machine: &Machine,
    claude: &Claude,
    _bundle: &Bundle,
    app: Option<&App>,
) -> Option<Launch> {
    let text = |text: &str| PathText::from_bytes(text.as_bytes());
    if let Some((program, arguments)) = claude.launch.split_first() {
        return Some(Launch {
            program: text(program),
            arguments: arguments.iter().map(|argument| text(argument)).collect(),
        });
    }
    let Some(app) = app else {
        return Some(Launch {
            program: (&usual(machine, claude)?).into(),
            arguments: Vec::new(),
        });
    };
    if let Some(package) = app.executable.to_str().and_then(package_start) {
        return Some(Launch {
            program: text("explorer.exe"),
            arguments: vec![text(&package)],
        });
    }
    Some(Launch {
        program: (&app.executable).into(),
        arguments: app
            .arguments
            .iter()
            .skip(1)
            .filter(|argument| !argument.as_encoded_bytes().starts_with(b"claude://"))
            .map(|argument| PathText::new(Path::new(argument)))
            .collect(),
    })
}

/// Without a running app only the older installer's place is known: a package's family is seen, not built.
fn usual(machine: &Machine, claude: &Claude) -> Option<PathBuf> {
    if !claude.executable.is_empty() {
        return Some(PathBuf::from(&claude.executable));
    }
    let installed = machine
        .folders
        .local
        .join("AnthropicClaude")
        .join("claude.exe");
    (!machine.is_confined() && installed.is_file()).then_some(installed)
}

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
    command
        .current_dir(&machine.home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .env_remove("ELECTRON_RUN_AS_NODE")
        .creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
    let child = command
        .spawn()
        .map_err(|error| Failure::io(START, &program, error).hint(YOURSELF))?;
    drop(child); // a process that nobody waits for leaves nothing behind here
    Ok(())
}

pub(super) const fn boot() -> Option<String> {
    None
}
