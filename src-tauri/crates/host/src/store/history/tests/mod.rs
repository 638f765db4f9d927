//! The history on real folders: what is recorded is read, now, after a restart, and when things go
//! wrong.

mod beside;
mod clock;
mod damage;
mod fresh;
mod full;
mod killed;
mod rings;
mod snapshots;

use std::path::Path;

use sandtray_core::notice::Incident;
use sandtray_core::verdict::Verdict;

use super::*;

/// 2026-11-24 12:00 UTC, the start of a span of every tier.
const START: Time = Time(1_795_521_600);

fn after(minutes: i64) -> Time {
    START.plus(minutes * MINUTE)
}

fn id(name: &str) -> GaugeId {
    GaugeId(format!("host_bytes:{name}"))
}

fn reading(name: &str, value: u64) -> Reading {
    Reading {
        id: id(name),
        name: format!("Volume {name}"),
        unit: Unit::Bytes,
        limit: Some(1_000_000),
        value,
    }
}

fn round(history: &mut History, minutes: i64, readings: &[Reading]) {
    let latch = history.latch();
    history.record_all(after(minutes), readings, &latch);
}

/// Records the minutes of the range; the value of each is its number.
fn rounds(history: &mut History, name: &str, minutes: std::ops::Range<i64>) {
    for minute in minutes {
        round(history, minute, &[reading(name, minute.unsigned_abs())]);
    }
}

/// Minutes after the start that have a point, with their last value.
fn stored(history: &mut History, name: &str) -> Vec<(i64, u64)> {
    history
        .points(&id(name), Tier::Minute, Time(i64::MIN), Time(i64::MAX))
        .iter()
        .map(|point| (point.at.since(START) / MINUTE, point.last))
        .collect()
}

fn expected(minutes: std::ops::Range<i64>) -> Vec<(i64, u64)> {
    minutes
        .map(|minute| (minute, minute.unsigned_abs()))
        .collect()
}

fn kinds(history: &History) -> Vec<FaultKind> {
    history.faults().iter().map(|fault| fault.kind).collect()
}

fn latch(day: i64) -> Latch {
    let incident = Incident {
        verdict: Some(Verdict::Low),
        since: Some(START),
        ..Incident::default()
    };
    Latch {
        incidents: [(id("a"), incident)].into(),
        day: Time(day),
        told_today: 1,
    }
}

/// Names in the folder that begin with `prefix`, sorted.
fn names(folder: &Path, prefix: &str) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort();
    names
}
