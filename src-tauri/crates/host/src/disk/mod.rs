//! Guest disks, read from the host: never written, never mounted, their journals never replayed.
//!
//! ```text
//! path → file (what may be opened) → container (raw) → gpt | mbr | whole disk → ext4 → Image
//! ```
//!
//! * `source`: bytes at offsets; the file, a partition of it, and whatever else can map blocks.
//! * `file`: opening without writing, waiting or disturbing.
//! * `gpt`, `mbr`, `table`: which parts a disk has.
//! * `ext4`: how full a filesystem is.
//! * `signature`: names for everything else.
//!
//! Whoever made an image chose every byte of it, so every count is checked before it is used, nothing
//! recurses, no read is larger than a fixed cap, and the three kinds of failure stay apart: the system's
//! (I/O), ours (unsupported), the image's (corrupt).

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

mod checksum;
mod ext4;
mod file;
mod gpt;
mod mbr;
mod reason;
mod signature;
mod source;
mod table;
#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "tests make disks up from small numbers of their own"
)]
mod tests;

use std::path::Path;

use sandtray_core::bytes::Bytes;
use sandtray_core::disk::{Disk, Filesystem, Format, Image, Problem};

use self::file::ImageFile;
use self::mbr::Mbr;
use self::source::{ReadAt, Window, fetch};
use self::table::Partition;
use crate::error::{Cause, Failure};

pub use self::reason::reason;

/// The first bytes of a disk: boot sector, superblock, and the GPT header with sectors of either size.
const HEAD: u64 = 8192;
const OPERATION: &str = "read the disk image";

/// Reads what an image holds and how full it is; a few small reads, whatever its size.
///
/// A disk that is being written may look torn for a moment, so one that contradicts itself is read once
/// more before it is said to.
///
/// # Errors
/// What the system says of the file; unsupported for other formats and for what is no file; corrupt
/// where nothing on it can be read. One broken filesystem among several is a
/// [`Problem`] of that disk alone.
pub fn read(path: &Path) -> Result<Image, Failure> {
    let file = ImageFile::open(path).map_err(|cause| failure(path, cause))?;
    let disks = match inspect(&file) {
        Err(Cause::Corrupt(_)) => inspect(&file),
        other => other,
    };
    Ok(Image {
        path: path.to_owned(),
        linked: file.linked,
        format: Format::Raw,
        disks: disks.map_err(|cause| failure(path, cause))?,
    })
}

fn failure(path: &Path, cause: Cause) -> Failure {
    let hint = reason::hint(&cause);
    let failure = Failure::new(OPERATION, path, cause);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Finds the filesystems of a virtual disk: by table and magic numbers, never by name or order.
fn inspect(source: &dyn ReadAt) -> Result<Vec<Disk>, Cause> {
    if source.length() == 0 {
        return Err(Cause::Corrupt("it is empty".to_owned()));
    }
    let head = head(source)?;
    if let Some(name) = signature::container(&head) {
        return Err(Cause::Unsupported(format!(
            "it is {name}, and only raw images can be looked into"
        )));
    }
    let whole = Partition {
        index: 0,
        start: 0,
        length: source.length(),
    };
    let mbr = mbr::parse(&head)?;
    let gpt = match &mbr {
        // A table of its own beside the leftovers of a GPT: the kernel believes the table, so do we.
        Mbr::Table(_) => Ok(None),
        Mbr::Absent => gpt::parse(source, &head, false),
        Mbr::Protective => gpt::parse(source, &head, true),
    };
    match gpt {
        Ok(Some(partitions)) => return each(source, &partitions),
        Err(cause) if !ext4::is_ext(&head) => return Err(cause),
        Ok(None) | Err(_) => {}
    }
    let (disk, cause) = look(source, whole, &head);
    if let Some(cause) = cause {
        return Err(cause);
    }
    if disk.filesystem != Filesystem::Unknown {
        return Ok(vec![disk]);
    }
    match mbr {
        Mbr::Table(partitions) => {
            table::check(&partitions, source.length())?;
            each(source, &partitions)
        }
        _ => Err(Cause::Corrupt(
            "it has no partition table and no filesystem that is known".to_owned(),
        )),
    }
}

/// Looks into every partition. A broken filesystem does not hide the others; where every one of the ext
/// family is broken, the first failure is the answer.
fn each(source: &dyn ReadAt, partitions: &[Partition]) -> Result<Vec<Disk>, Cause> {
    let mut disks = Vec::with_capacity(partitions.len());
    let mut first = None;
    let mut readable = false;
    for partition in partitions {
        let window = Window::new(source, partition.start, partition.length);
        let (disk, cause) = look(&window, *partition, &head(&window)?);
        readable |= disk.numbers.is_some();
        first = first.or(cause);
        disks.push(disk);
    }
    match first {
        Some(cause) if !readable => Err(cause),
        _ => Ok(disks),
    }
}

/// Looks into one partition by its first bytes: what it is, and the cause where it should have numbers and
/// has none.
fn look(source: &dyn ReadAt, partition: Partition, head: &[u8]) -> (Disk, Option<Cause>) {
    let mut disk = Disk {
        index: partition.index,
        start: Bytes(partition.start),
        length: Bytes(partition.length),
        filesystem: Filesystem::Unknown,
        label: None,
        uuid: None,
        numbers: None,
        problem: None,
    };
    if !ext4::is_ext(head) {
        let other = signature::recognise(head);
        disk.filesystem = other.filesystem;
        disk.label = other.label;
        disk.uuid = other.uuid;
        return (disk, None);
    }
    disk.filesystem = Filesystem::Ext4;
    let numbers = ext4::superblock(head).and_then(|superblock| {
        let identity = ext4::Identity::parse(superblock)?;
        disk.filesystem = identity.filesystem;
        disk.label = identity.label;
        disk.uuid = identity.uuid;
        ext4::numbers(source, superblock)
    });
    match numbers {
        Ok(numbers) => {
            disk.numbers = Some(numbers);
            (disk, None)
        }
        Err(cause) => {
            disk.problem = Some(Problem {
                reason: reason::of(&cause),
                text: cause.to_string(),
            });
            (disk, Some(cause))
        }
    }
}

fn head(source: &dyn ReadAt) -> Result<Vec<u8>, Cause> {
    fetch(source, 0, source.length().min(HEAD), "first sectors")
}
