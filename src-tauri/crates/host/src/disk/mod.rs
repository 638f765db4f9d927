//! Guest disks, read from the host: never written, never mounted, their journals never replayed.
//!
//! ```text
//! path → file (what may be opened) → container (raw, vhdx) → gpt | mbr | whole disk → ext4 → Image
//! ```
//!
//! * `source`: bytes at offsets; the file, a partition of it, and whatever else can map blocks.
//! * `file`: opening without writing, waiting or disturbing.
//! * `container`, `vhdx`: how a file stores a virtual disk, its log laid over it in memory.
//! * `gpt`, `mbr`, `table`: which parts a disk has.
//! * `ext4`: how full a filesystem is, its journal laid over it in memory.
//! * `survey`: one look at everything, and looks that agree.
//! * `volume`: one filesystem, opened to be read further.
//! * `guest`: which image a bundle uses for what, and how full that is.
//! * [`inside`]: what fills it, folder by folder.
//! * `signature`: names for everything else.
//!
//! Whoever made an image chose every byte of it, so every count is checked before it is used, nothing
//! recurses, no read is larger than a fixed cap, and the three kinds of failure stay apart: the system's
//! (I/O), ours (unsupported), the image's (corrupt).

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

mod checksum;
mod container;
pub(crate) mod ext4;
mod file;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod gpt;
pub(crate) mod guest;
pub mod inside;
mod mbr;
mod reason;
mod signature;
mod source;
mod survey;
mod table;
#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "tests make disks up from small numbers of their own"
)]
mod tests;
mod vhdx;
mod volume;

use std::path::Path;
use std::time::SystemTime;

use sandtray_core::disk::Image;

use self::file::ImageFile;
use self::source::ReadAt;
use crate::error::{Cause, Failure};

pub use self::reason::reason;
pub use self::volume::Volume;

const OPERATION: &str = "read the disk image";

/// Reads what an image holds and how full it is; a few small reads, whatever its size.
///
/// A disk in use is looked at until two looks in a row agree, so that no number is put together from two
/// states of it; where it changes all the time, its numbers are marked stale.
///
/// # Errors
/// What the system says of the file; unsupported for other formats and for what is no file; corrupt
/// where nothing on it can be read. One broken filesystem among several is a
/// [`Problem`](sandtray_core::disk::Problem) of that disk alone.
pub fn read(path: &Path) -> Result<Image, Failure> {
    survey::settled(|| {
        let file = ImageFile::open(path)?;
        Ok((survey::look(&file)?, file))
    })
    .map(|(found, file)| Image {
        path: path.to_owned(),
        linked: file.linked,
        format: found.format,
        apparent: file.apparent(),
        allocated: file.allocated,
        virtual_size: found.virtual_size,
        disks: found.disks,
    })
    .map_err(|cause| failure(path, cause))
}

/// The first and the last `end` bytes of a file; all of it and nothing where it is shorter than both.
pub(crate) fn ends(path: &Path, end: u64) -> Result<(Vec<u8>, Vec<u8>), Cause> {
    let file = ImageFile::open(path)?;
    let length = file.length();
    let both = end.saturating_mul(2);
    let head = if length <= both { length } else { end };
    let tail = if length <= both { 0 } else { end };
    let take = |count: u64, offset: u64| -> Result<Vec<u8>, Cause> {
        let count = usize::try_from(count).map_err(std::io::Error::other)?;
        let mut bytes = vec![0; count];
        file.read_at(&mut bytes, offset)?;
        Ok(bytes)
    };
    Ok((take(head, 0)?, take(tail, length.saturating_sub(tail))?))
}

/// Most bytes of a companion file; those of interest are of 40.
const COMPANION: u64 = 64;

/// The content of a small file beside an image, and when it was written. Opened with an image's care: what
/// stands in its place may be anything.
pub(crate) fn companion(path: &Path) -> Result<(Vec<u8>, Option<SystemTime>), Cause> {
    let file = ImageFile::open(path)?;
    let length = file.length();
    if length > COMPANION {
        return Err(Cause::Unsupported("it is too large".to_owned()));
    }
    let content = source::fetch(&file, 0, length, "companion")?;
    Ok((content, file.modified))
}

fn failure(path: &Path, cause: Cause) -> Failure {
    let hint = reason::hint(&cause);
    let failure = Failure::new(OPERATION, path, cause);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The disks that one look finds.
#[cfg(test)]
fn inspect(source: &dyn ReadAt) -> Result<Vec<sandtray_core::disk::Disk>, Cause> {
    survey::look(source).map(|found| found.disks)
}
