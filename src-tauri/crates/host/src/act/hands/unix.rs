//! Linux and macOS.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags};

use super::{Effect, Hands};

pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// `renameat2(RENAME_NOREPLACE)`, on macOS `renameatx_np(RENAME_EXCL)`.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(
        CWD,
        from,
        CWD,
        to,
        RenameFlags::NOREPLACE,
    )?)
}

pub(super) fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)
}

pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

pub(super) fn sync_file(path: &Path) -> io::Result<()> {
    sync(&File::open(path)?)
}

/// A filesystem that cannot sync a folder says so; there is nothing more that could be done.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    match sync(&File::open(path)?) {
        Err(error) if unsupported(&error) => Ok(()),
        done => done,
    }
}

fn unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::INVAL, Errno::OPNOTSUPP, Errno::NOTSUP]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(not(target_os = "macos"))]
fn sync(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// macOS: `fsync` reaches the drive's cache only; `F_FULLFSYNC` reaches the drive, where it is supported.
#[cfg(target_os = "macos")]
fn sync(file: &File) -> io::Result<()> {
    match rustix::fs::fcntl_fullfsync(file).map_err(io::Error::from) {
        Err(error) if unsupported(&error) => Ok(rustix::fs::fsync(file)?),
        done => done,
    }
}

/// Whether this user may make, rename and remove names in a folder.
pub(in super::super) fn writable(path: &Path) -> io::Result<()> {
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    Ok(rustix::fs::access(path, access)?)
}

/// Only macOS has backups and an index that would take a parked copy in.
#[cfg(not(target_os = "macos"))]
pub(in super::super) const fn exclude(_copy: &Path) {}

/// Keeps a copy out of Time Machine, by the attribute that `tmutil addexclusion` sets, and out of Spotlight.
/// A copy that is in them is as good; so nothing is said where it fails.
#[cfg(target_os = "macos")]
pub(in super::super) fn exclude(copy: &Path) {
    const NAME: &str = "com.apple.metadata:com_apple_backup_excludeItem";
    // A binary property list that holds the text "com.apple.backupd".
    const VALUE: &[u8] = b"bplist00\x5f\x10\x11com.apple.backupd\x08\
        \0\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x1c";
    rustix::fs::setxattr(copy, NAME, VALUE, rustix::fs::XattrFlags::empty()).ok();
    if let Some(root) = copy.parent() {
        create(&root.join(".metadata_never_index"), b"").ok();
    }
}

/// Only Windows has packages that redirect writes.
pub(in super::super) const fn packaged() -> bool {
    false
}

/// A folder on the way down.
struct Level {
    folder: OwnedFd,
    /// Its name in the one above; empty for the root.
    name: Vec<u8>,
    path: PathBuf,
    /// Folders in it that are still to be emptied.
    folders: Vec<Vec<u8>>,
    /// To be removed after everything else in it.
    last: Vec<Vec<u8>>,
}

/// Empties a folder by descriptors: each is opened without following a link, below the one before it.
pub(super) fn remove_tree(hands: &Hands, root: &Path, last: &str) -> io::Result<()> {
    let top = rustix::fs::open(root, open_flags(), Mode::empty())?;
    let device = rustix::fs::fstat(&top)?.st_dev;
    let mut levels = vec![Level::read(
        hands,
        top,
        root.to_owned(),
        Vec::new(),
        last.as_bytes(),
    )?];
    while let Some(level) = levels.last_mut() {
        if let Some(name) = level.folders.pop() {
            let path = level.path.join(OsStr::from_bytes(&name));
            let folder =
                rustix::fs::openat(&level.folder, name.as_slice(), open_flags(), Mode::empty())?;
            if rustix::fs::fstat(&folder)?.st_dev != device {
                return Err(io::Error::other(format!(
                    "{} is another volume",
                    path.display()
                )));
            }
            levels.push(Level::read(hands, folder, path, name, b"")?);
            continue;
        }
        for name in std::mem::take(&mut level.last) {
            level.remove(hands, &name)?;
        }
        let done = levels.pop();
        if let (Some(done), Some(above)) = (done, levels.last()) {
            let name = done.name.as_slice();
            hands.doing(
                || Effect::RemoveDir(done.path.clone()),
                || {
                    Ok(rustix::fs::unlinkat(
                        &above.folder,
                        name,
                        AtFlags::REMOVEDIR,
                    )?)
                },
            )?;
        }
    }
    Ok(())
}

fn open_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

impl Level {
    /// Removes what is no folder, and lists the folders.
    fn read(
        hands: &Hands,
        folder: OwnedFd,
        path: PathBuf,
        name: Vec<u8>,
        last: &[u8],
    ) -> io::Result<Self> {
        let mut level = Self {
            folder,
            name,
            path,
            folders: Vec::new(),
            last: Vec::new(),
        };
        let mut files = Vec::new();
        for entry in Dir::read_from(&level.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let stat = rustix::fs::statat(&level.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                level.folders.push(name.to_owned());
            } else if name == last {
                level.last.push(name.to_owned());
            } else {
                files.push(name.to_owned());
            }
        }
        for name in files {
            level.remove(hands, &name)?;
        }
        Ok(level)
    }

    fn remove(&self, hands: &Hands, name: &[u8]) -> io::Result<()> {
        hands.doing(
            || Effect::RemoveFile(self.path.join(OsStr::from_bytes(name))),
            || Ok(rustix::fs::unlinkat(&self.folder, name, AtFlags::empty())?),
        )
    }
}
