//! Receipts: begun, and in a sentence.

use std::path::Path;

use sandtray_core::act::receipt::{Fill, Rebuild, Receipt};
use sandtray_core::act::steps::End;
use sandtray_core::act::{ACT_SCHEMA, Act, ActKind, Refusal};
use sandtray_core::bytes::Allocated;
use sandtray_core::machine::Os;
use sandtray_core::time::Time;

use crate::act::verify;

/// A receipt that says nothing yet.
pub(in super::super) fn empty(act: &Act, at: Time) -> Receipt {
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

/// How full the disks are before.
pub(super) fn fills(os: Os, bundle: &Path) -> Vec<Fill> {
    verify::fills(os, bundle)
        .into_iter()
        .map(|(kind, before)| Fill {
            kind,
            before,
            after: None,
        })
        .collect()
}

/// How it ended, in a sentence.
pub(super) fn outcome(act: &Act, receipt: &Receipt) -> String {
    let why = receipt
        .refusals
        .first()
        .map(|refusal| refusal.text.as_str())
        .or(receipt.notes.last().map(String::as_str))
        .unwrap_or_default();
    match (receipt.end, act.kind) {
        (End::Refused, _) => why.to_owned(),
        (End::Failed, _) => format!("Nothing was moved. {why}"),
        (End::RolledBack, _) => format!("Everything was moved back. {why}"),
        (End::Interrupted, ActKind::Trash | ActKind::Remove) => {
            format!("The copy is gone in part; removing it can go on. {why}")
        }
        (End::Interrupted, _) => {
            format!("Some files could not be moved back; they are kept in the parked copy. {why}")
        }
        (End::Done, ActKind::Trash) => {
            "The parked copy is in the trash. Nothing is freed until it is emptied.".to_owned()
        }
        (End::Done, ActKind::Remove) => "The parked copy was removed for good.".to_owned(),
        (End::Done, ActKind::Reset) => {
            format!(
                "The {} was moved aside; {}",
                act.scope,
                rebuilt(receipt.rebuild.as_ref())
            )
        }
        (End::Done, ActKind::Restore) => format!(
            "The parked {} is back in place; what was there before is parked in its turn.",
            act.scope
        ),
    }
}

fn rebuilt(rebuild: Option<&Rebuild>) -> String {
    match rebuild {
        Some(Rebuild::Ready) => "Claude Desktop has built a new one.".to_owned(),
        Some(Rebuild::Failed { cause } | Rebuild::Looping { cause }) => {
            format!(
                "Claude Desktop could not build a new one ({cause}). Undo gives the old one back."
            )
        }
        _ => "Claude Desktop builds a new one, maybe only when a Cowork task is opened.".to_owned(),
    }
}
