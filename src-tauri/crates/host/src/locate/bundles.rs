//! Bundles that exist.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sandtray_core::bundle::{Bundle, BundleFile, Detour, Profile, Role};
use sandtray_core::layout;
use sandtray_core::machine::Machine;
use sandtray_core::measurement::{Gap, Usage};
use sandtray_core::paths::token;

use super::expand::{expand, is_absence};
use super::{Seen, gap};
use crate::processes;
use crate::walk::{self, Tree};

/// The folder of bundles in a data folder, and the one bundle the app keeps there.
const BUNDLES: &str = "vm_bundles";
const BUNDLE: &str = "claudevm.bundle";

/// The bundles of a machine, each directory once, the live one first.
pub fn bundles(machine: &Machine, gaps: &mut Vec<Gap>) -> Vec<Bundle> {
    let mut found = found(machine, gaps);
    mark_live(&mut found);
    let mut bundles: Vec<Bundle> = found.into_iter().map(|(bundle, _)| bundle).collect();
    bundles.sort_by(|a, b| b.live.cmp(&a.live).then_with(|| a.path.cmp(&b.path)));
    bundles
}

/// The same by path, none of them marked as the live one: for whoever has the bundle named, and asks every
/// process about it anyway.
pub(crate) fn unmarked(machine: &Machine) -> Vec<Bundle> {
    let found = found(machine, &mut Vec::new()).into_iter();
    let mut bundles: Vec<Bundle> = found.map(|(bundle, _)| bundle).collect();
    bundles.sort_by(|a, b| a.path.cmp(&b.path));
    bundles
}

/// Each with the time of its newest change.
fn found(machine: &Machine, gaps: &mut Vec<Gap>) -> Vec<(Bundle, SystemTime)> {
    let mut seen = Seen::default();
    let mut found: Vec<(Bundle, SystemTime)> = Vec::new();
    for folder in layout::data_folders(machine) {
        for data in expand(&folder.place, gaps) {
            for place in places(&data) {
                match look(
                    &place,
                    &folder.place.base,
                    folder.profile.clone(),
                    &mut seen,
                    gaps,
                ) {
                    Ok(bundle) => found.extend(bundle),
                    Err(error) if is_absence(&error) => {}
                    Err(error) => gap(gaps, "look at", &place, &error),
                }
            }
        }
    }
    found
}

/// The data folders of Claude Desktop that exist.
pub(crate) fn data_folders(machine: &Machine, gaps: &mut Vec<Gap>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in layout::data_folders(machine) {
        for data in expand(&folder.place, gaps) {
            // People name the folder of bundles or the bundle too.
            let above = match data.file_name().and_then(|name| name.to_str()) {
                Some(BUNDLE) => 2,
                Some(BUNDLES) => 1,
                _ => 0,
            };
            found.extend(data.ancestors().nth(above).map(Path::to_owned));
        }
    }
    found
}

/// Where a bundle may lie for one named folder: people name the data folder, `vm_bundles` in it or
/// the bundle itself.
fn places(data: &Path) -> Vec<PathBuf> {
    match data.file_name().and_then(|name| name.to_str()) {
        Some(BUNDLE) => vec![data.to_owned()],
        Some(BUNDLES) => vec![data.join(BUNDLE)],
        _ => vec![data.join(BUNDLES).join(BUNDLE)],
    }
}

fn look(
    place: &Path,
    base: &Path,
    profile: Profile,
    seen: &mut Seen,
    gaps: &mut Vec<Gap>,
) -> io::Result<Option<(Bundle, SystemTime)>> {
    if !fs::metadata(place)?.is_dir() {
        return Ok(None);
    }
    let path = fs::canonicalize(place)?;
    if !seen.is_new(&path) {
        return Ok(None);
    }
    let mut newest = SystemTime::UNIX_EPOCH;
    let mut files = Vec::new();
    for entry in fs::read_dir(&path)? {
        let Ok(entry) = entry else { continue };
        let metadata = match fs::symlink_metadata(entry.path()) {
            Ok(metadata) => metadata,
            Err(error) if is_absence(&error) => continue,
            Err(error) => {
                gap(gaps, "look at", &entry.path(), &error);
                continue;
            }
        };
        let name = entry.file_name().to_string_lossy().into_owned();
        let role = Role::of(&name);
        if matches!(role, Role::System | Role::SessionData)
            && let Ok(modified) = metadata.modified()
        {
            newest = newest.max(modified);
        }
        // A folder (a download in progress) counts with all that is in it.
        match walk::measure(&entry.path(), &walk::Options::default()) {
            Ok(Tree {
                usage:
                    Usage {
                        apparent,
                        allocated,
                        ..
                    },
                ..
            }) => {
                files.push(BundleFile {
                    name,
                    role,
                    apparent,
                    allocated,
                });
            }
            Err(failure) => gaps.push((&failure).into()),
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let bundle = Bundle {
        id: token(&path),
        profile,
        live: false,
        detour: detour(place, base),
        files,
        path,
    };
    Ok(Some((bundle, newest)))
}

/// Whether a link stands between the folder the system named and the bundle.
fn detour(place: &Path, base: &Path) -> Option<Detour> {
    link(place, base).map(|_| Detour::Link)
}

/// The link between the folder the system named and the bundle. Links above that folder are the user's
/// own affair (a home on another volume).
fn link(place: &Path, base: &Path) -> Option<PathBuf> {
    place
        .ancestors()
        .take_while(|path| path.starts_with(base))
        // The base itself is the user's choice when it is a known folder, but a named data folder
        // that is a link is refused by the app (#67512), so it counts unless it holds others.
        .filter(|path| *path != base || is_data_folder(base, place))
        .find(|path| is_link(path))
        .map(Path::to_owned)
}

/// The link that leads to a bundle: what somebody has to know to put it right.
pub fn link_to(machine: &Machine, bundle: &Path) -> Option<PathBuf> {
    let gaps = &mut Vec::new();
    let leads = |place: &Path| fs::canonicalize(place).is_ok_and(|path| path == bundle);
    layout::data_folders(machine).iter().find_map(|folder| {
        expand(&folder.place, gaps)
            .iter()
            .flat_map(|data| places(data))
            .filter(|place| leads(place))
            .find_map(|place| link(&place, &folder.place.base))
    })
}

/// The base is the data folder itself, or lies inside it.
fn is_data_folder(base: &Path, place: &Path) -> bool {
    place
        .strip_prefix(base)
        .is_ok_and(|below| below.components().count() <= 2)
}

#[cfg(not(windows))]
fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// A junction is not a symlink to std, but any reparse point stops the app.
#[cfg(windows)]
fn is_link(path: &Path) -> bool {
    use std::os::windows::fs::MetadataExt;
    const FILE_ATTRIBUTE_REPARSE_POINT: u32 = 0x400;
    fs::symlink_metadata(path)
        .is_ok_and(|found| found.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0)
}

/// Marks the bundle in use: one whose image a process holds open, else the most recently written.
/// A bundle without any disk is never live.
fn mark_live(found: &mut [(Bundle, SystemTime)]) {
    let images: Vec<PathBuf> = found.iter().flat_map(|(bundle, _)| disks(bundle)).collect();
    let held = processes::held(&images).unwrap_or_default();
    let mut any = false;
    for (bundle, _) in found.iter_mut() {
        let open = disks(bundle).any(|image| held.contains(&image));
        bundle.live = open;
        any |= open;
    }
    if any {
        return;
    }
    let newest = found
        .iter_mut()
        .filter(|(bundle, _)| disks(bundle).next().is_some())
        .max_by_key(|(_, newest)| *newest);
    if let Some((bundle, _)) = newest {
        bundle.live = true;
    }
}

/// Paths of a bundle's disk images.
fn disks(bundle: &Bundle) -> impl Iterator<Item = PathBuf> {
    bundle
        .files
        .iter()
        .filter(|file| matches!(file.role, Role::System | Role::SessionData))
        .map(|file| bundle.path.join(&file.name))
}
