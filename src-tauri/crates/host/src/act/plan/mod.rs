//! What an act would do, and every reason why it would not: decided before the first effect.
//!
//! Preview and apply are one path: apply makes the preview once more and compares it with the act that was
//! confirmed, so that nothing is done that nobody read.

use sandtray_core::act::preview::Preview;
use sandtray_core::act::{ActKind, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Settings;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Move disks of a bundle aside.
    Reset {
        /// Which bundle; the only one where none is named.
        bundle: Option<String>,
        /// How much of it.
        scope: Scope,
    },
    /// Move a parked copy back.
    Restore {
        /// Its id.
        copy: String,
    },
    /// Give a parked copy to the trash, or remove it.
    Discard {
        /// Its id.
        copy: String,
        /// Remove it, without the trash.
        for_good: bool,
    },
}

/// Makes the preview of a request. Reads only.
#[must_use]
pub fn preview(
    _machine: &Machine,
    _settings: &Settings,
    _bundles: &[Bundle],
    _request: &Request,
) -> Preview {
    Preview::empty(ActKind::Reset, Scope::Bundle)
}
