//! `sandtrayctl measure`: totals of directory trees.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use sandtray_core::bytes::grouped;
use sandtray_core::machine::Machine;
use sandtray_core::measurement::{Gap, Usage};
use sandtray_core::paths::PathText;
use sandtray_host::locate::locate;
use sandtray_host::walk::{self, Tree};
use serde::Serialize;

use crate::output::{self, Done, Error, Output, printable};
use crate::progress::Counter;

#[derive(Serialize)]
struct Report {
    schema: u32,
    roots: Vec<Root>,
}

#[derive(Serialize)]
struct Root {
    #[serde(flatten)]
    path: PathText,
    #[serde(flatten)]
    usage: Usage,
    gaps: Vec<Gap>,
}

pub(crate) fn run(
    machine: &Machine,
    paths: &[PathBuf],
    threads: u16,
    output: &mut Output,
) -> Result<Done, Error> {
    let paths = if paths.is_empty() {
        everything(machine)
    } else {
        paths.to_vec()
    };
    let mut done = Done::Well;
    let mut roots = Vec::new();
    for path in &paths {
        let options = walk::Options {
            threads: NonZeroUsize::new(threads.into()),
            ..walk::Options::default()
        };
        let counter = Counter::show("Measuring", &options.progress);
        let measured = walk::measure(path, &options);
        drop(counter);
        match measured {
            Ok(Tree { usage, gaps, .. }) => roots.push(Root {
                path: path.into(),
                usage,
                gaps,
            }),
            Err(failure) => {
                output.error(&failure.to_string());
                done = Done::Partly;
            }
        }
    }
    if output.json {
        output.json(&Report { schema: 1, roots })?;
    } else if done == Done::Well || !roots.is_empty() {
        print(&roots, output)?;
    }
    Ok(done)
}

/// Bundles and temp roots of the machine.
fn everything(machine: &Machine) -> Vec<PathBuf> {
    let found = locate(machine);
    let bundles = found.bundles.into_iter().map(|bundle| bundle.path);
    bundles
        .chain(found.temp_roots.into_iter().map(|root| root.path))
        .collect()
}

fn print(roots: &[Root], output: &Output) -> Result<(), Error> {
    if roots.is_empty() {
        return output.line("Nothing to measure here.");
    }
    let mut rows = vec![
        ["allocated", "apparent", "shared", "entries", "path"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for root in roots {
        let usage = &root.usage;
        let least = if usage.complete { "" } else { "≥ " };
        rows.push(vec![
            format!("{least}{}", usage.allocated),
            format!("{least}{}", usage.apparent),
            usage.shared.to_string(),
            format!("{least}{}", grouped(usage.entries)),
            printable(&root.path.path),
        ]);
    }
    output.table(&rows, &[0, 1, 2, 3])?;
    for root in roots {
        gaps(root, output)?;
    }
    Ok(())
}

/// Says what is missing from a sum, before anybody takes it for the whole.
fn gaps(root: &Root, output: &Output) -> Result<(), Error> {
    let usage = &root.usage;
    if usage.mounts_skipped > 0 {
        output.line(&format!(
            "{}: {} mounts below it were not entered",
            printable(&root.path.path),
            grouped(usage.mounts_skipped)
        ))?;
    }
    if usage.unreadable == 0 {
        return Ok(());
    }
    output.line(&format!(
        "{}: {} could not be read, the sums are short by what is in there:",
        printable(&root.path.path),
        grouped(usage.unreadable)
    ))?;
    for gap in &root.gaps {
        output.line(&format!("  {}", output::gap(gap)))?;
    }
    let more = usage
        .unreadable
        .saturating_sub(root.gaps.len().try_into().unwrap_or(u64::MAX));
    if more > 0 {
        output.line(&format!("  and {} more", grouped(more)))?;
    }
    Ok(())
}
