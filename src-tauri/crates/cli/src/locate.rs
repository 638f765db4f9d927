//! `sandtrayctl locate`: bundles and temp roots that exist.

use sandtray_core::bundle::{BundleView, TempRootView};
use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_host::locate::{Located, locate};
use serde::Serialize;

use crate::output::{self, Done, Error, Output, printable, token};

#[derive(Serialize)]
struct Report {
    schema: u32,
    bundles: Vec<BundleView>,
    temp_roots: Vec<TempRootView>,
    gaps: Vec<Gap>,
}

pub(crate) fn run(machine: &Machine, output: &mut Output) -> Result<Done, Error> {
    let found = locate(machine);
    if output.json {
        output.json(&report(&found))?;
    } else {
        print(&report(&found), output)?;
    }
    Ok(Done::Well)
}

fn report(found: &Located) -> Report {
    Report {
        schema: 1,
        bundles: found.bundles.iter().map(BundleView::from).collect(),
        temp_roots: found.temp_roots.iter().map(TempRootView::from).collect(),
        gaps: found.gaps.clone(),
    }
}

fn print(report: &Report, output: &Output) -> Result<(), Error> {
    if report.bundles.is_empty() {
        output.line("No sandbox storage found yet: Claude Desktop has made no vm_bundles here.")?;
    }
    for bundle in &report.bundles {
        let mark = match (bundle.live, bundle.detour) {
            (true, _) => "  (in use)",
            (false, Some(_)) => "  (a link leads here)",
            (false, None) => "",
        };
        output.line(&format!(
            "{}{mark}",
            output.strong(&printable(&bundle.path.path))
        ))?;
        let mut rows = vec![
            ["  file", "apparent", "allocated", "role"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for file in &bundle.files {
            rows.push(vec![
                format!("  {}", printable(&file.name)),
                file.apparent.to_string(),
                file.allocated.to_string(),
                token(&file.role)?,
            ]);
        }
        output.table(&rows, &[1, 2])?;
    }
    output.line(&output.strong("Temp folders"))?;
    let mut rows = Vec::new();
    for root in &report.temp_roots {
        let memory = if root.memory { ", this is memory" } else { "" };
        rows.push(vec![
            format!("  {}", printable(&root.path.path)),
            token(&root.why)?,
            token(&root.owner)?,
            format!("{}{memory}", root.filesystem),
        ]);
    }
    output.table(&rows, &[])?;
    for gap in &report.gaps {
        output.line(&format!("cannot {}", output::gap(gap)))?;
    }
    Ok(())
}
