//! Mounted filesystems and how full they are for this user.
//!
//! * Available is what *this user* may still write (`f_bavail`), never total minus used: "42 G used
//!   of 252 G, 0 available" is a real report (#85576).
//! * One volume per mount, however many roots lie on it; a bind mount of the same filesystem is the
//!   same numbers under another mount point and counts once.
//! * A probe of a network filesystem may hang for ever, so it runs on a thread of its own and is
//!   given up after [`PATIENCE`]; the gauge is then unknown, and the hung probe is not repeated
//!   until it has come back.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

#[cfg(any(target_os = "linux", test))]
pub(crate) mod mountinfo;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use sandtray_core::bundle::Volume;
use sandtray_core::gauge::UnknownReason;
use sandtray_core::paths::token;

/// How long a probe may take before its volume counts as unknown.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// How full a volume is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Bytes it can hold.
    pub total: u64,
    /// Bytes unallocated, those reserved for root included.
    pub free: u64,
    /// Bytes this user can still write.
    pub available: u64,
    /// Inodes, where the filesystem has a fixed number; btrfs, APFS and NTFS have none.
    pub inodes: Option<Inodes>,
}

/// Inodes of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inodes {
    /// How many there can be.
    pub total: u64,
    /// How many this user can still take.
    pub available: u64,
}

/// A volume as the system describes it, before it is probed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// What surfaces show.
    pub volume: Volume,
    /// Names the filesystem behind the mount: equal for bind mounts of one filesystem.
    pub device: String,
    /// A probe may hang.
    pub remote: bool,
}

/// The mounts of this machine at one moment: read once for however many paths are asked about.
pub struct Mounts(system::Table);

impl Mounts {
    /// Reads them.
    #[must_use]
    pub fn read() -> Self {
        Self(system::Table::read())
    }

    /// The volume on which `path` lies; none where the path does not exist or the system cannot name
    /// its volume.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<Mounted> {
        self.0.find(path)
    }

    /// Whether to look at `path` may wait for another machine, told by the names of mount points alone:
    /// asking the path itself would wait already.
    pub(crate) fn may_wait(&self, path: &Path) -> bool {
        self.0.may_wait(path)
    }
}

/// Finds the volumes on which `paths` lie: each filesystem once, in order of first mention. Paths
/// without a volume are skipped.
#[must_use]
pub fn of_paths<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<Mounted> {
    let mounts = Mounts::read();
    let mut found: Vec<Mounted> = Vec::new();
    for path in paths {
        if let Some(mounted) = mounts.find(path)
            && !found.iter().any(|known| known.device == mounted.device)
        {
            found.push(mounted);
        }
    }
    found
}

/// The volume on which one path lies.
#[must_use]
pub fn of_path(path: &Path) -> Option<Mounted> {
    Mounts::read().find(path)
}

/// Asks for fills, one hung volume at most per mount point outstanding.
#[derive(Debug, Default)]
pub struct Prober {
    hung: BTreeMap<PathBuf, Receiver<io::Result<Fill>>>,
}

impl Prober {
    /// How full a volume is now, or why that is unknown.
    pub fn probe(&mut self, mounted: &Mounted) -> Result<Fill, UnknownReason> {
        let point = &mounted.volume.mount_point;
        if !mounted.remote {
            return system::fill(point).map_err(|error| reason(&error));
        }
        // A probe that hung before is only asked whether it has come back: waiting again would
        // hold up the healthy volumes at every tick.
        let (waiting, patience) = match self.hung.remove(point) {
            Some(waiting) => (waiting, Duration::ZERO),
            None => (start(point.clone()).ok_or(UnknownReason::Failed)?, PATIENCE),
        };
        match waiting.recv_timeout(patience) {
            Ok(answer) => answer.map_err(|error| reason(&error)),
            Err(RecvTimeoutError::Timeout) => {
                self.hung.insert(point.clone(), waiting);
                Err(UnknownReason::TimedOut)
            }
            Err(RecvTimeoutError::Disconnected) => Err(UnknownReason::Failed),
        }
    }
}

fn start(point: PathBuf) -> Option<Receiver<io::Result<Fill>>> {
    let (answer, waiting) = mpsc::channel();
    thread::Builder::new()
        .name("sandtray-probe".into())
        .stack_size(128 * 1024)
        .spawn(move || {
            // Nobody waits any more when this fails: the volume is gone from the list.
            answer.send(system::fill(&point)).ok();
        })
        .ok()?;
    Some(waiting)
}

/// What an I/O error means for a number that was asked for.
#[must_use]
pub fn reason(error: &io::Error) -> UnknownReason {
    match error.kind() {
        io::ErrorKind::PermissionDenied => UnknownReason::Denied,
        io::ErrorKind::NotFound => UnknownReason::Missing,
        io::ErrorKind::TimedOut => UnknownReason::TimedOut,
        io::ErrorKind::ResourceBusy => UnknownReason::Busy,
        _ => UnknownReason::Failed,
    }
}

/// Names a volume by its mount point.
fn volume(mount_point: PathBuf, filesystem: String, memory: bool) -> Volume {
    Volume {
        id: token(&mount_point),
        mount_point,
        filesystem,
        memory,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_of_a_folder_is_found_and_has_room_that_adds_up() {
        let dir = tempfile::tempdir().unwrap();
        let mounted = of_path(dir.path()).unwrap();
        let fill = Prober::default().probe(&mounted).unwrap();
        assert!(fill.total > 0 && fill.available <= fill.free && fill.free <= fill.total);
        if let Some(inodes) = fill.inodes {
            assert!(inodes.total > 0 && inodes.available <= inodes.total);
        }
    }

    #[test]
    fn two_folders_of_one_filesystem_are_one_volume() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        std::fs::create_dir(&a).unwrap();
        std::fs::create_dir(&b).unwrap();
        assert_eq!(of_paths([a.as_path(), b.as_path()]).len(), 1);
    }

    #[test]
    fn a_path_that_is_gone_has_no_volume() {
        assert_eq!(of_path(Path::new("/nowhere/at/all")), None);
    }

    #[test]
    fn a_remote_probe_that_hangs_is_unknown_and_is_not_started_twice() {
        let mut prober = Prober::default();
        let point = PathBuf::from("/hung");
        let (keep, waiting) = mpsc::channel();
        prober.hung.insert(point.clone(), waiting);
        let mounted = Mounted {
            volume: volume(point.clone(), "nfs4".into(), false),
            device: "0:99".into(),
            remote: true,
        };
        assert_eq!(prober.probe(&mounted), Err(UnknownReason::TimedOut));
        assert!(prober.hung.contains_key(&point), "still the same probe");
        let fill = Fill {
            total: 3,
            free: 2,
            available: 1,
            inodes: None,
        };
        keep.send(Ok(fill)).unwrap();
        assert_eq!(prober.probe(&mounted), Ok(fill), "the late answer counts");
        assert!(prober.hung.is_empty());
    }
}
