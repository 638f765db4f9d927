//! Removal on real folders.

#[cfg(target_os = "linux")]
mod adversary;
mod beside;
#[cfg(target_os = "linux")]
mod full;
#[cfg(target_os = "linux")]
mod mounts;
mod names;
mod parked;
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
    /// None where somebody else removes it.
    folder: Option<TempDir>,
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

    /// In memory where there is such a folder, for tests that make thousands of entries.
    fn in_memory() -> Self {
        let memory = tempfile::tempdir_in("/dev/shm");
        Self::at(memory.unwrap_or_else(|_| tempfile::tempdir().unwrap()))
    }

    fn at(folder: TempDir) -> Self {
        let at = folder.path().canonicalize().unwrap();
        let mut scene = Self::given(&at);
        scene.folder = Some(folder);
        scene
    }

    /// In a folder that somebody else removes.
    fn given(at: &Path) -> Self {
        let (root, outside) = (at.join("root"), at.join("outside"));
        for dir in ["hollow", "sealed", "repo/.git"]
            .map(|dir| outside.join(dir))
            .iter()
            .chain([&root])
        {
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
            folder: None,
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
        if self.folder.is_none() {
            return;
        }
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

const INSIDE: &str = "SANDTRAY_TEST_REMOVE";

/// Where this test was started again by [`again`].
fn inside() -> Option<PathBuf> {
    std::env::var_os(INSIDE).map(PathBuf::from)
}

/// Runs a test once more below `before`, a command that runs its arguments. Status 77 says that the
/// circumstances cannot be had here.
#[cfg(target_os = "linux")]
fn again(before: &[&str], module: &str, name: &str, folder: &Path) {
    let module = module.split_once("::").map_or(module, |(_, rest)| rest);
    let output = std::process::Command::new(before[0])
        .args(&before[1..])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::{name}"), "--nocapture"])
        .env(INSIDE, folder)
        .output();
    let Ok(output) = output else {
        println!("skipped: {name}: {} is not installed", before[0]);
        return;
    };
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    print!("{text}");
    if output.status.code() == Some(77) || output.stdout.is_empty() {
        println!("skipped: {name}: mounts are not permitted");
        return;
    }
    assert!(output.status.success() && text.contains("1 passed"));
}

/// Runs a test in a mount namespace of its own, which ends with it, after the shell commands of `script`,
/// which find the folder in `$0`.
#[cfg(target_os = "linux")]
fn with_mounts(script: &str, module: &str, name: &str, folder: &Path) {
    let script = format!("{{ {script}; }} || exit 77; exec \"$@\"");
    let unshare = if is_root() { "-m" } else { "-Urm" };
    let folder_text = folder.to_str().unwrap();
    again(
        &["unshare", unshare, "sh", "-c", &script, folder_text],
        module,
        name,
        folder,
    );
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
