//! Linux, macOS and other Unixes: everything by `*at` calls on an open folder.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawMode, Timespec, Timestamps, UTIME_OMIT, fchmod, fstat,
    futimens, linkat, mkdirat, openat, statat, symlinkat, unlinkat, utimensat,
};

use super::{Identity, Kept};

/// Folders held open at once; those above are found again through `..` and known by their identity.
pub(in crate::rescue) const KEPT_OPEN: usize = 128;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// A folder held open.
#[derive(Debug)]
pub(in crate::rescue) struct Folder(OwnedFd);

impl Folder {
    /// Opens the folder that the user chose; links on the way to it are the user's own.
    pub(in crate::rescue) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, FOLDER, Mode::empty())?))
    }

    pub(in crate::rescue) fn identity(&self) -> io::Result<Identity> {
        Ok(identity(&fstat(&self.0)?))
    }

    /// Makes a folder that only this user can enter until it is finished.
    pub(in crate::rescue) fn make_folder(&self, name: &OsStr) -> io::Result<Self> {
        mkdirat(&self.0, name, Mode::RWXU)?;
        self.enter(name)
    }

    /// Opens a folder in this one; a link is an error.
    pub(in crate::rescue) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let flags = FOLDER | OFlags::NOFOLLOW;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Opens the folder that this one is in.
    pub(in crate::rescue) fn parent(&self) -> io::Result<Self> {
        self.enter(OsStr::new(".."))
    }

    /// Makes a file.
    pub(in crate::rescue) fn make_file(&self, name: &OsStr) -> io::Result<File> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?;
        Ok(File::from(file))
    }

    /// Makes a symbolic link.
    pub(in crate::rescue) fn make_link(
        &self,
        name: &OsStr,
        target: &[u8],
        modified: (i64, u32),
    ) -> io::Result<()> {
        symlinkat(OsStr::from_bytes(target), &self.0, name)?;
        // A link's own time is of no consequence where it cannot be set.
        utimensat(&self.0, name, &times(modified), AtFlags::SYMLINK_NOFOLLOW).ok();
        Ok(())
    }

    /// Gives the file `from` in another folder a further name in this one, and checks that it was that
    /// file: its folder's name may lead elsewhere by now.
    pub(in crate::rescue) fn make_name(
        &self,
        name: &OsStr,
        folder: &Self,
        from: &OsStr,
        wanted: Identity,
    ) -> io::Result<()> {
        linkat(&folder.0, from, &self.0, name, AtFlags::empty())?;
        let made = identity(&statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?);
        if made == wanted {
            return Ok(());
        }
        unlinkat(&self.0, name, AtFlags::empty())?;
        Err(io::ErrorKind::NotFound.into())
    }

    /// Takes back a file that was made here and is not whole.
    pub(in crate::rescue) fn take_back(&self, name: &OsStr, file: &File) -> io::Result<()> {
        let seen = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let regular = FileType::from_raw_mode(seen.st_mode) == FileType::RegularFile;
        if regular && identity(&seen) == identity_of(file)? {
            unlinkat(&self.0, name, AtFlags::empty())?;
        }
        Ok(())
    }

    /// Sets the mode and time of a folder that is filled.
    pub(in crate::rescue) fn finish(&self, kept: &Kept) -> io::Result<()> {
        set(&self.0, kept)
    }
}

/// Sets the mode and time of a file that is written, and says which file it is.
pub(in crate::rescue) fn keep(file: &File, kept: &Kept) -> io::Result<()> {
    set(file, kept)
}

/// Which file this is.
fn identity_of(file: &File) -> io::Result<Identity> {
    Ok(identity(&fstat(file)?))
}

impl Identity {
    /// The identity of an open file.
    pub(in crate::rescue) fn of(file: &File) -> io::Result<Self> {
        identity_of(file)
    }
}

/// Files are sparse here without being told.
pub(in crate::rescue) const fn sparse(_file: &File) {}

/// Writes all of `bytes` from `offset` on.
pub(in crate::rescue) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

fn set(file: impl AsFd, kept: &Kept) -> io::Result<()> {
    let mode = RawMode::from(kept.mode & 0o777);
    let mode = fchmod(&file, Mode::from_raw_mode(mode));
    let time = futimens(&file, &times(kept.modified));
    mode.and(time)?;
    Ok(())
}

fn times((seconds, nanos): (i64, u32)) -> Timestamps {
    Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: seconds,
            tv_nsec: nanos.into(),
        },
    }
}

#[allow(
    clippy::unnecessary_cast,
    clippy::allow_attributes,
    reason = "the types of these fields differ between Unixes"
)]
fn identity(stat: &rustix::fs::Stat) -> Identity {
    Identity {
        device: stat.st_dev as u64,
        number: stat.st_ino as u64,
    }
}
