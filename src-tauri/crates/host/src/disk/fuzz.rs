//! The readers as fuzzing calls them: bytes in, nothing out. A panic is a finding, and so are a number that
//! cannot be true, a failure blamed on the system, and reading without end.
//!
//! Disks are megabytes of zeroes around a few tables, so an input is a disk folded up: its length in pages,
//! then pages with their numbers. `tests/fuzz` runs these without end, the tests of this module a little.

use std::cell::Cell;
use std::io;
use std::path::Path;

use super::container::Container;
use super::ext4::{self, Ext4};
use super::inside;
use super::source::{READ_CAP, ReadAt, fetch};
use super::survey::{self, Found};
use super::{gpt, mbr};
use crate::error::Cause;

/// Bytes in a page.
pub const PAGE: usize = 4096;
/// Bytes in a page with its number.
const FOLDED: usize = 4 + PAGE;
/// A disk of 4 TB.
const MOST_PAGES: u32 = 1 << 30;
/// A look at the largest journal or log that is followed, many times over.
const MOST_READ: u64 = 512 << 20;

/// A disk that was folded up: zero wherever no page lies.
struct Folded<'a> {
    length: u64,
    pages: Vec<(u64, &'a [u8])>,
    read: Cell<u64>,
}

impl<'a> Folded<'a> {
    fn new(input: &'a [u8]) -> Option<Self> {
        let (length, pages) = input.split_first_chunk()?;
        let number = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes) % MOST_PAGES);
        let size = u64::try_from(PAGE).ok()?;
        let pages = pages.chunks(FOLDED).filter_map(|page| {
            let (at, bytes) = page.split_first_chunk()?;
            Some((number(at).saturating_mul(size), bytes))
        });
        Some(Self {
            length: number(length).saturating_mul(size),
            pages: pages.collect(),
            read: Cell::new(0),
        })
    }
}

impl ReadAt for Folded<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let size = wide(buffer.len());
        assert!(size <= READ_CAP, "one read of {size} bytes");
        self.read.set(self.read.get().saturating_add(size));
        assert!(self.read.get() <= MOST_READ, "reading without end");
        let end = offset.checked_add(size).filter(|end| *end <= self.length);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.fill(0);
        for (start, bytes) in &self.pages {
            let from = offset.max(*start);
            let to = end.min(start.saturating_add(wide(bytes.len())));
            let range = |base: u64| {
                let at = usize::try_from(from.saturating_sub(base)).ok()?;
                let length = usize::try_from(to.checked_sub(from)?).ok()?;
                Some(at..at.checked_add(length)?)
            };
            if let (Some(into), Some(of)) = (range(offset), range(*start))
                && let (Some(into), Some(of)) = (buffer.get_mut(into), bytes.get(of))
            {
                into.copy_from_slice(of);
            }
        }
        Ok(())
    }
}

/// Everything at once, as `disk info` reads it.
pub fn image(input: &[u8]) {
    if let Some(disk) = Folded::new(input) {
        judge(disk.length, survey::look(&disk));
    }
}

/// Partition tables alone.
pub fn table(input: &[u8]) {
    let Some(disk) = Folded::new(input) else {
        return;
    };
    let Ok(head) = survey::head(&disk) else {
        return;
    };
    for protected in [false, true] {
        blame(gpt::parse(&disk, &head, protected));
    }
    blame(mbr::parse(&head));
    blame(survey::partitions(&disk));
}

/// A filesystem, its journal and every block of it as of the last commit.
pub fn journal(input: &[u8]) {
    let Some(disk) = Folded::new(input) else {
        return;
    };
    let Some(journal) = survey::head(&disk)
        .and_then(|head| ext4::recover(&disk, ext4::superblock(&head)?))
        .ok()
    else {
        return;
    };
    blame(ext4::numbers(&disk, &journal));
    through(&journal.over(&disk));
}

/// A VHDX and the disk in it.
pub fn vhdx(input: &[u8]) {
    let Some(file) = Folded::new(input) else {
        return;
    };
    match Container::open(&file) {
        Ok(container) => through(&container.over(&file)),
        Err(cause) => blame(Err::<(), _>(cause)),
    }
}

/// Everything in a filesystem: every name, and where the blocks of every file lie.
pub fn inside(input: &[u8]) {
    if let Some(disk) = Folded::new(input) {
        walk(&disk, || disk.read.set(0));
    }
}

/// Reads all there is inside, whether it adds up or not; says whether a sum came out. `start` is called
/// before each reading that begins anew.
pub(super) fn walk(source: &dyn ReadAt, mut start: impl FnMut()) -> bool {
    const MOST_INODES: u32 = 500;
    start();
    let ext4 = match Ext4::open(source) {
        Ok(ext4) => ext4,
        Err(cause) => {
            blame(Err::<(), _>(cause));
            return false;
        }
    };
    let options = inside::Options::default();
    let usage = inside::sum(&ext4, Path::new("made up"), b"/", &options);
    for number in 1..MOST_INODES {
        start();
        let Ok(inode) = ext4.inode(number) else {
            continue;
        };
        for run in ext4.runs(&inode).take(100_000) {
            match run {
                Ok(run) => {
                    let first = run.physical.unwrap_or(1);
                    let end = first.checked_add(run.length);
                    assert!(end.is_some_and(|end| end <= ext4.blocks()), "{run:?}");
                }
                Err(cause) => blame(Err::<(), _>(cause)),
            }
        }
        blame(ext4.target(&inode));
        blame(ext4.inline(&inode));
        ext4.read_directory(&inode, &mut |_| {}, &mut |cause| blame(Err::<(), _>(cause)));
    }
    match usage {
        Ok(usage) => {
            let most = ext4.blocks().saturating_mul(ext4.block_size());
            // Sizes are claims of inodes, but names are backed by blocks.
            let names = usage.entries.iter().map(|entry| entry.entries);
            assert!(names.sum::<u64>() <= most, "more names than bytes");
            true
        }
        Err(failure) => {
            let cause = failure.cause;
            // What is no folder, or not there, is said as the system would say it.
            if !matches!(cause, Cause::Io(_)) {
                blame(Err::<(), _>(cause));
            }
            false
        }
    }
}

/// Reads the beginning, the end and a place between of a source that maps its bytes.
fn through(source: &dyn ReadAt) {
    const PIECE: u64 = 300_001;
    let length = source.length();
    let last = length.saturating_sub(PIECE);
    for at in [0, PIECE, 4 << 20, length / 3, last] {
        let size = PIECE.min(length.saturating_sub(at));
        blame(fetch(source, at.min(length), size, "disk"));
    }
}

fn judge(length: u64, found: Result<Found, Cause>) {
    let Ok(found) = &found else {
        blame(found);
        return;
    };
    for disk in &found.disks {
        let Some(numbers) = &disk.numbers else {
            continue;
        };
        let fits = found.format != sandtray_core::disk::Format::Raw || numbers.size.0 <= length;
        assert!(fits, "{numbers:?}");
        assert!(numbers.used <= numbers.size, "{numbers:?}");
        assert!(numbers.available <= numbers.size, "{numbers:?}");
        assert!(numbers.inodes_free <= numbers.inodes, "{numbers:?}");
    }
}

/// Nothing that a disk says is the system's fault.
fn blame<T>(outcome: Result<T, Cause>) {
    match outcome {
        Err(Cause::Io(error)) => panic!("{error} is not the system's fault"),
        Err(Cause::Newer(_)) => panic!("a disk has no schema"),
        Ok(_) | Err(Cause::Unsupported(_) | Cause::Corrupt(_)) => {}
    }
}
