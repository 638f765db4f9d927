//! `sandtrayctl disk info`: what a guest's disk image holds, and what it takes on this computer.

use std::path::Path;

use sandtray_core::bytes::{Bytes, grouped};
use sandtray_core::disk::{DiskView, ImageView};
use sandtray_core::inside::DiskSizes;
use sandtray_host::disk;

use crate::output::{Done, Error, Output, printable, token};

pub(crate) fn info(image: &Path, output: &mut Output) -> Result<Done, Error> {
    let image = disk::read(image)?;
    let view = ImageView::from(&image);
    if output.json {
        output.json(&view)?;
    } else {
        let chosen = image.sessions_disk().or_else(|| image.system_disk());
        print(&view, output)?;
        print_sizes(&DiskSizes::new(&image, chosen), output)?;
    }
    Ok(Done::Well)
}

/// The three sizes of an image in one line.
pub(crate) fn sizes(sizes: &DiskSizes) -> String {
    let inside = match (sizes.guest_used, sizes.guest_size) {
        (Some(used), Some(size)) => format!("{used} of {size} used inside"),
        _ => "use inside unknown".to_owned(),
    };
    format!(
        "{} long, {} on this computer, {inside}",
        sizes.apparent, sizes.allocated
    )
}

fn print_sizes(of: &DiskSizes, output: &Output) -> Result<(), Error> {
    output.line("")?;
    output.line(&sizes(of))?;
    output.line(&of.sentence)
}

fn print(view: &ImageView, output: &Output) -> Result<(), Error> {
    let link = if view.linked {
        ", reached by a link"
    } else {
        ""
    };
    let title = format!(
        "{} ({}{link})",
        printable(&view.path.path),
        token(&view.format)?
    );
    output.line(&output.strong(&title))?;
    let heads = [
        "part",
        "label",
        "filesystem",
        "size",
        "used",
        "available",
        "files",
        "state",
    ];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for disk in &view.disks {
        rows.push(row(disk)?);
    }
    output.table(&rows, &[0, 3, 4, 5, 6])
}

fn row(disk: &DiskView) -> Result<Vec<String>, Error> {
    let bytes = |size: Option<Bytes>| size.map_or_else(|| "–".to_owned(), |size| size.to_string());
    let files = match (disk.inodes, disk.inodes_free) {
        (Some(all), Some(free)) => {
            format!("{} of {}", grouped(all.saturating_sub(free)), grouped(all))
        }
        _ => "–".to_owned(),
    };
    let state = match (&disk.problem, disk.clean) {
        (Some(problem), _) => problem.clone(),
        (None, Some(true)) => "clean".to_owned(),
        (None, Some(false)) => "in use, or not shut down properly".to_owned(),
        (None, None) => String::new(),
    };
    let index = if disk.index == 0 {
        "whole".to_owned()
    } else {
        disk.index.to_string()
    };
    Ok(vec![
        index,
        printable(disk.label.as_deref().unwrap_or("–")),
        token(&disk.filesystem)?,
        bytes(disk.size),
        bytes(disk.used),
        bytes(disk.available),
        files,
        state,
    ])
}
