//! Files that are open and have no name any more, for a person to read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::leftover::view::DeletedOpen;

use super::hold::Deleted;

/// Smaller ones are every program's.
const WORTH_TELLING: u64 = 1_000_000;

/// Those below a root and worth telling, the largest first, each file once.
pub(super) fn below(deleted: Vec<Deleted>, roots: &[PathBuf]) -> Vec<DeletedOpen> {
    let mut once = BTreeMap::new();
    for found in deleted {
        let large = found.size.max(found.blocks.saturating_mul(512)) > WORTH_TELLING;
        if large && roots.iter().any(|root| found.path.starts_with(root)) {
            once.entry(found.id).or_insert(found);
        }
    }
    let mut told: Vec<DeletedOpen> = once
        .into_values()
        .map(|found| DeletedOpen {
            path: (&found.path).into(),
            apparent: Apparent(found.size),
            allocated: Allocated(found.blocks.saturating_mul(512)),
            pid: found.pid,
            process: found.name,
        })
        .collect();
    told.sort_by(|a, b| b.allocated.cmp(&a.allocated).then(a.pid.cmp(&b.pid)));
    told
}
