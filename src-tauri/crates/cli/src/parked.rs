//! `sandtrayctl parked`: the copies that stand aside.

use sandtray_core::act::parked::{CopyState, ParkedList};
use sandtray_core::bytes::grouped;
use sandtray_core::leftover::view::{LEFTOVERS_SCHEMA, ParkedLeftovers, ParkedState};
use sandtray_core::machine::Machine;
use sandtray_core::words;
use sandtray_host::act::parked::list;
use sandtray_host::act::plan::{Request, preview};
use sandtray_host::leftovers::parked as leftovers;
use sandtray_host::locate::locate;
use sandtray_host::store::SettingsFile;
use sandtray_host::walk::Cancel;
use serde::Serialize;

use crate::act::{Consent, carry_out};
use crate::confirm::confirmed;
use crate::output::{Done, Error, Output, printable};

/// The contract of `parked list --json`.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    list: ParkedList,
    leftovers: &'a [ParkedLeftovers],
}

/// The contract where leftovers were moved back or removed.
#[derive(Serialize)]
struct Moved<'a> {
    schema: u32,
    id: &'a str,
    moved: u64,
    stayed: u64,
    freed_measured: Option<i64>,
    outcome: &'a str,
}

/// Prints every copy, newest first.
pub(crate) fn print(machine: &Machine, output: &Output) -> Result<Done, Error> {
    let (_, settings, _) = SettingsFile::load(&machine.own_config);
    let list = list(&sandtray_host::machine::with_settings(machine, &settings));
    let leftovers = leftovers::list(machine);
    if output.json {
        output.json(&Report {
            list,
            leftovers: &leftovers,
        })?;
        return Ok(Done::Well);
    }
    if list.parked.is_empty() && leftovers.is_empty() {
        output.line("Nothing is parked.")?;
    }
    for copy in &list.parked {
        let state = match copy.state {
            CopyState::Whole if copy.verified => "",
            CopyState::Whole => ", the new disks were not seen working yet",
            CopyState::Changed => ", changed since it was parked",
            CopyState::Absent => ", not there now",
            CopyState::Discarding => ", being discarded",
        };
        output.line(&output.strong(&printable(&copy.id)))?;
        output.line(&format!(
            "  {}, {}, parked {} UTC{state}",
            copy.scope,
            copy.allocated,
            copy.parked_at.utc()
        ))?;
        if let Some(homes) = &copy.homes {
            output.line(&format!("  holds {} sessions", grouped(homes.count)))?;
        }
        output.line(&format!("  {}", printable(&copy.path.path)))?;
    }
    for copy in &leftovers {
        output.line(&output.strong(&printable(&copy.id)))?;
        let state = match copy.state {
            ParkedState::There => "",
            ParkedState::Absent => ", not there now",
        };
        output.line(&format!(
            "  {} leftovers, {}, parked {} UTC{state}",
            grouped(copy.count),
            copy.allocated,
            copy.parked_at.utc()
        ))?;
        for class in &copy.classes {
            output.line(&format!(
                "  {} {}",
                grouped(class.count),
                printable(&class.reason)
            ))?;
        }
        output.line(&format!("  {}", printable(&copy.path.path)))?;
    }
    Ok(Done::Well)
}

/// Whether an id is that of leftovers rather than of disks.
pub(crate) fn are_leftovers(id: &str) -> bool {
    id.starts_with("leftovers-")
}

/// Moves leftovers back, or removes them for good.
pub(crate) fn leftovers(
    machine: &Machine,
    id: &str,
    discard: bool,
    consent: Consent,
    output: &Output,
) -> Result<Done, Error> {
    let list = leftovers::list(machine);
    let Some(copy) = list.iter().find(|copy| copy.id == id) else {
        output.error(&format!(
            "there is no copy {}; `sandtrayctl parked list` shows those that there are",
            printable(id)
        ));
        return Ok(Done::Refused);
    };
    let many = grouped(copy.count);
    if consent.dry_run {
        if output.json {
            output.json(copy)?;
        } else if discard {
            output.line(&format!("{many} leftovers go for good, {}", copy.allocated))?;
        } else {
            output.line(&format!("{many} leftovers move back"))?;
        }
        return Ok(Done::Well);
    }
    let question = if discard {
        format!("Remove {many} leftovers for good? It cannot be undone.")
    } else {
        format!("Move {many} leftovers back?")
    };
    if !consent.yes && !confirmed(&question) {
        output.error("nothing was done: it was not confirmed (--yes confirms)");
        return Ok(Done::Refused);
    }
    let moved = if discard {
        leftovers::discard(machine, id, &Cancel::default())?
    } else {
        leftovers::restore(machine, id)?
    };
    let stayed = moved.stayed.values().copied().fold(0, u64::saturating_add);
    let outcome = if discard {
        words::leftovers::discarded(moved.done, moved.freed_measured, stayed)
    } else {
        words::leftovers::restored(moved.done, stayed)
    };
    if output.json {
        output.json(&Moved {
            schema: LEFTOVERS_SCHEMA,
            id,
            moved: moved.done,
            stayed,
            freed_measured: moved.freed_measured,
            outcome: &outcome,
        })?;
    } else {
        output.line(&outcome)?;
        for (reason, count) in &moved.stayed {
            output.line(&format!(
                "  {} stay: {}",
                grouped(*count),
                printable(reason)
            ))?;
        }
    }
    Ok(if stayed == 0 {
        Done::Well
    } else {
        Done::Partly
    })
}

/// Moves a copy back, or discards it.
pub(crate) fn act(
    machine: &Machine,
    request: &Request,
    consent: Consent,
    output: &mut Output,
) -> Result<Done, Error> {
    let (_, settings, _) = SettingsFile::load(&machine.own_config);
    let looked = sandtray_host::machine::with_settings(machine, &settings);
    let bundles = locate(&looked).bundles;
    let preview = preview(&looked, &settings, &bundles, request);
    carry_out(&looked, &settings, &preview, None, consent, output)
}
