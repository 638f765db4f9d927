//! Receipts, begun.

use sandtray_core::act::receipt::Receipt;
use sandtray_core::act::steps::End;
use sandtray_core::act::{ACT_SCHEMA, Act, Refusal};
use sandtray_core::bytes::Allocated;
use sandtray_core::time::Time;

/// A receipt that says nothing yet.
pub(super) fn empty(act: &Act, at: Time) -> Receipt {
    Receipt {
        schema: ACT_SCHEMA,
        id: act.id.clone(),
        kind: act.kind,
        scope: act.scope,
        end: End::Refused,
        outcome: String::new(),
        refusals: Vec::new(),
        begun_at: at,
        ended_at: at,
        parked: None,
        moved: Allocated::ZERO,
        fills: Vec::new(),
        available_before: None,
        available_after: None,
        sessions: None,
        rebuild: None,
        quit: false,
        relaunched: false,
        notes: Vec::new(),
    }
}

/// The receipt of an act that was not begun.
pub(super) fn refused(act: &Act, at: Time, refusals: Vec<Refusal>) -> Receipt {
    let outcome = refusals
        .first()
        .map_or_else(String::new, |refusal| refusal.text.clone());
    Receipt {
        outcome,
        refusals,
        ..empty(act, at)
    }
}
