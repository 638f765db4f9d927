//! `sandtrayctl disk du` and `disk ls`: what is inside a guest's disk, without mounting it.

use std::ffi::OsStr;
use std::path::Path;

use sandtray_core::bytes::grouped;
use sandtray_core::inside::{Item, Kind, ListView, Orphans, Usage, UsageView, join};
use sandtray_core::measurement::Gap;
use sandtray_core::paths::PathText;
use sandtray_host::disk::inside;

use crate::output::{Done, Error, Output, printable};
use crate::progress::Counter;

pub(crate) fn du(image: &Path, path: &OsStr, output: &mut Output) -> Result<Done, Error> {
    let options = inside::Options::default();
    let counter = Counter::show("Reading", &options.progress);
    let usage = inside::usage(image, &guest_path(path), &options);
    drop(counter);
    let usage = usage?;
    if output.json {
        output.json(&UsageView::from(&usage))?;
    } else {
        print_usage(&usage, output)?;
    }
    Ok(done(usage.complete))
}

pub(crate) fn ls(image: &Path, path: &OsStr, output: &mut Output) -> Result<Done, Error> {
    let list = inside::list(image, &guest_path(path))?;
    if output.json {
        output.json(&list)?;
    } else {
        print_list(&list, output)?;
    }
    Ok(done(list.complete))
}

/// A path inside a disk from the command line; the guest's names are bytes, and so are ours on Unix.
pub(crate) fn guest_path(path: &OsStr) -> Vec<u8> {
    let path = path.as_encoded_bytes();
    if cfg!(windows) {
        String::from_utf8_lossy(path).into_owned().into_bytes()
    } else {
        path.to_vec()
    }
}

const fn done(complete: bool) -> Done {
    if complete { Done::Well } else { Done::Partly }
}

fn print_usage(usage: &Usage, output: &Output) -> Result<(), Error> {
    let heads = [
        "allocated",
        "apparent",
        "entries",
        "uid",
        "last change",
        "path",
    ];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for entry in &usage.entries {
        let path = join(&usage.path, &entry.name);
        rows.push(vec![
            entry.allocated.to_string(),
            entry.apparent.to_string(),
            grouped(entry.entries),
            entry.uid.to_string(),
            entry.last_change.utc(),
            printable(&PathText::from_bytes(&path).path),
        ]);
    }
    rows.push(vec![
        usage.allocated.to_string(),
        usage.apparent.to_string(),
        String::new(),
        String::new(),
        String::new(),
        format!(
            "{} in all",
            printable(&PathText::from_bytes(&usage.path).path)
        ),
    ]);
    output.table(&rows, &[0, 1, 2, 3])?;
    nameless(output, usage.orphans, "deleted, still open in the guest")?;
    nameless(output, usage.unreached, "in no folder that could be read")?;
    if usage.cancelled {
        output.line("Stopped before the end: the sums are short.")?;
    }
    print_gaps(&usage.gaps, usage.damaged, output)
}

fn nameless(output: &Output, orphans: Orphans, what: &str) -> Result<(), Error> {
    if orphans.count == 0 {
        return Ok(());
    }
    let Orphans { count, allocated } = orphans;
    output.line(&format!("{} files {what}: {allocated}", grouped(count)))
}

/// Says what is missing from a sum or a list.
fn print_gaps(gaps: &[Gap], all: u64, output: &Output) -> Result<(), Error> {
    if all == 0 {
        return Ok(());
    }
    output.line(&format!("{} could not be read:", grouped(all)))?;
    for gap in gaps {
        output.line(&format!("  {}: {}", printable(&gap.path.path), gap.cause))?;
    }
    let more = all.saturating_sub(gaps.len().try_into().unwrap_or(u64::MAX));
    if more > 0 {
        output.line(&format!("  and {} more", grouped(more)))?;
    }
    Ok(())
}

fn print_list(list: &ListView, output: &Output) -> Result<(), Error> {
    let rows: Vec<Vec<String>> = list.entries.iter().map(row).collect();
    output.table(&rows, &[1, 2, 3])?;
    let all = list.gaps.len().try_into().unwrap_or(u64::MAX);
    print_gaps(&list.gaps, all, output)
}

fn row(item: &Item) -> Vec<String> {
    let name = item.path.path.rsplit('/').next().unwrap_or_default();
    let mut name = printable(name);
    if let Some(target) = &item.target {
        name += " -> ";
        name += &printable(&target.path);
    }
    if item.encrypted {
        name += " (encrypted)";
    }
    vec![
        mode(item.kind, item.mode),
        item.uid.to_string(),
        item.gid.to_string(),
        item.size.0.to_string(),
        item.mtime.utc(),
        name,
    ]
}

/// `drwxr-xr-x`, as `ls -l` writes it.
fn mode(kind: Kind, mode: u16) -> String {
    let first = match kind {
        Kind::File => '-',
        Kind::Dir => 'd',
        Kind::Symlink => 'l',
        Kind::Pipe => 'p',
        Kind::Socket => 's',
        Kind::Device if mode & 0xf000 == 0x6000 => 'b',
        Kind::Device => 'c',
        Kind::Odd => '?',
    };
    let mut text = String::from(first);
    for (shift, special, with, without) in [
        (6, 0o4000, 's', 'S'),
        (3, 0o2000, 's', 'S'),
        (0, 0o1000, 't', 'T'),
    ] {
        let bits = mode >> shift;
        text.push(if bits & 4 == 0 { '-' } else { 'r' });
        text.push(if bits & 2 == 0 { '-' } else { 'w' });
        text.push(match (mode & special != 0, bits & 1 != 0) {
            (true, true) => with,
            (true, false) => without,
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_read_like_those_of_ls() {
        assert_eq!(mode(Kind::Dir, 0o40755), "drwxr-xr-x");
        assert_eq!(mode(Kind::File, 0o104_644), "-rwSr--r--");
        assert_eq!(mode(Kind::Dir, 0o41777), "drwxrwxrwt");
        assert_eq!(mode(Kind::Device, 0o060_660), "brw-rw----");
    }
}
