//! The block allocation table: where in the file each block of the virtual disk lies, if anywhere.
//!
//! After every `chunk ratio` entries for blocks one is for a bitmap of sectors, which only differencing
//! disks use. Tables up to a mebibyte are kept in memory and checked for blocks that lie over one
//! another or over a structure; a larger one (4 TB and more in the usual blocks) is read piece by piece.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::header::{MEGABYTE, Region, Regions, corrupt};
use super::metadata::Metadata;
use crate::disk::source::{READ_CAP, ReadAt, fetch, invalid, le64};
use crate::error::Cause;

const ENTRY: u64 = 8;
/// Entries of a large table that are read together.
const PAGE: u64 = 512;
const STATE: u64 = 0b111;
/// Sectors that one bitmap describes.
const SECTORS_PER_CHUNK: u64 = 1 << 23;

/// The table of one disk.
pub(super) struct Bat {
    region: Region,
    /// Entries for blocks between two for bitmaps.
    chunk_ratio: u64,
    blocks: u64,
    block_size: u64,
    /// Bytes of the disk's last block, which a fixed disk need not have in full.
    last_block: u64,
    entries: u64,
    kept: Kept,
}

enum Kept {
    Whole(Vec<u64>),
    /// The entries from a number on.
    Page(Mutex<(u64, Vec<u64>)>),
}

impl Bat {
    /// Reads the table, or as much of it as is kept.
    ///
    /// # Errors
    /// Corrupt where it is too small for its disk or where a block lies over something else; what
    /// reading says.
    pub(super) fn open(
        file: &dyn ReadAt,
        regions: &Regions,
        metadata: &Metadata,
    ) -> Result<Self, Cause> {
        let size = metadata.block_size;
        let chunk_ratio = SECTORS_PER_CHUNK
            .saturating_mul(metadata.sector)
            .checked_div(size)
            .filter(|ratio| *ratio > 0)
            .ok_or_else(|| corrupt(&format!("blocks of {size} bytes")))?;
        let blocks = metadata.length.div_ceil(size);
        let before_last = blocks.saturating_sub(1);
        let entries = blocks.saturating_add(before_last.checked_div(chunk_ratio).unwrap_or(0));
        if entries.saturating_mul(ENTRY) > regions.bat.length {
            return Err(corrupt(&format!(
                "its table of blocks is too small for a disk of {} bytes",
                metadata.length
            )));
        }
        if regions.bat.end() > file.length() {
            return Err(corrupt("it ends before its table of blocks"));
        }
        let mut bat = Self {
            region: regions.bat,
            chunk_ratio,
            blocks,
            block_size: size,
            last_block: metadata
                .length
                .saturating_sub(before_last.saturating_mul(size)),
            entries,
            kept: Kept::Page(Mutex::new((0, Vec::new()))),
        };
        if entries.saturating_mul(ENTRY) <= READ_CAP {
            bat.kept = Kept::Whole(bat.read(file, 0, entries)?);
            bat.check(file, regions)?;
        }
        Ok(bat)
    }

    /// Where block number `block` lies in the file; none where it was never written or is all zeroes.
    ///
    /// # Errors
    /// `InvalidData` where its entry cannot be true, or what reading says.
    pub(super) fn place(&self, file: &dyn ReadAt, block: u64) -> io::Result<Option<u64>> {
        let index = block.saturating_add(block.checked_div(self.chunk_ratio).unwrap_or(0));
        let entry = match &self.kept {
            Kept::Whole(entries) => usize::try_from(index)
                .ok()
                .and_then(|index| entries.get(index))
                .copied(),
            Kept::Page(page) => self.paged(file, page, index)?,
        };
        let Some(entry) = entry else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let place = place(entry).map_err(|text| invalid(format!("VHDX: block {block} {text}")))?;
        if let Some(place) = place {
            let end = place.saturating_add(self.bytes_of(block));
            if place < MEGABYTE || end > file.length() {
                return Err(invalid(format!(
                    "VHDX: block {block} lies outside the file"
                )));
            }
        }
        Ok(place)
    }

    fn bytes_of(&self, block: u64) -> u64 {
        if block.saturating_add(1) == self.blocks {
            self.last_block
        } else {
            self.block_size
        }
    }

    fn paged(
        &self,
        file: &dyn ReadAt,
        page: &Mutex<(u64, Vec<u64>)>,
        index: u64,
    ) -> io::Result<Option<u64>> {
        // Whoever panicked while reading left the page as it was.
        let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
        let within = |page: &(u64, Vec<u64>)| {
            let index = index.checked_sub(page.0)?;
            page.1.get(usize::try_from(index).ok()?).copied()
        };
        if let Some(entry) = within(&page) {
            return Ok(Some(entry));
        }
        let first = index.saturating_sub(index.checked_rem(PAGE).unwrap_or(0));
        let count = self.entries.saturating_sub(first).min(PAGE);
        let entries = self.read(file, first, count).map_err(|cause| match cause {
            Cause::Io(error) => error,
            other => invalid(other.to_string()),
        })?;
        *page = (first, entries);
        Ok(within(&page))
    }

    fn read(&self, file: &dyn ReadAt, first: u64, count: u64) -> Result<Vec<u64>, Cause> {
        let at = self
            .region
            .start
            .saturating_add(first.saturating_mul(ENTRY));
        let bytes = fetch(
            file,
            at,
            count.saturating_mul(ENTRY),
            "VHDX table of blocks",
        )?;
        let mut entries = Vec::with_capacity(bytes.len() / 8);
        for entry in bytes.chunks_exact(8) {
            entries.push(le64(entry, 0)?);
        }
        Ok(entries)
    }

    /// Checks that no block lies over another, over a structure, or beyond the file's end.
    fn check(&self, file: &dyn ReadAt, regions: &Regions) -> Result<(), Cause> {
        let mut blocks = Vec::new();
        for block in 0..self.blocks {
            let Some(start) = self
                .place(file, block)
                .map_err(crate::disk::source::cause)?
            else {
                continue;
            };
            let region = Region {
                start,
                length: self.bytes_of(block),
            };
            if region.overlaps(regions.bat) || region.overlaps(regions.metadata) {
                return Err(corrupt(&format!("block {block} lies over a structure")));
            }
            blocks.push((region, block));
        }
        blocks.sort_unstable_by_key(|(region, _)| region.start);
        for pair in blocks.windows(2) {
            if let [(one, first), (other, second)] = pair
                && one.overlaps(*other)
            {
                return Err(corrupt(&format!("blocks {first} and {second} overlap")));
            }
        }
        Ok(())
    }
}

/// What an entry says: where its block lies, or that it reads as zeroes.
fn place(entry: u64) -> Result<Option<u64>, String> {
    match entry & STATE {
        // Not present, undefined, zero, unmapped; 5 is what unmapped was in drafts of the format.
        0..=3 | 5 => Ok(None),
        6 => Ok(Some(entry & !(MEGABYTE.saturating_sub(1)))),
        state => Err(format!("is in state {state}")),
    }
}
