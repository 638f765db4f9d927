//! What one pass over the machine gave: sets, built in one go and asked in memory.
//!
//! Host fills it; nothing here looks. What could not be seen is part of it: a signal that is missing, a
//! process that could not be looked into.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::time::Time;

/// A file, whatever its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    /// `st_dev`; the serial number of a volume on Windows.
    pub device: u64,
    /// `st_ino`; the file index on Windows.
    pub inode: u64,
}

/// A path inside a filesystem: how `mountinfo` names the source of a mount (#96129; the path is relative
/// to the filesystem's root and no path of the host).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inside {
    /// The filesystem, as `mountinfo` numbers it.
    pub device: (u32, u32),
    /// The path in it, `//deleted` taken off.
    pub path: Vec<u8>,
}

/// How a process holds a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Open for reading.
    Read,
    /// Open for writing.
    Write,
    /// Its working folder or its root.
    Folder,
    /// The program it runs.
    Program,
    /// Mapped into its memory.
    Mapped,
}

/// Who holds a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The process.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// The strongest way in which anybody does: writing over everything else, reading last.
    pub how: How,
}

/// A process that can be seen, whoever's it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// When it began.
    pub started: Time,
    /// Its number in its own namespace where that differs (`NSpid`).
    pub inner: Vec<u32>,
    /// Its name.
    pub name: String,
}

/// A process that cannot be looked into and may hold something all the same.
///
/// Root's processes do not count as holders of a user's private files, and a stranger's ancestry leads
/// nowhere near Claude; those are left out by whoever gathers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The process.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// When it began.
    pub started: Time,
    /// Its ancestry leads to Claude, node, bun, bwrap, socat or qemu; otherwise its ancestry is lost.
    pub kin: bool,
}

/// A session of Claude Code, from its registry (`<config>/sessions/<pid>.json`) or from an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Its process.
    pub pid: u32,
    /// Its id; empty where only the process is known, which then works in `cwd`. Goes stale after `/clear`
    /// (#53037): every session of its folder counts as live.
    pub id: String,
    /// The folder it works in.
    pub cwd: Option<PathBuf>,
    /// Whether its process lives: by number and start time. None where that cannot be said.
    pub alive: Option<bool>,
}

/// A live process of Claude Code or of bun; one that makes files in several folders is there once for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agent {
    /// The process.
    pub pid: u32,
    /// When it began.
    pub started: Time,
    /// Its version, `(2, 1, 280)`; none where unknown.
    pub version: Option<(u32, u32, u32)>,
    /// Its own temp folder, as it would make files there; none where unknown, and then it may be any.
    pub temp: Option<PathBuf>,
    /// Claude Code itself; otherwise another program of bun's.
    pub claude: bool,
}

/// What one pass over the machine gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// When it was gathered.
    pub at: Time,
    /// When the machine was started; none where unknown.
    pub boot: Option<Time>,
    /// Signals that are missing as a whole, with the cause: `hidepid`, a sandbox around ourselves.
    pub missing: BTreeMap<super::Signal, String>,
    /// Files that are held.
    pub held: BTreeMap<FileId, Hold>,
    /// Processes that may hold more.
    pub unseen: Vec<Unseen>,
    /// Sources of mounts, in every namespace that can be read.
    pub mount_sources: BTreeSet<Inside>,
    /// What mounts stand on, in every namespace that can be read.
    pub mount_points: BTreeSet<Inside>,
    /// File names of listening sockets: in another namespace only the name is the same.
    pub listening: BTreeSet<Vec<u8>>,
    /// Sessions, dead ones included.
    pub sessions: Vec<Session>,
    /// Every process by number.
    pub processes: BTreeMap<u32, Process>,
    /// Live processes of Claude Code and of bun.
    pub agents: Vec<Agent>,
    /// Background jobs that run: `$CLAUDE_JOB_DIR` of live processes, and those the roster says.
    pub jobs: BTreeSet<PathBuf>,
    /// Absolute paths that environments of own processes name, whatever the variable.
    pub named: BTreeSet<PathBuf>,
    /// Data folders of Claude Desktop that run; none where that cannot be said.
    pub desktops: Option<BTreeSet<PathBuf>>,
}

impl Evidence {
    /// Whether something at `place`, or below it, is the source of a mount or carries one.
    #[must_use]
    pub fn is_mounted(set: &BTreeSet<Inside>, place: &Inside) -> bool {
        set.range(place..)
            .take_while(|found| found.device == place.device && found.path.starts_with(&place.path))
            .any(|found| {
                let rest = found.path.get(place.path.len()..).unwrap_or_default();
                rest.is_empty() || rest.starts_with(b"/") || place.path.ends_with(b"/")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(path: &str) -> Inside {
        Inside {
            device: (0, 42),
            path: path.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_mount_at_or_below_a_place_counts_and_one_beside_it_does_not() {
        let set = BTreeSet::from([
            inside("/claude-empty-Ab3xY9"),
            inside("/tree-2/x"),
            inside("/tree/deep/file"),
        ]);
        let mounted = |path| Evidence::is_mounted(&set, &inside(path));
        assert!(mounted("/claude-empty-Ab3xY9"));
        assert!(mounted("/tree") && mounted("/tree/deep") && mounted("/tree-2"));
        assert!(mounted("/"));
        assert!(!mounted("/claude-empty-Ab3xY") && !mounted("/tree/dee") && !mounted("/other"));
        let elsewhere = Inside {
            device: (0, 43),
            ..inside("/tree")
        };
        assert!(!Evidence::is_mounted(&set, &elsewhere));
    }
}
