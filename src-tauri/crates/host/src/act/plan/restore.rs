//! What is there now moves aside and a parked copy moves back. Undone in its turn by restoring what it
//! moved aside.

use std::fs;
use std::path::Path;

use sandtray_core::act::parked::ParkedFile;
use sandtray_core::act::preview::Preview;
use sandtray_core::act::{Act, ActKind, RefusalKind, Scope};
use sandtray_core::bundle::Role;
use sandtray_core::paths::PathText;

use super::checks::{LATCH, changeable, entries, folders, of_scope, one_volume, step, there};
use super::{Plan, bundle_at, refuse, show};
use crate::act::parked::{Copy, copies};
use crate::act::{journal, path, place, verify};

/// What stands in the way of a system disk that would come back.
struct Stale {
    parked: Option<String>,
    wanted: String,
}

impl Plan<'_> {
    pub(super) fn restore(&mut self, id: &str) -> Preview {
        let mut view = Preview::empty(ActKind::Restore, Scope::Bundle);
        view.copy = Some(id.to_owned());
        let copy = match self.find(id) {
            Ok(copy) => copy,
            Err(kind) => {
                refuse(&mut view, kind);
                return view;
            }
        };
        let Some(path) = path::exact(&copy.manifest.act.bundle_path) else {
            refuse(&mut view, RefusalKind::NoBundle);
            return view;
        };
        if copy.discarding {
            let what = "it is being discarded".to_owned();
            refuse(&mut view, RefusalKind::CopyChanged { what });
        } else if let Some(what) = copy.difference(true) {
            refuse(&mut view, RefusalKind::CopyChanged { what });
        }
        let bundle = bundle_at(self.bundles, &path);
        folders(self.machine, &bundle, &mut view);
        let parked_scope = copy.manifest.act.scope;
        let stale = (parked_scope != Scope::SessionDisk)
            .then(|| stale(&copy, &bundle.path))
            .flatten();
        // The app would delete the old system disk at once (#87512): only the sessions come back.
        let scope = if stale.is_some() {
            Scope::SessionDisk
        } else {
            parked_scope
        };
        let mut act = self.act(ActKind::Restore, scope, &bundle);
        act.copy = Some(id.to_owned());
        match place::root(self.machine, &bundle.path) {
            Err(kind) => refuse(&mut view, kind),
            Ok(root) => {
                let folder = root.join(&self.id);
                changeable(there(&root), &mut view);
                changeable(&copy.folder, &mut view);
                act.parked = Some(PathText::new(&folder));
                self.aside(&mut act, &mut view, &bundle.path, &folder);
                let aside = act.moves.len();
                self.back(&mut act, &mut view, &copy, &bundle.path);
                if act.moves.len() == aside {
                    act.moves.clear();
                    view.files.clear();
                }
                one_volume(&act, &mut view, &root);
            }
        }
        if let Some(Stale { parked, wanted }) = stale {
            let kind = RefusalKind::OtherRelease { parked, wanted };
            if act.moves.is_empty() {
                refuse(&mut view, kind);
            } else {
                view.notes.push(sandtray_core::words::refusal(&kind));
            }
        }
        if act.moves.is_empty() && view.refusals.is_empty() {
            refuse(&mut view, RefusalKind::NothingToMove);
        }
        view.available = verify::available(&bundle.path);
        let inside = copy
            .folder
            .join(bundle.path.file_name().unwrap_or_default());
        view.latch = [bundle.path.join(LATCH), inside.join(LATCH)]
            .iter()
            .any(|latch| latch.symlink_metadata().is_ok());
        self.meet(&bundle, &mut view, &mut act);
        show(&mut view, act);
        view
    }

    /// The copy of an id, or why it cannot be had.
    pub(super) fn find(&self, id: &str) -> Result<Copy, RefusalKind> {
        let journal = journal::read(self.machine).unwrap_or_default();
        let found = copies(self.machine, self.bundles, &journal)
            .into_iter()
            .find(|copy| copy.id() == id && (copy.discarding || !copy.is_spent()));
        found.ok_or_else(|| {
            let recorded = journal
                .entry(id)
                .and_then(|entry| entry.act.parked.clone())
                .filter(|parked| {
                    let root = path::exact(parked).and_then(|path| Some(path.parent()?.to_owned()));
                    root.is_some_and(|root| !root.exists())
                });
            recorded.map_or(RefusalKind::NoCopy, |path| RefusalKind::CopyAbsent { path })
        })
    }

    /// What is there now, image before `.origin`.
    fn aside(&self, act: &mut Act, view: &mut Preview, bundle: &Path, folder: &Path) {
        if act.scope == Scope::Bundle {
            if let (Some(above), Some(name)) = (bundle.parent(), bundle.file_name()) {
                changeable(above, view);
                if bundle.symlink_metadata().is_ok() {
                    changeable(bundle, view);
                    step(self.machine, act, view, bundle, &folder.join(name), false);
                }
            }
            return;
        }
        if bundle.symlink_metadata().is_err() {
            let kind = RefusalKind::NotWritable {
                path: PathText::new(bundle),
                cause: "it is not there; start Claude Desktop once, so that it makes it".to_owned(),
            };
            return refuse(view, kind);
        }
        changeable(bundle, view);
        for name in of_scope(act.scope, bundle) {
            step(
                self.machine,
                act,
                view,
                &bundle.join(&name),
                &folder.join(&name),
                false,
            );
        }
    }

    /// What was parked, `.origin` before image: the app deletes an image whose `.origin` is missing.
    fn back(&self, act: &mut Act, view: &mut Preview, copy: &Copy, bundle: &Path) {
        let whole = copy.manifest.act.scope == Scope::Bundle;
        let inside = if whole {
            copy.folder.join(bundle.file_name().unwrap_or_default())
        } else {
            copy.folder.clone()
        };
        if act.scope == Scope::Bundle {
            if inside.symlink_metadata().is_ok() {
                changeable(&inside, view);
                step(self.machine, act, view, &inside, bundle, true);
            }
            return;
        }
        changeable(&inside, view);
        let mut names = act.scope.names(&entries(&inside));
        names.reverse();
        for name in names {
            step(
                self.machine,
                act,
                view,
                &inside.join(&name),
                &bundle.join(&name),
                true,
            );
        }
    }
}

/// Whether the app wants another release of the VM than the parked system disk is of.
///
/// It says so by the `.origin` beside the disk it has now. A parked disk that has none would be deleted as
/// well; where there is no disk now nothing says what is wanted, and it comes back.
fn stale(copy: &Copy, bundle: &Path) -> Option<Stale> {
    let systems = copy
        .manifest
        .files
        .iter()
        .filter(|file| file.role == Role::System && copy.holds(file));
    systems.into_iter().find_map(|file| {
        let name = Path::new(&file.name.path).file_name()?.to_str()?;
        let wanted = release(&bundle.join(format!(".{name}.origin")))?;
        let parked = origin(copy, file);
        (parked.as_ref() != Some(&wanted)).then_some(Stale { parked, wanted })
    })
}

fn origin(copy: &Copy, file: &ParkedFile) -> Option<String> {
    let path = copy.place(file)?;
    let name = path.file_name()?.to_str()?;
    release(&path.parent()?.join(format!(".{name}.origin")))
}

/// The release that an `.origin` names; an id of forty characters.
pub(in super::super) fn release(origin: &Path) -> Option<String> {
    use std::io::Read;
    let mut text = String::new();
    let mut file = fs::File::open(origin).ok()?.take(256);
    file.read_to_string(&mut text).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
