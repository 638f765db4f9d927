//! Windows: no calls relative to an open folder without going below the documented ones, so folders are
//! held open without sharing deletion. As long as they are, nobody can rename, delete or replace them,
//! and a path through them leads where it led when they were opened.
#![allow(unsafe_code, reason = "DeviceIoControl has no safe wrapper")]

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_GENERIC_READ, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_WRITE_ATTRIBUTES,
};
use windows_sys::Win32::System::IO::DeviceIoControl;

use super::{Identity, Kept};

/// All of them: a folder that is let go can be replaced.
pub(in crate::rescue) const KEPT_OPEN: usize = usize::MAX;

const FSCTL_SET_SPARSE: u32 = 0x0009_00c4;

/// A folder held open, and the path that leads to it as long as it is.
#[derive(Debug)]
pub(in crate::rescue) struct Folder {
    handle: File,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder that the user chose.
    pub(in crate::rescue) fn open(path: &Path) -> io::Result<Self> {
        // The canonical form has no limit of 260 characters.
        Self::hold(fs::canonicalize(path)?)
    }

    fn hold(path: PathBuf) -> io::Result<Self> {
        let handle = OpenOptions::new()
            .access_mode(FILE_GENERIC_READ | FILE_WRITE_ATTRIBUTES)
            .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
            .open(&path)?;
        let metadata = handle.metadata()?;
        let linked = metadata.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0;
        if linked || !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { handle, path })
    }

    pub(in crate::rescue) fn identity(&self) -> io::Result<Identity> {
        Identity::of(&self.handle)
    }

    /// Makes a folder.
    pub(in crate::rescue) fn make_folder(&self, name: &OsStr) -> io::Result<Self> {
        fs::create_dir(self.path.join(name))?;
        self.enter(name)
    }

    /// Opens a folder in this one; a link or junction is an error.
    pub(in crate::rescue) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        Self::hold(self.path.join(name))
    }

    /// Not needed: folders stay open.
    pub(in crate::rescue) fn parent(&self) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes a file; what exists, links too, is an error.
    pub(in crate::rescue) fn make_file(&self, name: &OsStr) -> io::Result<File> {
        File::create_new(self.path.join(name))
    }

    /// Needs a right that ordinary users lack, so no link is made.
    pub(in crate::rescue) fn make_link(
        &self,
        _name: &OsStr,
        _target: &[u8],
        _modified: (i64, u32),
    ) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Further names become copies.
    pub(in crate::rescue) fn make_name(
        &self,
        _name: &OsStr,
        _folder: &Self,
        _from: &OsStr,
        _wanted: Identity,
    ) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Takes back a file that was made here and is not whole.
    pub(in crate::rescue) fn take_back(&self, name: &OsStr, _file: &File) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// Sets the time of a folder that is filled; modes mean nothing here.
    pub(in crate::rescue) fn finish(&self, kept: &Kept) -> io::Result<()> {
        keep(&self.handle, kept)
    }
}

impl Identity {
    /// Not needed: it is only asked where folders are let go or names are added.
    pub(in crate::rescue) fn of(_file: &File) -> io::Result<Self> {
        Ok(Self {
            device: 0,
            number: 0,
        })
    }
}

/// Sets the time of a file that is written.
pub(in crate::rescue) fn keep(file: &File, kept: &Kept) -> io::Result<()> {
    let (seconds, nanos) = kept.modified;
    let span = Duration::new(seconds.unsigned_abs(), 0);
    let time = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(span)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(span)
    };
    let time = time
        .and_then(|time| time.checked_add(Duration::from_nanos(nanos.into())))
        .ok_or(io::ErrorKind::InvalidInput)?;
    file.set_times(FileTimes::new().set_modified(time))
}

/// Tells the filesystem that holes are to stay holes; one that has none fills them.
pub(in crate::rescue) fn sparse(file: &File) {
    let mut returned = 0;
    // SAFETY: the handle is open for the whole call, the control takes no buffers, and `returned` outlives it.
    unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            FSCTL_SET_SPARSE,
            std::ptr::null(),
            0,
            std::ptr::null_mut(),
            0,
            &mut returned,
            std::ptr::null_mut(),
        );
    }
}

/// Writes all of `bytes` from `offset` on.
pub(in crate::rescue) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut rest = bytes;
    let mut at = offset;
    while !rest.is_empty() {
        let count = file.seek_write(rest, at)?;
        match rest.get(count..) {
            Some(next) if count > 0 => rest = next,
            _ => return Err(io::ErrorKind::WriteZero.into()),
        }
        at = at.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
    }
    Ok(())
}
