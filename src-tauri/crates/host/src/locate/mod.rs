//! Bundles and temp roots that exist on a machine.
//!
//! Follows the patterns of [`sandtray_core::layout`], looks which places exist, and names each once:
//! two ways to one directory (`/tmp` and `/private/tmp`, a link and its target) are one.

mod bundles;
mod expand;
mod roots;

use std::collections::BTreeSet;
use std::path::PathBuf;

use sandtray_core::bundle::{Bundle, Owner, TempRoot};
use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_core::paths::PathText;

use crate::processes;

pub(crate) use bundles::data_folders;
pub(crate) use bundles::unmarked;
pub use bundles::{bundles, link_to};
pub use roots::temp_roots;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Located {
    /// Every bundle, the live one first.
    pub bundles: Vec<Bundle>,
    /// Every temp root.
    pub temp_roots: Vec<TempRoot>,
    /// Places that exist but could not be looked into.
    pub gaps: Vec<Gap>,
}

/// Looks for everything. Never fails: what cannot be looked into is a gap.
///
/// On the real machine the environments of this user's processes are read too, for the
/// configuration and temp folders that live sessions use; a machine from a file is left to itself.
#[must_use]
pub fn locate(machine: &Machine) -> Located {
    let mut machine = machine.clone();
    if !machine.is_confined() {
        let named = processes::named();
        machine.config_dirs.extend(named.config_dirs);
        machine.extra_roots.extend(named.temp_dirs);
    }
    let mut gaps = Vec::new();
    let bundles = bundles(&machine, &mut gaps);
    let temp_roots = temp_roots(&machine, &mut gaps);
    Located {
        bundles,
        temp_roots,
        gaps,
    }
}

/// Who owns what `metadata` describes.
#[cfg(unix)]
fn owner(metadata: &std::fs::Metadata, uid: u32) -> Owner {
    use std::os::unix::fs::MetadataExt;
    match metadata.uid() {
        owner if owner == uid => Owner::Own,
        0 => Owner::System,
        _ => Owner::Foreign,
    }
}

#[cfg(not(unix))]
fn owner(_metadata: &std::fs::Metadata, _uid: u32) -> Owner {
    Owner::Unknown
}

/// Notes a place that exists but could not be looked into.
fn gap(gaps: &mut Vec<Gap>, operation: &str, path: &std::path::Path, error: &std::io::Error) {
    gaps.push(Gap {
        operation: operation.to_owned(),
        path: PathText::new(path),
        cause: error.to_string(),
    });
}

/// Canonical paths seen so far: each directory is listed once.
#[derive(Debug, Default)]
struct Seen(BTreeSet<PathBuf>);

impl Seen {
    fn is_new(&mut self, path: &std::path::Path) -> bool {
        self.0.insert(path.to_owned())
    }
}

#[cfg(test)]
mod tests;
