//! Removal on real folders.

mod names;
mod trees;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::FileId;
use sandtray_core::leftover::{Kind, Removal};
use sandtray_core::machine::Machine;
use sandtray_core::time::Time;
use tempfile::TempDir;

use super::{Base, Met, Removed, Skip, Target};
use crate::walk::Cancel;

/// A base with decoys beside what goes.
struct Scene {
    _folder: TempDir,
    /// The base.
    root: PathBuf,
    /// Beside the base: whatever happens, nothing here changes.
    outside: PathBuf,
    machine: Machine,
    before: BTreeSet<Canary>,
}

/// An entry outside, with everything that an accident would change. Access times are left out: looking is
/// allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Canary {
    path: PathBuf,
    inode: u64,
    mode: u32,
    length: u64,
    links: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Scene {
    fn new() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    fn at(folder: TempDir) -> Self {
        let at = folder.path().canonicalize().unwrap();
        let (root, outside) = (at.join("root"), at.join("outside"));
        for dir in [&root, &outside.join("sealed"), &outside.join("repo/.git")] {
            fs::create_dir_all(dir).unwrap();
        }
        fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(outside.join("file"), "precious").unwrap();
        fs::write(outside.join("repo/.git/HEAD"), "ref: refs/heads/main").unwrap();
        fs::write(outside.join("sealed/file"), "precious").unwrap();
        fs::set_permissions(outside.join("sealed"), fs::Permissions::from_mode(0o555)).unwrap();
        let machine_file = at.join("machine.toml");
        fs::write(&machine_file, "home = 'home'\n").unwrap();
        let before = canaries(&outside);
        Self {
            _folder: folder,
            root,
            machine: crate::machine::load(&machine_file).unwrap(),
            before,
            outside,
        }
    }

    fn base(&self) -> Base {
        Base::open(&self.root, &self.machine).unwrap()
    }

    fn make(&self, path: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn write(&self, path: &str, length: usize) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![b'x'; length]).unwrap();
        path
    }

    /// What was judged, as it is now.
    fn seen<'a>(&self, path: &'a str, removal: Removal) -> Target<'a> {
        target(&self.root, Path::new(path), removal)
    }

    fn exists(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    #[track_caller]
    fn assert_nothing_outside_changed(&self) {
        assert_eq!(canaries(&self.outside), self.before);
    }
}

impl Drop for Scene {
    /// So that an ordinary user can remove what is left.
    fn drop(&mut self) {
        unseal(&self.root);
        unseal(&self.outside);
    }
}

fn unseal(dir: &Path) {
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).ok();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unseal(&entry.path());
        }
    }
}

fn canaries(outside: &Path) -> BTreeSet<Canary> {
    walkdir::WalkDir::new(outside)
        .into_iter()
        .map(|entry| {
            let entry = entry.unwrap();
            let found = entry.metadata().unwrap();
            Canary {
                path: entry.path().to_owned(),
                inode: found.ino(),
                mode: found.mode(),
                length: found.len(),
                links: found.nlink(),
                modified: (found.mtime(), found.mtime_nsec()),
                changed: (found.ctime(), found.ctime_nsec()),
            }
        })
        .collect()
}

fn target<'a>(root: &Path, path: &'a Path, removal: Removal) -> Target<'a> {
    let whole = root.join(path);
    let found = whole.symlink_metadata().unwrap();
    let kind = if found.is_dir() {
        Kind::Directory
    } else if found.file_type().is_socket() {
        Kind::Socket
    } else {
        Kind::File
    };
    let touched = walkdir::WalkDir::new(&whole)
        .into_iter()
        .filter_map(|entry| entry.ok()?.metadata().ok())
        .map(|found| found.ctime().max(found.mtime()))
        .max();
    Target {
        path,
        id: id(&whole),
        kind,
        removal,
        touched: Time(touched.unwrap()),
        own_repository: false,
    }
}

fn id(path: &Path) -> FileId {
    let found = path.symlink_metadata().unwrap();
    FileId {
        device: found.dev(),
        inode: found.ino(),
    }
}

/// Removes without objection.
fn remove(base: &Base, target: &Target<'_>) -> Result<Removed, Skip> {
    base.remove(target, &Cancel::default(), &mut |_: &Met<'_>| Ok(()))
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
