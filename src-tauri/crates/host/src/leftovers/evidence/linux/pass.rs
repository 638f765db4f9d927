//! The pass itself: every process once, then those that were started meanwhile.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sandtray_core::leftover::Signal;
use sandtray_core::leftover::evidence::{FileId, Inside, Unseen};
use sandtray_core::time::Time;

use super::hold::{Deleted, Holder, Holds};
use super::look::{Folder, Seen};
use crate::act::app::proc::{Stat, undeleted};
use crate::leftovers::evidence::kin::{self, Known, Table};
use crate::leftovers::evidence::status::{Flags, Status};
use crate::leftovers::evidence::told::{Told, Words};
use crate::leftovers::evidence::{bun, environment};

/// A process that was started during the pass may have been handed a file by one that had been looked at
/// before: newcomers are looked at until there are none, or so many times.
const ROUNDS: usize = 4;

/// The kernel shows times in hundredths of a second, whatever it counts in itself.
const TICKS: u64 = 100;

/// Where Node and bun make temp files if nothing is said.
const SYSTEM_TEMP: &str = "/tmp";

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
    /// When the machine was started; none where `/proc` does not say.
    pub(super) boot: Option<Time>,
    /// Our own mount namespace; a path in another is another file's.
    pub(super) own_mounts: Option<CString>,
    /// Programs that were asked whether they were built with bun.
    built: BTreeMap<FileId, bool>,
    pub(super) closed: Vec<u32>,
    pub(super) sources: BTreeSet<Inside>,
    pub(super) points: BTreeSet<Inside>,
    pub(super) listening: BTreeSet<Vec<u8>>,
    pub(super) missing: BTreeMap<Signal, String>,
    /// Mount tables that were read: by namespace and root where those may be seen, else by content.
    pub(super) namespaces: HashSet<(Vec<u8>, FileId, u64)>,
    pub(super) tables: HashSet<Vec<u8>>,
    pub(super) networks: HashSet<FileId>,
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
            told: Told::new(Path::new(SYSTEM_TEMP)),
            boot: None,
            own_mounts: None,
            built: BTreeMap::new(),
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
        self.own_mounts = self.own_thread().and_then(|own| own.link("ns/mnt").ok());
        self.boot = std::fs::read(self.scene.proc.join("stat"))
            .ok()
            .and_then(|text| begun(&text));
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
        if !flags.is_kernel() && (!stat.ended || stat.threads > 1) {
            // A program that another of our threads is starting is a copy of us until its exec.
            let ours =
                pid == self.scene.own || (stat.parent == self.scene.own && flags.is_beginning());
            let looked = self.living(folder, &stat, ours);
            if !looked {
                self.closed.push(pid);
            }
            if !ours && !self.only_descriptors {
                let own = status
                    .rights
                    .is_none_or(|rights| rights.has(self.scene.uid));
                let executable = executable.as_deref();
                self.listen(folder, &stat, executable, own);
            }
        }
        self.stats.insert(pid, stat);
    }

    /// Takes what a process says of itself.
    fn listen(&mut self, folder: &Folder, stat: &Stat, executable: Option<&Path>, own: bool) {
        let environment = folder.read("environ").ok();
        if !own && environment.is_none() {
            return;
        }
        let mounts = folder.link("ns/mnt").ok();
        let arguments = || {
            let text = folder.read("cmdline").unwrap_or_default();
            text.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
        };
        let program = folder.follow("exe", false).ok();
        let built = own && program.is_some_and(|program| self.is_built_with_bun(folder, program));
        self.told.take(Words {
            pid: stat.pid,
            started: self.started(stat),
            name: &stat.name,
            executable,
            arguments: &arguments,
            bun: &|| built,
            environment: environment.as_deref(),
            here: mounts.is_some() && mounts == self.own_mounts,
            cwd: folder
                .link("cwd")
                .ok()
                .map(|cwd| environment::path(cwd.as_bytes())),
            own,
        });
    }

    /// Asked of each program once, and not of one on a filesystem that may wait for another machine.
    fn is_built_with_bun(&mut self, folder: &Folder, program: Seen) -> bool {
        if let Some(known) = self.built.get(&program.id) {
            return *known;
        }
        let built = self.holds.is_local(program.id)
            && folder
                .file("exe")
                .and_then(|mut file| bun::is_built_with(&mut file))
                .unwrap_or(false);
        self.built.insert(program.id, built);
        built
    }

    /// When a process was started.
    pub(super) fn started(&self, stat: &Stat) -> Time {
        let since = i64::try_from(stat.started / TICKS).unwrap_or(i64::MAX);
        self.boot.unwrap_or_default().plus(since)
    }

    /// Looks at a process that lives, and answers whether all of what it holds could be seen. Where its
    /// main thread has ended that shows nothing: its files are those of the threads that live on.
    fn living(&mut self, folder: &Folder, stat: &Stat, ours: bool) -> bool {
        let name = &*String::from_utf8_lossy(&stat.name);
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

    /// Those that could not be looked into, that are still there and may hold something of ours.
    pub(super) fn unseen(&self) -> Vec<Unseen> {
        self.closed
            .iter()
            .filter_map(|pid| {
                let kin = kin::suspicion(*pid, &self.table, self.scene.uid)?;
                let stat = self.stats.get(pid)?;
                let now = Stat::parse(&self.folder(*pid)?.read("stat").ok()?)?;
                (now.started == stat.started && !(now.ended && now.threads < 2)).then(|| Unseen {
                    pid: *pid,
                    name: String::from_utf8_lossy(&stat.name).into_owned(),
                    started: self.started(stat),
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

/// When the machine was started, as `/proc/stat` says.
fn begun(text: &[u8]) -> Option<Time> {
    let line = text
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"btime "))?;
    Some(Time(str::from_utf8(line).ok()?.trim().parse().ok()?))
}
