//! What a VHDX says of its virtual disk: sizes, and whether it depends on another file.

use super::header::{Guid, MEGABYTE, Region, corrupt, guid, written};
use crate::disk::source::{ReadAt, fetch, has, le16, le32};
use crate::error::Cause;

const TABLE: u64 = 64 << 10;
const MOST_ITEMS: u16 = 2047;
const LARGEST_BLOCK: u32 = 256 << 20;
const LARGEST_DISK: u64 = 64 << 40;

const FILE_PARAMETERS: Guid = [
    0x37, 0x67, 0xa1, 0xca, 0x36, 0xfa, 0x43, 0x4d, 0xb3, 0xb6, 0x33, 0xf0, 0xaa, 0x44, 0xe7, 0x6b,
];
const DISK_SIZE: Guid = [
    0x24, 0x42, 0xa5, 0x2f, 0x1b, 0xcd, 0x76, 0x48, 0xb2, 0x11, 0x5d, 0xbe, 0xd8, 0x3b, 0xf4, 0xb8,
];
const PAGE_83: Guid = [
    0xab, 0x12, 0xca, 0xbe, 0xe6, 0xb2, 0x23, 0x45, 0x93, 0xef, 0xc3, 0x09, 0xe0, 0x00, 0xc7, 0x46,
];
const LOGICAL_SECTOR: Guid = [
    0x1d, 0xbf, 0x41, 0x81, 0x6f, 0xa9, 0x09, 0x47, 0xba, 0x47, 0xf2, 0x33, 0xa8, 0xfa, 0xab, 0x5f,
];
const PHYSICAL_SECTOR: Guid = [
    0xc7, 0x48, 0xa3, 0xcd, 0x5d, 0x44, 0x71, 0x44, 0x9c, 0xc9, 0xe9, 0x88, 0x52, 0x51, 0xc5, 0x56,
];
const PARENT_LOCATOR: Guid = [
    0x2d, 0x5f, 0xd3, 0xa8, 0x0b, 0xb3, 0x4d, 0x45, 0xab, 0xf7, 0xd3, 0xd8, 0x48, 0x34, 0xab, 0x0c,
];

/// The virtual disk, checked against the limits of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Metadata {
    /// Bytes in a payload block, a power of two from 1 to 256 MiB.
    pub(super) block_size: u64,
    /// Bytes of the virtual disk, at most 64 TiB.
    pub(super) length: u64,
    /// Bytes in a logical sector: 512 or 4096.
    pub(super) sector: u64,
}

/// One entry of the table of items.
struct Item<'a> {
    region: Region,
    length: u32,
    file: &'a dyn ReadAt,
}

impl Item<'_> {
    /// The item's bytes, where it has as many as it should.
    fn read<const SIZE: usize>(&self, at: u64, what: &str) -> Result<[u8; SIZE], Cause> {
        let size = u64::try_from(SIZE).unwrap_or(u64::MAX);
        let end = at.checked_add(size);
        let fits = u64::from(self.length) >= size
            && at >= TABLE
            && end.is_some_and(|end| end <= self.region.length);
        if !fits {
            return Err(corrupt(&format!("its {what} lies at an impossible place")));
        }
        let bytes = fetch(
            self.file,
            self.region.start.saturating_add(at),
            size,
            "VHDX metadata",
        )?;
        bytes
            .first_chunk()
            .copied()
            .ok_or_else(|| corrupt("it ends inside its metadata"))
    }
}

/// Reads the metadata in `region`.
///
/// # Errors
/// Unsupported for a differencing disk and for items that must be understood and are not; corrupt where
/// an item is missing or outside the limits of the format.
pub(super) fn parse(file: &dyn ReadAt, region: Region) -> Result<Metadata, Cause> {
    const ENTRY: usize = 32;
    let table = fetch(file, region.start, TABLE, "VHDX metadata")?;
    if !has(&table, 0, b"metadata") {
        return Err(corrupt("its metadata is missing"));
    }
    let count = le16(&table, 10)?;
    if count > MOST_ITEMS {
        return Err(corrupt(&format!("it claims {count} items of metadata")));
    }
    let (mut parameters, mut length, mut logical, mut physical) = (None, None, None, None);
    let entries = table.get(ENTRY..).unwrap_or_default();
    for entry in entries.chunks_exact(ENTRY).take(usize::from(count)) {
        let at = u64::from(le32(entry, 16)?);
        let item = Item {
            region,
            length: le32(entry, 20)?,
            file,
        };
        let required = le32(entry, 24)? & 4 != 0;
        match guid(entry, 0)? {
            FILE_PARAMETERS => parameters = Some(item.read::<8>(at, "block size")?),
            DISK_SIZE => length = Some(u64::from_le_bytes(item.read(at, "disk size")?)),
            LOGICAL_SECTOR => logical = Some(u32::from_le_bytes(item.read(at, "sector size")?)),
            PHYSICAL_SECTOR => physical = Some(u32::from_le_bytes(item.read(at, "sector size")?)),
            PARENT_LOCATOR => return Err(differencing()),
            PAGE_83 => {}
            other if required => {
                return Err(Cause::Unsupported(format!(
                    "VHDX metadata of kind {}",
                    written(&other)
                )));
            }
            _ => {}
        }
    }
    let (Some(parameters), Some(length), Some(sector)) = (parameters, length, logical) else {
        return Err(corrupt("an item of its metadata is missing"));
    };
    let (block_size, flags) = (le32(&parameters, 0)?, le32(&parameters, 4)?);
    if flags & 2 != 0 {
        return Err(differencing());
    }
    if !block_size.is_power_of_two()
        || u64::from(block_size) < MEGABYTE
        || block_size > LARGEST_BLOCK
    {
        return Err(corrupt(&format!("blocks of {block_size} bytes")));
    }
    if !matches!(sector, 512 | 4096) || !matches!(physical, None | Some(512 | 4096)) {
        return Err(corrupt(&format!("sectors of {sector} bytes")));
    }
    let sector = u64::from(sector);
    if length == 0 || length > LARGEST_DISK || length.checked_rem(sector) != Some(0) {
        return Err(corrupt(&format!("a disk of {length} bytes")));
    }
    Ok(Metadata {
        block_size: u64::from(block_size),
        length,
        sector,
    })
}

fn differencing() -> Cause {
    Cause::Unsupported(
        "it is a differencing VHDX, which holds only what differs from another file".to_owned(),
    )
}
