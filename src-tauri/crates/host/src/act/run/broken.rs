//! The receipt of an act in which Sandtray itself failed, read from what it left behind.

use sandtray_core::act::Act;
use sandtray_core::act::receipt::Receipt;
use sandtray_core::act::steps::End;
use sandtray_core::machine::Machine;

use super::receipt;
use crate::act::standing::standing;
use crate::act::{parked, path, resolve};
use crate::machine::now;

/// What is known of an act that a fault of our own ended. Changes nothing: an entry that it left open is put
/// right as after a crash.
pub(crate) fn broken(machine: &Machine, act: &Act, cause: &str) -> Receipt {
    let fault = format!("Sandtray met a fault of its own ({cause}).");
    let standing = standing(machine).unwrap_or_default();
    let entry = standing.journal.entry(&act.id);
    if let Some(mut ended) = entry.and_then(|entry| entry.latest_receipt()) {
        // It was over by then.
        ended.notes.push(fault);
        return ended;
    }
    let begun_at = entry.map_or(act.planned_at, |entry| entry.begun_at);
    let mut receipt = receipt::empty(act, begun_at);
    receipt.ended_at = now(machine);
    if entry.is_none() {
        // No journal, no act.
        receipt.end = End::Failed;
        receipt.outcome = format!("Nothing was moved. {fault}");
        return receipt;
    }
    let found = resolve::found(machine).unwrap_or_default();
    let left = found.iter().find(|one| one.id == act.id);
    receipt.end = End::Interrupted;
    receipt.outcome = left.map_or_else(|| fault.clone(), |left| format!("{fault} {}", left.text));
    let folder = act.parked.as_ref().and_then(path::exact);
    let copy = folder.and_then(|folder| parked::read(&folder));
    if let Some(copy) = copy.filter(|copy| !copy.is_spent()) {
        receipt.parked = Some(act.id.clone());
        receipt.moved = copy.manifest.allocated();
    }
    receipt
}
