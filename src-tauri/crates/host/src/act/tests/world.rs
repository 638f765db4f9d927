//! A home with a bundle, its neighbours, and an app that does what a test tells it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sandtray_core::act::preview::Preview;
use sandtray_core::act::receipt::{ActProgress, Receipt};
use sandtray_core::act::{Act, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::{Folders, Machine, Os};
use sandtray_core::settings::Settings;

use super::fake::Fake;
use crate::act::hands::Hands;
use crate::act::plan::{LATCH, Plan, Request, name};
use crate::act::resolve::{Resolved, Resolving};
use crate::act::run::{Control, Tools};
use crate::act::{journal, parked};
use crate::{locate, machine};

/// The release of the disks that are there at first.
pub(super) const OLD: &str = "2a762adf2a762adf2a762adf2a762adf2a762adf";
/// A later one.
pub(super) const NEW: &str = "8825183988251839882518398825183988251839";

/// Everything below one folder, by path: who and what.
pub(super) type Tree = BTreeMap<PathBuf, (u64, Vec<u8>)>;

pub(super) struct World {
    pub(super) root: PathBuf,
    pub(super) machine: Machine,
    pub(super) settings: Settings,
    pub(super) data: PathBuf,
    pub(super) bundle: PathBuf,
    /// The files of the bundle as they were, by path below it.
    pub(super) original: Tree,
    /// Everything that no act may touch.
    pub(super) decoys: Tree,
}

impl World {
    /// Makes everything.
    pub(super) fn new(root: &Path) -> Self {
        let home = root.join("home");
        let config = home.join(".config");
        let local = home.join(".local/share");
        let data = config.join("Claude");
        let bundle = data.join("vm_bundles/claudevm.bundle");
        fill(&bundle, OLD, b"old");
        write(&bundle.join(".auto_reinstall_attempted"), b"");
        // By this name the folder is found again, wherever it went.
        write(&bundle.join("keep"), b"kept");
        write(&data.join("vm_bundles/warm/x/rootfs.img.zst"), b"warm");
        write(&data.join("config.json"), b"{}");
        for tree in ["local-agent-mode-sessions", "claude-code-sessions"] {
            write(
                &data.join(tree).join("account/org/local_1.json"),
                b"{\"a\":1}",
            );
            write(
                &data.join(tree).join("account/org/local_1/audit.jsonl"),
                b"line\n",
            );
        }
        fill(
            &config.join("Claude-3p/vm_bundles/claudevm.bundle"),
            NEW,
            b"another",
        );
        write(&home.join("rootfs.img"), b"somebody's own");
        write(&local.join("sandtray/history.sqlite"), b"ours");
        Self::found(root)
    }

    /// Takes what was made by another process.
    pub(super) fn found(root: &Path) -> Self {
        let home = root.join("home");
        let config = home.join(".config");
        let local = home.join(".local/share");
        let data = config.join("Claude");
        let bundle = data.join("vm_bundles/claudevm.bundle");
        let machine = Machine {
            os: Os::Linux,
            uid: rustix::process::getuid().as_raw(),
            own_data: local.join("sandtray"),
            own_config: config.join("sandtray"),
            folders: Folders {
                config,
                local,
                temp: home.join("tmp"),
            },
            home: home.clone(),
            variables: BTreeMap::new(),
            only_roots: Some(Vec::new()),
            user_data: Vec::new(),
            config_dirs: Vec::new(),
            extra_roots: Vec::new(),
            now_offset: 0,
            label: None,
        };
        let original = tree(&bundle);
        let mut world = Self {
            root: root.to_owned(),
            machine,
            settings: Settings::default(),
            data,
            bundle,
            original,
            decoys: Tree::new(),
        };
        let now = world.now();
        let decoys = world.neighbours(&now).into_iter();
        world.decoys = decoys
            .map(|(path, seen)| (path.to_owned(), seen.clone()))
            .collect();
        world
    }

    /// Everything outside the bundle, our journal and the parked copies.
    fn neighbours<'a>(&self, now: &'a Tree) -> BTreeMap<&'a Path, &'a (u64, Vec<u8>)> {
        let below = |folder: &Path| folder.strip_prefix(&self.root).unwrap().to_owned();
        let (own, bundle) = (below(&self.machine.own_data), below(&self.bundle));
        now.iter()
            .map(|(path, seen)| (path.as_path(), seen))
            .filter(|(path, _)| !path.starts_with(&bundle))
            .filter(|(path, _)| !path.starts_with(&own) || path.ends_with("history.sqlite"))
            .filter(|(path, _)| !path.to_string_lossy().contains(".sandtray-parked"))
            .filter(|(path, _)| !path.iter().any(|name| name == "filler"))
            // Where a test keeps what it will put back.
            .filter(|(path, _)| !path.starts_with("kept"))
            .collect()
    }

    /// Everything as it is now. Reading it takes most of a loop's time, so what asks several questions
    /// asks one picture.
    pub(super) fn now(&self) -> Tree {
        tree(&self.root)
    }

    pub(super) fn bundles(&self) -> Vec<Bundle> {
        locate::unmarked(&self.machine)
    }

    pub(super) fn id(&self) -> String {
        sandtray_core::paths::token(&self.bundle.canonicalize().unwrap())
    }

    pub(super) fn preview(&self, app: &mut Fake, request: &Request) -> Preview {
        let bundles = self.bundles();
        let now = machine::now(&self.machine);
        Plan {
            machine: &self.machine,
            bundles: &bundles,
            means: app,
            id: name(now),
            now,
            resolving: None,
        }
        .make(request)
    }

    pub(super) fn reset_request(&self, scope: Scope) -> Request {
        Request::Reset {
            bundle: Some(sandtray_core::paths::token(&self.bundle)),
            scope,
        }
    }

    /// Plans a reset that nothing speaks against.
    pub(super) fn plan(&self, app: &mut Fake, request: &Request) -> Act {
        let view = self.preview(app, request);
        assert_eq!(view.refusals, [], "{request:?}");
        view.act.unwrap()
    }

    pub(super) fn apply_with(
        &self,
        hands: &Hands,
        app: &mut Fake,
        act: &Act,
        control: &Control,
    ) -> (Receipt, Vec<ActProgress>) {
        let mut told = Vec::new();
        let bundles = self.bundles();
        let receipt = Tools {
            machine: &self.machine,
            settings: &self.settings,
            bundles: &bundles,
            hands,
            means: app,
        }
        .apply(act, control, &mut |progress| told.push(progress.clone()));
        (receipt, told)
    }

    pub(super) fn apply(&self, app: &mut Fake, act: &Act) -> Receipt {
        self.apply_with(&Hands::default(), app, act, &Control::default())
            .0
    }

    /// Plans and applies.
    pub(super) fn act(&self, app: &mut Fake, request: &Request) -> Receipt {
        let act = self.plan(app, request);
        self.apply(app, &act)
    }

    pub(super) fn resolve(&self, app: &mut Fake) -> Vec<Resolved> {
        let bundles = self.bundles();
        Resolving {
            machine: &self.machine,
            bundles: &bundles,
            hands: &Hands::default(),
            means: app,
        }
        .all()
    }

    /// Where each original file is now, by who it is: every one in exactly one place, with its own
    /// content.
    pub(super) fn places(&self) -> BTreeMap<PathBuf, PathBuf> {
        self.places_in(&self.now())
    }

    pub(super) fn places_in(&self, now: &Tree) -> BTreeMap<PathBuf, PathBuf> {
        self.original
            .iter()
            .filter_map(|(name, (inode, content))| {
                let mut found: Vec<_> = now
                    .iter()
                    .filter(|(_, (other, _))| other == inode)
                    .collect();
                // The empty mark goes with a copy from which everything went back, and its number may have
                // gone to another file since.
                if name == Path::new(LATCH) {
                    found.retain(|(path, _)| path.ends_with(LATCH));
                    if found.is_empty() {
                        return None;
                    }
                }
                assert_eq!(found.len(), 1, "{name:?} is in {} places", found.len());
                let (path, (_, now)) = found[0];
                assert!(now == content, "{name:?} has another content");
                Some((name.clone(), self.root.join(path)))
            })
            .collect()
    }

    /// Every byte of the bundle is in exactly one of {in place, parked}, under its own name, and nothing
    /// else changed.
    pub(super) fn assert_whole(&self) {
        self.assert_whole_in(&self.now());
    }

    pub(super) fn assert_whole_in(&self, now: &Tree) {
        for (name, path) in self.places_in(now) {
            let file = name.file_name().unwrap();
            assert_eq!(path.file_name().unwrap(), file);
            let parked = path.to_string_lossy().contains("parked/");
            assert!(
                path == self.bundle.join(&name) || parked,
                "{name:?} is at {path:?}"
            );
        }
        let decoys = self.decoys.iter();
        let same = self
            .neighbours(now)
            .into_iter()
            .eq(decoys.map(|(path, seen)| (path.as_path(), seen)));
        assert!(same, "a neighbour was touched");
    }

    /// The names that are parked now.
    pub(super) fn parked_names(&self) -> Vec<String> {
        self.parked_names_in(&self.now())
    }

    pub(super) fn parked_names_in(&self, now: &Tree) -> Vec<String> {
        let mut names: Vec<String> = self
            .places_in(now)
            .into_iter()
            .filter(|(name, path)| *path != self.bundle.join(name))
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub(super) fn assert_as_it_was(&self) {
        let now = self.now();
        self.assert_whole_in(&now);
        assert_eq!(self.parked_names_in(&now), [""; 0]);
        let bundle = self.bundle.strip_prefix(&self.root).unwrap();
        let there = now.keys().filter_map(|path| path.strip_prefix(bundle).ok());
        assert!(there.eq(self.original.keys()), "{:?}", now.keys());
        assert_eq!(self.copies(), [""; 0], "no copy is left");
    }

    /// The folders of copies that stand.
    pub(super) fn copies(&self) -> Vec<String> {
        let root = self.machine.own_data.join("parked");
        let mut names: Vec<String> = fs::read_dir(root)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(super) fn journal(&self) -> sandtray_core::act::journal::Journal {
        journal::read(&self.machine).unwrap()
    }

    pub(super) fn list(&self) -> Vec<sandtray_core::act::parked::ParkedCopy> {
        parked::list(&self.machine).parked
    }

    /// Puts everything back to how it was made, the same files in their places: for the next round of a loop.
    pub(super) fn again(&self) {
        let spare = self.root.join("spare");
        fs::create_dir(&spare).unwrap();
        let inodes = self.now();
        let folder = folders(&self.root)
            .into_iter()
            .find(|path| path.join("keep").exists() && fs::metadata(path).unwrap().is_dir())
            .expect("the bundle's folder is somewhere");
        for (name, (inode, _)) in &self.original {
            let at = inodes.iter().find(|(_, (other, _))| other == inode);
            match at.filter(|(at, _)| at.file_name() == name.file_name()) {
                Some((at, _)) => fs::rename(self.root.join(at), spare.join(name)).unwrap(),
                None => write(&spare.join(name), b""),
            }
        }
        let empty = self.root.join("empty");
        fs::rename(folder, &empty).unwrap();
        for entry in fs::read_dir(&empty).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        if self.bundle.exists() {
            fs::remove_dir_all(&self.bundle).unwrap();
        }
        fs::rename(&empty, &self.bundle).unwrap();
        for name in self.original.keys() {
            fs::rename(spare.join(name), self.bundle.join(name)).unwrap();
        }
        fs::remove_dir(&spare).unwrap();
        for entry in fs::read_dir(&self.machine.own_data).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("history.sqlite") {
            } else if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        self.assert_as_it_was();
    }
}

/// The files of a bundle.
pub(super) fn fill(bundle: &Path, release: &str, content: &[u8]) {
    for (name, length) in [
        ("rootfs.img", 70_000),
        ("rootfs.img.zst", 500),
        ("sessiondata.img", 40_000),
        ("vmlinuz", 900),
        ("initrd", 700),
        ("efivars.fd", 128),
    ] {
        let mut bytes = [content, name.as_bytes()].concat().repeat(3);
        bytes.resize(length, 7);
        write(&bundle.join(name), &bytes);
    }
    for name in ["rootfs.img", "rootfs.img.zst", "vmlinuz", "initrd"] {
        let origin = [release.as_bytes()].concat();
        write(&bundle.join(format!(".{name}.origin")), &origin);
    }
}

pub(super) fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Every file below a folder, by path relative to it.
pub(super) fn tree(root: &Path) -> Tree {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(root).unwrap().to_owned();
            let inode = entry.metadata().unwrap().ino();
            (path, (inode, fs::read(entry.path()).unwrap_or_default()))
        })
        .collect()
}

fn folders(root: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_dir())
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// An error as the system gives it.
pub(super) fn errno(errno: rustix::io::Errno) -> io::Error {
    errno.into()
}
