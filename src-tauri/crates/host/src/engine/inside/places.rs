//! From the id of a disk to its image: by way of what was located, never of what the window says.

use std::path::PathBuf;

use sandtray_core::bundle::{Bundle, Role};
use sandtray_core::gauge::{GaugeId, GaugeKind};
use sandtray_core::inside::DiskId;
use sandtray_core::machine::{Machine, Os};

use crate::act::parked;
use crate::act::path::exact;
use crate::engine::disks::image;
use crate::engine::state::State;

/// A guest disk that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Place {
    pub(super) disk: DiskId,
    /// It is where the guest keeps session homes.
    pub(super) sessions: bool,
    pub(super) image: PathBuf,
    /// It stands aside, in a parked copy: nothing is kept of it from day to day.
    pub(super) parked: bool,
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
                parked: false,
            })
        })
    })
}

/// What the ids of disks in parked copies begin with; the copy's own id follows.
const PARKED: [(Role, &str); 2] = [
    (Role::SessionData, "parked_sessions:"),
    (Role::System, "parked_system:"),
];

/// The disk of a parked copy that an id names.
fn parked_disk(machine: &Machine, disk: &DiskId) -> Option<Place> {
    let (role, id) = PARKED
        .iter()
        .find_map(|(role, prefix)| Some((*role, disk.0.strip_prefix(prefix)?)))?;
    let copies = parked::list(machine).parked;
    let copy = copies.into_iter().find(|copy| copy.id == id)?;
    let preferred = if machine.os == Os::Windows {
        ".vhdx"
    } else {
        ".img"
    };
    let mut files = copy.files.iter().filter(|file| file.role == role);
    let first = files.next()?;
    let chosen = if first.name.path.ends_with(preferred) {
        first
    } else {
        files
            .find(|file| file.name.path.ends_with(preferred))
            .unwrap_or(first)
    };
    Some(Place {
        disk: disk.clone(),
        sessions: role == Role::SessionData,
        image: exact(&copy.path)?.join(exact(&chosen.name)?),
        parked: true,
    })
}

impl State {
    /// The guest disks there are now.
    pub(in crate::engine) fn guest_disks(&self) -> impl Iterator<Item = Place> + '_ {
        places(self.machine(), &self.located.bundles)
    }

    /// The guest disk of an id.
    pub(in crate::engine) fn guest_disk(&self, disk: &DiskId) -> Option<Place> {
        self.guest_disks()
            .find(|place| place.disk == *disk)
            .or_else(|| parked_disk(self.machine(), disk))
    }
}
