//! The app on macOS: `libproc` says who runs and who holds what, `NSRunningApplication` asks it to quit.
//! Type-checked only; not run by our own CI. Mappings without a descriptor are not asked for: disks of
//! a VM are held by descriptor.

mod holders;
mod look;
mod quit;

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sandtray_core::act::Launch;
use sandtray_core::bundle::{Bundle, Profile};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Claude;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use super::installed::{is_mac_app, mac_bundle};
use super::proc::CommandLine;
use super::{App, Running};

pub(super) use super::unix::start;
pub(super) use holders::holders;
pub(super) use quit::quit;

/// Whether a path is the app's executable: the one the settings name, else the usual one.
fn is_app(machine: &Machine, claude: &Claude, executable: &Path) -> bool {
    match claude.executable.as_str() {
        "" => !machine.is_confined() && is_mac_app(executable),
        named => {
            let named = Path::new(named);
            executable == named || fs::canonicalize(named).is_ok_and(|led| led == executable)
        }
    }
}

pub(super) fn find(machine: &Machine, claude: &Claude, bundle: &Bundle) -> Running {
    let pids = match look::pids() {
        Ok(pids) => pids,
        Err(error) => return Running::Unknown(error.to_string()),
    };
    let Some(data) = data_of(bundle) else {
        return Running::Unknown(format!("{} lies in no data folder", bundle.path.display()));
    };
    let runs = |pid: u32| look::executable(pid).filter(|path| is_app(machine, claude, path));
    let mut apps = Vec::new();
    for pid in pids {
        let Some(executable) = runs(pid) else {
            continue;
        };
        let Some(own) = look::own(pid) else { continue };
        if runs(own.parent).is_some() {
            continue;
        }
        let line = command_line(pid, &executable);
        let folder = line
            .data_folder()
            .or_else(|| default_folder(machine, bundle));
        if !line.is_child() && folder.is_some_and(|folder| canonical(&folder) == canonical(&data)) {
            apps.push(App {
                pid,
                started: own.started,
                executable,
                arguments: line.arguments(),
            });
        }
    }
    match apps.len() {
        0 => Running::No,
        1 => apps.pop().map_or(Running::No, Running::Yes),
        _ => Running::Several(apps.iter().map(|app| app.pid).collect()),
    }
}

fn command_line(pid: u32, executable: &Path) -> CommandLine {
    let pid = Pid::from_u32(pid);
    let mut text = Vec::new();
    if let Ok(mut system) = System::new() {
        let wanted = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, wanted);
        for argument in system
            .process(pid)
            .map(|process| process.cmd())
            .unwrap_or_default()
        {
            text.extend_from_slice(argument.as_bytes());
            text.push(0);
        }
    }
    CommandLine::parse(&text, executable)
}

fn data_of(bundle: &Bundle) -> Option<PathBuf> {
    bundle.path.parent()?.parent().map(Path::to_owned)
}

fn default_folder(machine: &Machine, bundle: &Bundle) -> Option<PathBuf> {
    match bundle.profile {
        Profile::Claude => Some(machine.folders.config.join("Claude")),
        Profile::Claude3p => Some(machine.folders.config.join("Claude-3p")),
        Profile::Extra => None,
    }
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A bundle of macOS is opened by the system, which gives it the environment of the desktop.
pub(super) fn launch(
    machine: &Machine,
    claude: &Claude,
    bundle: &Bundle,
    app: Option<&App>,
) -> Option<Launch> {
    let text = |text: &[u8]| PathText::from_bytes(text);
    if let Some((program, arguments)) = claude.launch.split_first() {
        return Some(Launch {
            program: text(program.as_bytes()),
            arguments: arguments
                .iter()
                .map(|argument| text(argument.as_bytes()))
                .collect(),
        });
    }
    let (executable, arguments) = match app {
        Some(app) => {
            let told = app.arguments.iter().skip(1);
            let kept = told.filter(|argument| !argument.as_bytes().starts_with(b"claude://"));
            (app.executable.clone(), kept.cloned().collect())
        }
        None => (usual(machine, claude)?, folder_argument(bundle)),
    };
    let mut given: Vec<PathText> = Vec::new();
    let program = match mac_bundle(&executable) {
        Some(opened) => {
            given.extend([text(b"-a"), (&opened).into()]);
            if !arguments.is_empty() {
                given.push(text(b"--args"));
            }
            PathBuf::from("/usr/bin/open")
        }
        None => executable,
    };
    given.extend(
        arguments
            .iter()
            .map(|argument: &OsString| text(argument.as_bytes())),
    );
    Some(Launch {
        program: (&program).into(),
        arguments: given,
    })
}

fn usual(machine: &Machine, claude: &Claude) -> Option<PathBuf> {
    if !claude.executable.is_empty() {
        return Some(PathBuf::from(&claude.executable));
    }
    if machine.is_confined() {
        return None;
    }
    let inside = "Claude.app/Contents/MacOS/Claude";
    [
        PathBuf::from("/Applications"),
        machine.home.join("Applications"),
    ]
    .iter()
    .map(|folder| folder.join(inside))
    .find(|executable| executable.is_file())
}

fn folder_argument(bundle: &Bundle) -> Vec<OsString> {
    match (&bundle.profile, data_of(bundle)) {
        (Profile::Extra, Some(data)) => {
            let mut argument = OsString::from("--user-data-dir=");
            argument.push(data);
            vec![argument]
        }
        _ => Vec::new(),
    }
}

/// The kernel makes a new one at every start.
pub(super) fn boot() -> Option<String> {
    look::boot()
}
