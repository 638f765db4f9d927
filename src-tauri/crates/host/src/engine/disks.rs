//! Guest disks as the engine keeps them: the last reading of each, with its age.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sandtray_core::bundle::{Bundle, Role};
use sandtray_core::gauge::{Gauge, GaugeId, GaugeKind, Level, UnknownReason};
use sandtray_core::machine::{Machine, Os};
use sandtray_core::measurement::Gap;
use sandtray_core::time::{HOUR, MINUTE, Time};

use crate::disk;

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
                let Some(image) = image(machine, bundle, role) else {
                    continue;
                };
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
        match level(image, kind) {
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

/// The image that a bundle uses for a role: after a move from one kind of machine to another both
/// may lie there (deb#855), and only the one of this system is live.
fn image(machine: &Machine, bundle: &Bundle, role: Role) -> Option<PathBuf> {
    let preferred = if machine.os == Os::Windows {
        ".vhdx"
    } else {
        ".img"
    };
    let mut names = bundle
        .files
        .iter()
        .filter(|file| file.role == role)
        .map(|file| &file.name);
    let first = names.next()?;
    let chosen = if first.ends_with(preferred) {
        first
    } else {
        names
            .find(|name| name.ends_with(preferred))
            .unwrap_or(first)
    };
    Some(bundle.path.join(chosen))
}

/// The level of the filesystem that `kind` speaks of, and when the guest last said so.
fn level(image: &Path, kind: GaugeKind) -> Result<(Level, Option<Time>), (UnknownReason, String)> {
    let read =
        disk::read(image).map_err(|failure| (disk::reason(&failure), failure.cause.to_string()))?;
    let chosen = match kind {
        GaugeKind::GuestSessions => read.sessions_disk(),
        _ => read.system_disk(),
    };
    let Some(chosen) = chosen else {
        let cause = "it holds no filesystem that looks like the guest's".to_owned();
        return Err((UnknownReason::Unsupported, cause));
    };
    // A disk that was shut down properly is now as it was then; one that is mounted lags.
    let as_of = chosen
        .numbers
        .filter(|numbers| !numbers.clean)
        .and_then(|numbers| numbers.as_of);
    let cause = || {
        chosen
            .problem
            .as_ref()
            .map_or_else(String::new, |problem| problem.text.clone())
    };
    chosen
        .level()
        .map(|level| (level, as_of))
        .map_err(|reason| (reason, cause()))
}
