//! One filesystem of an image, opened to be read further: its bytes as of the last commit.
//!
//! Owns the file, the format's map, the place of the partition and the journal, so a reader of directories
//! needs nothing but "bytes at offsets" and works on a raw disk, inside a VHDX, and on a guest that runs.

use std::io;
use std::path::Path;

use sandtray_core::disk::Format;
use sandtray_core::time::Time;

use super::container::Container;
use super::ext4::{self, Journal};
use super::file::ImageFile;
use super::source::{ReadAt, Window};
use super::table::Partition;
use super::{failure, survey};
use crate::error::{Cause, Failure};

/// An open filesystem.
pub struct Volume {
    file: ImageFile,
    container: Container,
    start: u64,
    length: u64,
    journal: Journal,
}

impl Volume {
    /// Opens the filesystem in partition `index` of an image, 0 being a disk without a table.
    ///
    /// What is read later is of the moment of opening, as far as the guest has not written the same
    /// blocks since; [`has_changed`](Self::has_changed) says whether it may have.
    ///
    /// # Errors
    /// As [`read`](super::read); corrupt where there is no such partition.
    pub fn open(path: &Path, index: u32) -> Result<Self, Failure> {
        Self::choose(path, |_, partitions| {
            partitions
                .into_iter()
                .find(|partition| partition.index == index)
                .ok_or_else(|| Cause::Corrupt(format!("it has no partition {index}")))
        })
    }

    /// Opens the partition that `choice` takes of the disk and its partitions.
    ///
    /// A superblock that is broken is no reason to refuse: who rescues files may know copies of it. Then
    /// there is no journal either, and [`lag`](Self::lag) says why.
    ///
    /// # Errors
    /// As [`open`](Self::open), and what `choice` says.
    pub(super) fn choose(
        path: &Path,
        choice: impl FnOnce(&dyn ReadAt, Vec<Partition>) -> Result<Partition, Cause>,
    ) -> Result<Self, Failure> {
        Self::find(path, choice).map_err(|cause| failure(path, cause))
    }

    fn find(
        path: &Path,
        choice: impl FnOnce(&dyn ReadAt, Vec<Partition>) -> Result<Partition, Cause>,
    ) -> Result<Self, Cause> {
        let file = ImageFile::open(path)?;
        if file.length() == 0 {
            return Err(Cause::Corrupt("it is empty".to_owned()));
        }
        let container = Container::open(&file)?;
        let disk = container.over(&file);
        let partition = choice(&disk, survey::partitions(&disk)?)?;
        let window = Window::new(&disk, partition.start, partition.length);
        let head = survey::head(&window)?;
        let journal = ext4::superblock(&head).and_then(|bytes| ext4::recover(&window, bytes));
        let journal = match journal {
            Err(Cause::Io(error)) => return Err(Cause::Io(error)),
            Err(cause) => Journal::unread(&cause),
            Ok(journal) => journal,
        };
        let length = window.length();
        Ok(Self {
            start: partition.start,
            length,
            journal,
            container,
            file,
        })
    }

    /// How the image stores its bytes.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.container.format()
    }

    /// When the last transaction in the journal was committed; none where the journal is empty.
    #[must_use]
    pub const fn committed(&self) -> Option<Time> {
        self.journal.committed
    }

    /// Why the guest may have committed more than what is seen; none where nothing speaks for it.
    #[must_use]
    pub fn lag(&self) -> Option<&str> {
        self.journal.lag.as_deref()
    }

    /// Whether the guest has committed anything since the filesystem was opened, so that what was read
    /// meanwhile may be of two moments.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn has_changed(&self, path: &Path, index: u32) -> Result<bool, Failure> {
        Self::open(path, index).map(|again| again.journal.mark != self.journal.mark)
    }
}

impl ReadAt for Volume {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let disk = self.container.over(&self.file);
        let window = Window::new(&disk, self.start, self.length);
        self.journal.over(&window).read_at(buffer, offset)
    }

    fn announce(&self, offset: u64, length: u64) {
        let disk = self.container.over(&self.file);
        Window::new(&disk, self.start, self.length).announce(offset, length);
    }
}
