//! The classic partition table in the first sector: four entries, 512-byte sectors.
//!
//! Guests of this kind use GPT, so logical partitions inside an extended one are not walked: the
//! extended partition is listed as unknown.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

use super::source::{has, le32};
use super::table::Partition;
use crate::error::Cause;

const TABLE_AT: usize = 446;
const ENTRY: usize = 16;
const SECTOR: u64 = 512;
const PROTECTIVE: u8 = 0xee;

/// What the first sector says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mbr {
    /// No boot signature, no entries, or boot code where a table would be.
    Absent,
    /// It only protects a GPT.
    Protective,
    /// A table of its own.
    Table(Vec<Partition>),
}

/// Reads the table out of a disk's first bytes.
///
/// # Errors
/// Corrupt where a number ends inside the sector; the ranges are for the caller to check.
pub(super) fn parse(head: &[u8]) -> Result<Mbr, Cause> {
    if !has(head, 510, &[0x55, 0xaa]) {
        return Ok(Mbr::Absent);
    }
    let table = head.get(TABLE_AT..510).unwrap_or_default();
    let mut partitions = Vec::new();
    for (index, entry) in (1..).zip(table.chunks_exact(ENTRY)) {
        let (Some(flag), Some(kind)) = (entry.first(), entry.get(4)) else {
            continue;
        };
        if !matches!(flag, 0 | 0x80) {
            return Ok(Mbr::Absent);
        }
        if *kind == PROTECTIVE {
            return Ok(Mbr::Protective);
        }
        let sectors = u64::from(le32(entry, 12)?);
        if *kind != 0 && sectors != 0 {
            partitions.push(Partition {
                index,
                start: u64::from(le32(entry, 8)?).saturating_mul(SECTOR),
                length: sectors.saturating_mul(SECTOR),
            });
        }
    }
    Ok(if partitions.is_empty() {
        Mbr::Absent
    } else {
        Mbr::Table(partitions)
    })
}
