//! The bundle's folder at one look: a listing and a few small reads, nothing deeper.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sandtray_core::act::Identity;
use sandtray_core::act::watch;
use sandtray_core::bundle::Role;
use sandtray_core::bytes::Apparent;
use sandtray_core::gauge::{GaugeKind, UnknownReason};

use crate::disk::guest;
use crate::walk;

/// More entries than a bundle ever had; the rest is not looked at.
const MOST: usize = 512;
/// An `.origin` is 40 digits.
const LONGEST_ORIGIN: u64 = 128;

/// The bundle's folder, with what need not be asked twice.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Disks whose filesystem could be read: it will not become unreadable.
    readable: BTreeSet<(u64, u64)>,
}

impl Folder {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self {
            path,
            readable: BTreeSet::new(),
        }
    }

    /// Its files; none where it is not there.
    pub(super) fn look(&mut self) -> Vec<watch::File> {
        let mut files = Vec::new();
        for path in entries(&self.path) {
            let Some((file, folder)) = self.file(&path, "") else {
                continue;
            };
            let inside = folder && Role::of(&file.name) == Role::Partial;
            let prefix = format!("{}/", file.name);
            files.push(file);
            if inside {
                let more = entries(&path).into_iter();
                files.extend(more.filter_map(|path| Some(self.file(&path, &prefix)?.0)));
            }
        }
        files.truncate(MOST);
        files
    }

    /// A file and whether it is a folder; none where it went away or its name is not text.
    fn file(&mut self, path: &Path, prefix: &str) -> Option<(watch::File, bool)> {
        let name = path.file_name()?.to_str()?;
        let seen = walk::entry(path).ok()?;
        let modified = fs::symlink_metadata(path).ok()?.modified().ok();
        let modified = modified
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_nanos()).ok());
        let role = if prefix.is_empty() {
            Role::of(name)
        } else {
            Role::Partial
        };
        let file = watch::File {
            name: format!("{prefix}{name}"),
            apparent: Apparent(seen.identity.size),
            allocated: seen.allocated,
            modified,
            identity: seen.identity,
            content: (role == Role::Origin && seen.identity.size <= LONGEST_ORIGIN)
                .then(|| origin(path))
                .flatten(),
            readable: self.readable(path, role, seen.identity),
        };
        Some((file, seen.folder))
    }

    fn readable(&mut self, path: &Path, role: Role, identity: Identity) -> Option<bool> {
        let kind = match role {
            Role::SessionData => GaugeKind::GuestSessions,
            Role::System => GaugeKind::GuestSystem,
            _ => return None,
        };
        let who = (identity.device, identity.inode);
        if self.readable.contains(&who) {
            return Some(true);
        }
        match guest::look(path, kind, |_, _, _| ()) {
            Ok(()) => {
                self.readable.insert(who);
                Some(true)
            }
            Err((UnknownReason::Corrupt | UnknownReason::Unsupported, _)) => Some(false),
            Err(_) => None,
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .take(MOST)
        .collect();
    paths.sort_unstable();
    paths
}

fn origin(path: &Path) -> Option<String> {
    // A pipe of that name would block the opening.
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let mut file = File::open(path).ok()?.take(LONGEST_ORIGIN);
    file.read_to_string(&mut text).ok()?;
    Some(text)
}
