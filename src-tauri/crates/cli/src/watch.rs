//! `sandtrayctl watch`: the engine in a terminal, until stopped.

use std::sync::mpsc;

use sandtray_core::machine::Machine;
use sandtray_core::status::Status;
use sandtray_host::engine::{Engine, Event};
use serde::Serialize;

use crate::output::{Done, Error, Output};
use crate::status;

/// One line of `watch --json`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Status(&'a Status),
    Notice(&'a sandtray_core::notice::Notice),
}

pub(crate) fn run(machine: Machine, output: &mut Output) -> Result<Done, Error> {
    let (events, reported) = mpsc::channel();
    // The receiver is gone only when this function has returned.
    let engine = Engine::start(machine, move |event| {
        events.send(event).ok();
    })?;
    let mut shown = None;
    for event in reported {
        match event {
            Event::Status(status) if output.json => output.json(&Line::Status(&status))?,
            Event::Status(status) => {
                // A person wants changes, not a page every ten seconds: the first look, the first
                // measurement, then whatever changes the sentence.
                let gist = (
                    status.summary.clone(),
                    status.measured_at.is_some(),
                    status.faults.clone(),
                );
                if status.gauges.is_empty() || shown.as_ref() == Some(&gist) {
                    continue;
                }
                status::print(&status, output)?;
                if status.measured_at.is_none() {
                    output.line("Bundles and temp folders are being measured …")?;
                }
                output.line("")?;
                shown = Some(gist);
            }
            Event::Notice(notice) if output.json => output.json(&Line::Notice(&notice))?,
            Event::Notice(notice) => {
                output.line(&format!(
                    "{}\n{}\n",
                    output.strong(&notice.title),
                    notice.body
                ))?;
            }
            Event::Recorded
            | Event::Acts(_)
            | Event::ActEnded(_)
            | Event::Cleaning(_)
            | Event::Cleaned(_) => {}
        }
    }
    drop(engine);
    Ok(Done::Well)
}
