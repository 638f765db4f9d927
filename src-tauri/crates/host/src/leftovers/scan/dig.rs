//! The way through the ground: every folder opened once, listed once, then its folders.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::FileId;
use sandtray_core::leftover::shape;

use super::folder::{Entered, Folder, Look, What};
use super::gaps::Gaps;
use super::ground::{Ground, Node, Row};
use super::sieve::{Hit, Sieve};
use crate::walk::Cancel;

/// How many entries between two words about the progress.
const OFTEN: u64 = 1000;

/// Counts entries, tells how far it is and hears whether to stop.
pub(super) struct Pace<'a> {
    cancel: &'a Cancel,
    progress: &'a mut dyn FnMut(u64),
    entries: u64,
    stopped: bool,
}

impl<'a> Pace<'a> {
    pub(super) fn new(cancel: &'a Cancel, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self {
            cancel,
            progress,
            entries: 0,
            stopped: false,
        }
    }

    /// Counts an entry; says whether to go on.
    pub(super) fn step(&mut self) -> ControlFlow<()> {
        self.entries = self.entries.saturating_add(1);
        if self.entries.is_multiple_of(OFTEN) {
            (self.progress)(self.entries);
        }
        self.stopped |= self.cancel.is_cancelled();
        if self.stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped
    }
}

impl fmt::Debug for Pace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pace")
            .field("entries", &self.entries)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

/// A folder that is being listed.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub(super) ground: &'a Ground,
    pub(super) folder: &'a Folder,
    /// How the base looks: where it is mounted.
    pub(super) base: &'a Look,
    /// Below the base.
    pub(super) path: &'a Path,
}

impl Site<'_> {
    /// The whole path of an entry.
    pub(super) fn whole(&self, name: &OsStr) -> PathBuf {
        self.ground.base.join(self.path).join(name)
    }
}

/// What to do with names that fit.
pub(super) trait Finds {
    /// A name that fits, with the classes it fits; never none.
    fn met(
        &mut self,
        site: &Site<'_>,
        name: (&OsStr, What),
        hits: Vec<Hit>,
        pace: &mut Pace<'_>,
        gaps: &mut Gaps,
    );

    /// All names of the folder were met.
    fn left(&mut self, site: &Site<'_>, pace: &mut Pace<'_>, gaps: &mut Gaps);
}

/// Digs through all of the ground.
pub(super) fn dig(grounds: &[Ground], pace: &mut Pace<'_>, gaps: &mut Gaps, finds: &mut dyn Finds) {
    let mut dig = Dig {
        pace,
        gaps,
        finds,
        listed: HashMap::new(),
    };
    for ground in grounds {
        match Folder::open(&ground.base) {
            Ok((folder, look)) => {
                let site = Site {
                    ground,
                    folder: &folder,
                    base: &look,
                    path: Path::new(""),
                };
                dig.visit(&site, look.id, &[&ground.top]);
            }
            Err(cause) if is_absence(&cause) => {}
            Err(cause) => dig.gaps.add("open directory", &ground.base, &cause),
        }
    }
}

struct Dig<'a, 'p> {
    pace: &'a mut Pace<'p>,
    gaps: &'a mut Gaps,
    finds: &'a mut dyn Finds,
    /// Folders that were listed, and what for: one that is reached on a second way brings nothing twice.
    listed: HashMap<FileId, Vec<Row>>,
}

impl Dig<'_, '_> {
    /// Lists a folder where that is needed, then visits what is in it. As deep as patterns are long.
    fn visit(&mut self, site: &Site<'_>, id: FileId, nodes: &[&Node]) {
        let earlier = self.listed.get(&id).cloned().unwrap_or_default();
        let is_old = |row: &Row| earlier.iter().any(|old| old.class == row.class);
        let rows = || nodes.iter().flat_map(|node| &node.rows);
        let brings = rows().any(|row| !is_old(row));
        let sieve = Sieve::new(
            rows()
                .chain(earlier.iter().filter(|_| brings))
                .filter(|_| brings)
                .copied(),
        );
        if brings {
            let listed = self.listed.entry(id).or_default();
            listed.extend(rows().filter(|row| !is_old(row)));
        }
        let mut children: Vec<OsString> = Vec::new();
        if !sieve.is_empty() || nodes.iter().any(|node| !node.patterns.is_empty()) {
            let listed = site.folder.each(&mut |name, what| {
                self.pace.step()?;
                let hits = sieve.hits(name.as_encoded_bytes(), what);
                if !hits.is_empty() && !hits.iter().any(|(row, _)| is_old(row)) {
                    self.finds
                        .met(site, (name, what), hits, self.pace, self.gaps);
                }
                if what.may_be_folder() && leads(nodes, name).next().is_some() {
                    children.push(name.to_owned());
                }
                ControlFlow::Continue(())
            });
            if let Err(cause) = listed {
                let path = site.ground.base.join(site.path);
                self.gaps.add("read directory", path, &cause);
            }
            self.finds.left(site, self.pace, self.gaps);
        } else {
            children.extend(nodes.iter().flat_map(|node| node.named.keys().cloned()));
            children.sort();
            children.dedup();
        }
        for name in children {
            if self.pace.step().is_break() {
                return;
            }
            self.enter(site, &name, nodes);
        }
    }

    fn enter(&mut self, site: &Site<'_>, name: &OsStr, nodes: &[&Node]) {
        let nodes: Vec<&Node> = leads(nodes, name).collect();
        match site.folder.enter(name) {
            Entered::Folder(folder, look) => {
                let path = site.path.join(name);
                let site = Site {
                    folder: &folder,
                    path: &path,
                    ..*site
                };
                self.visit(&site, look.id, &nodes);
            }
            Entered::Gone | Entered::NoFolder => {}
            Entered::Mount => {
                let cause = io::Error::other("another filesystem is mounted there");
                self.gaps.add("enter", site.whole(name), &cause);
            }
            Entered::Refused(cause) => {
                self.gaps.add("open directory", site.whole(name), &cause);
            }
        }
    }
}

/// The nodes to which a name leads.
fn leads<'n>(nodes: &[&'n Node], name: &OsStr) -> impl Iterator<Item = &'n Node> {
    nodes.iter().flat_map(move |node| {
        let bytes = name.as_encoded_bytes();
        let fits = |part: &str| shape::fits_component(part, bytes);
        let patterns = node.patterns.iter();
        let fitting = patterns.filter(move |(part, _)| fits(part));
        node.named
            .get(name)
            .into_iter()
            .chain(fitting.map(|(_, node)| node))
    })
}

/// Nothing is there: an answer, not a fault.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
