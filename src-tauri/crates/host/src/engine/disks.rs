//! Guest disks as the engine keeps them: the last reading of each, with its age.
//!
//! One reading serves everything that is said of a disk: its gauges of bytes and of inodes, what a fresh
//! one of its release used, and the sizes of its image.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sandtray_core::bundle::{Bundle, BundleDisk, BundleFile, Role};
use sandtray_core::gauge::{Gauge, GaugeId, GaugeKind, Level, UnknownReason};
use sandtray_core::inside::{DiskId, DiskSizes};
use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_core::time::{HOUR, MINUTE, Time};

use super::origin::Origins;
use crate::disk::guest;
use crate::store::History;

/// How long a number stands in for one that cannot be read because the disk is locked: as long as a
/// virtual machine may run.
const KEPT_WHILE_BUSY: i64 = 14 * 24 * HOUR;
/// How long it stands in where the disk made no sense: it may have been in the middle of a write.
const KEPT_WHILE_ODD: i64 = 10 * MINUTE;

/// A disk is read once a minute: following the journal of a running guest takes milliseconds, and a
/// tick may take microseconds.
const READ_EVERY: i64 = MINUTE;

/// The guest disks of a bundle: what they are for, and their gauges of bytes and of inodes.
const DISKS: [(Role, GaugeKind, GaugeKind); 2] = [
    (
        Role::SessionData,
        GaugeKind::GuestSessions,
        GaugeKind::GuestSessionsInodes,
    ),
    (
        Role::System,
        GaugeKind::GuestSystem,
        GaugeKind::GuestSystemInodes,
    ),
];

/// The last good reading of one disk.
#[derive(Clone, Debug)]
struct Reading {
    numbers: Numbers,
    as_of: Time,
    read_at: Time,
    /// Of the image then: one that was replaced is read at once.
    length: Option<u64>,
}

/// What was read of a disk.
#[derive(Clone, Debug)]
struct Numbers {
    bytes: Level,
    inodes: Level,
    /// They may be behind what the guest sees.
    stale: bool,
    sizes: DiskSizes,
}

/// Readings of every guest disk that was ever read.
#[derive(Debug, Default)]
pub(super) struct Disks {
    readings: BTreeMap<PathBuf, Reading>,
    origins: Origins,
    shown: Vec<BundleDisk>,
}

impl Disks {
    /// Reads the guest disks of all bundles and makes gauges of each; a disk that cannot be read now
    /// keeps its last number with its age, one that never could is unknown, and why is a gap.
    pub(super) fn gauges(
        &mut self,
        machine: &Machine,
        bundles: &[Bundle],
        history: &mut History,
        now: Time,
        gaps: &mut Vec<Gap>,
    ) -> Vec<Gauge> {
        let mut gauges = Vec::new();
        self.shown.clear();
        for bundle in bundles {
            for (role, kind, inodes) in DISKS {
                let Some(file) = chosen(machine, bundle, role) else {
                    continue;
                };
                let image = bundle.path.join(&file.name);
                let found = self.read(&image, kind, now, gaps);
                let numbers = found.as_ref().map(|reading| &reading.numbers);
                let as_of = found.as_ref().map_or(now, |reading| reading.as_of);
                let gauge = |kind, level, baseline| Gauge {
                    id: GaugeId::new(kind, &bundle.id),
                    kind,
                    thing: image.display().to_string(),
                    level,
                    baseline,
                    as_of,
                    memory: false,
                    live: bundle.live,
                };
                let level = numbers
                    .map(|numbers| numbers.bytes)
                    .map_err(|reason| *reason);
                let baseline = match &found {
                    Ok(reading) if role == Role::System => {
                        self.baseline(&image, reading, history, now)
                    }
                    _ => None,
                };
                let bytes = gauge(kind, level, baseline);
                let level = numbers
                    .map(|numbers| numbers.inodes)
                    .map_err(|reason| *reason);
                self.shown.push(BundleDisk {
                    disk: DiskId(bytes.id.0.clone()),
                    name: file.name.clone(),
                    role,
                    sizes: numbers.map_or_else(
                        |_| DiskSizes::unread(file.apparent, file.allocated),
                        |numbers| numbers.sizes.clone(),
                    ),
                });
                gauges.extend([bytes, gauge(inodes, level, None)]);
            }
        }
        gauges
    }

    /// The disks of the last round, for the list of what takes room on the host.
    pub(super) fn shown(&self) -> &[BundleDisk] {
        &self.shown
    }

    /// What a fresh disk of this one's release uses. In its first day it tells so itself.
    fn baseline(
        &mut self,
        image: &Path,
        reading: &Reading,
        history: &mut History,
        now: Time,
    ) -> Option<u64> {
        let (release, first_day) = self.origins.look(image, now)?;
        let level = reading.numbers.bytes;
        // A number that was kept is not of this day.
        if first_day && reading.read_at == now && !reading.numbers.stale {
            history.observe_fresh(&release, level, now);
        }
        history.baselines().of(&release, level)
    }

    fn read(
        &mut self,
        image: &Path,
        kind: GaugeKind,
        now: Time,
        gaps: &mut Vec<Gap>,
    ) -> Result<Reading, UnknownReason> {
        let length = fs::metadata(image).ok().map(|found| found.len());
        if let Some(last) = self.readings.get(image)
            && last.length == length
            && (0..READ_EVERY).contains(&now.since(last.read_at))
        {
            return Ok(last.clone());
        }
        match look(image, kind) {
            Ok((numbers, as_of)) => {
                // The guest writes its superblock now and then; a stamp from the future (its clock
                // runs ahead) or none at all says only that the number is as old as our look.
                let as_of = as_of.filter(|at| at.0 > 0 && *at <= now).unwrap_or(now);
                let reading = Reading {
                    numbers,
                    as_of,
                    read_at: now,
                    length,
                };
                self.readings.insert(image.to_owned(), reading.clone());
                Ok(reading)
            }
            Err((reason, cause)) => {
                gaps.push(Gap {
                    operation: "read the disk image".to_owned(),
                    path: image.into(),
                    cause,
                });
                let kept = match reason {
                    UnknownReason::Busy => KEPT_WHILE_BUSY,
                    UnknownReason::Corrupt | UnknownReason::Failed => KEPT_WHILE_ODD,
                    _ => 0,
                };
                match self.readings.get(image) {
                    Some(last) if now.since(last.read_at) <= kept => Ok(last.clone()),
                    _ => Err(reason),
                }
            }
        }
    }
}

/// What is wanted of the filesystem that `kind` speaks of, and when the guest last said so.
fn look(image: &Path, kind: GaugeKind) -> Result<(Numbers, Option<Time>), (UnknownReason, String)> {
    guest::look(image, kind, |read, disk, numbers| {
        // A disk that was shut down properly is now as it was then; one that is mounted lags.
        let as_of = numbers.as_of.filter(|_| !numbers.clean);
        let numbers = Numbers {
            bytes: numbers.level(),
            inodes: numbers.inodes_level(),
            stale: numbers.stale,
            sizes: DiskSizes::new(read, Some(disk)),
        };
        (numbers, as_of)
    })
}

/// The image that a bundle uses for a role.
pub(super) fn image(machine: &Machine, bundle: &Bundle, role: Role) -> Option<PathBuf> {
    chosen(machine, bundle, role).map(|file| bundle.path.join(&file.name))
}

/// The file that a bundle uses for a role.
fn chosen<'a>(machine: &Machine, bundle: &'a Bundle, role: Role) -> Option<&'a BundleFile> {
    let names = bundle.files.iter().map(|file| file.name.as_str());
    let name = guest::image(machine.os, names, role)?;
    bundle.files.iter().find(|file| file.name == name)
}

#[cfg(test)]
mod tests;
