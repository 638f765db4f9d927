//! Reading and writing rows: series, points, events, and the state between rounds.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, TransactionBehavior, params};
use sandtray_core::gauge::GaugeId;
use sandtray_core::history::{Event, EventKind, Point, Tier, Unit};
use sandtray_core::time::Time;

use super::SeriesMeta;
use super::base::{Base, corrupt};
use super::page::{self, Page, Spot};
use super::refusal::refused;
use crate::error::Failure;

/// Events kept; the oldest gives way.
const EVENTS: i64 = 512;
pub(super) const READ: &str = "read the history";
pub(super) const RECORD: &str = "record in the history";

/// Name of the row that holds the latch as JSON.
pub(super) const LATCH: &str = "latch";
/// Name of the row that holds what fresh system disks used, as JSON.
pub(super) const BASELINES: &str = "baselines";
/// Name of the row that holds what is known of the homes on sessions disks as JSON.
pub(super) const HOMES: &str = "homes";
/// Name of the row that holds since when the clock is behind the newest point.
pub(super) const BACK_SINCE: &str = "back_since";

/// A series with its place in the ring.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) meta: SeriesMeta,
    pub(super) place: i64,
    /// Points of earlier spans belong to the series that had the place before.
    pub(super) born: Time,
}

/// What one transaction stores.
#[derive(Debug, Default)]
pub(super) struct Chunk<'a> {
    /// Place, birth, and a point of a minute.
    pub(super) points: Vec<(i64, Time, Point)>,
    /// A point of a later time stays where it is.
    pub(super) keep_newer: bool,
    pub(super) metas: Vec<&'a SeriesMeta>,
    pub(super) events: Vec<&'a Event>,
    pub(super) state: Vec<(&'static str, String)>,
}

impl Chunk<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
            && self.metas.is_empty()
            && self.events.is_empty()
            && self.state.is_empty()
    }
}

impl Base {
    /// All series that have a place.
    pub(super) fn series(&self) -> Result<Vec<Placed>, Failure> {
        let failed = refused(READ, &self.path);
        let mut statement = self
            .conn
            .prepare_cached("SELECT id, place, born, name, unit, cap FROM series ORDER BY id")
            .map_err(&failed)?;
        let rows = statement
            .query_map([], |row| {
                let unit: String = row.get(4)?;
                let placed = Placed {
                    place: row.get(1)?,
                    born: Time(row.get(2)?),
                    meta: SeriesMeta {
                        id: GaugeId(row.get(0)?),
                        name: row.get(3)?,
                        unit: Unit::Bytes,
                        limit: row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned),
                    },
                };
                Ok((placed, unit))
            })
            .map_err(&failed)?;
        let mut all = Vec::new();
        for row in rows {
            let (mut placed, unit) = row.map_err(&failed)?;
            placed.meta.unit = unit_of(&unit)
                .ok_or_else(|| corrupt(&self.path, "a series has a unit of no known name"))?;
            if !(0..self.places()).contains(&placed.place) {
                return Err(corrupt(
                    &self.path,
                    "a series has a place that does not exist",
                ));
            }
            all.push(placed);
        }
        Ok(all)
    }

    /// Number of places in all banks.
    pub(super) fn places(&self) -> i64 {
        page::places(self.banks).start
    }

    /// Stores new series; one in `gone` loses its place.
    pub(super) fn adopt(&mut self, new: &[Placed], gone: &[GaugeId]) -> Result<(), Failure> {
        let mut work = || -> rusqlite::Result<()> {
            let tx = self
                .conn
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            for id in gone {
                tx.execute("DELETE FROM series WHERE id = ?1", [&id.0])?;
            }
            for placed in new {
                let meta = &placed.meta;
                tx.execute(
                    "INSERT INTO series (id, place, born, name, unit, cap) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        meta.id.0,
                        placed.place,
                        placed.born.0,
                        meta.name,
                        unit_token(meta.unit),
                        meta.limit.map(u64::cast_signed),
                    ],
                )?;
            }
            tx.commit()
        };
        work().map_err(refused(RECORD, &self.path))
    }

    /// Stores a chunk, all of it or nothing.
    pub(super) fn write(&mut self, chunk: &Chunk<'_>) -> Result<(), Failure> {
        let path = &self.path;
        let failed = refused(RECORD, path);
        let tx = self
            .conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&failed)?;
        let mut pages: BTreeMap<i64, Page> = BTreeMap::new();
        for (place, born, point) in &chunk.points {
            for tier in Tier::ALL {
                let Some(spot) = Spot::of(*place, tier, point.at) else {
                    continue;
                };
                let page = match pages.entry(spot.key) {
                    std::collections::btree_map::Entry::Occupied(page) => page.into_mut(),
                    std::collections::btree_map::Entry::Vacant(free) => {
                        let bytes: Option<Vec<u8>> = tx
                            .prepare_cached("SELECT points FROM ring WHERE page = ?1")
                            .and_then(|mut read| {
                                read.query_row([spot.key], |row| row.get(0)).optional()
                            })
                            .map_err(&failed)?;
                        let page = bytes.and_then(|bytes| Page::check(spot.key, &bytes));
                        free.insert(page.ok_or_else(|| {
                            corrupt(path, &format!("page {} of the ring is damaged", spot.key))
                        })?)
                    }
                };
                page.fold(spot, point, first_span(*born, tier), chunk.keep_newer);
            }
        }
        let mut work = || -> rusqlite::Result<()> {
            for (key, page) in &mut pages {
                tx.prepare_cached("UPDATE ring SET points = ?2 WHERE page = ?1")?
                    .execute((key, page.seal(*key)))?;
            }
            for meta in &chunk.metas {
                tx.prepare_cached(
                    "UPDATE series SET name = ?2, unit = ?3, cap = ?4 WHERE id = ?1",
                )?
                .execute(params![
                    meta.id.0,
                    meta.name,
                    unit_token(meta.unit),
                    meta.limit.map(u64::cast_signed)
                ])?;
            }
            for event in &chunk.events {
                tx.prepare_cached(
                    "INSERT OR REPLACE INTO events (slot, number, at, id, kind)
                     SELECT number % ?4, number, ?1, ?2, ?3
                     FROM (SELECT coalesce(max(number), -1) + 1 AS number FROM events)",
                )?
                .execute(params![
                    event.at.0,
                    event.id.0,
                    kind_token(event.kind),
                    EVENTS
                ])?;
            }
            for (name, value) in &chunk.state {
                tx.prepare_cached("INSERT OR REPLACE INTO state (name, value) VALUES (?1, ?2)")?
                    .execute((name, value))?;
            }
            Ok(())
        };
        work().map_err(&failed)?;
        tx.commit().map_err(&failed)
    }

    /// Points of a series whose spans begin in the range, in order of time.
    pub(super) fn points(
        &self,
        placed: (i64, Time),
        tier: Tier,
        from: Time,
        to: Time,
    ) -> Result<Vec<Point>, Failure> {
        let (place, born) = placed;
        let failed = refused(READ, &self.path);
        let (Some(first), Some(last)) = (
            Spot::of(place, tier, clamped(from.max(born))),
            Spot::of(place, tier, clamped(to)),
        ) else {
            return Ok(Vec::new());
        };
        if first.span > last.span {
            return Ok(Vec::new());
        }
        let whole = i64::from(last.span) - i64::from(first.span) >= tier.slots() - 1;
        let (ring_first, ring_last) = page::tier_keys(page::bank(place), tier);
        let ranges = if whole {
            vec![(ring_first, ring_last)]
        } else if first.slot <= last.slot {
            vec![(first.key, last.key)]
        } else if first.key == last.key {
            vec![(ring_first, ring_last)]
        } else {
            vec![(first.key, ring_last), (ring_first, last.key)]
        };
        let mut points = Vec::new();
        for (low, high) in ranges {
            let mut statement = self
                .conn
                .prepare_cached("SELECT page, points FROM ring WHERE page BETWEEN ?1 AND ?2")
                .map_err(&failed)?;
            let mut rows = statement.query([low, high]).map_err(&failed)?;
            while let Some(row) = rows.next().map_err(&failed)? {
                let key: i64 = row.get(0).map_err(&failed)?;
                let bytes = row.get_ref(1).map_err(&failed)?;
                let page = bytes
                    .as_blob()
                    .ok()
                    .and_then(|bytes| Page::check(key, bytes))
                    .ok_or_else(|| {
                        corrupt(&self.path, &format!("page {key} of the ring is damaged"))
                    })?;
                points.extend(
                    page.column(place)
                        .filter(|(span, _)| (first.span..=last.span).contains(span))
                        .map(|(span, point)| Point {
                            at: Time(i64::from(span) * tier.step()),
                            ..point
                        }),
                );
            }
        }
        points.sort_by_key(|point| point.at);
        Ok(points)
    }

    /// Events of the range, in the order they were marked.
    pub(super) fn events(&self, from: Time, to: Time) -> Result<Vec<Event>, Failure> {
        let failed = refused(READ, &self.path);
        let mut statement = self
            .conn
            .prepare_cached(
                "SELECT at, id, kind FROM events WHERE at BETWEEN ?1 AND ?2 ORDER BY at, number",
            )
            .map_err(&failed)?;
        let rows = statement
            .query_map([from.0, to.0], |row| {
                let kind: String = row.get(2)?;
                Ok((Time(row.get(0)?), GaugeId(row.get(1)?), kind))
            })
            .map_err(&failed)?;
        let mut events = Vec::new();
        for row in rows {
            let (at, id, kind) = row.map_err(&failed)?;
            let kind = kind_of(&kind)
                .ok_or_else(|| corrupt(&self.path, "an event is of no known kind"))?;
            events.push(Event { at, id, kind });
        }
        Ok(events)
    }

    /// A value of the state between rounds.
    pub(super) fn state(&self, name: &str) -> Result<Option<String>, Failure> {
        self.conn
            .query_row("SELECT value FROM state WHERE name = ?1", [name], |row| {
                row.get(0)
            })
            .optional()
            .map_err(refused(READ, &self.path))
    }
}

/// A time whose span has a number in every tier, so that "from ever to always" can be asked for.
fn clamped(at: Time) -> Time {
    let end = i64::from(i32::MAX) * Tier::Minute.step();
    Time(at.0.clamp(-end, end))
}

/// The number of the first span that belongs to a series born at `born`.
pub(super) fn first_span(born: Time, tier: Tier) -> i32 {
    i32::try_from(born.0.div_euclid(tier.step())).unwrap_or(i32::MIN)
}

fn unit_token(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "bytes",
        Unit::Entries => "entries",
    }
}

fn unit_of(token: &str) -> Option<Unit> {
    [Unit::Bytes, Unit::Entries]
        .into_iter()
        .find(|unit| unit_token(*unit) == token)
}

fn kind_token(kind: EventKind) -> &'static str {
    match kind {
        EventKind::SteppedDown => "stepped_down",
        EventKind::Appeared => "appeared",
        EventKind::Vanished => "vanished",
    }
}

fn kind_of(token: &str) -> Option<EventKind> {
    [
        EventKind::SteppedDown,
        EventKind::Appeared,
        EventKind::Vanished,
    ]
    .into_iter()
    .find(|kind| kind_token(*kind) == token)
}
