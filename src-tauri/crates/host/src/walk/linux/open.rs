//! Opens and looks, relative to an open directory: the system calls of the walk, and no others.
//!
//! Links are never followed (`O_NOFOLLOW`), mounts never crossed (`openat2` with `RESOLVE_NO_XDEV`,
//! which also sees a bind mount of the same filesystem), and the access times of other people's
//! folders stay as they are where the system lets us (`O_NOATIME`): age sweeps go by them.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Statx, StatxFlags, StatxTimestamp,
};
use rustix::io::Errno;
use sandtray_core::bytes::{Allocated, Apparent};

use super::super::cache::Times;
use super::super::{Identity, Kind, Seen};

/// All a measurement needs to know, and nothing a filesystem would have to work for.
const MASK: StatxFlags = StatxFlags::TYPE
    .union(StatxFlags::NLINK)
    .union(StatxFlags::INO)
    .union(StatxFlags::SIZE)
    .union(StatxFlags::BLOCKS)
    .union(StatxFlags::MTIME)
    .union(StatxFlags::CTIME)
    .union(StatxFlags::MNT_ID);

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A look, and the mount it saw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) seen: Seen,
    /// `None` before Linux 5.8; the device number must do then.
    pub(super) mount: Option<u64>,
    pub(super) times: Times,
}

/// What the root of a walk is.
#[derive(Debug)]
pub(super) enum Root {
    Dir(OwnedFd, Opener),
    /// Anything else: its own size is the whole measurement.
    Leaf(Seen),
}

/// What an attempt to open an entry as a directory gave.
#[derive(Debug)]
pub(super) enum Opened {
    Dir(OwnedFd, Look),
    /// The root of another mount.
    Mount,
    /// No directory (any more).
    NotDir,
    /// Gone since its name was read.
    Gone,
    Refused(Errno),
}

/// How to open below one root.
#[derive(Debug)]
pub(super) struct Opener {
    root: Look,
    /// Whether `openat2` works here: since Linux 5.6, and not inside every sandbox.
    guarded: bool,
}

impl Opener {
    /// Opens the root of a walk; the error names the operation that failed.
    pub(super) fn root(path: &CStr) -> Result<Root, (&'static str, Errno)> {
        let look = look_at(CWD, path).map_err(|cause| ("look at", cause))?;
        if look.seen.kind != Kind::Dir {
            return Ok(Root::Leaf(look.seen));
        }
        let dir = quietly(|quiet| rustix::fs::openat(CWD, path, DIRECTORY | quiet, Mode::empty()))
            .map_err(|cause| ("open directory", cause))?;
        // Looked at again through the handle: the path may have changed hands in between.
        let root = look_into(&dir).map_err(|cause| ("look at", cause))?;
        let no_xdev = ResolveFlags::NO_XDEV;
        let guarded = rustix::fs::openat2(&dir, c".", DIRECTORY, Mode::empty(), no_xdev).is_ok();
        Ok(Root::Dir(dir, Self { root, guarded }))
    }

    /// What the root is.
    pub(super) const fn root_look(&self) -> Look {
        self.root
    }

    /// Opens an entry that should be a directory.
    pub(super) fn enter(&self, parent: BorrowedFd<'_>, name: &CStr) -> Opened {
        let opened = quietly(|quiet| {
            if self.guarded {
                let flags = DIRECTORY | quiet;
                rustix::fs::openat2(parent, name, flags, Mode::empty(), ResolveFlags::NO_XDEV)
            } else {
                rustix::fs::openat(parent, name, DIRECTORY | quiet, Mode::empty())
            }
        });
        let dir = match opened {
            Ok(dir) => dir,
            Err(Errno::XDEV) => return Opened::Mount,
            Err(Errno::NOTDIR | Errno::LOOP) => return Opened::NotDir,
            Err(Errno::NOENT) => return Opened::Gone,
            Err(cause) => return Opened::Refused(cause),
        };
        match look_into(&dir) {
            Ok(look) if self.is_elsewhere(&look) => Opened::Mount,
            Ok(look) => Opened::Dir(dir, look),
            Err(cause) => Opened::Refused(cause),
        }
    }

    /// Opens the parent of an open directory, whatever it is now.
    pub(super) fn parent(&self, child: BorrowedFd<'_>) -> Option<(OwnedFd, Look)> {
        match self.enter(child, c"..") {
            Opened::Dir(dir, look) => Some((dir, look)),
            _ => None,
        }
    }

    /// Opens a directory below the root by the names on the way to it.
    pub(super) fn descend(&self, root: BorrowedFd<'_>, path: &[u8]) -> Option<(OwnedFd, Look)> {
        let mut at: Option<(OwnedFd, Look)> = None;
        for name in path.split(|byte| *byte == b'/') {
            let name = CString::new(name).ok()?;
            let parent = at.as_ref().map_or(root, |(dir, _)| dir.as_fd());
            let Opened::Dir(dir, look) = self.enter(parent, &name) else {
                return None;
            };
            at = Some((dir, look));
        }
        at
    }

    /// Whether a look saw another mount than the root's.
    pub(super) fn is_elsewhere(&self, look: &Look) -> bool {
        match (self.root.mount, look.mount) {
            (Some(ours), Some(theirs)) => ours != theirs,
            _ => self.root.seen.identity.device != look.seen.identity.device,
        }
    }
}

/// Opens without touching the access time, or with, where the file is somebody else's.
fn quietly(open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<OwnedFd, Errno> {
    match open(OFlags::NOATIME) {
        Err(Errno::PERM) => open(OFlags::empty()),
        opened => opened,
    }
}

/// Looks at an entry by name, never through a link.
pub(super) fn look_at(parent: BorrowedFd<'_>, name: &CStr) -> Result<Look, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    rustix::fs::statx(parent, name, flags, MASK).map(|statx| look(&statx))
}

/// Looks at what is open.
fn look_into(dir: &OwnedFd) -> Result<Look, Errno> {
    rustix::fs::statx(dir, c"", AtFlags::EMPTY_PATH, MASK).map(|statx| look(&statx))
}

fn look(statx: &Statx) -> Look {
    let kind = match FileType::from_raw_mode(statx.stx_mode.into()) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Dir,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Other,
    };
    let has_mount = statx.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    Look {
        seen: Seen {
            kind,
            apparent: Apparent(statx.stx_size),
            allocated: Allocated(statx.stx_blocks.saturating_mul(512)),
            links: statx.stx_nlink.into(),
            identity: Identity {
                device: u64::from(statx.stx_dev_major) << 32 | u64::from(statx.stx_dev_minor),
                inode: statx.stx_ino,
            },
        },
        mount: has_mount.then_some(statx.stx_mnt_id),
        times: Times {
            modified: nanoseconds(&statx.stx_mtime),
            changed: nanoseconds(&statx.stx_ctime),
        },
    }
}

fn nanoseconds(time: &StatxTimestamp) -> i64 {
    time.tv_sec
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec.into())
}
