//! macOS: `libproc` for what processes hold, sysinfo for what they say of themselves. There is one mount
//! table and one network for all, so that a place is simply its path.
//! Type-checked only; not run by our own CI.

mod look;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sandtray_core::leftover::Signal;
use sandtray_core::leftover::evidence::{Evidence, FileId, Hold, How, Unseen};
use sandtray_core::leftover::view::DeletedOpen;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;
use sandtray_core::time::Time;

use super::kin::{self, Known, Table};
use super::listed::{self, Listed};
use super::status::Rights;

pub(super) use super::plain::OwnMounts;

pub(super) fn gather(machine: &Machine, _claude: &Claude, config_dirs: &[PathBuf]) -> Evidence {
    let boot = look::boot().map(Time);
    let listed = listed::read(&machine.folders.temp);
    let mut evidence = listed::evidence(&listed, machine, config_dirs, boot);
    evidence.desktops = Some(desktops(&listed, machine));
    match look::mount_points() {
        Ok(points) => evidence.mount_points = points.into_iter().map(super::plain::place).collect(),
        Err(error) => {
            let cause = format!("the mounts cannot be read: {error}");
            evidence.missing.insert(Signal::Mounts, cause);
        }
    }
    let own = std::process::id();
    let uid = rustix::process::geteuid().as_raw();
    let table = table(&listed, uid);
    for process in &listed.processes {
        if process.pid == own {
            continue;
        }
        let held = look::held(process.pid);
        for (id, how) in held.files {
            hold(&mut evidence, id, process, how);
        }
        if let Some(id) = process.executable.as_deref().and_then(file_id) {
            hold(&mut evidence, id, process, How::Program);
        }
        evidence.listening.extend(held.listening);
        if held.closed
            && let Some(kin) = kin::suspicion(process.pid, &table, uid)
        {
            evidence.unseen.push(Unseen {
                pid: process.pid,
                name: process.name.clone(),
                started: process.started,
                kin,
            });
        }
    }
    evidence
}

fn hold(evidence: &mut Evidence, id: FileId, process: &listed::Process, how: How) {
    let known = evidence.held.get(&id);
    if known.is_some_and(|known| super::strength(known.how) >= super::strength(how)) {
        return;
    }
    let hold = Hold {
        pid: process.pid,
        name: process.name.clone(),
        how,
    };
    evidence.held.insert(id, hold);
}

fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let seen = std::fs::metadata(path).ok()?;
    Some(FileId {
        device: seen.dev(),
        inode: seen.ino(),
    })
}

fn table(listed: &Listed, uid: u32) -> Table {
    let known = |process: &listed::Process| {
        let executable = process.executable.as_deref().and_then(Path::file_name);
        let names = std::iter::once(process.name.clone().into_bytes());
        Known {
            parent: process.parent,
            names: names
                .chain(executable.map(|name| name.as_encoded_bytes().to_vec()))
                .collect(),
            rights: process.uid.map(|real| Rights {
                real,
                effective: if process.own { uid } else { real },
            }),
            reaper: process.pid == 1,
        }
    };
    listed
        .processes
        .iter()
        .map(|process| (process.pid, known(process)))
        .collect::<BTreeMap<_, _>>()
}

/// Data folders of Claude Desktop whose lock names a process that lives.
fn desktops(listed: &Listed, machine: &Machine) -> BTreeSet<PathBuf> {
    let usual = ["Claude", "Claude-3p"].map(|name| machine.folders.config.join(name));
    usual
        .iter()
        .chain(&machine.user_data)
        .filter(|folder| {
            let led = std::fs::read_link(folder.join("SingletonLock")).ok();
            led.and_then(|led| led.to_str()?.rsplit_once('-')?.1.parse::<u32>().ok())
                .is_some_and(|pid| listed.processes.iter().any(|process| process.pid == pid))
        })
        .map(|folder| std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()))
        .collect()
}

/// Not asked for here yet: `libproc` does not show that a file has no name any more.
pub(super) const fn deleted_open(_machine: &Machine, _roots: &[PathBuf]) -> Vec<DeletedOpen> {
    Vec::new()
}

/// The pass has answered for every file.
pub(super) const fn held_now(_path: &Path) -> Option<Hold> {
    None
}

pub(super) const fn is_wsl() -> bool {
    false
}
