//! What may be a leftover, found in its places.
//!
//! ```text
//! places of the wanted classes ─ ground ─→ folders, each listed once for all classes that look there
//!                                             │ names alone (sieve)
//!                           names: counts ←───┤
//!                                             ↓ what fits is looked at, and into (tree, content)
//!                                        candidates, one after the other
//! ```
//!
//! Nothing is judged here, and nothing is kept: 185,541 candidates pass through (#85576). Folders are
//! opened once and everything below goes by descriptor, never through a link and never onto another
//! mount. Another user's entries are candidates that are not our own, so that they are counted; what
//! cannot be read is a gap.
//!
//! * `ground`: the folders to look in, as a tree of patterns.
//! * `projects`: the folders in which sessions ran.
//! * `sieve`: names to classes, fast enough for 200,000 of them a minute.
//! * `dig`: the way through the ground.
//! * `find`: from a name that fits to a candidate.
//! * `tree`: what is in a directory: sizes, and what the gates ask.
//! * `content`: what the gates ask of single files and of their surroundings.
//! * `folder`: the system calls.

mod content;
mod dig;
mod find;
mod folder;
mod gaps;
mod ground;
mod inside;
mod projects;
mod sieve;
#[cfg(test)]
mod tests;
mod tree;

use std::path::PathBuf;
use std::sync::Arc;

use sandtray_core::bundle::{Bundle, TempRoot};
use sandtray_core::layout;
use sandtray_core::leftover::Class;
use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::evidence::Evidence;
use sandtray_core::leftover::table::CLASSES;
use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_core::settings::Claude;

use super::evidence::gather_for;
use crate::locate::Located;
use crate::processes;
use crate::walk::Cancel;

/// Where to look, and with which settings.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The machine: its home, its user.
    pub machine: Machine,
    /// Its temp roots.
    pub roots: Vec<TempRoot>,
    /// Its bundles.
    pub bundles: Vec<Bundle>,
    /// Configuration folders of Claude Code, those of live processes included.
    pub config_dirs: Vec<PathBuf>,
    /// Which program Claude Desktop is.
    pub claude: Claude,
}

impl Scene {
    /// Everything on a machine that leftovers are looked for in. On the real one the environments of this
    /// user's processes name further configuration folders.
    #[must_use]
    pub fn new(machine: Machine, claude: Claude, located: Located) -> Self {
        let mut config_dirs = layout::config_dirs(&machine);
        if !machine.is_confined() {
            config_dirs.extend(processes::named().config_dirs);
        }
        config_dirs.sort();
        config_dirs.dedup();
        Self {
            machine,
            roots: located.temp_roots,
            bundles: located.bundles,
            config_dirs,
            claude,
        }
    }

    /// Looks at the machine once, for the proofs.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        gather_for(&self.machine, &self.claude, &self.config_dirs)
    }
}

/// How a look went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// What could not be read, the first hundred.
    pub gaps: Vec<Gap>,
    /// All that could not be read.
    pub unreadable: u64,
    /// Nobody asked to stop, and nothing was unreadable.
    pub complete: bool,
}

/// How many names fit a class in a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The class.
    pub class: &'static Class,
    /// As in a candidate.
    pub root: Arc<str>,
    /// How many.
    pub count: u64,
}

/// Looks for candidates of the wanted classes and hands each out as soon as it is known.
///
/// `progress` is told how many entries were looked at, every thousand.
pub fn scan(
    scene: &Scene,
    want: &dyn Fn(&Class) -> bool,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64),
    sink: &mut dyn FnMut(Candidate),
) -> Looked {
    // A file of a folder's name is somebody else's: it is no leftover that is in use, and not counted.
    let mut fitting = |candidate: Candidate| {
        if candidate.kind_fits {
            sink(candidate);
        }
    };
    scan_for(CLASSES, scene, want, cancel, progress, &mut fitting)
}

/// Counts names that fit the wanted classes, without looking at a single entry: what a minute's tick can
/// afford (0.5 s for 200,000 names). Kinds count where the folder says them.
pub fn names(
    scene: &Scene,
    want: &dyn Fn(&Class) -> bool,
    cancel: &Cancel,
) -> (Vec<Names>, Looked) {
    names_for(CLASSES, scene, want, cancel)
}

fn scan_for(
    classes: &'static [Class],
    scene: &Scene,
    want: &dyn Fn(&Class) -> bool,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64),
    sink: &mut dyn FnMut(Candidate),
) -> Looked {
    let mut gaps = gaps::Gaps::default();
    let grounds = ground::lay(classes, scene, want, &mut gaps);
    let mut pace = dig::Pace::new(cancel, progress);
    let mut finder = find::Finder::new(scene, want, sink);
    dig::dig(&grounds, &mut pace, &mut gaps, &mut finder);
    looked(gaps, &pace)
}

fn names_for(
    classes: &'static [Class],
    scene: &Scene,
    want: &dyn Fn(&Class) -> bool,
    cancel: &Cancel,
) -> (Vec<Names>, Looked) {
    let mut gaps = gaps::Gaps::default();
    let grounds = ground::lay(classes, scene, want, &mut gaps);
    let mut no_one = |_| {};
    let mut pace = dig::Pace::new(cancel, &mut no_one);
    let mut counter = find::Counter::new(want);
    dig::dig(&grounds, &mut pace, &mut gaps, &mut counter);
    (counter.counts(), looked(gaps, &pace))
}

fn looked(gaps: gaps::Gaps, pace: &dig::Pace<'_>) -> Looked {
    Looked {
        complete: !pace.is_stopped() && gaps.unreadable == 0,
        unreadable: gaps.unreadable,
        gaps: gaps.first,
    }
}
