//! Counting entries between two full measurements.
//!
//! Why entries alone: a directory whose times did not change holds the same names, so their number is
//! proven without reading it; a file may have grown all the same, so sizes are not. Leaks of empty
//! folders (177 an hour, #96129) show within minutes at a small part of a full measurement's cost.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sandtray_core::gauge::{Meter, MeterKind};
use sandtray_core::time::Time;

use super::targets::{Target, targets};
use crate::locate::Located;
use crate::walk::{self, Cache};

/// What earlier counts proved, by root.
pub(super) type Caches = HashMap<PathBuf, Cache>;

/// What a count gave; the caches come back for the next one.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) meters: Vec<Meter>,
    pub(super) caches: Caches,
    pub(super) took: Duration,
}

/// Counts the entries of every temp root. A root that cannot be counted now is left out: the next
/// full measurement says why.
pub(super) fn count(located: &Located, mut caches: Caches, now: impl Fn() -> Time) -> Counted {
    let began = Instant::now();
    let targets = targets(located);
    caches.retain(|root, _| targets.iter().any(|target| target.paths.contains(root)));
    let meters = targets
        .iter()
        .filter_map(|target| meter(target, &mut caches, now()))
        .collect();
    Counted {
        meters,
        caches,
        took: began.elapsed(),
    }
}

fn meter(target: &Target, caches: &mut Caches, as_of: Time) -> Option<Meter> {
    let kind = target
        .kinds
        .iter()
        .copied()
        .find(|kind| *kind == MeterKind::RootEntries)?;
    let (mut entries, mut complete) = (0u64, true);
    for path in &target.paths {
        let cache = caches.entry(path.clone()).or_default();
        let tree = walk::measure_again(path, &walk::Options::default(), cache).ok()?;
        entries = entries.saturating_add(tree.usage.entries);
        complete &= tree.usage.complete;
    }
    let thing = target.thing.display().to_string();
    Some(Meter {
        id: kind.id(&target.token),
        kind,
        thing,
        value: Ok(entries),
        complete,
        as_of,
    })
}
