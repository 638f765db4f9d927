//! Where copies are parked: on the bundle's own volume, because everything moves by rename; never inside
//! the app's data folder, which it sweeps, and never inside a Windows package, which goes with its
//! uninstallation (#82130).
//!
//! Our own data folder where it lies on that volume, else a folder beside the app's data folder. It is for
//! this user alone: mode 0700, on Windows a list that names the owner and the system.

use std::path::{Path, PathBuf};

use sandtray_core::act::RefusalKind;
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::{Machine, Os};
use sandtray_core::paths::PathText;

use super::look;
use crate::volume::Mounts;

/// The folder of copies in our own data folder.
const OWN: &str = "parked";
/// The folder of copies beside the app's data folder.
const BESIDE: &str = ".sandtray-parked";

/// The data folder that a bundle belongs to: `<userData>/vm_bundles/claudevm.bundle`.
pub(super) fn user_data(bundle: &Path) -> Option<&Path> {
    bundle.parent()?.parent()
}

/// The folder in which copies of this bundle are parked; it may not exist yet.
pub(super) fn root(machine: &Machine, bundle: &Path) -> Result<PathBuf, RefusalKind> {
    let other_volume = || RefusalKind::OtherVolume {
        path: PathText::new(bundle),
    };
    let data = user_data(bundle).ok_or_else(other_volume)?;
    let places = [
        Some(machine.own_data.join(OWN)),
        data.parent().map(|parent| parent.join(BESIDE)),
    ];
    for place in places.into_iter().flatten() {
        if place.starts_with(data) || is_packaged(machine, &place) {
            continue;
        }
        // A link there is somebody's doing, and is named before it counts as another volume.
        if look::at(&place).is_ok_and(|seen| seen.is_some_and(|seen| seen.link)) {
            let path = PathText::new(&place);
            return Err(RefusalKind::Link { path });
        }
        if one_volume(&place, data) {
            check(machine, &place)?;
            return Ok(place);
        }
    }
    Err(other_volume())
}

/// Every folder in which copies may stand on this machine.
pub(super) fn roots(machine: &Machine, bundles: &[Bundle]) -> Vec<PathBuf> {
    let mut roots = vec![machine.own_data.join(OWN)];
    let beside = bundles
        .iter()
        .filter_map(|bundle| Some(user_data(&bundle.path)?.parent()?.join(BESIDE)));
    let configured = machine
        .user_data
        .iter()
        .filter_map(|data| Some(data.parent()?.join(BESIDE)));
    for root in beside.chain(configured) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// A place that is there already must be a real folder of this user's.
fn check(machine: &Machine, root: &Path) -> Result<(), RefusalKind> {
    let found = look::at(root).map_err(|error| RefusalKind::NotWritable {
        path: PathText::new(root),
        cause: error.to_string(),
    })?;
    let Some(found) = found else {
        return Ok(());
    };
    let path = PathText::new(root);
    if found.link {
        return Err(RefusalKind::Link { path });
    }
    if !found.folder {
        return Err(RefusalKind::NameTaken { path });
    }
    if found.owner.is_some_and(|owner| owner != machine.uid) {
        return Err(RefusalKind::ForeignOwner { path });
    }
    Ok(())
}

fn is_packaged(machine: &Machine, place: &Path) -> bool {
    machine.os == Os::Windows && place.starts_with(machine.folders.local.join("Packages"))
}

/// Whether a rename can lead from one to the other: one device, and one mount of it where the system tells
/// mounts apart (a bind mount has the same device, and a rename between the two fails).
fn one_volume(place: &Path, data: &Path) -> bool {
    let there = |path: &Path| -> Option<PathBuf> {
        let mut above = path.ancestors();
        above
            .find(|path| path.symlink_metadata().is_ok())?
            .canonicalize()
            .ok()
    };
    let (Some(place), Some(data)) = (there(place), there(data)) else {
        return false;
    };
    let device = |path: &Path| Some(look::at(path).ok()??.identity.device);
    if device(&place).is_none() || device(&place) != device(&data) {
        return false;
    }
    let mounts = Mounts::read();
    let point = |path: &Path| Some(mounts.find(path)?.volume.mount_point);
    match (point(&place), point(&data)) {
        (Some(place), Some(data)) => place == data,
        _ => true,
    }
}
