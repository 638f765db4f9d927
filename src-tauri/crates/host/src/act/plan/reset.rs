//! Disks move aside, so that the app builds new ones.

use sandtray_core::act::preview::Preview;
use sandtray_core::act::space::{needed, offers};
use sandtray_core::act::{ActKind, RefusalKind, Scope};
use sandtray_core::bundle::{Bundle, Role};
use sandtray_core::paths::PathText;

use super::checks::{LATCH, changeable, entries, folders, of_scope, one_volume, step, there};
use super::{Plan, refuse, show};
use crate::act::{place, verify};

impl Plan<'_> {
    pub(super) fn reset(&mut self, wanted: Option<&str>, scope: Scope) -> Preview {
        let mut view = Preview::empty(ActKind::Reset, scope);
        let bundle = match self.choose(wanted) {
            Ok(bundle) => bundle,
            Err(kind) => {
                refuse(&mut view, kind);
                return view;
            }
        };
        folders(self.machine, &bundle, &mut view);
        let mut act = self.act(ActKind::Reset, scope, &bundle);
        match place::root(self.machine, &bundle.path) {
            Err(kind) => refuse(&mut view, kind),
            Ok(root) => {
                let folder = root.join(&self.id);
                if folder.symlink_metadata().is_ok() {
                    let path = PathText::new(&folder);
                    refuse(&mut view, RefusalKind::NameTaken { path });
                }
                changeable(there(&root), &mut view);
                changeable(&bundle.path, &mut view);
                act.parked = Some(PathText::new(&folder));
                if scope == Scope::Bundle {
                    // Its own folder is one name in the one above.
                    if let (Some(above), Some(name)) =
                        (bundle.path.parent(), bundle.path.file_name())
                    {
                        changeable(above, &mut view);
                        if !entries(&bundle.path).is_empty() {
                            let to = folder.join(name);
                            step(self.machine, &mut act, &mut view, &bundle.path, &to, false);
                        }
                    }
                } else {
                    for name in of_scope(scope, &bundle.path) {
                        let (from, to) = (bundle.path.join(&name), folder.join(&name));
                        step(self.machine, &mut act, &mut view, &from, &to, false);
                    }
                }
                one_volume(&act, &mut view, &root);
            }
        }
        if act.moves.is_empty() && view.refusals.is_empty() {
            refuse(&mut view, RefusalKind::NothingToMove);
        }
        self.space(&bundle, scope, &mut view);
        view.latch = bundle.path.join(LATCH).symlink_metadata().is_ok();
        self.meet(&bundle, &mut view, &mut act);
        show(&mut view, act);
        view
    }

    fn choose(&self, wanted: Option<&str>) -> Result<Bundle, RefusalKind> {
        match (wanted, self.bundles) {
            (Some(id), bundles) => bundles
                .iter()
                .find(|bundle| bundle.id == id)
                .cloned()
                .ok_or(RefusalKind::NoBundle),
            (None, []) => Err(RefusalKind::NoBundle),
            (None, [bundle]) => Ok(bundle.clone()),
            (None, _) => Err(RefusalKind::SeveralBundles),
        }
    }

    /// Room for what the app builds beside the parked copy (#34602).
    fn space(&self, bundle: &Bundle, scope: Scope, view: &mut Preview) {
        let archive = scope == Scope::SystemDisk
            && entries(&bundle.path)
                .iter()
                .any(|file| file.role == Role::Archive && file.name.starts_with("rootfs."));
        view.needed = needed(scope, view.moved.bytes(), archive);
        view.available = verify::available(&bundle.path);
        match view.available {
            Some(available) if available < view.needed => {
                let needed = view.needed;
                let short = needed.saturating_sub(available);
                refuse(
                    view,
                    RefusalKind::NotEnoughSpace {
                        needed,
                        available,
                        short,
                        offers: offers(scope, available),
                    },
                );
            }
            Some(_) => {}
            None => view
                .notes
                .push("It cannot be told how much space is available for the rebuild.".to_owned()),
        }
    }
}
