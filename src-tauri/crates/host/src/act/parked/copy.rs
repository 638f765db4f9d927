//! One parked copy: found by its manifest, and compared with it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use sandtray_core::act::journal::Journal;
use sandtray_core::act::parked::{MANIFEST, Manifest, ParkedFile};
use sandtray_core::act::{ACT_SCHEMA, Identity};
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;

use super::super::{look, path, place, verify};

/// What a copy's folder is called while it is being removed.
const DISCARDING: &str = ".discarding";
/// A manifest longer than this is not ours.
const LONGEST: u64 = 32 * 1024 * 1024;

/// A parked copy on disk.
#[derive(Clone, Debug)]
pub(in super::super) struct Copy {
    /// Its folder.
    pub(in super::super) folder: PathBuf,
    /// What it says of itself.
    pub(in super::super) manifest: Manifest,
    /// It is being removed.
    pub(in super::super) discarding: bool,
}

/// Every copy in the places where copies stand, and where the journal says that they stood.
pub(in super::super) fn copies(
    machine: &Machine,
    bundles: &[Bundle],
    journal: &Journal,
) -> Vec<Copy> {
    let mut roots = place::roots(machine, bundles);
    let recorded = journal.entries.iter().filter_map(|entry| {
        let parked = path::exact(entry.act.parked.as_ref()?)?;
        Some(parked.parent()?.to_owned())
    });
    for root in recorded {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    let mut copies: Vec<Copy> = roots
        .iter()
        .filter(|root| look::at(root).is_ok_and(|found| found.is_some_and(|root| !root.link)))
        .flat_map(|root| fs::read_dir(root).into_iter().flatten())
        .filter_map(|entry| read(&entry.ok()?.path()))
        .collect();
    copies.sort_by(|a, b| {
        (b.manifest.parked_at, &b.manifest.act.id).cmp(&(a.manifest.parked_at, &a.manifest.act.id))
    });
    copies
}

/// The copy in a folder, if there is one: what has no manifest of ours is not ours.
pub(in super::super) fn read(folder: &Path) -> Option<Copy> {
    let name = folder.file_name()?.to_str()?;
    let id = name.strip_suffix(DISCARDING).unwrap_or(name);
    let found = look::at(folder).ok()??;
    if found.link || !found.folder {
        return None;
    }
    let path = folder.join(MANIFEST);
    let manifest = look::at(&path).ok()??;
    if manifest.link || manifest.folder || manifest.apparent.0 > LONGEST {
        return None;
    }
    let manifest: Manifest = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    let names = manifest.files.iter().all(|file| relative(file).is_some());
    (manifest.schema <= ACT_SCHEMA && manifest.act.id == id && names).then(|| Copy {
        folder: folder.to_owned(),
        manifest,
        discarding: name != id,
    })
}

/// The name of a copy's folder while it is being removed.
pub(in super::super) fn discarding(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(DISCARDING);
    PathBuf::from(name)
}

/// A file's name below the folder; none where it would lead out of it.
fn relative(file: &ParkedFile) -> Option<PathBuf> {
    path::exact(&file.name).filter(|name| {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        name.components().next().is_some() && name.components().all(plain)
    })
}

impl Copy {
    /// Its id.
    pub(in super::super) fn id(&self) -> &str {
        &self.manifest.act.id
    }

    /// Where a file of it stands.
    pub(in super::super) fn place(&self, file: &ParkedFile) -> Option<PathBuf> {
        Some(self.folder.join(relative(file)?))
    }

    /// Whether a file is there and is who it was.
    pub(in super::super) fn holds(&self, file: &ParkedFile) -> bool {
        self.seen(file)
            .is_some_and(|seen| file.identity.is(seen.identity))
    }

    pub(super) fn seen(&self, file: &ParkedFile) -> Option<look::Seen> {
        look::at(&self.place(file)?).ok()?
    }

    /// None of its files is there: all went back.
    pub(in super::super) fn is_spent(&self) -> bool {
        !self
            .manifest
            .files
            .iter()
            .any(|file| self.seen(file).is_some())
    }

    /// What differs from the manifest, by identity and length; with `ends` by what the files begin and end
    /// with, too.
    pub(in super::super) fn difference(&self, ends: bool) -> Option<String> {
        self.manifest.files.iter().find_map(|file| {
            let name = &file.name.path;
            let Some(seen) = self.seen(file) else {
                return Some(format!("{name} is missing"));
            };
            let same = Identity {
                size: file.apparent.0,
                ..file.identity
            };
            if !same.is(seen.identity) || seen.link || seen.folder {
                return Some(format!("{name} is another file"));
            }
            if seen.apparent != file.apparent {
                return Some(format!("{name} has another length"));
            }
            let recorded = file.ends.as_ref().filter(|_| ends)?;
            match verify::ends(&self.place(file)?) {
                Ok(now) if now == *recorded => None,
                Ok(_) => Some(format!("{name} has another content")),
                Err(failure) => Some(failure.to_string()),
            }
        })
    }
}
