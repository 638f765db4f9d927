//! From a name that fits to a candidate, or to a count of one.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::candidate::{Candidate, Content, Named, Origin, project_folder};
use sandtray_core::leftover::evidence::Inside;
use sandtray_core::leftover::{Class, Gate, Kind, Removal, table};

use super::content::Surroundings;
use super::dig::{Finds, Pace, Site, is_absence};
use super::folder::{Entered, Look, What, owner_here, seconds};
use super::gaps::Gaps;
use super::ground::is_wanted;
use super::inside::{Mounts, below_place};
use super::sieve::Hit;
use super::{Names, Scene, content, tree};

/// Makes candidates.
pub(super) struct Finder<'a> {
    scene: &'a Scene,
    want: &'a dyn Fn(&Class) -> bool,
    sink: &'a mut dyn FnMut(Candidate),
    around: Surroundings<'a>,
    mounts: Mounts,
    /// The place of the base that was asked about last.
    place: Option<(Arc<Path>, Option<Inside>)>,
    /// Of classes that ask which sibling is newer: they wait until all are known.
    waiting: Vec<Waiting>,
}

struct Waiting {
    class: &'static Class,
    named: Named,
    name: OsString,
    look: Look,
}

/// A name that fits, looked at.
struct Met<'a> {
    class: &'static Class,
    named: Named,
    name: &'a OsStr,
    look: Look,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        want: &'a dyn Fn(&Class) -> bool,
        sink: &'a mut dyn FnMut(Candidate),
    ) -> Self {
        Self {
            scene,
            want,
            sink,
            around: Surroundings::new(scene),
            mounts: Mounts::read(),
            place: None,
            waiting: Vec::new(),
        }
    }

    /// Looks at what was met; none where somebody asked to stop.
    fn candidate(
        &mut self,
        site: &Site<'_>,
        met: Met<'_>,
        pace: &mut Pace<'_>,
        gaps: &mut Gaps,
    ) -> Option<Candidate> {
        let Met {
            class,
            named,
            name,
            look,
        } = met;
        let path = site.path.join(name);
        let own = !site.ground.foreign
            && match (look.owner, owner_here(self.scene.machine.uid)) {
                (Some(owner), Some(ours)) => owner == ours,
                _ => true,
            };
        let kind_fits = look.what.may_be(class.kind);
        let origin = origin(site, &path, &named);
        let outside = if look.links > 1 && look.what != What::Folder {
            look.allocated
        } else {
            Allocated::ZERO
        };
        let mut candidate = Candidate {
            class,
            root: Arc::clone(&site.ground.root),
            base: Arc::clone(&site.ground.base),
            inside: self.inside(site, &path),
            id: look.id,
            kind_fits,
            own,
            born: look.born_at(),
            touched: seconds(look.touched),
            named,
            origin,
            newer_siblings: 0,
            content: Content {
                members: vec![look.id],
                ..Content::default()
            },
            apparent: look.apparent,
            allocated: look.allocated,
            shared: outside,
            inodes: u64::from(outside == Allocated::ZERO),
            path,
        };
        if site.folder.is_elsewhere(&look) {
            candidate.content.mounts = 1;
        } else if kind_fits {
            let is_whole = match class.kind {
                Kind::Directory => self.look_into(site, name, &mut candidate, pace, gaps),
                Kind::File => {
                    if own {
                        content::of_file(site.folder, name, &look, &mut candidate);
                    }
                    true
                }
                Kind::Socket => {
                    let name = name.as_encoded_bytes().to_owned();
                    candidate.content.sockets.push(name);
                    true
                }
            };
            if !is_whole {
                return None;
            }
            if own {
                self.around.answer(&mut candidate);
            }
        }
        candidate.class = table::settled(class, &candidate.content);
        Some(candidate)
    }

    fn hand_out(&mut self, candidate: Candidate) {
        if (self.want)(candidate.class) {
            (self.sink)(candidate);
        }
    }

    /// Looks into a directory, no further than its class needs; false where somebody asked to stop.
    fn look_into(
        &self,
        site: &Site<'_>,
        name: &OsStr,
        candidate: &mut Candidate,
        pace: &mut Pace<'_>,
        gaps: &mut Gaps,
    ) -> bool {
        let content = &mut candidate.content;
        let (folder, look) = match site.folder.enter(name) {
            Entered::Folder(folder, look) if look.id == candidate.id => (folder, look),
            Entered::Folder(..) | Entered::NoFolder | Entered::Gone => {
                // It is not any more what was looked at.
                candidate.kind_fits = false;
                return true;
            }
            Entered::Mount => {
                content.mounts = 1;
                return true;
            }
            Entered::Refused(cause) => {
                content.unreadable = 1;
                gaps.add("open directory", site.whole(name), &cause);
                return true;
            }
        };
        if candidate.class.removal == Removal::Empty {
            // Whoever has something in it is not ours to measure.
            match folder.is_empty() {
                Ok(empty) => content.empty = Some(empty),
                Err(cause) => {
                    content.unreadable = 1;
                    gaps.add("read directory", site.whole(name), &cause);
                }
            }
            return true;
        }
        let at = site.whole(name);
        let own = owner_here(self.scene.machine.uid);
        let belongs = content::belongs(name);
        let tree = tree::look_into((folder, &look), &at, own, belongs, pace, gaps);
        if tree.stopped {
            return false;
        }
        content::of_tree(&tree, belongs.is_some(), candidate.class, content);
        candidate.apparent = tree.apparent;
        candidate.allocated = tree.allocated;
        candidate.shared = tree.shared;
        candidate.inodes = tree.inodes;
        candidate.touched = candidate.touched.max(seconds(tree.touched));
        content.unreadable = tree.unreadable;
        content.foreign = tree.foreign;
        content.mounts = tree.mounts;
        content.members = tree.members;
        content.sockets = tree.sockets;
        true
    }

    fn inside(&mut self, site: &Site<'_>, path: &Path) -> Option<Inside> {
        let base = &site.ground.base;
        if self.place.as_ref().is_none_or(|(known, _)| known != base) {
            let place = self.mounts.place(base, site.base);
            self.place = Some((Arc::clone(base), place));
        }
        let (_, place) = self.place.as_ref()?;
        Some(below_place(
            place.as_ref()?,
            path.as_os_str().as_encoded_bytes(),
        ))
    }
}

impl Finds for Finder<'_> {
    fn met(
        &mut self,
        site: &Site<'_>,
        (name, _): (&OsStr, What),
        hits: Vec<Hit>,
        pace: &mut Pace<'_>,
        gaps: &mut Gaps,
    ) {
        if !hits.iter().any(|(row, _)| is_wanted(row.class, self.want)) {
            return;
        }
        let look = match site.folder.look(name) {
            Ok(look) => look,
            Err(cause) if is_absence(&cause) => return,
            Err(cause) => return gaps.add("look at", site.whole(name), &cause),
        };
        let fits = |hit: &Hit| look.what.may_be(hit.0.class.kind);
        let best = hits.iter().position(fits).unwrap_or_default();
        let Some((row, named)) = hits.into_iter().nth(best) else {
            return;
        };
        let class = row.class;
        if !is_wanted(class, self.want) {
            return;
        }
        if asks_for_siblings(class) {
            self.waiting.push(Waiting {
                class,
                named,
                name: name.to_owned(),
                look,
            });
            return;
        }
        let met = Met {
            class,
            named,
            name,
            look,
        };
        if let Some(candidate) = self.candidate(site, met, pace, gaps) {
            self.hand_out(candidate);
        }
    }

    fn left(&mut self, site: &Site<'_>, pace: &mut Pace<'_>, gaps: &mut Gaps) {
        let mut waiting = std::mem::take(&mut self.waiting);
        // Newest first, so that what was handed out of a class is what is newer.
        waiting.sort_by(|a, b| b.age().cmp(&a.age()));
        let mut newer: BTreeMap<&str, u32> = BTreeMap::new();
        for it in waiting {
            let counts = it.is_sibling();
            let met = Met {
                class: it.class,
                named: it.named,
                name: &it.name,
                look: it.look,
            };
            let Some(mut candidate) = self.candidate(site, met, pace, gaps) else {
                return;
            };
            let newer = newer.entry(candidate.class.name).or_default();
            candidate.newer_siblings = *newer;
            *newer = newer.saturating_add(u32::from(counts));
            self.hand_out(candidate);
        }
    }
}

impl Waiting {
    /// What makes one newer than another: the moment or the version in its name, else its birth. The name
    /// breaks ties, so that exactly one is the newest.
    fn age(&self) -> (Option<i64>, Option<[u64; 3]>, i64, &OsStr) {
        let version = version(self.name.as_encoded_bytes());
        let birth = self.look.born;
        (self.named.millis, version, birth, &self.name)
    }

    /// Whether it can stand in for an older one: an empty file is a failed download (#14980).
    fn is_sibling(&self) -> bool {
        let kind = self.class.kind;
        self.look.what.may_be(kind) && (kind != Kind::File || self.look.apparent.0 > 0)
    }
}

fn asks_for_siblings(class: &Class) -> bool {
    let asks = |gate: &Gate| matches!(gate, Gate::NotNewest | Gate::NotAmongNewest(_));
    class.gates.iter().any(asks)
}

/// `2.1.280` as numbers.
fn version(name: &[u8]) -> Option<[u64; 3]> {
    let mut parts = str::from_utf8(name).ok()?.split('.');
    let mut next = || parts.next()?.parse().ok();
    let version = [next()?, next()?, next()?];
    parts.next().is_none().then_some(version)
}

/// Whose something is, by where it lies.
fn origin(site: &Site<'_>, path: &Path, named: &Named) -> Origin {
    let part = |at: usize| path.components().nth(at).map(|part| part.as_os_str());
    let text = |part: &OsStr| part.to_string_lossy().into_owned();
    let uuid = |part: &OsStr| {
        let named = sandtray_core::leftover::shape::fits("{uuid}", part.as_encoded_bytes());
        named.and_then(|named| named.session)
    };
    let (mut project, mut session) = (None, named.session.clone());
    if site.ground.session {
        // `<project>/<session>/…`; a project's name is a path, so it begins with what stood for its slash,
        // or with a drive.
        let first = part(0).filter(|_| path.components().nth(1).is_some());
        project = first.map(text);
        session = session.or_else(|| part(1).and_then(uuid));
    } else if site.ground.project {
        project = Some(project_folder(&site.ground.base));
    } else if part(0).is_some_and(|part| part == "projects") {
        project = part(1).map(text);
    }
    let job = part(0).filter(|part| *part == "jobs").and(part(1));
    let job = job.map(|job| site.ground.base.join("jobs").join(job));
    Origin {
        project,
        session,
        job: job.or_else(|| site.ground.job.clone()),
    }
}

/// Counts names.
pub(super) struct Counter<'a> {
    want: &'a dyn Fn(&Class) -> bool,
    counts: BTreeMap<(&'static str, Arc<str>), (&'static Class, u64)>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(want: &'a dyn Fn(&Class) -> bool) -> Self {
        Self {
            want,
            counts: BTreeMap::new(),
        }
    }

    pub(super) fn counts(self) -> Vec<Names> {
        let names = |((_, root), (class, count))| Names { class, root, count };
        self.counts.into_iter().map(names).collect()
    }
}

impl Finds for Counter<'_> {
    fn met(
        &mut self,
        site: &Site<'_>,
        (_, what): (&OsStr, What),
        hits: Vec<Hit>,
        _pace: &mut Pace<'_>,
        _gaps: &mut Gaps,
    ) {
        // Those whose kind it is come first.
        let Some((row, _)) = hits.first() else { return };
        if what.may_be(row.class.kind) && is_wanted(row.class, self.want) {
            let key = (row.class.name, Arc::clone(&site.ground.root));
            self.counts.entry(key).or_insert((row.class, 0)).1 += 1;
        }
    }

    fn left(&mut self, _site: &Site<'_>, _pace: &mut Pace<'_>, _gaps: &mut Gaps) {}
}
