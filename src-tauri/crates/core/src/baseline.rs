//! How full a system disk is on its first day, by VM release.
//!
//! A fresh one is 86 % full (#37860), so neither percent nor a little room left says that anything
//! filled it. What does is the distance to a fresh disk of the same release, as its `.origin` file
//! names it. Two sources: what this computer saw of a fresh one ([`Baselines`]), which is stored in the
//! history, else what reports say ([`reported`]). A release neither knows has no baseline and is
//! judged by what is available alone.
//!
//! A baseline that is too low cries wolf, one that is too high keeps quiet, so both are bounded: of
//! reports that disagree the largest counts, and one that leaves less than a tenth of a disk is no
//! fresh disk of anything seen so far ([`FULLEST`]) and counts for nothing.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bytes::ratio_part;
use crate::gauge::Level;
use crate::time::{DAY, MINUTE, Time};

/// The most a fresh disk can have taken of what is usable, in percent; the fullest seen had 86.
pub const FULLEST: f64 = 90.0;

/// A disk counts as fresh for this long after its release changed.
pub const FRESH_FOR: i64 = DAY;

/// Releases remembered; the one seen longest ago gives way.
const MOST: usize = 32;

/// Bytes of an id.
const DIGITS: usize = 40;

/// The id of a VM release: 40 hexadecimal digits, lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Release(String);

impl Release {
    /// Reads an `.origin` file: the id alone, with space around it at most; none for anything else.
    #[must_use]
    pub fn parse(content: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(content).ok()?.trim();
        let is_id = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| Self(text.to_ascii_lowercase()))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What one report says of one release.
struct Report {
    /// How the id of the release begins; reports seldom give all of it.
    prefix: &'static str,
    /// Bytes that a fresh system disk of it uses.
    used: u64,
}

/// Reports of fresh system disks whose release is known. What is not here: 7.6 of 9.7 GB (#40441) name
/// neither release nor month; 5.6 GB of August 2026 are blocks on the host, not use; and nobody told a
/// number of `5680b11b`, `6d1538ba`, `2a762adf` or `88251839`.
const REPORTS: [Report; 2] = [
    // #37860, of March 2026, when this was the release: 8.2G of 9.6G; `df -h` prints GiB, rounded up.
    Report {
        prefix: "fb30784d",
        used: 8_804_682_957,
    },
    // Notes of patrickjaja/claude-cowork-service on app 1.1.9493.
    Report {
        prefix: "fb30784d",
        used: 6_900_000_000,
    },
];

/// What reports say a fresh system disk of `release` uses; the largest where they disagree.
#[must_use]
pub fn reported(release: &Release) -> Option<u64> {
    REPORTS
        .iter()
        .filter(|report| release.0.starts_with(report.prefix))
        .map(|report| report.used)
        .max()
}

/// Whether a disk of `level` can have had `used` taken when it was fresh.
#[must_use]
pub fn is_plausible(used: u64, level: Level) -> bool {
    let usable = level.used.saturating_add(level.available);
    ratio_part(used) <= ratio_part(usable) * FULLEST / 100.0
}

/// Whether a disk is in its first day: its `.origin` was written, or named another release, within
/// [`FRESH_FOR`]. A stamp that lies ahead says nothing.
#[must_use]
pub fn is_first_day(changes: [Option<Time>; 2], now: Time) -> bool {
    changes
        .into_iter()
        .flatten()
        // The clock that wrote a file may run a little ahead of the one read here.
        .any(|at| (-MINUTE..=FRESH_FOR).contains(&now.since(at)))
}

/// What this computer saw of one release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    release: Release,
    /// The least that was used in a first day.
    used: u64,
    /// When that was.
    at: Time,
}

/// What this computer saw of fresh system disks, by release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Baselines(Vec<Seen>);

impl Baselines {
    /// Takes a look at a system disk in its first day: the least counts, however often the disk is
    /// unpacked anew (#81427). A disk too full to be fresh is not believed.
    pub fn observe(&mut self, release: &Release, level: Level, at: Time) {
        if is_plausible(level.used, level) {
            self.take(release, level.used, at);
        }
    }

    /// Adds what others saw.
    pub fn merge(&mut self, other: &Self) {
        for seen in &other.0 {
            self.take(&seen.release, seen.used, seen.at);
        }
    }

    fn take(&mut self, release: &Release, used: u64, at: Time) {
        match self.0.iter_mut().find(|seen| seen.release == *release) {
            Some(seen) if seen.used <= used => {}
            Some(seen) => (seen.used, seen.at) = (used, at),
            None => {
                if self.0.len() >= MOST
                    && let Some(oldest) =
                        (0..self.0.len()).min_by_key(|seen| self.0.get(*seen).map(|seen| seen.at))
                {
                    self.0.remove(oldest);
                }
                self.0.push(Seen {
                    release: release.clone(),
                    used,
                    at,
                });
            }
        }
    }

    /// What a fresh disk of `release` uses, for a disk of `level`: as seen here, else as reported.
    #[must_use]
    pub fn of(&self, release: &Release, level: Level) -> Option<u64> {
        let own = self.0.iter().find(|seen| seen.release == *release);
        own.map(|seen| seen.used)
            .or_else(|| reported(release))
            .filter(|used| is_plausible(*used, level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_795_000_000);
    const GB: u64 = 1_000_000_000;

    fn release(start: &str) -> Release {
        Release::parse(format!("{start:0<40}").as_bytes()).expect("hexadecimal digits")
    }

    fn level(used: u64, available: u64) -> Level {
        Level {
            used,
            available,
            limit: used + available,
        }
    }

    #[test]
    fn an_origin_file_holds_forty_digits_and_nothing_else() {
        let id = "6d1538ba".repeat(5);
        for text in [
            id.clone(),
            format!("{id}\n"),
            format!(" {}\r\n", id.to_uppercase()),
        ] {
            let release = Release::parse(text.as_bytes());
            assert_eq!(release.map(|release| release.to_string()), Some(id.clone()));
        }
        for bad in [
            "",
            "\n",
            "6d1538ba",
            &format!("{id}0"),
            &format!("{id} {id}"),
            &"g".repeat(40),
        ] {
            assert_eq!(Release::parse(bad.as_bytes()), None, "{bad:?}");
        }
        assert_eq!(Release::parse(&[0xff; 40]), None);
        assert_eq!(Release::parse("ÿ".repeat(20).as_bytes()), None);
    }

    #[test]
    fn the_largest_of_the_reports_counts_and_what_nobody_told_is_unknown() {
        assert_eq!(reported(&release("fb30784d")), Some(8_804_682_957));
        assert_eq!(reported(&release("5680b11b")), None);
        assert_eq!(reported(&release("0")), None);
        assert!(REPORTS.iter().all(|report| report.prefix.len() >= 8));
    }

    #[test]
    fn what_was_seen_here_wins_over_reports() {
        let march = release("fb30784d");
        let disk = level(85 * GB / 10, 17 * GB / 10);
        let mut baselines = Baselines::default();
        // #37860: brand-new, 86 % full.
        assert_eq!(baselines.of(&march, disk), Some(8_804_682_957));
        baselines.observe(&march, level(69 * GB / 10, 33 * GB / 10), NOW);
        assert_eq!(baselines.of(&march, disk), Some(69 * GB / 10));
        assert_eq!(baselines.of(&release("88251839"), disk), None);
    }

    #[test]
    fn the_least_of_a_first_day_stays_however_often_it_is_unpacked_anew() {
        // #81427: at each launch.
        let (mut baselines, id) = (Baselines::default(), release("2a762adf"));
        for used in [82, 84, 83, 82, 85] {
            let gigabytes = used * GB / 10;
            baselines.observe(&id, level(gigabytes, 10 * GB - gigabytes), NOW);
        }
        assert_eq!(baselines.of(&id, level(9 * GB, GB)), Some(82 * GB / 10));
    }

    #[test]
    fn a_disk_too_full_to_be_fresh_is_not_believed() {
        let (mut baselines, id) = (Baselines::default(), release("1"));
        baselines.observe(&id, level(91 * GB, 9 * GB), NOW);
        assert_eq!(baselines.of(&id, level(91 * GB, 9 * GB)), None);
        // Nor is a report of a disk of ten gigabytes on one of one.
        assert_eq!(
            baselines.of(&release("fb30784d"), level(GB / 2, GB / 2)),
            None
        );
    }

    #[test]
    fn a_first_day_ends_and_a_stamp_from_the_future_begins_none() {
        for (origin, id, first) in [
            (None, None, false),
            (Some(0), None, true),
            (Some(DAY), None, true),
            (Some(DAY + 1), None, false),
            (Some(-30), None, true),
            (Some(-DAY), None, false),
            (Some(30 * DAY), Some(60), true),
        ] {
            let at = |ago: Option<i64>| ago.map(|ago| NOW.plus(-ago));
            assert_eq!(
                is_first_day([at(origin), at(id)], NOW),
                first,
                "{origin:?} {id:?}"
            );
        }
        assert!(!is_first_day(
            [Some(Time(i64::MAX)), Some(Time(i64::MIN))],
            NOW
        ));
    }

    #[test]
    fn releases_are_remembered_up_to_a_number_and_survive_being_stored() {
        let mut baselines = Baselines::default();
        for number in 0..40_i64 {
            baselines.observe(
                &release(&format!("{number:x}a")),
                level(8 * GB, 2 * GB),
                NOW.plus(number),
            );
        }
        assert_eq!(baselines.0.len(), MOST);
        assert_eq!(baselines.of(&release("0a"), level(8 * GB, 2 * GB)), None);
        assert_eq!(
            baselines.of(&release("27a"), level(8 * GB, 2 * GB)),
            Some(8 * GB)
        );
        let stored = serde_json::to_string(&baselines).expect("it serialises");
        assert!(stored.len() < 4_096, "{}", stored.len());
        assert_eq!(
            serde_json::from_str::<Baselines>(&stored).ok(),
            Some(baselines)
        );
    }
}
