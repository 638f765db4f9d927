//! Volumes on Linux: `mountinfo`, mount ids by `statx`, `statvfs`.

use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags, statvfs, statx};

use super::mountinfo::{self, Mount};
use super::{Fill, Inodes, Mounted, volume};

/// The mounts of this process's namespace.
pub(super) struct Table(Vec<Mount>);

impl Table {
    /// Reads them; empty where `/proc` is not mounted, and then no volume can be named.
    pub(super) fn read() -> Self {
        Self(mountinfo::parse(
            &std::fs::read("/proc/self/mountinfo").unwrap_or_default(),
        ))
    }

    /// The mount on which `path` lies, by the mount's id: a device number is the same for bind
    /// mounts of one filesystem.
    pub(super) fn find(&self, path: &Path) -> Option<Mounted> {
        let seen = statx(CWD, path, AtFlags::NO_AUTOMOUNT, StatxFlags::MNT_ID).ok()?;
        let mount = self.0.iter().find(|mount| mount.id == seen.stx_mnt_id)?;
        Some(Mounted {
            volume: volume(
                mount.point.clone(),
                mount.filesystem.clone(),
                mount.memory(),
            ),
            device: mount.device.clone(),
            remote: mount.remote(),
        })
    }

    /// Whether the mount point above `path` is another machine's. Disks of a virtual machine's own host
    /// (`/mnt/c` of WSL2) answer.
    pub(super) fn may_wait(&self, path: &Path) -> bool {
        let above = self.0.iter().filter(|mount| path.starts_with(&mount.point));
        let length = |mount: &&Mount| mount.point.as_os_str().len();
        above.max_by_key(length).is_some_and(|mount| {
            mount.remote() && !matches!(mount.filesystem.as_str(), "9p" | "drvfs" | "virtiofs")
        })
    }
}

/// How full the filesystem at `point` is. `f_frsize` is the unit of blocks, and what df prints.
pub(super) fn fill(point: &Path) -> io::Result<Fill> {
    let stat = statvfs(point)?;
    let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
    // f_favail is what an ordinary user may take; tmpfs and ext4 set it.
    let inodes = (stat.f_files > 0).then_some(Inodes {
        total: stat.f_files,
        available: stat.f_favail.min(stat.f_files),
    });
    Ok(Fill {
        total: bytes(stat.f_blocks),
        free: bytes(stat.f_bfree),
        available: bytes(stat.f_bavail),
        inodes,
    })
}
