//! `sandtrayctl disk get`: copies a file or folder out of a guest's disk.

use std::ffi::OsStr;
use std::path::Path;

use sandtray_core::bytes::grouped;
use sandtray_core::rescue::{RESCUE_SCHEMA, Receipt, Refusal, SkipReason};
use sandtray_host::rescue::{self, Options, Outcome};
use serde::Serialize;

use crate::inside::guest_path;
use crate::output::{Done, Error, Output, printable};
use crate::progress::Counter;

/// The contract where nothing was done.
#[derive(Serialize)]
struct Refused {
    schema: u32,
    refused: Refusal,
}

pub(crate) fn get(
    image: &Path,
    path: &OsStr,
    dest: &Path,
    output: &mut Output,
) -> Result<Done, Error> {
    let options = Options::default();
    let counter = Counter::show("Copying", &options.progress);
    let outcome = rescue::copy(image, &[guest_path(path)], dest, &options);
    drop(counter);
    match outcome? {
        Outcome::Refused(refused) => {
            output.error(&sentence(&refused));
            if output.json {
                output.json(&Refused {
                    schema: RESCUE_SCHEMA,
                    refused,
                })?;
            }
            Ok(Done::Refused)
        }
        Outcome::Done(receipt) => {
            if output.json {
                output.json(&receipt)?;
            } else {
                print(&receipt, output)?;
            }
            Ok(if receipt.complete {
                Done::Well
            } else {
                Done::Partly
            })
        }
    }
}

fn sentence(refusal: &Refusal) -> String {
    match refusal {
        Refusal::TargetExists { path } => format!(
            "{} exists, and nothing is overwritten\nName another folder, or move it away first.",
            printable(&path.path)
        ),
        Refusal::NotAFolder { path } => format!(
            "{} is no folder\nName a folder to copy into; it is made where it is missing.",
            printable(&path.path)
        ),
        Refusal::NotEnoughRoom { needed, available } => {
            format!("there is not enough room: {needed} are needed, {available} are available")
        }
        Refusal::NotEnoughInodes { needed, available } => format!(
            "there is not enough room: {} files are to be made, {} more can be",
            grouped(*needed),
            grouped(*available)
        ),
    }
}

fn print(receipt: &Receipt, output: &Output) -> Result<(), Error> {
    output.line(&format!(
        "Copied {} files in {} folders to {}: {} long, {} written",
        grouped(receipt.files),
        grouped(receipt.dirs),
        printable(&receipt.target.path),
        receipt.apparent,
        receipt.written,
    ))?;
    for (count, what) in [
        (receipt.symlinks, "symbolic links"),
        (receipt.hard_links, "further names of files"),
        (
            receipt.unkept,
            "without their mode or time, which the target does not keep",
        ),
    ] {
        if count > 0 {
            output.line(&format!("{} {what}", grouped(count)))?;
        }
    }
    list(
        output,
        "under another name",
        receipt.renamed,
        receipt.renames.iter().map(|renamed| {
            format!(
                "{} as {}",
                printable(&renamed.path.path),
                printable(&renamed.name)
            )
        }),
    )?;
    list(
        output,
        "left out",
        receipt.skipped,
        receipt.skips.iter().map(|skipped| {
            let target = skipped.target.as_ref().map_or_else(String::new, |target| {
                format!(" -> {}", printable(&target.path))
            });
            format!(
                "{}{target}: {}",
                printable(&skipped.path.path),
                why(skipped.reason)
            )
        }),
    )?;
    list(
        output,
        "failed",
        receipt.failed,
        receipt.failures.iter().map(|gap| {
            format!(
                "{} {}: {}",
                gap.operation,
                printable(&gap.path.path),
                gap.cause
            )
        }),
    )?;
    if let Some(cause) = &receipt.stopped {
        output.line(&format!("Ended early: {cause}"))?;
    }
    if receipt.cancelled {
        output.line("Stopped before the end.")?;
    }
    Ok(())
}

/// Prints a count with what is known of it.
fn list(
    output: &Output,
    what: &str,
    all: u64,
    lines: impl ExactSizeIterator<Item = String>,
) -> Result<(), Error> {
    if all == 0 {
        return Ok(());
    }
    output.line(&format!("{} {what}:", grouped(all)))?;
    let more = all.saturating_sub(lines.len().try_into().unwrap_or(u64::MAX));
    for line in lines {
        output.line(&format!("  {line}"))?;
    }
    if more > 0 {
        output.line(&format!("  and {} more", grouped(more)))?;
    }
    Ok(())
}

const fn why(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::LinkLeadsOut => "a link that leads out of what is copied",
        SkipReason::LinkNotHeld => "a link, and the target holds none",
        SkipReason::SpecialFile => "a pipe, a socket or a device",
        SkipReason::Encrypted => "encrypted in the guest",
    }
}
