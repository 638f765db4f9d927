//! From the id of a disk to its image: by way of what was located, never of what the window says.

use std::path::PathBuf;

use sandtray_core::bundle::{Bundle, Role};
use sandtray_core::gauge::{GaugeId, GaugeKind};
use sandtray_core::inside::DiskId;
use sandtray_core::machine::Machine;

use crate::engine::disks::image;
use crate::engine::state::State;

/// A guest disk that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Place {
    pub(super) disk: DiskId,
    /// It is where the guest keeps session homes.
    pub(super) sessions: bool,
    pub(super) image: PathBuf,
}

impl Place {
    /// It is where the guest keeps session homes.
    pub(in crate::engine) const fn has_homes(&self) -> bool {
        self.sessions
    }
}

const ROLES: [(Role, GaugeKind); 2] = [
    (Role::SessionData, GaugeKind::GuestSessions),
    (Role::System, GaugeKind::GuestSystem),
];

/// The guest disks of all bundles.
fn places<'a>(machine: &'a Machine, bundles: &'a [Bundle]) -> impl Iterator<Item = Place> + 'a {
    bundles.iter().flat_map(move |bundle| {
        ROLES.iter().filter_map(move |(role, kind)| {
            Some(Place {
                disk: DiskId(GaugeId::new(*kind, &bundle.id).0),
                sessions: *role == Role::SessionData,
                image: image(machine, bundle, *role)?,
            })
        })
    })
}

impl State {
    /// The guest disks there are now.
    pub(in crate::engine) fn guest_disks(&self) -> impl Iterator<Item = Place> + '_ {
        places(self.machine(), &self.located.bundles)
    }

    /// The guest disk of an id.
    pub(in crate::engine) fn guest_disk(&self, disk: &DiskId) -> Option<Place> {
        self.guest_disks().find(|place| place.disk == *disk)
    }
}
