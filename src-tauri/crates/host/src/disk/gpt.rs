//! GUID partition tables: header and entries at the front, their copies at the end.
//!
//! Both copies are checksummed, so either is proof of itself; the one at the end is used where the one
//! at the front is broken. Sectors of 512 and of 4096 bytes.

#![deny(clippy::arithmetic_side_effects, clippy::as_conversions)]

use super::checksum::{agrees, crc32};
use super::source::{ReadAt, fetch, has, le32, le64};
use super::table::{Partition, check};
use crate::error::Cause;

const SIGNATURE: &[u8] = b"EFI PART";
const SECTORS: [u64; 2] = [512, 4096];
const HEADER: u32 = 92;
const ENTRY: u32 = 128;
/// Eight times the 128 entries that every tool makes.
const MOST_ENTRIES: u32 = 1024;
const LARGEST_ENTRY: u32 = 1024;

/// The partitions of a disk, in the order of their numbers.
///
/// `protected` says that the first sector announces a GPT; the copy at the end is looked for only then
/// or where a broken header is at the front, because a disk formatted anew can still carry an old copy.
///
/// # Errors
/// Corrupt where there is a table but no copy of it holds; unsupported where it is larger than ours.
pub(super) fn parse(
    source: &dyn ReadAt,
    head: &[u8],
    protected: bool,
) -> Result<Option<Vec<Partition>>, Cause> {
    let mut broken = None;
    for sector in SECTORS {
        let at = usize::try_from(sector).unwrap_or(usize::MAX);
        if !has(head, at, SIGNATURE) {
            continue;
        }
        match table(source, sector, 1) {
            Ok(partitions) => return Ok(Some(partitions)),
            Err(Cause::Corrupt(text)) => broken = Some(text),
            Err(other) => return Err(other),
        }
    }
    if broken.is_none() && !protected {
        return Ok(None);
    }
    for sector in SECTORS {
        let Some(last) = source
            .length()
            .checked_div(sector)
            .and_then(|sectors| sectors.checked_sub(1))
        else {
            continue;
        };
        match table(source, sector, last) {
            Ok(partitions) => return Ok(Some(partitions)),
            Err(Cause::Corrupt(_)) => {}
            Err(other) => return Err(other),
        }
    }
    let text = broken.unwrap_or_else(|| "its header is missing".to_owned());
    Err(Cause::Corrupt(format!(
        "GPT partition table: {text}, and there is no copy at the end"
    )))
}

/// Reads the table whose header lies in sector `lba`.
fn table(source: &dyn ReadAt, sector: u64, lba: u64) -> Result<Vec<Partition>, Cause> {
    let header = fetch(
        source,
        lba.saturating_mul(sector),
        sector,
        "partition table",
    )?;
    let size = le32(&header, 12)?;
    let covered = usize::try_from(size)
        .ok()
        .filter(|_| size >= HEADER)
        .and_then(|size| header.get(..size));
    let (Some(covered), true) = (covered, has(&header, 0, SIGNATURE)) else {
        return Err(Cause::Corrupt("its header is not one".to_owned()));
    };
    let (before, after) = (
        covered.get(..16).unwrap_or_default(),
        covered.get(20..).unwrap_or_default(),
    );
    if !agrees(crc32(&[before, &[0; 4], after]), le32(&header, 16)?) {
        return Err(Cause::Corrupt(
            "the checksum of its header does not match".to_owned(),
        ));
    }
    if le64(&header, 24)? != lba {
        return Err(Cause::Corrupt("its header lies elsewhere".to_owned()));
    }
    // As the kernel sees it: a disk cut before its last usable sector is not the disk of this table.
    let usable = le64(&header, 48)?.saturating_add(1);
    if usable.saturating_mul(sector) > source.length() {
        return Err(Cause::Corrupt(format!(
            "it is of a disk of more than {usable} sectors, this one has {} bytes",
            source.length()
        )));
    }
    let (entries_at, count, entry_size, sum) = (
        le64(&header, 72)?,
        le32(&header, 80)?,
        le32(&header, 84)?,
        le32(&header, 88)?,
    );
    if entry_size < ENTRY || !entry_size.is_power_of_two() {
        return Err(Cause::Corrupt(format!(
            "its entries claim {entry_size} bytes"
        )));
    }
    if count > MOST_ENTRIES || entry_size > LARGEST_ENTRY {
        return Err(Cause::Unsupported(format!(
            "a GPT partition table with {count} entries of {entry_size} bytes"
        )));
    }
    let offset = entries_at
        .checked_mul(sector)
        .ok_or_else(|| Cause::Corrupt("its entries lie beyond the disk".to_owned()))?;
    let length = u64::from(count).saturating_mul(u64::from(entry_size));
    let entries = fetch(source, offset, length, "partition entries")?;
    if !agrees(crc32(&[&entries]), sum) {
        return Err(Cause::Corrupt(
            "the checksum of its entries does not match".to_owned(),
        ));
    }
    let stride = usize::try_from(entry_size).unwrap_or(usize::MAX);
    let mut partitions = Vec::new();
    for (index, entry) in (1..).zip(entries.chunks_exact(stride)) {
        if has(entry, 0, &[0; 16]) {
            continue;
        }
        let (first, last) = (le64(entry, 32)?, le64(entry, 40)?);
        let range = last
            .checked_sub(first)
            .and_then(|sectors| sectors.checked_add(1))
            .and_then(|sectors| sectors.checked_mul(sector))
            .zip(first.checked_mul(sector));
        let Some((length, start)) = range else {
            return Err(Cause::Corrupt(format!(
                "partition {index} ends before it begins"
            )));
        };
        partitions.push(Partition {
            index,
            start,
            length,
        });
    }
    check(&partitions, source.length())?;
    Ok(partitions)
}
