//! How a file stores the bytes of its virtual disk.

use std::io;

use sandtray_core::disk::Format;

use super::signature;
use super::source::{ReadAt, fetch};
use super::vhdx::{self, Vhdx};
use crate::error::Cause;

const HEAD: u64 = 512;

/// The map from a virtual disk to its file, which stays with the caller.
pub(super) enum Container {
    Raw,
    Vhdx(Box<Vhdx>),
}

impl Container {
    /// Recognises the format by the first bytes and reads its map.
    ///
    /// # Errors
    /// Unsupported, with its name, for a format that is not read; what reading the map says.
    pub(super) fn open(file: &dyn ReadAt) -> Result<Self, Cause> {
        let head = fetch(file, 0, file.length().min(HEAD), "first sector")?;
        if vhdx::is_vhdx(&head) {
            return Ok(Self::Vhdx(Box::new(Vhdx::open(file)?)));
        }
        match signature::container(&head) {
            Some(name) => Err(Cause::Unsupported(format!(
                "it is {name}, and only raw and VHDX images can be looked into"
            ))),
            None => Ok(Self::Raw),
        }
    }

    pub(super) const fn format(&self) -> Format {
        match self {
            Self::Raw => Format::Raw,
            Self::Vhdx(_) => Format::Vhdx,
        }
    }

    /// The virtual disk in `file`.
    pub(super) const fn over<'a>(&'a self, file: &'a dyn ReadAt) -> Virtual<'a> {
        Virtual {
            container: self,
            file,
        }
    }
}

/// A virtual disk.
pub(super) struct Virtual<'a> {
    container: &'a Container,
    file: &'a dyn ReadAt,
}

impl ReadAt for Virtual<'_> {
    fn length(&self) -> u64 {
        match self.container {
            Container::Raw => self.file.length(),
            Container::Vhdx(vhdx) => vhdx.length(),
        }
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match self.container {
            Container::Raw => self.file.read_at(buffer, offset),
            Container::Vhdx(vhdx) => vhdx.read_at(self.file, buffer, offset),
        }
    }

    fn announce(&self, offset: u64, length: u64) {
        match self.container {
            Container::Raw => self.file.announce(offset, length),
            Container::Vhdx(vhdx) => vhdx.announce(self.file, offset, length),
        }
    }
}
