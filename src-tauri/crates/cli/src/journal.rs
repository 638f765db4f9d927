//! `sandtrayctl journal`: what was done to this machine, and what was cut off.

use sandtray_core::act::journal::{EntryState, EntryView};
use sandtray_core::act::steps::End;
use sandtray_core::act::{ACT_SCHEMA, Refusal};
use sandtray_core::leftover::view::{CleanReceipt, CleanedBy};
use sandtray_core::machine::Machine;
use sandtray_core::time::Time;
use sandtray_core::words;
use sandtray_host::act::resolve::{self, Resolved};
use sandtray_host::act::standing::standing;
use sandtray_host::leftovers::receipts;
use sandtray_host::store::SettingsFile;
use serde::Serialize;

use crate::output::{Done, Error, Output, printable, token};

/// What a person does about an act that was cut off; whoever only reads does nothing.
pub(crate) const RESOLVE: &str = "Run `sandtrayctl journal resolve`, or open Sandtray.";

#[derive(Serialize)]
struct Report {
    schema: u32,
    entries: Vec<Entry>,
}

/// What was done, oldest first: acts on disks, and clean-ups.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Act(Box<EntryView>),
    Clean(CleanEntry),
}

/// A clean-up in the words of the journal.
#[derive(Serialize)]
struct CleanEntry {
    id: String,
    kind: &'static str,
    state: EntryState,
    begun_at: Time,
    ended_at: Time,
    outcome: String,
    by: CleanedBy,
}

impl Entry {
    const fn begun_at(&self) -> Time {
        match self {
            Self::Act(act) => act.begun_at,
            Self::Clean(clean) => clean.begun_at,
        }
    }

    fn row(&self) -> Result<Vec<String>, Error> {
        let (id, what, state, outcome) = match self {
            Self::Act(act) => {
                let what = words::act_title(act.kind, act.scope);
                (&act.id, what, act.state, &act.outcome)
            }
            Self::Clean(clean) => {
                let what = "Clean leftovers".to_owned();
                (&clean.id, what, clean.state, &clean.outcome)
            }
        };
        Ok(vec![
            printable(id),
            self.begun_at().utc(),
            what,
            token(&state)?,
            printable(outcome),
        ])
    }
}

impl From<CleanReceipt> for CleanEntry {
    fn from(receipt: CleanReceipt) -> Self {
        let state = if receipt.failed.is_empty() {
            EntryState::Done
        } else {
            EntryState::Failed
        };
        Self {
            id: receipt.id,
            kind: "clean",
            state,
            begun_at: receipt.begun_at,
            ended_at: receipt.ended_at,
            outcome: receipt.outcome,
            by: receipt.by,
        }
    }
}

#[derive(Serialize)]
struct ResolvedReport<'a> {
    schema: u32,
    resolved: Vec<ResolvedView<'a>>,
}

#[derive(Serialize)]
struct ResolvedView<'a> {
    id: &'a str,
    /// None where it is still open.
    end: Option<End>,
    outcome: &'a str,
    refused: Option<&'a Refusal>,
}

impl<'a> From<&'a Resolved> for ResolvedView<'a> {
    fn from(resolved: &'a Resolved) -> Self {
        Self {
            id: &resolved.id,
            end: resolved.end,
            outcome: &resolved.text,
            refused: resolved.refusal.as_ref(),
        }
    }
}

/// Prints every entry, oldest first. Changes nothing.
pub(crate) fn print(machine: &Machine, output: &Output) -> Result<Done, Error> {
    let standing = standing(machine)?;
    let acts = standing.entries().map(|act| Entry::Act(Box::new(act)));
    let cleaned = receipts::read(machine)?.into_iter();
    let mut entries: Vec<Entry> = acts
        .chain(cleaned.map(|receipt| Entry::Clean(receipt.into())))
        .collect();
    // Stable: what began in the same second keeps its order.
    entries.sort_by_key(Entry::begun_at);
    if output.json {
        output.json(&Report {
            schema: ACT_SCHEMA,
            entries,
        })?;
        return Ok(Done::Well);
    }
    if entries.is_empty() {
        output.line("Nothing was done yet.")?;
    }
    let rows: Vec<Vec<String>> = entries.iter().map(Entry::row).collect::<Result<_, _>>()?;
    output.table(&rows, &[])?;
    let odd = standing.journal.odd;
    if odd > 0 {
        output.line(&format!(
            "{odd} lines of the journal make no sense and were left as they are."
        ))?;
    }
    for unresolved in resolve::found(machine)? {
        output.line(&format!(
            "An action ended in the middle ({}): {} {RESOLVE}",
            printable(&unresolved.id),
            printable(&unresolved.text)
        ))?;
    }
    Ok(Done::Well)
}

/// Puts right what was cut off.
pub(crate) fn resolve(machine: &Machine, output: &Output) -> Result<Done, Error> {
    let (_, settings, _) = SettingsFile::load(&machine.own_config);
    let looked = sandtray_host::machine::with_settings(machine, &settings);
    let resolved = resolve::resolve(&looked, &settings);
    if output.json {
        output.json(&ResolvedReport {
            schema: ACT_SCHEMA,
            resolved: resolved.iter().map(ResolvedView::from).collect(),
        })?;
    } else if resolved.is_empty() {
        output.line("Nothing was cut off.")?;
    } else {
        for one in &resolved {
            output.line(&format!("{}: {}", printable(&one.id), printable(&one.text)))?;
        }
    }
    Ok(if resolved.iter().any(|one| one.refusal.is_some()) {
        Done::Refused
    } else {
        Done::Well
    })
}
