//! What must be available on the bundle's volume before anything moves: the parked copy stays, and the
//! app builds a new one beside it (10 GB were not enough for a rebuild, #34602).

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
