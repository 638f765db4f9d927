//! Who holds a file: descriptors, mappings, loop devices; and who might, where nobody lets us look.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::AtFlags;
use sandtray_core::act::refusal::Holder;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Claude;

use super::super::Held;
use super::super::proc::{Kin, Names, Stat, Table, backing_file, kin, maps};
use super::executable::Executables;
use super::lease;
use super::look::{self, Identity};
use super::wanted::Wanted;

/// A process that was started during a look may have been handed a file by one that had been looked at
/// before: newcomers are looked at until there are none, or so many times.
const ROUNDS: usize = 4;

/// How long something that is about to pass is waited for; a busy machine takes its time.
const ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(10);

pub(in super::super) fn holders(machine: &Machine, claude: &Claude, files: &[PathBuf]) -> Held {
    match found(machine, claude, files) {
        Ok(holders) if holders.is_empty() => Held::No,
        Ok(holders) => Held::By(holders),
        Err(cause) => Held::Unknown(cause),
    }
}

fn found(machine: &Machine, claude: &Claude, files: &[PathBuf]) -> Result<Vec<Holder>, String> {
    let executables = Executables::of(machine, claude)?;
    let wanted = Wanted::of(files)?;
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut eyes = Eyes {
        names: executables.names(),
        executables,
        wanted,
        table: look::processes()?,
    };
    let mut holders: BTreeMap<u32, Holder> = BTreeMap::new();
    let mut fresh: Vec<u32> = eyes.table.keys().copied().collect();
    for _ in 0..ROUNDS {
        for pid in fresh {
            if let Some(holder) = eyes.judge(pid) {
                holders.insert(pid, holder);
            }
        }
        fresh = eyes.newcomers()?;
        if fresh.is_empty() {
            break;
        }
    }
    let mut holders: Vec<Holder> = holders.into_values().collect();
    holders.extend(loops(&eyes.wanted)?);
    if holders.iter().all(|holder| holder.file.is_none()) {
        holders.extend(unseen(&eyes.wanted));
    }
    Ok(holders)
}

/// What is needed to judge a process.
struct Eyes {
    executables: Executables,
    names: Names,
    wanted: Wanted,
    table: Table,
}

/// What a look into one process gave.
enum Look {
    /// It holds nothing we look for, or has ended.
    Clear,
    /// It holds this.
    Holds(PathBuf),
    /// It may not be looked into.
    Closed,
}

impl Eyes {
    /// Numbers that the table does not know, or knows as another process; they are taken into it.
    fn newcomers(&mut self) -> Result<Vec<u32>, String> {
        let mut fresh = Vec::new();
        for pid in look::numbers()? {
            if let Some(stat) = look::stat(pid) {
                let known = self.table.get(&pid).map(|stat| stat.started);
                if known != Some(stat.started) {
                    fresh.push(pid);
                    self.table.insert(pid, stat);
                }
            }
        }
        Ok(fresh)
    }

    fn judge(&self, pid: u32) -> Option<Holder> {
        let stat = self.table.get(&pid)?;
        if pid == std::process::id() {
            return None;
        }
        // Asked before each look: what was seen of it before exec says nothing of it afterwards.
        let mut beginning = self.is_our_beginning(stat);
        let mut seen = self.look(stat);
        for _ in 0..ATTEMPTS {
            if !beginning || !matches!(seen, Look::Holds(_)) {
                break;
            }
            thread::sleep(PAUSE);
            beginning = self.is_our_beginning(stat);
            seen = self.look(stat);
        }
        let file = match seen {
            Look::Clear => return None,
            Look::Holds(file) => Some(file),
            Look::Closed => None,
        };
        let kin = kin(pid, &self.table, &self.names, &|pid| {
            self.executables.run_by(pid)
        });
        // Nothing is known of what it holds: only its kin make it a suspect.
        if file.is_none() && kin == Kin::None {
            return None;
        }
        // It ended, or its number is another's: what was seen was not of one process.
        if look::stat(pid).is_none_or(|now| now.started != stat.started) && file.is_none() {
            return None;
        }
        Some(Holder {
            pid,
            name: self.name(stat),
            file: file.as_ref().map(PathText::from),
            vm: match kin {
                Kin::Vm => true,
                Kin::App => self.is_child(pid),
                Kin::None => false,
            },
        })
    }

    /// A program that another of our threads is starting: until exec it is a copy of us, with all that we
    /// have open.
    fn is_our_beginning(&self, stat: &Stat) -> bool {
        let own = std::process::id();
        stat.parent == own && look::executable(stat.pid) == look::executable(own)
    }

    /// The program that runs, then descriptors, then mappings: a file may be mapped and its descriptor
    /// closed, and right after exec the program is not mapped yet.
    fn look(&self, stat: &Stat) -> Look {
        let folder = look::folder(stat.pid);
        if !stat.ended {
            return self.look_into(&folder);
        }
        if stat.threads < 2 {
            return Look::Clear;
        }
        // The main thread has ended and shows nothing; the files belong to those that live on.
        let threads = fs::read_dir(folder.join("task"));
        for thread in threads.into_iter().flatten().flatten() {
            match self.look_into(&thread.path()) {
                Look::Clear => {}
                seen => return seen,
            }
        }
        Look::Clear
    }

    fn look_into(&self, folder: &Path) -> Look {
        let open = match descriptors(folder) {
            Ok(open) => open,
            Err(error) => return unreadable(&error),
        };
        let mut closed = false;
        let program = look::identity(&folder.join("exe"), AtFlags::empty());
        for identity in open.chain([program]) {
            match identity {
                Ok(identity) => {
                    if let Some(file) = self.wanted.opened(identity) {
                        return Look::Holds(file.to_owned());
                    }
                }
                Err(error) => closed |= matches!(unreadable(&error), Look::Closed),
            }
        }
        if closed {
            return Look::Closed;
        }
        match fs::read(folder.join("maps")) {
            Ok(text) => maps(&text)
                .iter()
                .find_map(|mapping| self.wanted.mapped(mapping))
                .map_or(Look::Clear, |file| Look::Holds(file.to_owned())),
            Err(error) => unreadable(&error),
        }
    }

    /// One of the app's children of its own executable, left behind.
    fn is_child(&self, pid: u32) -> bool {
        look::executable(pid)
            .and_then(|executable| look::command_line(pid, &executable))
            .is_some_and(|line| line.is_child())
    }

    /// The name as the system shows it: whole where the kernel had to cut it and the executable tells.
    fn name(&self, stat: &Stat) -> String {
        let whole = look::executable(stat.pid)
            .and_then(|path| path.file_name().map(|name| name.as_bytes().to_vec()))
            .filter(|name| stat.name.len() == 15 && name.starts_with(&stat.name));
        String::from_utf8_lossy(whole.as_ref().unwrap_or(&stat.name)).into_owned()
    }
}

/// What is open in a process or a thread, its own folder in `/proc` given.
fn descriptors(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<Identity>>> {
    let entries = fs::read_dir(folder.join("fd"))?;
    // The list ends early only where the process does.
    Ok(entries
        .map_while(Result::ok)
        .map(|entry| look::identity(&entry.path(), AtFlags::empty())))
}

/// A process that has ended, or one that may not be looked into. Only the answers that say so mean that
/// it is gone; anything else is not knowing.
fn unreadable(error: &io::Error) -> Look {
    const ENDED: i32 = rustix::io::Errno::SRCH.raw_os_error();
    if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(ENDED) {
        Look::Clear
    } else {
        Look::Closed
    }
}

/// Loop devices belong to the kernel: no process holds the file.
fn loops(wanted: &Wanted) -> Result<Vec<Holder>, String> {
    let devices = match fs::read_dir("/sys/block") {
        Ok(devices) => devices,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("/sys/block: {error}")),
    };
    let mut holders = Vec::new();
    for device in devices.flatten() {
        let name = device.file_name();
        if !name.as_bytes().starts_with(b"loop") {
            continue;
        }
        let text = fs::read(device.path().join("loop/backing_file")).unwrap_or_default();
        let backing = backing_file(&text);
        if let Some(file) = backing.as_deref().and_then(|path| wanted.behind(path)) {
            holders.push(Holder {
                pid: 0,
                name: format!("loop device {}", name.display()),
                file: Some(file.into()),
                vm: false,
            });
        }
    }
    Ok(holders)
}

/// Writers that no look can find: in a container or a session of another user, or with the descriptor on
/// its way through a socket. The kernel counts them.
fn unseen(wanted: &Wanted) -> Option<Holder> {
    if wanted.is_remote() {
        return None; // there "no lease" only means that the server gives none
    }
    // What we write ourselves would answer for everybody.
    let own = look::folder(std::process::id());
    let ours: Vec<Identity> = descriptors(&own).ok()?.filter_map(Result::ok).collect();
    let file = wanted
        .files()
        .filter(|(identity, _)| !ours.contains(identity))
        .map(|(_, path)| path)
        .find(|path| lease::is_written(path))?;
    Some(Holder {
        pid: 0,
        name: "a process that this user cannot see".to_owned(),
        file: Some(file.into()),
        vm: false,
    })
}
