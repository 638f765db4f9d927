//! A page of the ring: a fixed number of slots, each with one record for every series of a bank.
//!
//! Why pages of several series and not of one: a round touches one page per tier and *bank* of
//! eight series instead of one per tier and series, an eighth of the writing. Why fixed records in
//! a blob and not rows: a row per point costs twice the space and moves its neighbours when it
//! grows; a blob of constant length is overwritten where it lies, which needs no new block.
//!
//! A record carries the number of its span, so that one left over from an earlier lap is told from
//! one of this lap. A page ends with a checksum: SQLite has none of its own, and a flipped bit would
//! otherwise be drawn as a number.

use sandtray_core::history::{Point, Tier};
use sandtray_core::time::Time;

/// Series that share a bank of pages.
pub(super) const COLUMNS: usize = 8;
/// Slots of a page; divides the rings evenly but for the last page of the coarsest.
const SLOTS: usize = 16;
const RECORD: usize = 30;
const BODY: usize = SLOTS * COLUMNS * RECORD;
/// Length of a page: with its row header it just fits one page of the database.
pub(super) const LENGTH: usize = BODY + 8;
/// Room in the numbering for the pages of one tier of one bank.
const PAGES: i64 = 256;

/// Number of pages of a tier's ring.
pub(super) fn pages(tier: Tier) -> i64 {
    let slots = i64::try_from(SLOTS).unwrap_or(1);
    tier.slots().div_euclid(slots) + i64::from(tier.slots().rem_euclid(slots) != 0)
}

/// Keys of all pages of a bank.
pub(super) fn keys(bank: i64) -> impl Iterator<Item = i64> {
    Tier::ALL
        .into_iter()
        .flat_map(move |tier| (0..pages(tier)).map(move |page| key(bank, tier, page)))
}

fn key(bank: i64, tier: Tier, page: i64) -> i64 {
    let ring = match tier {
        Tier::Minute => 0,
        Tier::Quarter => 1,
        Tier::SixHours => 2,
    };
    (bank * 3 + ring) * PAGES + page
}

/// The tier and the bank a key belongs to.
pub(super) fn tier_and_bank(key: i64) -> (Tier, i64) {
    let ring = key.div_euclid(PAGES);
    let tier = match ring.rem_euclid(3) {
        0 => Tier::Minute,
        1 => Tier::Quarter,
        _ => Tier::SixHours,
    };
    (tier, ring.div_euclid(3))
}

/// Keys of the pages of one tier of one bank.
pub(super) fn tier_keys(bank: i64, tier: Tier) -> (i64, i64) {
    (key(bank, tier, 0), key(bank, tier, pages(tier) - 1))
}

/// The bank that holds a place.
pub(super) fn bank(place: i64) -> i64 {
    place.div_euclid(i64::try_from(COLUMNS).unwrap_or(1))
}

/// The places of a bank.
pub(super) fn places(bank: i64) -> std::ops::Range<i64> {
    let columns = i64::try_from(COLUMNS).unwrap_or(1);
    bank * columns..(bank + 1) * columns
}

/// Where the record of a series at a moment lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// The page's key.
    pub(super) key: i64,
    offset: usize,
    /// The place in the ring.
    pub(super) slot: i64,
    /// The number of the span since 1970.
    pub(super) span: i32,
}

impl Spot {
    /// The spot of the series at `place`; none for a moment that no clock can show (year 6000).
    pub(super) fn of(place: i64, tier: Tier, at: Time) -> Option<Self> {
        let slots = i64::try_from(SLOTS).ok()?;
        let columns = i64::try_from(COLUMNS).ok()?;
        let slot = tier.slot(at);
        let column = usize::try_from(place.rem_euclid(columns)).ok()?;
        let row = usize::try_from(slot.rem_euclid(slots)).ok()?;
        Some(Self {
            key: key(bank(place), tier, slot.div_euclid(slots)),
            offset: (row * COLUMNS + column) * RECORD,
            slot,
            span: i32::try_from(at.0.div_euclid(tier.step())).ok()?,
        })
    }
}

/// A page in memory.
#[derive(Clone, Debug)]
pub(super) struct Page {
    bytes: Vec<u8>,
}

impl Page {
    /// A page without points.
    pub(super) fn empty() -> Self {
        Self {
            bytes: vec![0; LENGTH],
        }
    }

    /// Takes what the database holds; none where length or checksum is wrong.
    pub(super) fn check(key: i64, bytes: &[u8]) -> Option<Self> {
        let sum = bytes.get(BODY..LENGTH)?;
        (bytes.len() == LENGTH && sum == checksum(key, &bytes[..BODY]).to_le_bytes()).then(|| {
            Self {
                bytes: bytes.to_vec(),
            }
        })
    }

    /// The bytes to store, sealed.
    pub(super) fn seal(&mut self, key: i64) -> &[u8] {
        let sum = checksum(key, &self.bytes[..BODY]);
        self.bytes[BODY..].copy_from_slice(&sum.to_le_bytes());
        &self.bytes
    }

    /// Folds a point into its slot. A record of an older lap, or of the series that had the place
    /// before `born`, gives way; a newer one stays when `keep_newer`.
    pub(super) fn fold(&mut self, spot: Spot, point: &Point, born: i32, keep_newer: bool) {
        let mut point = *point;
        if let Some((span, stored)) = self.record(spot.offset)
            && span >= born
        {
            if span == spot.span {
                let mut both = stored;
                both.merge(&point);
                point = both;
            } else if span > spot.span && keep_newer {
                return;
            }
        }
        let record = &mut self.bytes[spot.offset..spot.offset + RECORD];
        // Two bytes: a round each second for six hours counts to 21,600.
        let count = u16::try_from(point.count).unwrap_or(u16::MAX);
        record[0..4].copy_from_slice(&spot.span.to_le_bytes());
        record[4..6].copy_from_slice(&count.to_le_bytes());
        record[6..14].copy_from_slice(&point.min.to_le_bytes());
        record[14..22].copy_from_slice(&point.max.to_le_bytes());
        record[22..30].copy_from_slice(&point.last.to_le_bytes());
    }

    /// All records of one column: number of the span, and the point with its time left at zero.
    pub(super) fn column(&self, place: i64) -> impl Iterator<Item = (i32, Point)> {
        let columns = i64::try_from(COLUMNS).unwrap_or(1);
        let column = usize::try_from(place.rem_euclid(columns)).unwrap_or(0);
        (0..SLOTS).filter_map(move |row| self.record((row * COLUMNS + column) * RECORD))
    }

    fn record(&self, offset: usize) -> Option<(i32, Point)> {
        let record = self.bytes.get(offset..offset + RECORD)?;
        let number = |from: usize| -> Option<u64> {
            Some(u64::from_le_bytes(
                record.get(from..from + 8)?.try_into().ok()?,
            ))
        };
        let span = i32::from_le_bytes(record.get(0..4)?.try_into().ok()?);
        let count = u16::from_le_bytes(record.get(4..6)?.try_into().ok()?);
        (count > 0).then_some(())?;
        Some((
            span,
            Point {
                at: Time(0),
                count: u32::from(count),
                min: number(6)?,
                max: number(14)?,
                last: number(22)?,
            },
        ))
    }
}

/// Every step is a bijection of the running value, so any change confined to eight bytes is found
/// for certain. The key is part of it: a page at another's place is wrong too.
fn checksum(key: i64, body: &[u8]) -> u64 {
    body.chunks_exact(8)
        .filter_map(|word| word.try_into().ok().map(u64::from_le_bytes))
        .fold(key.cast_unsigned() ^ 0x9e37_79b9_7f4a_7c15, |sum, word| {
            (sum ^ word)
                .wrapping_mul(0x0000_0100_0000_01b3)
                .rotate_left(29)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALWAYS: i32 = i32::MIN;

    fn points(page: &Page, place: i64) -> Vec<(i32, u64)> {
        page.column(place)
            .map(|(span, point)| (span, point.last))
            .collect()
    }

    #[test]
    fn a_newer_lap_replaces_and_an_older_one_gives_way() {
        let lap = Tier::Minute.step() * Tier::Minute.slots();
        let early = Spot::of(3, Tier::Minute, Time(600)).unwrap();
        let late = Spot::of(3, Tier::Minute, Time(600 + lap)).unwrap();
        assert_eq!((early.key, early.offset), (late.key, late.offset));

        let mut page = Page::empty();
        page.fold(early, &Point::single(Time(0), 1), ALWAYS, true);
        page.fold(late, &Point::single(Time(0), 2), ALWAYS, true);
        assert_eq!(points(&page, 3), [(late.span, 2)]);
        page.fold(early, &Point::single(Time(0), 3), ALWAYS, true);
        assert_eq!(points(&page, 3), [(late.span, 2)], "the newer one stays");
        page.fold(early, &Point::single(Time(0), 3), ALWAYS, false);
        assert_eq!(points(&page, 3), [(early.span, 3)]);
    }

    #[test]
    fn neighbours_in_a_page_do_not_touch_each_other() {
        let mut page = Page::empty();
        for place in 0..8 {
            for minute in 0..16 {
                let spot = Spot::of(place, Tier::Minute, Time(minute * 60)).unwrap();
                let value = (place * 100 + minute).cast_unsigned();
                page.fold(spot, &Point::single(Time(0), value), ALWAYS, true);
            }
        }
        for place in 0..8 {
            let expected: Vec<_> = (0..16)
                .map(|minute| {
                    (
                        minute,
                        u64::try_from(place * 100 + i64::from(minute)).unwrap(),
                    )
                })
                .collect();
            assert_eq!(points(&page, place), expected);
        }
    }

    #[test]
    fn what_the_former_owner_of_a_place_left_is_not_folded_into() {
        let spot = Spot::of(0, Tier::Minute, Time(6_000)).unwrap();
        let mut page = Page::empty();
        page.fold(spot, &Point::single(Time(0), 1_000), ALWAYS, true);
        page.fold(spot, &Point::single(Time(0), 1), spot.span + 1, true);
        let kept: Vec<_> = page.column(0).map(|(_, point)| point.max).collect();
        assert_eq!(kept, [1]);
    }

    #[test]
    fn every_single_flipped_bit_and_a_wrong_place_are_found() {
        let mut page = Page::empty();
        page.fold(
            Spot::of(0, Tier::Minute, Time(0)).unwrap(),
            &Point::single(Time(0), 7),
            ALWAYS,
            true,
        );
        let sealed = page.seal(9).to_vec();
        assert!(Page::check(9, &sealed).is_some());
        assert!(Page::check(10, &sealed).is_none());
        assert!(Page::check(9, &sealed[..LENGTH - 1]).is_none());
        assert!(Page::check(9, &[]).is_none());
        for byte in 0..LENGTH {
            let mut bad = sealed.clone();
            bad[byte] ^= 1 << (byte % 8);
            assert!(Page::check(9, &bad).is_none(), "byte {byte}");
        }
    }

    #[test]
    fn keys_are_unique_and_lead_back_to_their_tier() {
        let all: Vec<_> = (0..3).flat_map(keys).collect();
        let unique: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(unique.len(), all.len());
        for tier in Tier::ALL {
            let (first, last) = tier_keys(2, tier);
            assert_eq!(last - first + 1, pages(tier));
            assert_eq!(tier_and_bank(first), (tier, 2));
            assert_eq!(tier_and_bank(last), (tier, 2));
            for step in 0..tier.slots() {
                let spot = Spot::of(16, tier, Time(step * tier.step())).unwrap();
                assert!((first..=last).contains(&spot.key));
            }
        }
        assert_eq!(Spot::of(0, Tier::Minute, Time(i64::MAX)), None);
    }
}
