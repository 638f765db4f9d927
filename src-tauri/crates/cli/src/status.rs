//! `sandtrayctl status`: how full everything is and where it leads.

use sandtray_core::bytes::{decimal, grouped};
use sandtray_core::machine::Machine;
use sandtray_core::status::{FaultKind, GaugeStatus, MeterStatus, Status};
use sandtray_core::words;
use sandtray_host::engine;
use sandtray_host::walk::Progress;

use crate::disk;
use crate::journal::RESOLVE;
use crate::output::{self, Done, Error, Output, printable};
use crate::progress::Counter;

pub(crate) fn run(machine: Machine, quick: bool, output: &mut Output) -> Result<Done, Error> {
    let progress = Progress::default();
    let counter = Counter::show("Measuring", &progress);
    let status = engine::once(machine, !quick, &progress);
    drop(counter);
    if output.json {
        output.json(&status)?;
    } else {
        print(&status, output)?;
    }
    Ok(Done::Well)
}

/// The snapshot as text, the sentence first.
pub(crate) fn print(status: &Status, output: &Output) -> Result<(), Error> {
    let label = status
        .label
        .as_ref()
        .map(|label| format!("  [{label}]"))
        .unwrap_or_default();
    output.line(&format!("{}{label}", output.strong(&status.summary)))?;
    if !status.advice.is_empty() {
        output.line(&status.advice)?;
    }
    output.line("")?;
    let gauges: Vec<_> = status
        .gauges
        .iter()
        .map(|gauge| gauge_row(gauge, status, output))
        .collect();
    output.table(&gauges, &[1])?;
    let meters: Vec<_> = status.meters.iter().map(meter_row).collect();
    output.table(&meters, &[1])?;
    print_disks(status, output)?;
    for homes in &status.homes {
        let gauge = status
            .gauges
            .iter()
            .find(|gauge| gauge.id.0 == homes.disk.0);
        let name = gauge.map_or("Sessions disk", |gauge| gauge.name.as_str());
        output.line(&format!("{}: {}", printable(name), words::homes(homes)))?;
    }
    for shape in &status.shapes {
        let place = printable(&shape.path.path);
        output.line(&format!(
            "{} alike in {place}: {}",
            grouped(shape.count),
            printable(&shape.shape)
        ))?;
    }
    for fault in &status.faults {
        match fault.kind {
            // Told here, put right by whoever may act: a status moves no disk.
            FaultKind::ActInterrupted => {
                output.line(&format!("{} {RESOLVE}", printable(&fault.to_string())))?;
            }
            _ => output.line(&printable(&fault.text))?,
        }
    }
    for gap in status.gaps.iter().take(10) {
        output.line(&format!("cannot {}", output::gap(gap)))?;
    }
    Ok(())
}

/// The disks of every bundle: three sizes side by side, and under each why they differ.
fn print_disks(status: &Status, output: &Output) -> Result<(), Error> {
    for bundle in &status.bundles {
        for disk in &bundle.disks {
            let place = printable(&bundle.path.path);
            let title = format!("{} in {place}", printable(&disk.name));
            output.line(&format!("{title}: {}", disk::sizes(&disk.sizes)))?;
            output.line(&format!("  {}", disk.sizes.sentence))?;
        }
    }
    Ok(())
}

fn gauge_row(gauge: &GaugeStatus, status: &Status, output: &Output) -> Vec<String> {
    vec![
        printable(&gauge.name),
        words::percent(gauge),
        output.verdict(gauge.verdict),
        room(gauge),
        words::forecast(&gauge.forecast, gauge.kind.in_bytes(), status.at),
    ]
}

fn meter_row(meter: &MeterStatus) -> Vec<String> {
    let value = match meter.value {
        None => "unknown".to_owned(),
        Some(value) if meter.kind.in_bytes() => decimal(value),
        Some(value) => grouped(value),
    };
    let least = if meter.complete { "" } else { "≥ " };
    let rate = meter
        .rate_per_day
        .map(|rate| words::rate(rate, meter.kind.in_bytes()))
        .unwrap_or_default();
    vec![printable(&meter.name), format!("{least}{value}"), rate]
}

/// What can still be taken, of what is usable: the same whole that the percent is of. The filesystem's
/// own total is larger by what it keeps for root.
fn room(gauge: &GaugeStatus) -> String {
    let number = if gauge.kind.in_bytes() {
        decimal
    } else {
        grouped
    };
    match (gauge.used, gauge.available) {
        (Some(used), Some(available)) => {
            let usable = used.saturating_add(available);
            let left = format!("{} available of {}", number(available), number(usable));
            match words::fresh(gauge) {
                Some(fresh) => format!("{left}, {fresh}"),
                None => left,
            }
        }
        _ => String::new(),
    }
}
