//! A parked copy goes: to the trash by one rename, or for good by a rename and a removal that can be
//! resumed.

use sandtray_core::act::preview::Preview;
use sandtray_core::act::{ActKind, RefusalKind, Scope};
use sandtray_core::paths::PathText;

use super::checks::{changeable, step};
use super::{Plan, bundle_at, refuse, show};
use crate::act::parked::{discarding, is_verified, trash};
use crate::act::{journal, path, verify};
use crate::walk;

impl Plan<'_> {
    pub(super) fn discard(&mut self, id: &str, for_good: bool) -> Preview {
        let kind = if for_good {
            ActKind::Remove
        } else {
            ActKind::Trash
        };
        let mut view = Preview::empty(kind, Scope::Bundle);
        view.copy = Some(id.to_owned());
        let copy = match self.find(id) {
            Ok(copy) => copy,
            Err(kind) => {
                refuse(&mut view, kind);
                return view;
            }
        };
        let manifest = &copy.manifest.act;
        let path = path::exact(&manifest.bundle_path).unwrap_or_default();
        let bundle = bundle_at(self.bundles, &path);
        let mut act = self.act(kind, manifest.scope, &bundle);
        act.copy = Some(id.to_owned());
        if let Some(above) = copy.folder.parent() {
            changeable(above, &mut view);
        }
        if !copy.discarding {
            let journal = journal::read(self.machine).unwrap_or_default();
            if !is_verified(&journal, id) {
                refuse(&mut view, RefusalKind::NotVerified);
            }
            let to = if for_good {
                Ok(discarding(&copy.folder))
            } else {
                trash::place(self.machine, &copy.folder, id).map(|place| place.to)
            };
            match to {
                Ok(to) => step(self.machine, &mut act, &mut view, &copy.folder, &to, false),
                Err(kind) => refuse(&mut view, kind),
            }
        } else if !for_good {
            let cause = "removing it has begun".to_owned();
            refuse(&mut view, RefusalKind::NoTrash { cause });
        }
        // The place is told again, for a removal that goes on.
        act.parked = Some(PathText::new(&copy.folder));
        if let Ok(tree) = walk::measure(&copy.folder, &walk::Options::default()) {
            view.moved = tree.usage.allocated;
        }
        view.available = verify::available(&copy.folder);
        if !for_good {
            view.notes
                .push("The trash frees nothing until it is emptied.".to_owned());
        }
        show(&mut view, act);
        view
    }
}
