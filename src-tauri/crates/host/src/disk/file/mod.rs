//! An image file, opened so that nothing can be written, waited for or disturbed.
//!
//! The path may name anything: a pipe would block the opening, opening a tape or a watchdog does
//! something. So the type is looked at first, and again on what was really opened.

mod ahead;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::num::NonZeroU64;
use std::path::Path;
use std::time::SystemTime;

use sandtray_core::bytes::{Allocated, Apparent};

use crate::disk::source::ReadAt;
use crate::error::Cause;

/// An open image.
pub(super) struct ImageFile {
    file: File,
    length: u64,
    /// The path is a symbolic link.
    pub(super) linked: bool,
    /// Blocks it takes on the host.
    pub(super) allocated: Allocated,
    /// When it was last written, where the system says so.
    pub(super) modified: Option<SystemTime>,
}

impl ImageFile {
    /// Opens a regular file or a block device for reading; links are followed and said so.
    ///
    /// # Errors
    /// What the system says; unsupported for a directory, a pipe, a socket or a character device.
    pub(super) fn open(path: &Path) -> Result<Self, Cause> {
        let named = std::fs::symlink_metadata(path)?;
        let linked = named.file_type().is_symlink();
        let before = if linked {
            std::fs::metadata(path)?
        } else {
            named
        };
        system::check(&before)?;
        let mut file = system::open(path)?;
        let opened = file.metadata()?;
        system::check(&opened)?;
        let length = if opened.is_file() {
            opened.len()
        } else {
            file.seek(SeekFrom::End(0))?
        };
        let allocated = system::allocated(path, &opened, length)?;
        Ok(Self {
            file,
            length,
            linked,
            allocated,
            modified: opened.modified().ok(),
        })
    }

    /// Its length as `ls -l` says.
    pub(super) const fn apparent(&self) -> Apparent {
        Apparent(self.length)
    }
}

impl ReadAt for ImageFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        system::read_exact_at(&self.file, buffer, offset)
    }

    fn announce(&self, offset: u64, length: u64) {
        if let Some(length) = NonZeroU64::new(length) {
            ahead::announce(&self.file, offset, length);
        }
    }
}

fn refused(what: &str) -> Cause {
    Cause::Unsupported(format!("it is {what}, not a disk image"))
}
