//! `sandtrayctl journal`: what was done to this machine, and what was cut off.

use sandtray_core::act::journal::EntryView;
use sandtray_core::act::steps::End;
use sandtray_core::act::{ACT_SCHEMA, Refusal};
use sandtray_core::machine::Machine;
use sandtray_core::words;
use sandtray_host::act::resolve::{self, Resolved};
use sandtray_host::act::standing::standing;
use sandtray_host::store::SettingsFile;
use serde::Serialize;

use crate::output::{Done, Error, Output, printable, token};

/// What a person does about an act that was cut off; whoever only reads does nothing.
pub(crate) const RESOLVE: &str = "Run `sandtrayctl journal resolve`, or open Sandtray.";

#[derive(Serialize)]
struct Report {
    schema: u32,
    entries: Vec<EntryView>,
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
    let entries: Vec<EntryView> = standing.entries().collect();
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
    let mut rows = Vec::new();
    for entry in &entries {
        rows.push(vec![
            printable(&entry.id),
            entry.begun_at.utc(),
            words::act_title(entry.kind, entry.scope),
            token(&entry.state)?,
            printable(&entry.outcome),
        ]);
    }
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
