//! What reset, restore and discard share: preview, question, progress, receipt.

use std::time::Duration;

use sandtray_core::act::ACT_SCHEMA;
use sandtray_core::act::preview::Preview;
use sandtray_core::act::receipt::{ActProgress, Rebuild, Receipt, StepState};
use sandtray_core::act::refusal::{Refusal, RefusalKind};
use sandtray_core::act::steps::End;
use sandtray_core::inside::{HomesSummary, InsideEntry};
use sandtray_core::machine::Machine;
use sandtray_core::settings::Settings;
use sandtray_core::words;
use sandtray_host::act::run::{Control, apply};
use serde::Serialize;

use crate::confirm::{can_ask, confirmed};
use crate::output::{Done, Error, Output, printable};

/// What lives on a sessions disk: how much, and the homes changed last.
pub(crate) type Homes = (HomesSummary, Vec<InsideEntry>);

/// How far a person lets it go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consent {
    /// Only show what would be done.
    pub(crate) dry_run: bool,
    /// Do not ask.
    pub(crate) yes: bool,
    /// Discards a copy whose rebuild was never verified.
    pub(crate) forced: bool,
    /// How long the rebuild is watched.
    pub(crate) wait: Duration,
}

/// The contract where nothing was done.
#[derive(Serialize)]
struct Refused<'a> {
    schema: u32,
    refused: &'a [Refusal],
}

/// The contract of `--dry-run --json`: the preview, and what lives on the sessions disk that goes.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    preview: &'a Preview,
    /// None where no sessions disk goes, or where it could not be read.
    homes: Option<&'a HomesSummary>,
    /// The homes changed last, newest first.
    newest: &'a [InsideEntry],
}

/// Shows a preview, asks, and applies it.
pub(crate) fn carry_out(
    machine: &Machine,
    settings: &Settings,
    preview: &Preview,
    homes: Option<Homes>,
    consent: Consent,
    output: &mut Output,
) -> Result<Done, Error> {
    if consent.dry_run {
        if output.json {
            output.json(&Shown {
                preview,
                homes: homes.as_ref().map(|(summary, _)| summary),
                newest: homes.as_ref().map_or(&[], |(_, newest)| newest),
            })?;
        } else {
            print_preview(preview, homes.as_ref(), output)?;
        }
        return Ok(if preview.refusals.is_empty() {
            Done::Well
        } else {
            Done::Refused
        });
    }
    if !preview.refusals.is_empty() {
        return refuse(&preview.refusals, output);
    }
    let Some(act) = &preview.act else {
        return refuse(&[RefusalKind::NothingToMove.into()], output);
    };
    if !consent.yes {
        // Read by a person, so never as JSON; a script says --yes, and must not find text in its JSON.
        if !output.json || can_ask() {
            print_preview(preview, homes.as_ref(), output)?;
        }
        if !confirmed(question(preview)) {
            return refuse(&[RefusalKind::NotConfirmed.into()], output);
        }
    }
    let control = Control {
        wait: consent.wait,
        forced: consent.forced,
        homes: homes.map(|(summary, _)| summary),
        ..Control::default()
    };
    let mut failed = None;
    let receipt = apply(machine, settings, act, &control, &mut |progress| {
        if let Err(error) = print_progress(progress, output) {
            // Whoever read along has gone; the act goes on.
            failed.get_or_insert(error);
        }
    });
    if output.json {
        output.json(&printed(&receipt)?)?;
    } else {
        print_receipt(&receipt, output)?;
    }
    Ok(match receipt.end {
        End::Done if rebuild_word(&receipt) == Some("failed") => Done::Partly,
        End::Done => Done::Well,
        End::Refused => Done::Refused,
        End::Failed | End::RolledBack | End::Interrupted => Done::Partly,
    })
}

/// The receipt as its contract has it: the rebuild in a word, and beside it all that is known of it.
fn printed(receipt: &Receipt) -> Result<serde_json::Value, Error> {
    let mut value = serde_json::to_value(receipt).map_err(std::io::Error::other)?;
    if let Some(fields) = value.as_object_mut() {
        let detail = fields.insert("rebuild".to_owned(), rebuild_word(receipt).into());
        fields.insert("rebuild_detail".to_owned(), detail.unwrap_or_default());
    }
    Ok(value)
}

/// How the rebuild stands for a script: what is under way is still waited for.
fn rebuild_word(receipt: &Receipt) -> Option<&'static str> {
    receipt.rebuild.as_ref().map(|rebuild| match rebuild {
        Rebuild::Ready => "ready",
        Rebuild::Failed { .. } | Rebuild::Looping { .. } => "failed",
        Rebuild::Waiting | Rebuild::Downloading { .. } | Rebuild::Unpacking | Rebuild::Booting => {
            "waiting"
        }
    })
}

/// Says why nothing is done.
pub(crate) fn refuse(refusals: &[Refusal], output: &Output) -> Result<Done, Error> {
    for refusal in refusals {
        output.error(&printable(&refusal.text));
    }
    if output.json {
        output.json(&Refused {
            schema: ACT_SCHEMA,
            refused: refusals,
        })?;
    }
    Ok(Done::Refused)
}

const fn question(preview: &Preview) -> &'static str {
    match (preview.kind, preview.running) {
        (sandtray_core::act::ActKind::Reset, true) => "Quit Claude Desktop and reset it now?",
        (sandtray_core::act::ActKind::Reset, false) => "Reset it now?",
        (sandtray_core::act::ActKind::Restore, true) => "Quit Claude Desktop and restore it now?",
        (sandtray_core::act::ActKind::Restore, false) => "Restore it now?",
        (sandtray_core::act::ActKind::Trash, _) => "Move it to the trash?",
        (sandtray_core::act::ActKind::Remove, _) => "Remove it for good? It cannot be undone.",
    }
}

fn print_preview(preview: &Preview, homes: Option<&Homes>, output: &Output) -> Result<(), Error> {
    output.line(&output.strong(&words::act_title(preview.kind, preview.scope)))?;
    output.line(&format!("  {}", printable(&preview.path.path)))?;
    let rows: Vec<Vec<String>> = preview
        .files
        .iter()
        .map(|file| {
            let way = if file.back {
                "comes back"
            } else {
                "moves aside"
            };
            vec![
                format!("  {}", printable(&file.name.path)),
                file.allocated.to_string(),
                way.to_owned(),
            ]
        })
        .collect();
    output.table(&rows, &[1])?;
    if let Some((summary, newest)) = homes {
        output.line(&format!(
            "On it: {}. Files made only inside a session come back only by undo or rescue.",
            words::homes(summary)
        ))?;
        output.line("Used last:")?;
        let rows: Vec<Vec<String>> = newest
            .iter()
            .map(|home| {
                vec![
                    format!("  {}", printable(&home.name.path)),
                    home.allocated.to_string(),
                    format!("{} UTC", home.last_change.utc()),
                ]
            })
            .collect();
        output.table(&rows, &[1])?;
    }
    if let Some(parked) = &preview.parked {
        output.line(&format!("Parked in {}", printable(&parked.path)))?;
    }
    if preview.needed.0 > 0 {
        let available = preview
            .available
            .map_or_else(|| "unknown".to_owned(), |bytes| bytes.to_string());
        output.line(&format!(
            "Needs {} for the rebuild; {available} available",
            preview.needed
        ))?;
    }
    if preview.running {
        output.line("Claude Desktop is running: it is asked to quit, and started again.")?;
    }
    for note in &preview.notes {
        output.line(&printable(note))?;
    }
    for refusal in &preview.refusals {
        output.line(&format!("Not possible now: {}", printable(&refusal.text)))?;
    }
    Ok(())
}

fn print_progress(progress: &ActProgress, output: &Output) -> Result<(), Error> {
    if output.json {
        return output.json(progress);
    }
    let text = words::act_step(progress.step);
    match progress.state {
        StepState::Begun if progress.waiting_for.is_empty() => Ok(()),
        StepState::Begun => output.line(&format!("… {}", printable(&progress.waiting_for))),
        StepState::Done => output.line(&format!("✓ {text}")),
        StepState::Failed => output.line(&format!("✗ {text}")),
    }
}

fn print_receipt(receipt: &Receipt, output: &Output) -> Result<(), Error> {
    output.line("")?;
    output.line(&output.strong(&printable(&receipt.outcome)))?;
    for refusal in &receipt.refusals {
        if refusal.text != receipt.outcome {
            output.line(&printable(&refusal.text))?;
        }
    }
    for fill in &receipt.fills {
        let size = |bytes: Option<sandtray_core::bytes::Bytes>| {
            bytes.map_or_else(|| "unknown".to_owned(), |bytes| bytes.to_string())
        };
        output.line(&format!(
            "{}: {} used before, {} now",
            words::gauge_name(fill.kind, "", false),
            size(fill.before),
            size(fill.after)
        ))?;
    }
    if let Some(sessions) = &receipt.sessions {
        output.line(&words::sessions_report(sessions))?;
    }
    if let Some(rebuild) = &receipt.rebuild {
        output.line(&words::rebuild(rebuild))?;
    }
    for note in &receipt.notes {
        output.line(&printable(note))?;
    }
    if let (Some(parked), End::Done) = (&receipt.parked, receipt.end) {
        output.line(&format!("Undo: sandtrayctl parked restore {parked}"))?;
    }
    if matches!(
        receipt.rebuild,
        Some(Rebuild::Failed { .. } | Rebuild::Looping { .. })
    ) {
        output.line("The old disks are still there; undo brings them back.")?;
    }
    Ok(())
}
