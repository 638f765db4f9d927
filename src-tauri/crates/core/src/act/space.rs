//! What must be available on the bundle's volume before anything moves: the parked copy stays, and the
//! app builds a new one beside it (10 GB were not enough for a rebuild, #34602).

use serde::{Deserialize, Serialize};

use super::Scope;
use crate::bytes::Bytes;

/// A new, empty sessions disk.
const SESSIONS: u64 = 300_000_000;
/// The packed system image that is downloaded where none is there: 1.1 to 1.3 GB since June 2026.
const ARCHIVE: u64 = 1_300_000_000;

/// What a reset needs, with `parked` bytes allocated in what it moves; `archive` says whether a packed
/// image stays behind for the rebuild.
#[must_use]
pub fn needed(scope: Scope, parked: Bytes, archive: bool) -> Bytes {
    let rebuilt = || {
        let tenth = parked.0 / 10;
        let download = if archive { 0 } else { ARCHIVE };
        parked.0.saturating_add(tenth).saturating_add(download)
    };
    Bytes(match scope {
        Scope::SessionDisk => SESSIONS,
        Scope::SystemDisk | Scope::Bundle => rebuilt(),
    })
}

/// What a person may do where there is too little room. Surfaces link each to where it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum SpaceOffer {
    /// Remove what lies about the disks and nobody needs: downloads that broke off, copies of old releases.
    DeadWeight,
    /// Clean what agents and sandboxes left in the temp folders.
    Leftovers,
    /// Reset the session disk alone, which needs little.
    SessionDisk,
    /// Empty the system's trash.
    EmptyTrash,
}

/// What is offered where a scope finds too little room, in the order in which it is worth trying.
#[must_use]
pub fn offers(scope: Scope, available: Bytes) -> Vec<SpaceOffer> {
    let smaller = scope != Scope::SessionDisk && available.0 >= SESSIONS;
    let mut offers = vec![SpaceOffer::DeadWeight, SpaceOffer::Leftovers];
    offers.extend(smaller.then_some(SpaceOffer::SessionDisk));
    offers.push(SpaceOffer::EmptyTrash);
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_scope_is_offered_third_and_only_where_it_is_smaller_and_fits() {
        use SpaceOffer::{DeadWeight, EmptyTrash, Leftovers, SessionDisk};
        let room = Bytes(SESSIONS);
        let with = [DeadWeight, Leftovers, SessionDisk, EmptyTrash];
        let without = [DeadWeight, Leftovers, EmptyTrash];
        assert_eq!(offers(Scope::Bundle, room), with);
        assert_eq!(offers(Scope::SystemDisk, room), with);
        assert_eq!(offers(Scope::SystemDisk, Bytes(SESSIONS - 1)), without);
        assert_eq!(offers(Scope::SessionDisk, Bytes(0)), without);
    }
}
