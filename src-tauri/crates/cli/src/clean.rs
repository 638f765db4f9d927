//! `sandtrayctl clean`: removes what is proven dead, and moves aside what may be wanted.

use std::path::PathBuf;

use sandtray_core::bundle::TempRoot;
use sandtray_core::bytes::grouped;
use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::table::class;
use sandtray_core::leftover::view::{CleanPreview, CleanReceipt, CleanedBy, LEFTOVERS_SCHEMA};
use sandtray_core::leftover::{Class, Tier};
use sandtray_core::machine::Machine;
use sandtray_core::words;
use sandtray_host::leftovers::clean::apply;
use sandtray_host::leftovers::plan::{Wish, plan};
use sandtray_host::walk::{Cancel, Progress};
use serde::Serialize;

use crate::confirm::{can_ask, confirmed};
use crate::leftovers::scene;
use crate::output::{self, Done, Error, Output, printable};
use crate::progress::Counter;

/// What a person wants gone.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Classes by name; all of the tier where none is named.
    pub(crate) classes: Vec<String>,
    /// The tier; where classes are named and no tier is, theirs.
    pub(crate) tier: Option<Tier>,
    /// Only in these roots; everywhere where none is named.
    pub(crate) roots: Vec<PathBuf>,
    /// Without moving aside first.
    pub(crate) for_good: bool,
    pub(crate) dry_run: bool,
    pub(crate) yes: bool,
}

#[derive(Serialize)]
struct Refused<'a> {
    schema: u32,
    refused: &'a [String],
}

impl Wanted {
    /// Automatic unless something else was asked for by name.
    fn wants(&self, class: &Class) -> bool {
        let named = self.classes.iter().any(|name| name == class.name);
        match (self.tier, self.classes.is_empty()) {
            (Some(tier), true) => class.tier == tier,
            (Some(tier), false) => named && class.tier == tier,
            (None, true) => class.tier == Tier::Automatic,
            (None, false) => named,
        }
    }
}

pub(crate) fn run(machine: &Machine, wanted: &Wanted, output: &mut Output) -> Result<Done, Error> {
    let scene = scene(machine);
    if let Some(unknown) = wanted.classes.iter().find(|name| class(name).is_none()) {
        let text = format!(
            "there is no class {unknown}; `sandtrayctl leftovers` lists those that there are"
        );
        return refuse(&[text], output);
    }
    let roots = match roots(&scene.roots, &wanted.roots) {
        Ok(roots) => roots,
        Err(text) => return refuse(&[text], output),
    };
    let takes = |candidate: &Candidate| {
        roots.is_empty() || roots.iter().any(|root| candidate.base.starts_with(root))
    };
    let wish = Wish {
        wants: &|class| wanted.wants(class),
        takes: &takes,
        for_good: wanted.for_good,
    };
    let progress = Progress::default();
    let counter = Counter::show("Looking", &progress);
    let evidence = scene.evidence();
    let planned = plan(&scene, &wish, &evidence, &Cancel::default(), &mut |seen| {
        progress.set(seen);
    });
    drop(counter);
    let preview = planned.preview();
    if wanted.dry_run {
        if output.json {
            output.json(&preview)?;
        } else {
            print_preview(&preview, output)?;
        }
        return Ok(Done::Well);
    }
    if !wanted.yes && preview.count > 0 {
        // Read by a person, so never as JSON; a script says --yes, and must not find text in its JSON.
        if !output.json || can_ask() {
            print_preview(&preview, output)?;
        }
        if !confirmed(&question(&preview)) {
            let text = "nothing was removed: it was not confirmed (--yes confirms)".to_owned();
            return refuse(&[text], output);
        }
    }
    let mut lost = None;
    let receipt = apply(
        &scene,
        &planned,
        CleanedBy::Person,
        &Cancel::default(),
        &mut |progress| {
            if output.json
                && let Err(error) = output.json(progress)
            {
                // Whoever read along has gone; the clean-up goes on.
                lost.get_or_insert(error);
            }
        },
    );
    if output.json {
        output.json(&receipt)?;
    } else {
        print_receipt(&receipt, output)?;
    }
    Ok(if receipt.failed.is_empty() {
        Done::Well
    } else {
        Done::Partly
    })
}

/// The roots that were named, if each is one that is watched: nothing else is cleaned.
fn roots(watched: &[TempRoot], named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    named
        .iter()
        .map(|path| {
            let known = |found: &PathBuf| watched.iter().any(|root| root.path == *found);
            path.canonicalize().ok().filter(known).ok_or_else(|| {
                format!(
                    "{} is no temp folder that is watched; `sandtrayctl locate` lists them, and the \
                     settings take further ones",
                    printable(&path.display().to_string())
                )
            })
        })
        .collect()
}

fn refuse(reasons: &[String], output: &Output) -> Result<Done, Error> {
    for reason in reasons {
        output.error(reason);
    }
    if output.json {
        output.json(&Refused {
            schema: LEFTOVERS_SCHEMA,
            refused: reasons,
        })?;
    }
    Ok(Done::Refused)
}

fn question(preview: &CleanPreview) -> String {
    let parked: u64 = preview
        .parts
        .iter()
        .filter(|part| part.parks)
        .map(|part| part.count)
        .fold(0, u64::saturating_add);
    let removed = preview.count.saturating_sub(parked);
    match (removed, parked) {
        (_, 0) => format!("Remove {} for good now?", grouped(removed)),
        (0, _) => format!("Move {} aside now?", grouped(parked)),
        _ => format!(
            "Remove {} for good and move {} aside now?",
            grouped(removed),
            grouped(parked)
        ),
    }
}

fn print_preview(preview: &CleanPreview, output: &Output) -> Result<(), Error> {
    output.line(&output.strong(&words::leftovers::preview(preview)))?;
    for part in &preview.parts {
        let way = if part.parks { "moves aside" } else { "goes" };
        if part.count > 0 {
            output.line(&format!(
                "{} {} {way}, {} in {}",
                grouped(part.count),
                part.title,
                part.allocated,
                printable(&part.root.path)
            ))?;
            if !part.cost.is_empty() {
                output.line(&format!("  {}", part.cost))?;
            }
        }
        for kept in &part.kept {
            output.line(&format!(
                "  {} {} stay: {}",
                grouped(kept.count),
                part.title,
                printable(&kept.reason)
            ))?;
        }
    }
    for note in &preview.notes {
        output.line(&printable(note))?;
    }
    Ok(())
}

fn print_receipt(receipt: &CleanReceipt, output: &Output) -> Result<(), Error> {
    output.line(&output.strong(&printable(&receipt.outcome)))?;
    for skip in &receipt.skipped {
        output.line(&format!(
            "  {} kept: {}",
            grouped(skip.count),
            printable(&skip.reason)
        ))?;
    }
    for gap in &receipt.failed {
        output.line(&format!("  failed: {}", output::gap(gap)))?;
    }
    if receipt.more_failed > 0 {
        output.line(&format!("  and {} more", grouped(receipt.more_failed)))?;
    }
    for note in &receipt.notes {
        output.line(&printable(note))?;
    }
    if let Some(parked) = &receipt.parked {
        output.line(&format!("Undo: sandtrayctl parked restore {parked}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(classes: &[&str], tier: Option<Tier>) -> Wanted {
        Wanted {
            classes: classes.iter().map(|name| (*name).to_owned()).collect(),
            tier,
            roots: Vec::new(),
            for_good: false,
            dry_run: false,
            yes: false,
        }
    }

    #[test]
    fn nothing_but_the_automatic_tier_is_meant_unless_it_is_named() {
        let empty = class("empty_mount_source").unwrap();
        let pad = class("scratchpad").unwrap();
        assert!(wanted(&[], None).wants(empty) && !wanted(&[], None).wants(pad));
        assert!(wanted(&["scratchpad"], None).wants(pad));
        assert!(!wanted(&["scratchpad"], None).wants(empty));
        assert!(!wanted(&["scratchpad"], Some(Tier::Automatic)).wants(pad));
        assert!(wanted(&[], Some(Tier::Ask)).wants(pad));
    }

    #[test]
    fn a_folder_that_is_not_watched_is_refused() {
        let error = roots(&[], &[PathBuf::from("/")]).unwrap_err();
        assert!(error.contains("no temp folder that is watched"), "{error}");
    }
}
