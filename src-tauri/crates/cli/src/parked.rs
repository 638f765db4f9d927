//! `sandtrayctl parked`: the copies that stand aside.

use sandtray_core::act::parked::CopyState;
use sandtray_core::bytes::grouped;
use sandtray_core::machine::Machine;
use sandtray_host::act::parked::list;
use sandtray_host::act::plan::{Request, preview};
use sandtray_host::locate::locate;
use sandtray_host::store::SettingsFile;

use crate::act::{Consent, carry_out};
use crate::output::{Done, Error, Output, printable};

/// Prints every copy, newest first.
pub(crate) fn print(machine: &Machine, output: &Output) -> Result<Done, Error> {
    let (_, settings, _) = SettingsFile::load(&machine.own_config);
    let list = list(&sandtray_host::machine::with_settings(machine, &settings));
    if output.json {
        output.json(&list)?;
        return Ok(Done::Well);
    }
    if list.parked.is_empty() {
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
    Ok(Done::Well)
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
