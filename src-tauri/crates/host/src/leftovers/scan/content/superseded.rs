//! Whether something of a bundle is the spare of what stands beside it.
//!
//! A `.zst` makes a rebuild nearly free, so it is dead weight only beside the image that was unpacked from
//! it: an image without its `.origin` is deleted by the app and made again from the `.zst`, and a `.zst` of
//! another release than its image is the next system. What of this cannot be read is unknown.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use sandtray_core::machine::Os;

use super::super::dig::is_absence;

const BUNDLE: &str = "claudevm.bundle";

/// Whether an entry of a bundle, or of the folder of bundles, is superseded.
pub(super) fn superseded(os: Os, path: &Path) -> Option<bool> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    if folder.file_name()? == "warm" {
        // `warm/<release>`: the next system, until the bundle is of that release.
        let bundle = folder.parent()?.join(BUNDLE);
        return Some(unpacked(os, &bundle, "rootfs")? && !names(&bundle, name)?);
    }
    // A spare of a spare: what is left of a download or an unpacking.
    let whole = name.strip_suffix(".partial").unwrap_or(name);
    let (image, zipped) = match whole.strip_suffix(".zst") {
        Some(image) => (image, true),
        None => (whole, false),
    };
    let (stem, format) = image.rsplit_once('.').unwrap_or((image, ""));
    let is_ours = format == native(os) || format.is_empty();
    if whole != name || !is_ours || !is_image(stem) {
        let stem = if is_image(stem) { stem } else { "rootfs" };
        return unpacked(os, folder, stem);
    }
    if !zipped {
        return Some(false);
    }
    let of = |name: &str| origin(&folder.join(format!(".{name}.origin")));
    match (of(image)?, of(whole)?) {
        (None, _) => Some(false),
        (Some(ours), Some(theirs)) => Some(ours == theirs && stands(&folder.join(image))?),
        // Older apps wrote none for it.
        (Some(_), None) if stands(&folder.join(image))? => None,
        (Some(_), None) => Some(false),
    }
}

/// The format that this system's disks have.
const fn native(os: Os) -> &'static str {
    match os {
        Os::Windows => "vhdx",
        Os::Linux | Os::MacOs => "img",
    }
}

fn is_image(stem: &str) -> bool {
    matches!(
        stem,
        "rootfs" | "sessiondata" | "vmlinuz" | "initrd" | "initrd-micro"
    )
}

/// Whether this system's own image stands in a bundle, with the release it is of where it has one.
fn unpacked(os: Os, bundle: &Path, stem: &str) -> Option<bool> {
    let name = format!("{stem}.{}", native(os));
    let has_release =
        stem != "rootfs" || origin(&bundle.join(format!(".{name}.origin")))?.is_some();
    Some(stands(&bundle.join(name))? && has_release)
}

/// Whether a file is there and has something in it.
fn stands(path: &Path) -> Option<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) => Some(found.is_file() && found.len() > 0),
        Err(cause) if is_absence(&cause) => Some(false),
        Err(_) => None,
    }
}

/// Whether an `.origin` of a bundle says this release.
fn names(bundle: &Path, release: &str) -> Option<bool> {
    let mut found = false;
    for entry in fs::read_dir(bundle).ok()? {
        let entry = entry.ok()?;
        if entry.file_name().as_encoded_bytes().ends_with(b".origin") {
            found |= origin(&entry.path())?.is_some_and(|origin| origin == release);
        }
    }
    Some(found)
}

/// The release that an `.origin` says; `Some(None)` where there is none.
fn origin(path: &Path) -> Option<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(cause) if is_absence(&cause) => return Some(None),
        Err(_) => return None,
    };
    let mut text = String::new();
    file.take(256).read_to_string(&mut text).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| Some(text.to_owned()))
}
