//! The folders to look in: one tree of patterns a base, so that each folder is listed once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sandtray_core::bundle::{Owner, RootWhy};
use sandtray_core::leftover::{Class, Place, table};
use sandtray_core::machine::{Machine, Os};
use sandtray_core::paths::token;

use super::gaps::Gaps;
use super::{Scene, projects};
use crate::locate;

/// A base with all that is looked for below it.
#[derive(Debug)]
pub(super) struct Ground {
    /// Canonical.
    pub(super) base: Arc<Path>,
    pub(super) root: Arc<str>,
    /// Another user's: nothing in it is ours, whoever's uid it carries (#20139).
    pub(super) foreign: bool,
    /// The background job whose temp folder this is.
    pub(super) job: Option<PathBuf>,
    /// A temp root of Claude Code's own: below it lie projects, then sessions.
    pub(super) session: bool,
    /// A folder in which sessions ran.
    pub(super) project: bool,
    pub(super) top: Node,
}

/// A folder, or all folders that a pattern names.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) rows: Vec<Row>,
    pub(super) named: BTreeMap<OsString, Node>,
    pub(super) patterns: BTreeMap<&'static str, Node>,
}

/// A class that is looked for in a folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) class: &'static Class,
    /// Of two classes that a name fits, the one whose place says more is taken, then the first of the table.
    rank: (u8, usize),
}

impl Row {
    pub(super) const fn rank(&self) -> (u8, usize) {
        self.rank
    }
}

impl Node {
    fn add(&mut self, pattern: &'static str, row: Row) {
        let mut node = self;
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            node = if part == "*" || part.contains('{') {
                node.patterns.entry(part).or_default()
            } else {
                node.named.entry(part.into()).or_default()
            };
        }
        node.rows.push(row);
    }

    /// Drops what no wanted class needs.
    fn prune(&mut self, want: &dyn Fn(&Class) -> bool) {
        for node in self.named.values_mut().chain(self.patterns.values_mut()) {
            node.prune(want);
        }
        self.named.retain(|_, node| !node.is_idle(want));
        self.patterns.retain(|_, node| !node.is_idle(want));
    }

    fn is_idle(&self, want: &dyn Fn(&Class) -> bool) -> bool {
        self.named.is_empty()
            && self.patterns.is_empty()
            && !self.rows.iter().any(|row| is_wanted(row.class, want))
    }
}

/// Whether a class is wanted, or the one that its candidates may turn out to belong to.
pub(super) fn is_wanted(class: &Class, want: &dyn Fn(&Class) -> bool) -> bool {
    want(class) || class.otherwise.and_then(table::class).is_some_and(want)
}

/// What a base is, for the places that ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Root(RootWhy),
    Config,
    Home,
    Cache,
    Runtime,
    Bundle,
    Desktop,
    Project,
    Shared,
}

/// Lays out the ground of the wanted classes. What nobody wants is left out, but a class that is not
/// wanted still takes the names that are its own from one that is.
pub(super) fn lay(
    classes: &'static [Class],
    scene: &Scene,
    want: &dyn Fn(&Class) -> bool,
    gaps: &mut Gaps,
) -> Vec<Ground> {
    let os = scene.machine.os;
    let mut grounds: Vec<Ground> = Vec::new();
    for (what, path, foreign) in bases(scene, gaps) {
        let Some(path) = canonical(&path, gaps) else {
            continue;
        };
        let at = grounds.iter().position(|ground| *ground.base == *path);
        let at = at.unwrap_or_else(|| {
            grounds.push(Ground {
                root: token(&path).into(),
                base: path.as_path().into(),
                foreign: false,
                job: None,
                session: false,
                project: false,
                top: Node::default(),
            });
            grounds.len().saturating_sub(1)
        });
        let Some(ground) = grounds.get_mut(at) else {
            continue;
        };
        ground.foreign |= foreign;
        ground.session |= what == What::Root(RootWhy::ClaudeTemp);
        ground.project |= what == What::Project;
        if what == What::Root(RootWhy::JobTemp) {
            ground.job = path.parent().map(Path::to_owned);
        }
        for (order, class) in classes.iter().enumerate() {
            if !class.systems.contains(&os) {
                continue;
            }
            for place in class.places {
                if let Some((pattern, says)) = pattern(*place, what) {
                    let rank = (says, order);
                    ground.top.add(pattern, Row { class, rank });
                }
            }
        }
    }
    for ground in &mut grounds {
        ground.top.prune(want);
    }
    grounds.retain(|ground| !ground.top.is_idle(want));
    grounds
}

/// Whether some base stands for a place.
#[cfg(test)]
pub(super) fn is_known(place: Place) -> bool {
    [
        What::Root(RootWhy::JobTemp),
        What::Root(RootWhy::ClaudeTemp),
        What::Config,
        What::Home,
        What::Cache,
        What::Runtime,
        What::Bundle,
        What::Desktop,
        What::Project,
        What::Shared,
    ]
    .into_iter()
    .any(|what| pattern(place, what).is_some())
}

/// The pattern of a place below a base, with how much the place says; none where it is not of this base.
const fn pattern(place: Place, what: What) -> Option<(&'static str, u8)> {
    match (place, what) {
        (Place::Job, What::Root(RootWhy::JobTemp)) => Some(("", 0)),
        (Place::Session(pattern), What::Root(RootWhy::ClaudeTemp)) => Some((pattern, 0)),
        (Place::TempBelow(pattern), What::Root(_)) => Some((pattern, 1)),
        (Place::Temp, What::Root(_)) => Some(("", 2)),
        (Place::Config(pattern), What::Config)
        | (Place::Cache(pattern), What::Cache)
        | (Place::Runtime(pattern), What::Runtime)
        | (Place::Bundle(pattern), What::Bundle)
        | (Place::Desktop(pattern), What::Desktop)
        | (Place::Project(pattern), What::Project)
        | (Place::Shared(pattern), What::Shared) => Some((pattern, 1)),
        (Place::Home(pattern), What::Home) => Some((pattern, 2)),
        _ => None,
    }
}

/// Every base that may exist. The narrower ones come first: what lies in two is found in the first.
fn bases(scene: &Scene, gaps: &mut Gaps) -> Vec<(What, PathBuf, bool)> {
    let machine = &scene.machine;
    let mut found = Vec::new();
    let mut roots: Vec<_> = scene.roots.iter().collect();
    roots.sort_by_key(|root| std::cmp::Reverse(root.path.components().count()));
    for root in roots {
        let foreign = root.owner == Owner::Foreign;
        found.push((What::Root(root.why), root.path.clone(), foreign));
        // A root that was named by hand may be a session root or a job's all the same.
        let extra = match machine.os {
            _ if is_session_root(machine, &root.path) => Some(RootWhy::ClaudeTemp),
            _ if is_job(scene, &root.path) => Some(RootWhy::JobTemp),
            _ => None,
        };
        if let Some(why) = extra.filter(|why| *why != root.why) {
            found.push((What::Root(why), root.path.clone(), foreign));
        }
    }
    let mut add = |what, path: &Path| found.push((what, path.to_owned(), false));
    for bundle in scene.bundles.iter().filter(|it| it.detour.is_none()) {
        add(What::Bundle, &bundle.path);
    }
    for dir in &scene.config_dirs {
        add(What::Config, dir);
    }
    for data in locate::data_folders(machine, &mut gaps.first) {
        add(What::Desktop, &data);
    }
    add(What::Cache, &cache(machine));
    if let Some(runtime) = machine.variables.get("XDG_RUNTIME_DIR") {
        add(What::Runtime, runtime);
    }
    if let Some(shared) = machine.variables.get("PROGRAMDATA") {
        add(What::Shared, shared);
    }
    for project in projects::folders(scene, gaps) {
        found.push((What::Project, project, false));
    }
    found.push((What::Home, machine.home.clone(), false));
    found
}

fn is_session_root(machine: &Machine, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    match machine.os {
        Os::Windows => name == "claude",
        _ => name == "claude" || name == OsString::from(format!("claude-{}", machine.uid)),
    }
}

/// Whether a path is `<config>/jobs/<id>/tmp`.
fn is_job(scene: &Scene, path: &Path) -> bool {
    let jobs = path.ancestors().nth(2);
    path.file_name().is_some_and(|name| name == "tmp")
        && jobs.is_some_and(|jobs| {
            let configs = scene.config_dirs.iter();
            configs.into_iter().any(|dir| dir.join("jobs") == *jobs)
        })
}

fn cache(machine: &Machine) -> PathBuf {
    match machine.os {
        Os::Linux => machine.home.join(".cache"),
        Os::MacOs => machine.home.join("Library/Caches"),
        Os::Windows => machine.folders.local.clone(),
    }
}

/// The canonical path; none where nothing is there.
fn canonical(path: &Path, gaps: &mut Gaps) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(path) => Some(path),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            None
        }
        Err(error) => {
            gaps.add("look at", path, &error);
            None
        }
    }
}
