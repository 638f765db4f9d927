//! The log of a VHDX that was not closed properly: found, checked, and turned into patches.
//!
//! The log is a ring of entries with rising numbers. Which of them count is not written anywhere: it is
//! the run of valid entries with the highest number whose first entry the last one names as its tail
//! (the specification's "active sequence"). Entries carry whole 4 KiB sectors; twelve bytes of each are
//! moved into its descriptor to make room for the sequence number.

use super::header::{Header, corrupt, guid};
use super::patches::{Patches, Place};
use crate::disk::checksum::{agrees, crc32c};
use crate::disk::source::{ReadAt, fetch, has, le32, le64};
use crate::error::Cause;

const SECTOR: u64 = 4096;
const ENTRY_HEADER: u64 = 64;
const DESCRIPTOR: u64 = 32;
/// What Hyper-V and qemu make is one mebibyte.
const LARGEST: u64 = 64 << 20;
/// How much may be checksummed for each byte of log: once as part of a run that is too short, once as
/// part of the right one, and as much for entries that only look like some.
const EFFORT: u64 = 4;
/// Three patches for each sector of the largest log.
const MOST_PATCHES: usize = 1 << 16;

/// A valid entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u64,
    length: u64,
    tail: u64,
    sequence: u64,
    descriptors: u64,
    flushed_length: u64,
    last_length: u64,
}

/// The log as a ring of bytes.
struct Ring<'a> {
    file: &'a dyn ReadAt,
    header: &'a Header,
    effort: u64,
}

/// What the log of `file` would write; nothing where the file was closed properly.
///
/// # Errors
/// Corrupt where entries contradict themselves or the file; unsupported for an absurdly large log.
pub(super) fn replay(file: &dyn ReadAt, header: &Header) -> Result<Patches, Cause> {
    let mut patches = Patches::default();
    if header.log_id == [0; 16] {
        return Ok(patches);
    }
    let length = header.log.length;
    if length > LARGEST {
        return Err(Cause::Unsupported(format!("a VHDX log of {length} bytes")));
    }
    if header.log.end() > file.length() {
        return Err(corrupt("it ends before its log does"));
    }
    let mut ring = Ring {
        file,
        header,
        effort: length.saturating_mul(EFFORT),
    };
    let entries = ring.active()?;
    let Some(head) = entries.last() else {
        // Opened for writing, and nothing was logged yet.
        return Ok(patches);
    };
    if head.flushed_length > file.length() {
        return Err(corrupt(&format!(
            "it has {} bytes, and its log is of a file of {}",
            file.length(),
            head.flushed_length
        )));
    }
    patches.least_length = head.last_length;
    for entry in &entries {
        ring.apply(entry, &mut patches)?;
    }
    Ok(patches)
}

impl Ring<'_> {
    /// The entries that count, first to last.
    fn active(&mut self) -> Result<Vec<Entry>, Cause> {
        let length = self.header.log.length;
        let mut best: Vec<Entry> = Vec::new();
        let mut start = 0;
        while start < length {
            let (run, next) = self.run(start)?;
            let first = run
                .last()
                .and_then(|head| run.iter().position(|entry| entry.at == head.tail));
            if let (Some(first), Some(head)) = (first, run.last())
                && best.last().is_none_or(|best| best.sequence < head.sequence)
            {
                best = run.get(first..).unwrap_or_default().to_vec();
            }
            start = match next {
                // The run went around the end: what it covers there was looked at first.
                Some(next) if next <= start => length,
                Some(next) => next,
                None => start.saturating_add(SECTOR),
            };
        }
        Ok(best)
    }

    /// The entries that follow one another from `start` on, and where they end.
    fn run(&mut self, start: u64) -> Result<(Vec<Entry>, Option<u64>), Cause> {
        let length = self.header.log.length;
        let (mut run, mut covered) = (Vec::<Entry>::new(), 0_u64);
        let mut at = start;
        while let Some(entry) = self.entry(at)? {
            let follows = run
                .last()
                .is_none_or(|last| last.sequence.checked_add(1) == Some(entry.sequence));
            covered = covered.saturating_add(entry.length);
            if !follows || covered > length {
                break;
            }
            at = wrap(at.saturating_add(entry.length), length);
            run.push(entry);
        }
        let next = (!run.is_empty()).then_some(at);
        Ok((run, next))
    }

    /// The entry at `at`, if there is a valid one of this log.
    fn entry(&mut self, at: u64) -> Result<Option<Entry>, Cause> {
        let length = self.header.log.length;
        let sector = self.sector(at)?;
        if !has(&sector, 0, b"loge") || guid(&sector, 32)? != self.header.log_id {
            return Ok(None);
        }
        let entry = Entry {
            at,
            length: u64::from(le32(&sector, 8)?),
            tail: u64::from(le32(&sector, 12)?),
            sequence: le64(&sector, 16)?,
            descriptors: u64::from(le32(&sector, 24)?),
            flushed_length: le64(&sector, 48)?,
            last_length: le64(&sector, 56)?,
        };
        let possible = entry.length >= SECTOR
            && entry.length <= length
            && entry.length.is_multiple_of(SECTOR)
            && entry.tail < length
            && entry.tail.is_multiple_of(SECTOR)
            && entry.sequence > 0
            && entry.descriptor_sectors().saturating_mul(SECTOR) <= entry.length;
        if !possible {
            return Ok(None);
        }
        self.effort = self
            .effort
            .checked_sub(entry.length)
            .ok_or_else(|| corrupt("its log is full of entries that are none"))?;
        let mut sum = crc32c(
            u32::MAX,
            &[
                sector.get(..4).unwrap_or_default(),
                &[0; 4],
                sector.get(8..).unwrap_or_default(),
            ],
        );
        let mut done = SECTOR;
        while done < entry.length {
            let bytes = self.sector(wrap(at.saturating_add(done), length))?;
            sum = crc32c(sum, &[&bytes]);
            done = done.saturating_add(SECTOR);
        }
        Ok(agrees(!sum, le32(&sector, 4)?).then_some(entry))
    }

    fn sector(&self, at: u64) -> Result<Vec<u8>, Cause> {
        fetch(self.file, self.in_file(at), SECTOR, "VHDX log")
    }

    const fn in_file(&self, at: u64) -> u64 {
        self.header.log.start.saturating_add(at)
    }

    /// Turns what an entry writes into patches.
    fn apply(&self, entry: &Entry, patches: &mut Patches) -> Result<(), Cause> {
        let length = self.header.log.length;
        let sectors = entry.descriptor_sectors();
        let mut data = sectors;
        for sector in 0..sectors {
            let at = wrap(
                entry.at.saturating_add(sector.saturating_mul(SECTOR)),
                length,
            );
            let bytes = self.sector(at)?;
            let (skipped, before) = if sector == 0 {
                (ENTRY_HEADER, 0)
            } else {
                let before = sector.saturating_mul(SECTOR).saturating_sub(ENTRY_HEADER);
                (0, before / DESCRIPTOR)
            };
            let from = usize::try_from(skipped).unwrap_or(0);
            let left = entry.descriptors.saturating_sub(before);
            for descriptor in bytes
                .get(from..)
                .unwrap_or_default()
                .chunks_exact(32)
                .take(usize::try_from(left).unwrap_or(usize::MAX))
            {
                if le64(descriptor, 24)? != entry.sequence {
                    return Err(corrupt("a descriptor in its log is of another entry"));
                }
                let target = le64(descriptor, 16)?;
                if has(descriptor, 0, b"zero") {
                    let count = le64(descriptor, 8)?;
                    if !count.is_multiple_of(SECTOR) || target.checked_add(count).is_none() {
                        return Err(corrupt("its log empties an impossible range"));
                    }
                    patches.put(target, count, Place::Zeroes);
                } else if has(descriptor, 0, b"desc") {
                    let offset = data.saturating_mul(SECTOR);
                    if offset >= entry.length || target.checked_add(SECTOR).is_none() {
                        return Err(corrupt("its log writes to an impossible place"));
                    }
                    let at = wrap(entry.at.saturating_add(offset), length);
                    self.data(at, entry, descriptor, target, patches)?;
                    data = data.saturating_add(1);
                } else {
                    return Err(corrupt("its log holds a descriptor of no kind"));
                }
                if patches.count() > MOST_PATCHES {
                    return Err(corrupt("its log writes more than fits into it"));
                }
            }
        }
        Ok(())
    }

    /// Lays one sector over `target`: its ends from the descriptor, the rest from where it lies.
    fn data(
        &self,
        at: u64,
        entry: &Entry,
        descriptor: &[u8],
        target: u64,
        patches: &mut Patches,
    ) -> Result<(), Cause> {
        let sector = self.sector(at)?;
        let sequence = u64::from(le32(&sector, 4)?) << 32 | u64::from(le32(&sector, 4092)?);
        if !has(&sector, 0, b"data") || sequence != entry.sequence {
            return Err(corrupt("a sector in its log is of another entry"));
        }
        let leading = le64(descriptor, 8)?.to_le_bytes();
        let [a, b, c, d] = le32(descriptor, 4)?.to_le_bytes();
        let inner = self.in_file(at).saturating_add(8);
        patches.put(target, 8, Place::Bytes(leading));
        patches.put(target.saturating_add(8), 4084, Place::File(inner));
        let trailing = Place::Bytes([a, b, c, d, 0, 0, 0, 0]);
        patches.put(target.saturating_add(4092), 4, trailing);
        Ok(())
    }
}

impl Entry {
    /// Sectors that its header and descriptors take.
    const fn descriptor_sectors(&self) -> u64 {
        self.descriptors
            .saturating_mul(DESCRIPTOR)
            .saturating_add(ENTRY_HEADER)
            .div_ceil(SECTOR)
    }
}

const fn wrap(at: u64, length: u64) -> u64 {
    if at >= length {
        at.saturating_sub(length)
    } else {
        at
    }
}
