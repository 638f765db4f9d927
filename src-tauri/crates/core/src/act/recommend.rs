//! Which scope fits, from the gauges alone.

use serde::{Deserialize, Serialize};

use super::Scope;
use crate::verdict::Verdict;

/// Why a scope is recommended, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "ScopeReason"))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Only the sessions disk is filling up.
    SessionsFull,
    /// Only the system disk is filling up.
    SystemFull,
    /// Both are (#59856).
    BothFull,
    /// A disk cannot be read, so what is wrong with it cannot be told.
    Unreadable,
    /// Neither is filling up: storage is not the illness, and a reset will not help.
    NeitherFull,
}

/// The scope to preselect, and why. `None` stands for a disk that is not there.
#[must_use]
pub fn recommend(sessions: Option<Verdict>, system: Option<Verdict>) -> (Option<Scope>, Why) {
    let full = |verdict| matches!(verdict, Some(Verdict::Low | Verdict::Critical));
    let unreadable = |verdict| matches!(verdict, Some(Verdict::Unknown));
    match (full(sessions), full(system)) {
        (true, true) => (Some(Scope::Bundle), Why::BothFull),
        (true, false) => (Some(Scope::SessionDisk), Why::SessionsFull),
        (false, true) => (Some(Scope::SystemDisk), Why::SystemFull),
        // Nothing says which of the two it is; the copy stays, and undo with it.
        (false, false) if unreadable(sessions) || unreadable(system) => {
            (Some(Scope::Bundle), Why::Unreadable)
        }
        (false, false) => (None, Why::NeitherFull),
    }
}
