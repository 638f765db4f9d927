//! What grew inside a disk between two readings.
//!
//! A [`Snapshot`] keeps 20 bytes for each child of the folder and no name: 1,634 homes are 33 kB. Names are
//! taken from the later reading; what has gone since is only counted and summed.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::{Entry, Orphans, Usage};
use crate::bytes::Allocated;
use crate::paths::PathText;
use crate::time::{DAY, HOUR, Time};

/// Readings that are compared lie at least this far apart, and no two that are kept lie closer.
pub const APART: i64 = 20 * HOUR;
/// More children are not kept: 2 MB of records a day.
const MOST: usize = 100_000;

const SCHEMA: u8 = 1;
const HEAD: usize = 9;
const RECORD: usize = 20;

/// A reading, as the history keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// When it was read.
    pub at: Time,
    /// By key, in ascending order.
    records: Vec<Record>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    key: u64,
    allocated: u64,
    entries: u32,
}

impl Snapshot {
    /// Keeps a reading. None where it is not complete: what it lacks would look like shrinking now, and
    /// like growing at the next; and none of a folder with more children than are worth their room.
    #[must_use]
    pub fn of(usage: &Usage, at: Time) -> Option<Self> {
        if !usage.complete || usage.entries.len() > MOST {
            return None;
        }
        let mut records: Vec<Record> = usage
            .entries
            .iter()
            .map(|entry| Record {
                key: entry.key(),
                allocated: entry.allocated.0,
                entries: u32::try_from(entry.entries).unwrap_or(u32::MAX),
            })
            .collect();
        records.sort_unstable();
        Some(Self { at, records })
    }

    /// As bytes for a database.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let size = self.records.len().saturating_mul(RECORD);
        let mut bytes = Vec::with_capacity(size.saturating_add(HEAD));
        bytes.push(SCHEMA);
        bytes.extend(self.at.0.to_le_bytes());
        for record in &self.records {
            bytes.extend(record.key.to_le_bytes());
            bytes.extend(record.allocated.to_le_bytes());
            bytes.extend(record.entries.to_le_bytes());
        }
        bytes
    }

    /// Out of bytes; none where they are of another schema or cut.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let (schema, at) = head.split_first()?;
        if *schema != SCHEMA || !rest.len().is_multiple_of(RECORD) {
            return None;
        }
        let mut records = rest
            .chunks_exact(RECORD)
            .map(|chunk| {
                let (key, rest) = chunk.split_first_chunk()?;
                let (allocated, rest) = rest.split_first_chunk()?;
                Some(Record {
                    key: u64::from_le_bytes(*key),
                    allocated: u64::from_le_bytes(*allocated),
                    entries: u32::from_le_bytes(*rest.first_chunk()?),
                })
            })
            .collect::<Option<Vec<Record>>>()?;
        records.sort_unstable();
        Some(Self {
            at: Time(i64::from_le_bytes(*at.first_chunk()?)),
            records,
        })
    }

    fn find(&self, key: u64) -> Option<&Record> {
        let at = self.records.binary_search_by_key(&key, |record| record.key);
        self.records.get(at.ok()?)
    }
}

/// One child that has more blocks than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Grown {
    /// What to call it in commands.
    pub id: String,
    /// Its name.
    #[serde(flatten)]
    pub name: PathText,
    /// How much it grew.
    pub by: Allocated,
    /// Its blocks now.
    pub allocated: Allocated,
    /// It was not there before.
    pub new: bool,
}

/// What changed from one reading to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Growth {
    /// When the earlier one was.
    pub since: Time,
    /// When the later one was.
    pub until: Time,
    /// What grew, most first.
    pub grown: Vec<Grown>,
    /// Everything that grew together.
    pub by: Allocated,
    /// What is no longer there, and what it had.
    pub gone: Orphans,
    /// What others gave back.
    pub shrunk: Allocated,
}

/// Which of the readings that are kept one at `now` is compared with: the closest to a day ago of those
/// that are old enough.
#[must_use]
pub fn basis(kept: &[Time], now: Time) -> Option<Time> {
    kept.iter()
        .copied()
        .filter(|at| now.since(*at) >= APART)
        .min_by_key(|at| now.since(*at).abs_diff(DAY))
}

/// Whether a reading at `now` is to be kept: the last one is `apart` old. One from the future is of a
/// clock that was wrong, and counts for nothing.
#[must_use]
pub fn is_due(kept: &[Time], now: Time, apart: i64) -> bool {
    let last = kept.iter().filter(|at| **at <= now).max();
    last.is_none_or(|last| now.since(*last) >= apart)
}

/// Compares a reading at `now` with an earlier one; `id` gives each entry that grew its id.
#[must_use]
pub fn growth(
    before: &Snapshot,
    usage: &Usage,
    now: Time,
    mut id: impl FnMut(&Entry) -> String,
) -> Growth {
    let mut growth = Growth {
        since: before.at,
        until: now,
        ..Growth::default()
    };
    let mut seen = Vec::new();
    for entry in &usage.entries {
        let key = entry.key();
        seen.push(key);
        let earlier = before.find(key).map(|record| Allocated(record.allocated));
        let was = earlier.unwrap_or_default();
        growth.shrunk = growth.shrunk.add(was.saturating_sub(entry.allocated));
        let by = entry.allocated.saturating_sub(was);
        if by > Allocated::ZERO {
            growth.by = growth.by.add(by);
            growth.grown.push(Grown {
                id: id(entry),
                name: PathText::from_bytes(&entry.name),
                by,
                allocated: entry.allocated,
                new: earlier.is_none(),
            });
        }
    }
    seen.sort_unstable();
    for record in &before.records {
        // What an incomplete reading lacks has not gone.
        if usage.complete && seen.binary_search(&record.key).is_err() {
            growth.gone.count = growth.gone.count.saturating_add(1);
            growth.gone.allocated = growth.gone.allocated.add(Allocated(record.allocated));
        }
    }
    growth
        .grown
        .sort_by(|a, b| b.by.cmp(&a.by).then_with(|| a.name.cmp(&b.name)));
    growth
}
