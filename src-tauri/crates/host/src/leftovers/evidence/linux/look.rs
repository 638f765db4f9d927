//! Looks into one folder of `/proc`. It is opened once: its number may be given again, the folder stays
//! that of the process it was opened for and answers `ESRCH` when that has ended.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, StatxFlags, makedev, openat, readlinkat, statx,
};
use sandtray_core::leftover::evidence::FileId;

/// No text of a process is longer; a mapping of millions of pieces is cut off and said to be unreadable.
const LONGEST: u64 = 64 * 1024 * 1024;

/// The folder of a process or of a thread.
pub(super) struct Folder(OwnedFd);

/// A file as a look through a descriptor shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) id: FileId,
    pub(super) is_file: bool,
    /// Names it has.
    pub(super) links: u32,
    /// Its length and its blocks, where they were asked for.
    pub(super) size: u64,
    pub(super) blocks: u64,
    /// The mount on which it was found; 0 where the system does not say.
    pub(super) mount: u64,
}

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(openat(CWD, path, flags, Mode::empty())?))
    }

    /// A folder in it.
    pub(super) fn folder(&self, name: impl rustix::path::Arg) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Opens a file in it for reading.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// A text, whole.
    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let file = self.file(name)?;
        let mut text = Vec::with_capacity(4096);
        let read = file.take(LONGEST).read_to_end(&mut text)?;
        if u64::try_from(read).is_ok_and(|read| read >= LONGEST) {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too long"));
        }
        Ok(text)
    }

    /// Where a link leads, as the kernel writes it.
    pub(super) fn link(&self, name: impl rustix::path::Arg) -> io::Result<CString> {
        Ok(readlinkat(&self.0, name, Vec::with_capacity(256))?)
    }

    /// Names in a folder of it.
    pub(super) fn names(&self, name: &str) -> io::Result<Vec<CString>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(&self.0, name, flags, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::new(folder)? {
            // The list ends early only where the process does.
            let Ok(entry) = entry else { break };
            if !entry.file_name().to_bytes().starts_with(b".") {
                names.push(entry.file_name().to_owned());
            }
        }
        Ok(names)
    }

    /// The file that a link leads to: for links in `/proc` the open file itself, whatever its name.
    pub(super) fn follow(&self, name: impl rustix::path::Arg, sizes: bool) -> io::Result<Seen> {
        seen(&self.0, name, AtFlags::empty(), sizes)
    }

    /// Whether a descriptor can be written to: the kernel shows it as the link's own rights, as `fdinfo`
    /// does at three times the price.
    pub(super) fn is_written(&self, name: impl rustix::path::Arg) -> bool {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::STATX_DONT_SYNC;
        statx(&self.0, name, flags, StatxFlags::MODE)
            .is_ok_and(|seen| Mode::from_raw_mode(seen.stx_mode.into()).contains(Mode::WUSR))
    }
}

/// A file by its path. Asks no server and starts no automount: a filesystem that hangs must not hang us.
pub(super) fn file(path: &Path, follow: bool) -> io::Result<Seen> {
    let flags = match follow {
        true => AtFlags::empty(),
        false => AtFlags::SYMLINK_NOFOLLOW,
    };
    seen(CWD, path, flags, false)
}

fn seen(
    folder: impl std::os::fd::AsFd,
    name: impl rustix::path::Arg,
    flags: AtFlags,
    sizes: bool,
) -> io::Result<Seen> {
    let flags = flags | AtFlags::NO_AUTOMOUNT | AtFlags::STATX_DONT_SYNC;
    let mut wanted = StatxFlags::INO | StatxFlags::TYPE | StatxFlags::MNT_ID;
    if sizes {
        wanted |= StatxFlags::SIZE | StatxFlags::BLOCKS | StatxFlags::NLINK;
    }
    let seen = statx(folder, name, flags, wanted)?;
    let told = StatxFlags::from_bits_retain(seen.stx_mask);
    Ok(Seen {
        id: FileId {
            device: makedev(seen.stx_dev_major, seen.stx_dev_minor),
            inode: seen.stx_ino,
        },
        is_file: FileType::from_raw_mode(seen.stx_mode.into()) == FileType::RegularFile,
        links: seen.stx_nlink,
        size: seen.stx_size,
        blocks: seen.stx_blocks,
        mount: match told.contains(StatxFlags::MNT_ID) {
            true => seen.stx_mnt_id,
            false => 0,
        },
    })
}

/// What a failed look means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// The process has ended, or has no such thing.
    Gone,
    /// It may not be looked into. Only the answers that say so mean that it is gone; anything else is not
    /// knowing.
    Closed,
}

pub(super) fn failed(error: &io::Error) -> Failed {
    const ENDED: i32 = rustix::io::Errno::SRCH.raw_os_error();
    match error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(ENDED) {
        true => Failed::Gone,
        false => Failed::Closed,
    }
}
