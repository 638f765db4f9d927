//! What is measured in full, and under which name.

use std::path::{Path, PathBuf};

use sandtray_core::bundle::{RootWhy, TempRoot};
use sandtray_core::gauge::{GaugeId, MeterKind};
use sandtray_core::paths::token;

use crate::locate::Located;

/// One thing with meters of its own.
#[derive(Debug)]
pub(super) struct Target {
    /// What is walked, and added up.
    pub(super) paths: Vec<PathBuf>,
    /// What the meters are named after.
    pub(super) thing: PathBuf,
    /// The thing's part of the meters' ids.
    pub(super) token: String,
    /// Its meters.
    pub(super) kinds: &'static [MeterKind],
    /// Whether crowds of like names are looked for in it.
    pub(super) crowds: bool,
}

impl Target {
    /// The ids of its meters.
    pub(super) fn meters(&self) -> impl Iterator<Item = (GaugeId, MeterKind)> {
        self.kinds.iter().map(|kind| (kind.id(&self.token), *kind))
    }
}

/// Everything that has meters.
///
/// The temp folders of all jobs are one thing: there may be hundreds (174 on one machine), they come
/// and go, and a line of the chart for each would tell nobody anything.
pub(super) fn targets(located: &Located) -> Vec<Target> {
    let mut targets: Vec<Target> = located
        .bundles
        .iter()
        .map(|bundle| Target {
            // The whole of `vm_bundles`: prefetched releases lie beside the bundle, in `warm`.
            paths: vec![
                bundle
                    .path
                    .parent()
                    .filter(|parent| parent.ends_with("vm_bundles"))
                    .unwrap_or(&bundle.path)
                    .to_owned(),
            ],
            thing: bundle.path.clone(),
            token: bundle.id.clone(),
            kinds: &[MeterKind::BundleAllocated],
            crowds: false,
        })
        .collect();
    for root in &located.temp_roots {
        let thing = jobs(root).unwrap_or(&root.path);
        match targets
            .iter_mut()
            .find(|target| target.crowds && target.thing == thing)
        {
            Some(target) => target.paths.push(root.path.clone()),
            None => targets.push(Target {
                paths: vec![root.path.clone()],
                thing: thing.to_owned(),
                token: token(thing),
                kinds: &[MeterKind::RootAllocated, MeterKind::RootEntries],
                crowds: true,
            }),
        }
    }
    targets
}

/// The folder of all jobs, for a root that is the temp folder of one of them.
fn jobs(root: &TempRoot) -> Option<&Path> {
    (root.why == RootWhy::JobTemp)
        .then(|| root.path.parent()?.parent())
        .flatten()
}
