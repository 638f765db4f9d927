//! What every act on a bundle refuses, and how files become moves.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use sandtray_core::act::preview::{Preview, PreviewFile};
use sandtray_core::act::{Act, Move, RefusalKind, Scope};
use sandtray_core::bundle::{Bundle, BundleFile, Role};
use sandtray_core::bytes::Allocated;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;

use super::refuse;
use crate::act::hands::writable;
use crate::act::look::{self, Seen};
use crate::act::place;
use crate::locate::link_to;
use crate::walk;

/// While present the app refuses to repair itself (#93385).
pub(in super::super) const LATCH: &str = ".auto_reinstall_attempted";

/// Files below a folder that are looked at for holders and written into a manifest; a bundle has twenty, and
/// nobody's has so many that they do not fit into memory.
const MOST_FILES: usize = 1_000_000;

/// The files below a folder, or the file itself; never through a link.
pub(in super::super) fn files_below(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = VecDeque::from([path.to_owned()]);
    while let Some(path) = open.pop_front() {
        match look::at(&path) {
            Ok(Some(seen)) if seen.folder && !seen.link => {
                let entries = fs::read_dir(&path).into_iter().flatten();
                open.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
            }
            Ok(Some(seen)) if !seen.link => files.push(path),
            _ => {}
        }
        if files.len() + open.len() > MOST_FILES {
            open.clear();
        }
    }
    files.sort();
    files
}

/// What lies directly in a bundle now, sorted by name. A bundle as it was found may be a minute old.
pub(super) fn entries(bundle: &Path) -> Vec<BundleFile> {
    let mut files: Vec<BundleFile> = fs::read_dir(bundle)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let seen = look::at(&entry.path()).ok()??;
            Some(BundleFile {
                role: Role::of(&name),
                name,
                apparent: seen.apparent,
                allocated: seen.allocated,
            })
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// A real folder of this user's, reached through no link.
pub(super) fn folders(machine: &Machine, bundle: &Bundle, view: &mut Preview) {
    let Some(data) = place::user_data(&bundle.path) else {
        return refuse(view, RefusalKind::NoBundle);
    };
    if bundle.detour.is_some() {
        let link = link_to(machine, &bundle.path);
        let path = PathText::new(link.as_deref().unwrap_or(&bundle.path));
        return refuse(view, RefusalKind::Link { path });
    }
    for folder in bundle
        .path
        .ancestors()
        .take(3)
        .filter(|folder| folder.starts_with(data))
    {
        match look::at(folder) {
            Ok(Some(seen)) => own(machine, folder, seen, view),
            // A whole bundle that is parked has left its place empty.
            Ok(None) if folder == bundle.path => {}
            Ok(None) => refuse(
                view,
                RefusalKind::NotWritable {
                    path: PathText::new(folder),
                    cause: "it is not there".to_owned(),
                },
            ),
            Err(error) => refuse(
                view,
                RefusalKind::NotWritable {
                    path: PathText::new(folder),
                    cause: error.to_string(),
                },
            ),
        }
    }
}

fn own(machine: &Machine, path: &Path, seen: Seen, view: &mut Preview) {
    let text = PathText::new(path);
    if seen.link {
        refuse(view, RefusalKind::Link { path: text });
    } else if seen.owner.is_some_and(|owner| owner != machine.uid) {
        refuse(view, RefusalKind::ForeignOwner { path: text });
    }
}

/// A folder in which names have to change.
pub(super) fn changeable(folder: &Path, view: &mut Preview) {
    if let Err(error) = writable(folder) {
        let kind = RefusalKind::NotWritable {
            path: PathText::new(folder),
            cause: error.to_string(),
        };
        if !view.refusals.iter().any(|refusal| refusal.kind == kind) {
            refuse(view, kind);
        }
    }
}

/// The first folder above a path that is there: what has to be writable to make the rest.
pub(super) fn there(path: &Path) -> &Path {
    path.ancestors()
        .find(|path| path.symlink_metadata().is_ok())
        .unwrap_or(path)
}

/// Adds one move. `name` is what it is called in the preview.
pub(super) fn step(
    machine: &Machine,
    act: &mut Act,
    view: &mut Preview,
    from: &Path,
    to: &Path,
    back: bool,
) {
    let seen = match look::at(from) {
        Ok(Some(seen)) => seen,
        Ok(None) => {
            let what = format!("{} is gone", from.display());
            return refuse(view, RefusalKind::Changed { what });
        }
        Err(error) => {
            return refuse(
                view,
                RefusalKind::NotWritable {
                    path: PathText::new(from),
                    cause: error.to_string(),
                },
            );
        }
    };
    own(machine, from, seen, view);
    if !is_free(act, to) {
        let path = PathText::new(to);
        refuse(view, RefusalKind::NameTaken { path });
    }
    for word in look::oddities(from) {
        view.notes.push(format!(
            "{} is {word}, and Windows refuses such disks (0xC03A001A). Moving it does not change that.",
            from.display()
        ));
    }
    let allocated = if seen.folder {
        // Only for display: what cannot be read inside is moved all the same.
        walk::measure(from, &walk::Options::default())
            .map_or(Allocated::ZERO, |tree| tree.usage.allocated)
    } else {
        seen.allocated
    };
    let name = from.file_name().unwrap_or_default();
    view.files.push(PreviewFile {
        name: PathText::new(Path::new(name)),
        role: name.to_str().map_or(Role::Other, Role::of),
        apparent: seen.apparent,
        allocated,
        back,
    });
    if !back {
        view.moved += allocated;
    }
    act.moves.push(Move {
        from: PathText::new(from),
        to: PathText::new(to),
        identity: seen.identity,
        folder: seen.folder,
    });
}

/// Whether a name is free, or will be when its turn comes: an earlier move takes away what stands there.
fn is_free(act: &Act, to: &Path) -> bool {
    let text = PathText::new(to);
    to.symlink_metadata()
        .is_err_and(|error| look::is_absence(&error))
        || act.moves.iter().any(|earlier| earlier.from == text)
}

/// All of it has to lie on the volume of the place it goes to.
pub(super) fn one_volume(act: &Act, view: &mut Preview, place: &Path) {
    let device = look::at(there(place))
        .ok()
        .flatten()
        .map(|seen| seen.identity.device);
    let elsewhere = act
        .moves
        .iter()
        .find(|step| Some(step.identity.device) != device);
    if let Some(step) = elsewhere {
        let path = step.from.clone();
        refuse(view, RefusalKind::OtherVolume { path });
    }
}

/// The names of a scope in a bundle, as paths.
pub(super) fn of_scope(scope: Scope, bundle: &Path) -> Vec<String> {
    scope.names(&entries(bundle))
}
