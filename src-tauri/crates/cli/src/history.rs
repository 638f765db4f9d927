//! `sandtrayctl history`: what was measured over time.

use sandtray_core::bytes::{decimal, grouped};
use sandtray_core::gauge::GaugeId;
use sandtray_core::history::{History, Point, Range, Unit};
use sandtray_core::machine::Machine;
use sandtray_host::engine;

use crate::output::{Done, Error, Output, printable};

/// Columns of a line drawn in text.
const WIDTH: usize = 48;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(crate) fn run(
    machine: Machine,
    range: Range,
    gauge: Option<&str>,
    output: &mut Output,
) -> Result<Done, Error> {
    let only = gauge.map(|id| GaugeId(id.to_owned()));
    let history = engine::history(machine, range, only.as_ref());
    if output.json {
        output.json(&history)?;
    } else {
        print(&history, output)?;
    }
    Ok(Done::Well)
}

fn print(history: &History, output: &Output) -> Result<(), Error> {
    if history.series.iter().all(|series| series.points.is_empty()) {
        return output
            .line("No history in this range yet: it begins with the first `status` or `watch`.");
    }
    let mut rows = Vec::new();
    for series in &history.series {
        let number = |value: u64| match series.unit {
            Unit::Bytes => decimal(value),
            Unit::Entries => grouped(value),
        };
        let (Some(first), Some(last)) = (series.points.first(), series.points.last()) else {
            continue;
        };
        rows.push(vec![
            printable(&series.name),
            number(first.last),
            drawn(&series.points, history),
            number(last.last),
            series.id.to_string(),
        ]);
    }
    output.table(&rows, &[1, 3])
}

/// The line as blocks, scaled to its own span; a column without a point is blank: a gap.
fn drawn(points: &[Point], history: &History) -> String {
    let span = history.to.since(history.from).max(1);
    let mut columns: Vec<Option<u64>> = vec![None; WIDTH];
    for point in points {
        let offset = point.at.since(history.from).clamp(0, span - 1);
        let at = usize::try_from(offset * WIDTH as i64 / span)
            .unwrap_or(0)
            .min(WIDTH - 1);
        columns[at] = Some(point.last);
    }
    let least = columns.iter().flatten().min().copied().unwrap_or(0);
    let most = columns.iter().flatten().max().copied().unwrap_or(0);
    let room = u128::from(most.saturating_sub(least)).max(1);
    columns
        .iter()
        .map(|column| match column {
            None => ' ',
            Some(value) => {
                let part =
                    u128::from(value.saturating_sub(least)) * (LEVELS.len() as u128 - 1) / room;
                LEVELS[usize::try_from(part).unwrap_or(0).min(LEVELS.len() - 1)]
            }
        })
        .collect()
}
