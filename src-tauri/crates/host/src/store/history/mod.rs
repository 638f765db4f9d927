//! The history: points of every series in three rings, events, the latch, and daily readings of what is
//! inside guest disks, in one SQLite file.
//!
//! Opening never fails and recording never fails: what cannot be stored now waits in memory (48 hours
//! of minutes), is seen by every read, and is stored when writing works again. What is wrong is told
//! by [`History::faults`].
//!
//! The modes:
//! * **writing**: this process holds the lock and the file takes what it is given;
//! * **refused**: the disk is full, read-only or broken; every round tries again;
//! * **following**: another process holds the lock and records; this one reads, and takes over when
//!   the other is gone;
//! * **closed**: the file is of a newer Sandtray or of another program; it is left alone.
//!
//! When the clock goes back, newer points are not overwritten: times that have a point of their own
//! already fold into it, spans without one are filled. Only after a day of running behind the newest
//! point is the newest point taken for the false one, and gives way slot by slot: an hour in a wrong
//! future would else block its slots for years.

mod aside;
mod base;
mod baselines;
mod connect;
mod flush;
mod page;
mod pending;
mod refusal;
mod schema;
mod snapshots;
mod tables;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use sandtray_core::baseline::Baselines;
use sandtray_core::gauge::GaugeId;
use sandtray_core::history::{Event, Point, Tier, Unit};
use sandtray_core::inside::HomesSummary;
use sandtray_core::notice::Latch;
use sandtray_core::status::{Fault, FaultKind};
use sandtray_core::time::{DAY, MINUTE, Time};

use self::base::{BANKS, Base};
use self::pending::Pending;
use self::refusal::is_corrupt;
use self::tables::{BACK_SINCE, Chunk, HOMES, LATCH, Placed};
use super::{fault, lock::Lock, private};
use crate::error::{Cause, Failure};

/// Name of the file in the data folder.
const FILE: &str = "history.sqlite";
/// Name of the lock beside it.
const LOCK: &str = "lock";
/// Waiting minutes stored in one transaction: with eight banks it still fits the log.
const MINUTES_AT_ONCE: usize = 60;
/// Minutes behind the newest point after which that point counts as the false one.
const PATIENCE: i64 = DAY / MINUTE;
/// Before 2026 there was no Sandtray: a clock that shows less is wrong, and no newer point gives way.
const EARLIEST: Time = Time(1_767_225_600);
/// Series at most; more are not recorded.
const MOST: usize = 64;

/// A value to record, with what a chart needs to draw its line when the thing is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The series.
    pub id: GaugeId,
    /// Its name as surfaces show it.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// What it can hold, for a gauge.
    pub limit: Option<u64>,
    /// The value. A series without one in a round is left out: that is a gap.
    pub value: u64,
}

/// What is known of a series. Its kind is the part of the id before the colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesMeta {
    /// The gauge or meter.
    pub id: GaugeId,
    /// Its latest name.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// Its latest limit.
    pub limit: Option<u64>,
}

/// A series of this session; its number is its index.
#[derive(Debug)]
struct Known {
    meta: SeriesMeta,
    /// The stored meta differs.
    changed: bool,
    /// Place and birth, once it has a place in the file.
    placed: Option<(i64, Time)>,
    /// Minute of the newest point.
    newest: Option<i64>,
}

#[derive(Debug)]
enum Mode {
    Writing,
    Refused(Failure),
    Following,
    Closed(Failure),
    /// Opened by [`History::read`]; with the reason where there is nothing to read.
    Reading(Option<Failure>),
}

/// The history of one data folder.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    lock: Option<Lock>,
    base: Option<Base>,
    mode: Mode,
    known: Vec<Known>,
    pending: Pending,
    latch: Latch,
    latch_changed: bool,
    baselines: Baselines,
    baselines_changed: bool,
    homes: Vec<HomesSummary>,
    homes_changed: bool,
    newest: Option<i64>,
    back_since: Option<i64>,
    back_changed: bool,
    set_aside: Vec<Fault>,
    clock: Option<Fault>,
    /// Why a series has no place in a file that can else be written.
    unplaced: Option<Failure>,
}

impl History {
    /// Opens the history in the data folder `dir` to record in it; creates what is missing.
    #[must_use]
    pub fn open(dir: &Path, now: Time) -> Self {
        let mut history = Self::with(dir.join(FILE), Mode::Following);
        history.connect(now);
        history
    }

    /// Opens the history in `dir` to look at it. Creates no file, takes no lock, records nothing.
    #[must_use]
    pub fn read(dir: &Path) -> Self {
        let mut history = Self::with(dir.join(FILE), Mode::Reading(None));
        history.look();
        history
    }

    /// A history for as long as this process runs, for the given reason.
    #[must_use]
    pub fn in_memory(why: Failure) -> Self {
        Self::with(PathBuf::new(), Mode::Closed(why))
    }

    fn with(path: PathBuf, mode: Mode) -> Self {
        Self {
            path,
            lock: None,
            base: None,
            mode,
            known: Vec::new(),
            pending: Pending::default(),
            latch: Latch::default(),
            latch_changed: false,
            baselines: Baselines::default(),
            baselines_changed: false,
            homes: Vec::new(),
            homes_changed: false,
            newest: None,
            back_since: None,
            back_changed: false,
            set_aside: Vec::new(),
            clock: None,
            unplaced: None,
        }
    }

    /// Where the history is stored.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this process is the one that records: another Sandtray does not.
    #[must_use]
    pub fn records(&self) -> bool {
        !matches!(self.mode, Mode::Following | Mode::Reading(_))
    }

    /// Records one round, in one transaction together with the latch where that changed.
    ///
    /// Meant for once a minute; values of one minute fold into one point.
    pub fn record_all(&mut self, at: Time, readings: &[Reading], latch: &Latch) {
        self.ready(at);
        if !self.records() {
            return;
        }
        self.watch_clock(at);
        for reading in readings {
            if let Some(series) = self.meet(reading) {
                self.known[series].newest = self.known[series].newest.max(Some(minute(at)));
                self.pending.add(series, at, reading.value);
            }
        }
        self.take_latch(latch);
        self.flush(at);
    }

    /// Records an event.
    pub fn mark(&mut self, event: Event) {
        if self.records() {
            let at = event.at;
            self.pending.mark(event);
            self.flush(at);
        }
    }

    /// Stores the latch between rounds: after a snooze.
    pub fn save_latch(&mut self, latch: &Latch, now: Time) {
        if self.records() {
            self.take_latch(latch);
            self.flush(now);
        }
    }

    /// The latch as last stored.
    #[must_use]
    pub fn latch(&self) -> Latch {
        self.latch.clone()
    }

    /// Records many values of one series, in order of time, through the same folding.
    ///
    /// # Errors
    /// Where the history cannot be written: nothing waits in memory here.
    pub fn import(
        &mut self,
        meta: &SeriesMeta,
        values: impl IntoIterator<Item = (Time, u64)>,
    ) -> Result<(), Failure> {
        let mut values = values.into_iter().peekable();
        let Some(&(first, _)) = values.peek() else {
            return Ok(());
        };
        let reading = Reading {
            id: meta.id.clone(),
            name: meta.name.clone(),
            unit: meta.unit,
            limit: meta.limit,
            value: 0,
        };
        let series = self.meet(&reading);
        self.place(&series.into_iter().collect::<Vec<_>>(), first);
        let placed = series.and_then(|series| self.known[series].placed);
        let (Some(series), Some((place, born)), Some(base)) = (series, placed, &mut self.base)
        else {
            let text = "the history cannot take it now";
            return Err(Failure::new(
                "import into the history",
                &self.path,
                Cause::Unsupported(text.to_owned()),
            ));
        };
        let mut newest = None;
        while values.peek().is_some() {
            let mut chunk = Chunk {
                keep_newer: true,
                ..Chunk::default()
            };
            while chunk.points.len() < 1_000
                && let Some((at, value)) = values.next()
            {
                let start = Tier::Minute.start(at);
                newest = newest.max(Some(minute(at)));
                match chunk.points.last_mut() {
                    Some((_, _, last)) if last.at == start => last.add(value),
                    _ => chunk
                        .points
                        .push((place, born, Point::single(start, value))),
                }
            }
            base.write(&chunk)?;
        }
        self.known[series].newest = self.known[series].newest.max(newest);
        self.newest = self.newest.max(newest);
        Ok(())
    }

    /// Every series that has points, those of vanished things too, sorted by id.
    pub fn series(&mut self) -> Vec<SeriesMeta> {
        self.look();
        let mut all: Vec<_> = (0..self.known.len())
            .filter(|series| self.known[*series].placed.is_some() || self.pending.holds(*series))
            .map(|series| self.known[series].meta.clone())
            .collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// The points of a series whose spans lie in the range, in order of time. A span without a
    /// measurement has none.
    pub fn points(&mut self, id: &GaugeId, tier: Tier, from: Time, to: Time) -> Vec<Point> {
        self.look();
        let Some(series) = self.known.iter().position(|known| known.meta.id == *id) else {
            return Vec::new();
        };
        let placed = self.known[series].placed;
        let stored = match (&self.base, placed) {
            (Some(base), Some(placed)) => base.points(placed, tier, from, to),
            _ => Ok(Vec::new()),
        };
        let mut points = stored.unwrap_or_else(|failure| self.unread(failure));
        self.pending.merge_into(&mut points, series, tier, from, to);
        points
    }

    /// The events of the range, in order of time.
    pub fn events(&mut self, from: Time, to: Time) -> Vec<Event> {
        self.look();
        let stored = self.base.as_ref().map(|base| base.events(from, to));
        let mut events = stored
            .unwrap_or(Ok(Vec::new()))
            .unwrap_or_else(|failure| self.unread(failure));
        let waiting = self.pending.events.iter();
        events.extend(
            waiting
                .filter(|event| event.at >= from && event.at <= to)
                .cloned(),
        );
        events.sort_by_key(|event| event.at);
        events
    }

    /// What is wrong with the history now.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = self.set_aside.clone();
        match &self.mode {
            Mode::Refused(failure) => faults.push(fault(FaultKind::HistoryInMemory, failure)),
            Mode::Closed(failure) | Mode::Reading(Some(failure)) => {
                let newer = matches!(failure.cause, Cause::Newer(_));
                let kind = if newer {
                    FaultKind::HistoryNewer
                } else {
                    FaultKind::HistoryInMemory
                };
                faults.push(fault(kind, failure));
            }
            Mode::Following => faults.push(Fault {
                kind: FaultKind::ReadOnly,
                text: format!(
                    "another Sandtray records in {}; this one only reads",
                    self.path.display()
                ),
            }),
            Mode::Writing => {
                let unplaced = self.unplaced.iter();
                faults.extend(unplaced.map(|failure| fault(FaultKind::HistoryInMemory, failure)));
            }
            Mode::Reading(None) => {}
        }
        faults.extend(self.clock.clone());
        faults
    }
}

fn minute(at: Time) -> i64 {
    at.0.div_euclid(MINUTE)
}
