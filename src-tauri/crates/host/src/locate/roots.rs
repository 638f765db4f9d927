//! Temp roots that exist.

use std::fs;

use sandtray_core::bundle::{Owner, RootWhy, TempRoot};
use sandtray_core::layout;
use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_core::paths::token;

use super::expand::expand;
use super::{Seen, gap, owner};
use crate::volume::Mounts;

/// The temp roots of a machine, each directory once, sorted by path.
///
/// A root that a wildcard found and another user owns is left out: it is that user's, and this one
/// can neither read nor clean it. One that the layout names exactly is kept and marked (#20139).
pub fn temp_roots(machine: &Machine, gaps: &mut Vec<Gap>) -> Vec<TempRoot> {
    let mounts = Mounts::read();
    let mut seen = Seen::default();
    let mut found = Vec::new();
    for candidate in layout::temp_roots(machine) {
        let exact = candidate.place.parts.is_empty();
        for place in expand(&candidate.place, gaps) {
            let (path, metadata) =
                match fs::canonicalize(&place).and_then(|path| Ok((fs::metadata(&path)?, path))) {
                    Ok((metadata, path)) => (path, metadata),
                    Err(error) => {
                        gap(gaps, "look at", &place, &error);
                        continue;
                    }
                };
            let owner = owner(&metadata, machine.uid);
            let foreign = !exact && candidate.why == RootWhy::UserTemp && owner == Owner::Foreign;
            if foreign || !seen.is_new(&path) {
                continue;
            }
            let volume = mounts.find(&path).map(|mounted| mounted.volume);
            found.push(TempRoot {
                id: token(&path),
                why: candidate.why,
                owner,
                filesystem: volume
                    .as_ref()
                    .map(|volume| volume.filesystem.clone())
                    .unwrap_or_default(),
                memory: volume.is_some_and(|volume| volume.memory),
                path,
            });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}
