//! A reading a day of every guest disk: what grew is told against it, and the homes are counted.
//!
//! Why of its own accord: what grew since yesterday can only be told to somebody who opens the panel today
//! if something looked yesterday. A census takes a second of a core, a day has 86,400; a disk whose image
//! was not written since its last reading is not opened at all.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use sandtray_core::inside::growth::{APART, Snapshot, basis, is_due};
use sandtray_core::inside::{DiskId, HomesSummary, Usage, summary};
use sandtray_core::time::{DAY, HOUR, Time};

use super::Desk;
use super::jobs::Work;
use super::places::Place;
use crate::disk::inside::{self, Options};
use crate::engine::state::State;
use crate::walk::Progress;

/// A disk that gave nothing is tried again after this long.
const AGAIN: i64 = HOUR;
/// And reading may take one part in so many of the time.
const DUTY: i64 = 250;

/// A reading of the top of a disk, as far as it is kept.
#[derive(Debug)]
pub(in crate::engine) struct Top {
    disk: DiskId,
    at: Time,
    snapshot: Option<Snapshot>,
    homes: Option<HomesSummary>,
}

impl Top {
    pub(super) fn new(place: &Place, usage: &Usage, at: Time) -> Self {
        Self {
            disk: place.disk.clone(),
            at,
            snapshot: Snapshot::of(usage, at),
            homes: place
                .sessions
                .then(|| summary(&place.disk, usage, at))
                .flatten(),
        }
    }
}

/// Until when disks are left alone: since when, and for how many seconds.
pub(in crate::engine) type Rest = BTreeMap<DiskId, (Time, i64)>;

/// Reads disks one after the other; one that somebody else reads meanwhile is left out.
pub(in crate::engine) fn read(
    desk: &Arc<Desk>,
    places: &[Place],
    progress: &Progress,
    now: impl Fn() -> Time,
) -> Vec<(Top, Duration)> {
    let mut tops = Vec::new();
    for place in places {
        let Some(job) = desk.begin(Work::Daily, &place.disk) else {
            continue;
        };
        let options = Options {
            cancel: job.cancel.clone(),
            progress: progress.clone(),
        };
        let (at, began) = (now(), Instant::now());
        match inside::usage(&place.image, b"/", &options) {
            Ok(usage) => tops.push((Top::new(place, &usage, at), began.elapsed())),
            // The gauge of the disk says so already.
            Err(failure) => tracing::info!("{failure}"),
        }
        if job.cancel.is_cancelled() {
            break;
        }
    }
    tops
}

impl State {
    /// The disks whose reading of today is due.
    pub(in crate::engine) fn due_disks(&mut self, now: Time) -> Vec<Place> {
        if !self.history.records() {
            // Another Sandtray reads them.
            return Vec::new();
        }
        let mut due: Vec<Place> = self.guest_disks().collect();
        due.retain(|place| {
            let resting = self.resting.get(&place.disk);
            let resting =
                resting.is_some_and(|(since, span)| (0..*span).contains(&now.since(*since)));
            if resting {
                return false;
            }
            let kept = self.history.snapshots(&place.disk);
            is_due(&kept, now, DAY) && is_written_since(place, kept.last().copied())
        });
        for place in &due {
            self.resting.insert(place.disk.clone(), (now, AGAIN));
        }
        due
    }

    /// Takes what a reading of a disk's top told; gives the earlier one to compare it with.
    pub(in crate::engine) fn absorb_top(&mut self, top: Top, took: Duration) -> Option<Snapshot> {
        let Top {
            disk,
            at,
            snapshot,
            homes,
        } = top;
        let took = i64::try_from(took.as_secs()).unwrap_or(i64::MAX);
        let rest = took.saturating_mul(DUTY).max(AGAIN);
        self.resting.insert(disk.clone(), (at, rest));
        let kept = self.history.snapshots(&disk);
        let before = basis(&kept, at).and_then(|basis| self.history.snapshot(&disk, basis));
        if let Some(homes) = homes {
            self.history.keep_homes(homes, at);
        }
        if let Some(snapshot) = snapshot
            && is_due(&kept, at, APART)
        {
            self.history.keep_snapshot(&disk, snapshot, at);
        }
        before
    }

    /// What is known of the homes on the disks there are.
    pub(in crate::engine) fn homes(&self) -> Vec<HomesSummary> {
        let known = self.history.homes();
        let of = |place: Place| known.iter().find(|homes| homes.disk == place.disk).cloned();
        self.guest_disks().filter_map(of).collect()
    }
}

/// Whether the image was written since `at`; also where that cannot be told.
fn is_written_since(place: &Place, at: Option<Time>) -> bool {
    let written = std::fs::metadata(&place.image)
        .and_then(|image| image.modified())
        .ok()
        .and_then(|moment| moment.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_secs()).ok());
    match (written, at) {
        (Some(written), Some(at)) => written >= at.0,
        _ => true,
    }
}
