//! The pass itself: every process once, then those that were started meanwhile.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sandtray_core::leftover::Signal;
use sandtray_core::leftover::evidence::{Agent, Evidence, FileId, Inside, Process, Unseen};
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;
use sandtray_core::time::Time;

use super::hold::{Deleted, Holder, Holds};
use super::look::{Failed, Folder, failed};
use super::own_processes::Told;
use super::{desktop, loops, sessions, view};
use crate::act::app::proc::{Stat, undeleted};
use crate::leftovers::evidence::kin::{self, Known, Table};
use crate::leftovers::evidence::status::{Flags, Status};
use crate::leftovers::evidence::{jobs, mounted, sockets};
use crate::volume::mountinfo;

/// A process that was started during the pass may have been handed a file by one that had been looked at
/// before: newcomers are looked at until there are none, or so many times.
const ROUNDS: usize = 4;

/// The kernel shows times in hundredths of a second, whatever it counts in itself.
const TICKS: u64 = 100;

/// Where to look, and who we are there. Tests hand in trees of their own.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// `/proc`.
    pub(super) proc: PathBuf,
    /// `/sys/block`.
    pub(super) blocks: PathBuf,
    /// Our own process.
    pub(super) own: u32,
    /// Whose rights we have.
    pub(super) uid: u32,
    /// It is the machine we run on.
    pub(super) real: bool,
}

impl Scene {
    pub(super) fn real() -> Self {
        Self {
            proc: PathBuf::from("/proc"),
            blocks: PathBuf::from("/sys/block"),
            own: std::process::id(),
            uid: rustix::process::geteuid().as_raw(),
            real: true,
        }
    }
}

/// What a pass has seen so far.
pub(super) struct Pass<'a> {
    pub(super) scene: &'a Scene,
    /// `/proc` could not be listed.
    pub(super) failed: Option<String>,
    pub(super) table: Table,
    pub(super) stats: BTreeMap<u32, Stat>,
    pub(super) inner: BTreeMap<u32, Vec<u32>>,
    pub(super) holds: Holds,
    pub(super) deleted: Vec<Deleted>,
    pub(super) told: Told,
    closed: Vec<u32>,
    sources: BTreeSet<Inside>,
    points: BTreeSet<Inside>,
    listening: BTreeSet<Vec<u8>>,
    missing: BTreeMap<Signal, String>,
    /// Mount tables that were read: by namespace and root where those may be seen, else by content.
    namespaces: HashSet<(Vec<u8>, FileId, u64)>,
    tables: HashSet<Vec<u8>>,
    networks: HashSet<FileId>,
    only_descriptors: bool,
}

impl<'a> Pass<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            failed: None,
            table: Table::new(),
            stats: BTreeMap::new(),
            inner: BTreeMap::new(),
            holds: Holds::default(),
            deleted: Vec::new(),
            told: Told::default(),
            closed: Vec::new(),
            sources: BTreeSet::new(),
            points: BTreeSet::new(),
            listening: BTreeSet::new(),
            missing: BTreeMap::new(),
            namespaces: HashSet::new(),
            tables: HashSet::new(),
            networks: HashSet::new(),
            only_descriptors: false,
        }
    }

    /// A pass that asks for open files and nothing else.
    pub(super) fn only_descriptors(scene: &'a Scene) -> Self {
        Self {
            only_descriptors: true,
            ..Self::new(scene)
        }
    }

    pub(super) fn run(&mut self) {
        self.told.own_mounts = self
            .own_thread()
            .and_then(|own| Some(own.link("ns/mnt").ok()?.into_bytes()));
        let mut known = BTreeSet::new();
        for _ in 0..ROUNDS {
            let fresh: Vec<u32> = match numbers(&self.scene.proc) {
                Ok(pids) => pids.into_iter().filter(|pid| known.insert(*pid)).collect(),
                Err(error) => {
                    self.failed = Some(format!("{}: {error}", self.scene.proc.display()));
                    return;
                }
            };
            if fresh.is_empty() {
                break;
            }
            for pid in fresh {
                if let Some(folder) = self.folder(pid) {
                    self.process(pid, &folder);
                }
            }
        }
    }

    pub(super) fn folder(&self, pid: u32) -> Option<Folder> {
        Folder::open(&self.scene.proc.join(pid.to_string())).ok()
    }

    /// Our own thread, which has the rights we look with.
    pub(super) fn own_thread(&self) -> Option<Folder> {
        Folder::open(&self.scene.proc.join("thread-self")).ok()
    }

    fn process(&mut self, pid: u32, folder: &Folder) {
        let Ok(text) = folder.read("stat") else {
            return;
        };
        let Some(stat) = Stat::parse(&text) else {
            return;
        };
        let flags = Flags::parse(&text);
        let status = match folder.read("status") {
            Ok(text) if !self.only_descriptors => Status::parse(&text),
            _ => Status::default(),
        };
        let executable = match flags.is_kernel() {
            true => None,
            false => folder
                .link("exe")
                .ok()
                .map(|shown| undeleted(shown.as_bytes()).0),
        };
        let mut names = vec![stat.name.clone()];
        if let Some(name) = executable.as_deref().and_then(Path::file_name) {
            names.push(name.as_bytes().to_vec());
        }
        self.table.insert(
            pid,
            Known {
                parent: stat.parent,
                names,
                rights: status.rights,
                reaper: pid == 1 || status.inner().last() == Some(&1),
            },
        );
        self.inner.insert(pid, status.inner().to_vec());
        let name = String::from_utf8_lossy(&stat.name).into_owned();
        if !flags.is_kernel() && (!stat.ended || stat.threads > 1) {
            let looked = self.living(folder, &stat, flags, &name);
            if !looked {
                self.closed.push(pid);
            } else if pid != self.scene.own && !self.only_descriptors {
                let own = status
                    .rights
                    .is_none_or(|rights| rights.has(self.scene.uid));
                self.told.take(folder, &stat, executable.as_deref(), own);
            }
            if !looked
                && status
                    .rights
                    .is_none_or(|rights| rights.has(self.scene.uid))
            {
                self.told.closed(&stat);
            }
        }
        self.stats.insert(pid, stat);
    }

    /// Looks at a process that lives, and answers whether all of what it holds could be seen. Where its
    /// main thread has ended that shows nothing: its files are those of the threads that live on.
    fn living(&mut self, folder: &Folder, stat: &Stat, flags: Flags, name: &str) -> bool {
        // A program that another of our threads is starting is a copy of us until its exec.
        let ours =
            stat.pid == self.scene.own || (stat.parent == self.scene.own && flags.is_beginning());
        if !stat.ended {
            return self.look(folder, stat.pid, name, ours);
        }
        let Ok(threads) = folder.names("task") else {
            return false;
        };
        let mut whole = true;
        for thread in threads {
            if let Ok(thread) = folder
                .folder("task")
                .and_then(|threads| threads.folder(thread.as_c_str()))
            {
                whole &= self.look(&thread, stat.pid, name, ours);
            }
        }
        whole
    }

    fn look(&mut self, folder: &Folder, pid: u32, name: &str, ours: bool) -> bool {
        let holder = Holder { pid, name };
        if self.only_descriptors {
            return ours || self.holds.descriptors(folder, holder, &mut self.deleted);
        }
        self.mounts(folder);
        self.sockets(folder);
        ours || self.holds.look(folder, holder, &mut self.deleted)
    }

    /// Takes the mount table of a process's namespace, each once. The same namespace shows another table
    /// to a process with another root.
    fn mounts(&mut self, folder: &Folder) {
        let namespace = folder.link("ns/mnt").ok().and_then(|namespace| {
            let root = folder.follow("root", false).ok()?;
            Some((namespace.into_bytes(), root.id, root.mount))
        });
        if namespace
            .as_ref()
            .is_some_and(|known| self.namespaces.contains(known))
        {
            return;
        }
        match folder.read("mountinfo") {
            Ok(text) => {
                if self.tables.insert(text.clone()) {
                    let mounts = mountinfo::parse(&text);
                    mounted::add(&mounts, &mut self.sources, &mut self.points);
                    for mount in mounts {
                        if let Some(device) = mounted::numbers(&mount.device) {
                            self.holds.kinds.insert(device, mount.filesystem);
                        }
                    }
                }
                self.namespaces.extend(namespace);
            }
            Err(error) => self.unreadable(folder, Signal::Mounts, "mounts", &error),
        }
    }

    /// Takes the sockets of a process's network namespace, each once: its table has an inode of its own in
    /// every namespace, which everybody may see.
    fn sockets(&mut self, folder: &Folder) {
        const TABLE: &str = "net/unix";
        match folder.follow(TABLE, false) {
            Ok(seen) if self.networks.contains(&seen.id) => {}
            Ok(seen) => match folder.read(TABLE) {
                Ok(text) => {
                    self.listening
                        .extend(sockets::listening(&text).map(<[u8]>::to_vec));
                    self.networks.insert(seen.id);
                }
                Err(error) => self.unreadable(folder, Signal::Sockets, "sockets", &error),
            },
            Err(error) => self.unreadable(folder, Signal::Sockets, "sockets", &error),
        }
    }

    /// A table that could not be read is missing, unless its process was about to end.
    fn unreadable(&mut self, folder: &Folder, signal: Signal, what: &str, error: &io::Error) {
        let ends = failed(error) == Failed::Gone
            || folder
                .read("stat")
                .ok()
                .and_then(|text| Stat::parse(&text))
                .is_none_or(|stat| stat.ended);
        if !ends {
            self.missing
                .entry(signal)
                .or_insert_with(|| format!("the {what} of a process cannot be read: {error}"));
        }
    }

    /// Those that could not be looked into, that are still there and may hold something of ours.
    fn unseen(&self, started: &dyn Fn(&Stat) -> Time) -> Vec<Unseen> {
        self.closed
            .iter()
            .filter_map(|pid| {
                let kin = kin::suspicion(*pid, &self.table, self.scene.uid)?;
                let stat = self.stats.get(pid)?;
                let now = Stat::parse(&self.folder(*pid)?.read("stat").ok()?)?;
                (now.started == stat.started && !(now.ended && now.threads < 2)).then(|| Unseen {
                    pid: *pid,
                    name: String::from_utf8_lossy(&stat.name).into_owned(),
                    started: started(stat),
                    kin,
                })
            })
            .collect()
    }
}

/// Numbers of the processes that may be listed.
fn numbers(proc: &Path) -> io::Result<Vec<u32>> {
    let mut pids = Vec::new();
    for entry in std::fs::read_dir(proc)? {
        let name = entry?.file_name();
        if let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) {
            pids.push(pid);
        }
    }
    Ok(pids)
}

/// One pass, put together.
pub(super) fn evidence(
    scene: &Scene,
    machine: &Machine,
    claude: &Claude,
    config_dirs: &[PathBuf],
) -> Evidence {
    let at = crate::machine::now(machine);
    let boot = std::fs::read(scene.proc.join("stat"))
        .ok()
        .and_then(|text| begun(&text));
    let mut pass = Pass::new(scene);
    pass.run();
    loops::add(&mut pass.holds, &scene.blocks);

    let started = |stat: &Stat| {
        let since = i64::try_from(stat.started / TICKS).unwrap_or(i64::MAX);
        boot.unwrap_or_default().plus(since)
    };
    let mut missing = view::missing(&pass, &folders(machine));
    for (signal, cause) in &pass.missing {
        missing.entry(*signal).or_insert_with(|| cause.clone());
    }
    if boot.is_none() {
        missing
            .entry(Signal::Processes)
            .or_insert_with(|| "/proc does not say when the machine was started".to_owned());
    }
    let hidden = missing.contains_key(&Signal::Processes);

    let mut configs: BTreeSet<PathBuf> = config_dirs.iter().cloned().collect();
    if !machine.is_confined() {
        configs.extend(pass.told.config_dirs.iter().cloned());
    }
    let mut running = pass.told.jobs.clone();
    for config in &configs {
        let lives = |pid: u32| pass.stats.contains_key(&pid);
        running.extend(jobs::running(config, &lives, boot));
    }
    let (found, versions) = match sessions::sessions(&pass, &configs, boot, &started) {
        Ok(found) => found,
        Err(cause) => {
            missing.entry(Signal::Sessions).or_insert(cause);
            Default::default()
        }
    };
    let agents = pass.told.agents(&started, &versions);
    Evidence {
        at,
        boot,
        unseen: pass.unseen(&started),
        sessions: found,
        processes: pass
            .stats
            .iter()
            .map(|(pid, stat)| (*pid, process(stat, pass.inner.get(pid), &started)))
            .collect(),
        agents,
        jobs: running,
        desktops: (!hidden)
            .then(|| desktop::running(&pass, machine, claude))
            .flatten(),
        missing,
        held: pass.holds.held,
        mount_sources: pass.sources,
        mount_points: pass.points,
        listening: pass.listening,
        named: pass.told.named,
    }
}

fn process(stat: &Stat, inner: Option<&Vec<u32>>, started: &dyn Fn(&Stat) -> Time) -> Process {
    Process {
        started: started(stat),
        inner: inner.cloned().unwrap_or_default(),
        name: String::from_utf8_lossy(&stat.name).into_owned(),
    }
}

/// The folders that a container must have for itself if nobody else may use them.
fn folders(machine: &Machine) -> Vec<PathBuf> {
    match &machine.only_roots {
        Some(only) => only.clone(),
        None => vec![machine.folders.temp.clone(), PathBuf::from("/tmp")],
    }
}

/// When the machine was started, as `/proc/stat` says.
fn begun(text: &[u8]) -> Option<Time> {
    let line = text
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"btime "))?;
    Some(Time(str::from_utf8(line).ok()?.trim().parse().ok()?))
}

/// What an agent's own process says about it, before versions are known.
pub(super) fn agent(
    pid: u32,
    started: Time,
    version: Option<(u32, u32, u32)>,
    claude: bool,
    temp: Option<PathBuf>,
) -> Agent {
    Agent {
        pid,
        started,
        version,
        temp,
        claude,
    }
}
