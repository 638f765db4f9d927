//! The copies that stand aside.

use sandtray_core::act::ACT_SCHEMA;
use sandtray_core::act::parked::ParkedList;
use sandtray_core::machine::Machine;

/// Every parked copy of this machine, newest first. Reads only.
#[must_use]
pub fn list(_machine: &Machine) -> ParkedList {
    ParkedList {
        schema: ACT_SCHEMA,
        parked: Vec::new(),
    }
}
