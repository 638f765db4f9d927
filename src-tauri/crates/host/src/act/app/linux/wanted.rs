//! The files whose holders are looked for: who they are now, whatever they are called later.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::AtFlags;

use super::super::proc::Mapping;
use super::look::{self, Identity};
use crate::volume::Mounts;

/// The files, by device and inode, by path, and as `/proc/<pid>/maps` numbers their filesystems.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    by_identity: BTreeMap<Identity, PathBuf>,
    by_path: BTreeSet<PathBuf>,
    mapped: BTreeSet<Identity>,
    remote: bool,
}

impl Wanted {
    /// Takes files as they are, and folders with everything in them. Links are not followed; what is
    /// not there is held by nobody.
    ///
    /// # Errors
    /// Where something is there and cannot be looked at.
    pub(super) fn of(files: &[PathBuf]) -> Result<Self, String> {
        let mut wanted = Self::default();
        let mounts = Mounts::read();
        let mut waiting: Vec<PathBuf> = files.to_vec();
        while let Some(path) = waiting.pop() {
            let failed = |error: io::Error| format!("{}: {error}", path.display());
            let identity = match look::identity(&path, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(identity) => identity,
                Err(error) if absent(&error) => continue,
                Err(error) => return Err(failed(error)),
            };
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => match fs::read_dir(&path) {
                    Ok(entries) => {
                        for entry in entries {
                            waiting.push(entry.map_err(failed)?.path());
                        }
                    }
                    Err(error) if absent(&error) => {}
                    Err(error) => return Err(failed(error)),
                },
                _ => {}
            }
            if let Some(mounted) = mounts.find(&path) {
                wanted.remote |= mounted.remote;
                if let Some(device) = numbers(&mounted.device) {
                    let identity = Identity { device, ..identity };
                    wanted.mapped.insert(identity);
                }
            }
            wanted.mapped.insert(identity);
            wanted.by_path.insert(path.clone());
            wanted.by_identity.insert(identity, path);
        }
        Ok(wanted)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_identity.is_empty()
    }

    /// Whether some lie on another machine, or in a user's own filesystem.
    pub(super) const fn is_remote(&self) -> bool {
        self.remote
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&Identity, &Path)> {
        self.by_identity
            .iter()
            .map(|(identity, path)| (identity, path.as_path()))
    }

    /// The file that is open.
    pub(super) fn opened(&self, identity: Identity) -> Option<&Path> {
        self.by_identity.get(&identity).map(PathBuf::as_path)
    }

    /// The file that is mapped. The numbers of its filesystem may be others than those `stat` gives;
    /// then the path tells, which follows a rename. A deleted file's path may be another's by now.
    pub(super) fn mapped<'a>(&self, mapping: &'a Mapping) -> Option<&'a Path> {
        let identity = Identity {
            device: mapping.device,
            inode: mapping.inode,
        };
        let by_path = !mapping.deleted && self.by_path.contains(&mapping.path);
        (by_path || self.mapped.contains(&identity)).then_some(mapping.path.as_path())
    }

    /// The file behind a loop device.
    pub(super) fn behind<'a>(&'a self, backing: &'a Path) -> Option<&'a Path> {
        if self.by_path.contains(backing) {
            return Some(backing);
        }
        let identity = look::identity(backing, AtFlags::empty()).ok()?;
        self.opened(identity)
    }
}

fn absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// `8:1` as two numbers.
fn numbers(device: &str) -> Option<(u32, u32)> {
    let (major, minor) = device.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
