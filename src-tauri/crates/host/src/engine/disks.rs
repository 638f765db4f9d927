//! Guest disks as the engine keeps them: the last reading of each, with its age.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sandtray_core::bundle::{Bundle, Role};
use sandtray_core::gauge::{Gauge, GaugeId, GaugeKind, Level, UnknownReason};
use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_core::time::{HOUR, MINUTE, Time};

use crate::disk::guest;

/// How long a number stands in for one that cannot be read because the disk is locked: as long as a
/// virtual machine may run.
const KEPT_WHILE_BUSY: i64 = 14 * 24 * HOUR;
/// How long it stands in where the disk made no sense: it may have been in the middle of a write.
const KEPT_WHILE_ODD: i64 = 10 * MINUTE;

/// A disk is read once a minute: following the journal of a running guest takes milliseconds, and a
/// tick may take microseconds.
const READ_EVERY: i64 = MINUTE;

/// The last good reading of one disk.
#[derive(Clone, Copy, Debug)]
struct Reading {
    level: Level,
    as_of: Time,
    read_at: Time,
    /// Of the image then: one that was replaced is read at once.
    length: Option<u64>,
}

/// Readings of every guest disk that was ever read.
#[derive(Debug, Default)]
pub(super) struct Disks {
    readings: BTreeMap<PathBuf, Reading>,
}

impl Disks {
    /// Reads the guest disks of all bundles and makes a gauge of each; a disk that cannot be read now
    /// keeps its last number with its age, one that never could is unknown, and why is a gap.
    pub(super) fn gauges(
        &mut self,
        machine: &Machine,
        bundles: &[Bundle],
        now: Time,
        gaps: &mut Vec<Gap>,
    ) -> Vec<Gauge> {
        let mut gauges = Vec::new();
        for bundle in bundles {
            for (role, kind) in [
                (Role::SessionData, GaugeKind::GuestSessions),
                (Role::System, GaugeKind::GuestSystem),
            ] {
                let names = bundle.files.iter().map(|file| file.name.as_str());
                let Some(name) = guest::image(machine.os, names, role) else {
                    continue;
                };
                let image = bundle.path.join(name);
                let (level, as_of) = self.read(&image, kind, now, gaps);
                gauges.push(Gauge {
                    id: GaugeId::new(kind, &bundle.id),
                    kind,
                    thing: image.display().to_string(),
                    level,
                    as_of,
                    memory: false,
                    live: bundle.live,
                });
            }
        }
        gauges
    }

    fn read(
        &mut self,
        image: &Path,
        kind: GaugeKind,
        now: Time,
        gaps: &mut Vec<Gap>,
    ) -> (Result<Level, UnknownReason>, Time) {
        let length = fs::metadata(image).ok().map(|found| found.len());
        if let Some(last) = self.readings.get(image)
            && last.length == length
            && (0..READ_EVERY).contains(&now.since(last.read_at))
        {
            return (Ok(last.level), last.as_of);
        }
        match guest::level(image, kind) {
            Ok((level, as_of)) => {
                // The guest writes its superblock now and then; a stamp from the future (its clock
                // runs ahead) or none at all says only that the number is as old as our look.
                let as_of = as_of.filter(|at| at.0 > 0 && *at <= now).unwrap_or(now);
                self.readings.insert(
                    image.to_owned(),
                    Reading {
                        level,
                        as_of,
                        read_at: now,
                        length,
                    },
                );
                (Ok(level), as_of)
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
                    Some(last) if now.since(last.read_at) <= kept => (Ok(last.level), last.as_of),
                    _ => (Err(reason), now),
                }
            }
        }
    }
}
