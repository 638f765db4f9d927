//! `sandtrayctl leftovers`: what agents and sandboxes left behind, and what of it is dead.

use sandtray_core::bytes::grouped;
use sandtray_core::leftover::Tier;
use sandtray_core::leftover::view::{ClassView, LeftoversView};
use sandtray_core::machine::Machine;
use sandtray_core::words;
use sandtray_host::leftovers::look::look;
use sandtray_host::leftovers::scan::Scene;
use sandtray_host::locate::locate;
use sandtray_host::store::SettingsFile;
use sandtray_host::walk::{Cancel, Progress};

use crate::output::{self, Done, Error, Output, printable};
use crate::progress::Counter;

/// Everything that is looked at, with the settings in force.
pub(crate) fn scene(machine: &Machine) -> Scene {
    let (_, settings, _) = SettingsFile::load(&machine.own_config);
    let looked = sandtray_host::machine::with_settings(machine, &settings);
    let located = locate(&looked);
    Scene::new(looked, settings.claude, located)
}

pub(crate) fn run(machine: &Machine, output: &mut Output) -> Result<Done, Error> {
    let progress = Progress::default();
    let counter = Counter::show("Looking", &progress);
    let found = look(&scene(machine), &Cancel::default(), &mut |seen| {
        progress.set(seen);
    });
    drop(counter);
    if output.json {
        output.json(&found.view)?;
    } else {
        print(&found.view, output)?;
    }
    Ok(Done::Well)
}

fn print(view: &LeftoversView, output: &Output) -> Result<(), Error> {
    output.line(&output.strong(&words::leftovers::headline(view)))?;
    for (tier, title) in [
        (Tier::Automatic, "Proven dead and worth nothing"),
        (
            Tier::Ask,
            "May be wanted: chosen by hand, moved aside first",
        ),
        (Tier::Report, "Only shown"),
    ] {
        let classes: Vec<&ClassView> = view
            .classes
            .iter()
            .filter(|class| class.tier == tier && class.count > 0)
            .collect();
        if classes.is_empty() {
            continue;
        }
        output.line("")?;
        output.line(title)?;
        let mut rows = vec![
            [
                "  class",
                "count",
                "dead",
                "live",
                "unknown",
                "allocated",
                "in",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        for class in &classes {
            rows.push(vec![
                format!("  {}", class.class),
                grouped(class.count),
                grouped(class.dead),
                grouped(class.live),
                grouped(class.unknown),
                class.allocated.to_string(),
                printable(&class.root.path),
            ]);
        }
        output.table(&rows, &[1, 2, 3, 4, 5])?;
        for class in classes {
            for kept in &class.kept {
                output.line(&format!(
                    "    {}: {} kept, {}",
                    class.class,
                    grouped(kept.count),
                    printable(&kept.reason)
                ))?;
            }
        }
    }
    for file in &view.deleted_open {
        output.line(&format!(
            "Deleted and still open: {} in {}, needs {} ({}) to end",
            file.allocated,
            printable(&file.path.path),
            printable(&file.process),
            file.pid
        ))?;
    }
    for note in &view.notes {
        output.line(&printable(note))?;
    }
    for gap in &view.gaps {
        output.line(&format!("Not seen: {}", output::gap(gap)))?;
    }
    if view.more_gaps > 0 {
        output.line(&format!("and {} more", grouped(view.more_gaps)))?;
    }
    Ok(())
}
