//! Somebody exchanges everything under the cleaner: folders for links, mounts and other files, at any instant.
//! Whatever happens to what was to go, nothing outside changes.
//!
//! All of it happens within the second in which the targets were made, so times betray nothing here.
//! `SANDTRAY_SOAK=20000` sets the number of rounds.

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::mount::{UnmountFlags, mount_bind, unmount};

use super::*;

fn rounds(usual: u64) -> u64 {
    let wanted = std::env::var("SANDTRAY_SOAK").ok();
    wanted
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(usual)
}

/// Numbers that repeat from run to run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Exchanges whatever is current until the rounds end.
struct Adversary<'a> {
    base: OwnedFd,
    outside: &'a Path,
    /// Where it puts what it takes.
    loot: PathBuf,
    mounts: bool,
    dice: Dice,
    done: u64,
}

impl Adversary<'_> {
    fn act(&mut self, round: u64) {
        let victims = [
            ("", "tree"),
            ("", "empty"),
            ("", "name"),
            ("tree", "a"),
            ("tree", "file"),
            ("tree/a", "b"),
            ("tree/a", "file"),
            ("tree/a/b", "c"),
        ];
        let (above, victim) = victims[usize::try_from(self.dice.roll(8)).unwrap()];
        let canaries = ["", "file", "hollow", "sealed", "repo", "repo/.git"];
        let canary = canaries[usize::try_from(self.dice.roll(6)).unwrap()];
        let canary = self.outside.join(canary);
        // It put the links there itself, and must not follow them.
        let Some(above) = self.open(&format!("{round}/{above}")) else {
            return;
        };
        self.done += 1;
        let fresh = self.loot.join(self.done.to_string());
        match self.dice.roll(if self.mounts { 8 } else { 5 }) {
            0 => {
                symlink(&canary, &fresh).unwrap();
                exchange(&above, victim, &fresh);
            }
            1 => {
                fs::create_dir(&fresh).unwrap();
                fs::write(fresh.join("other"), "x").unwrap();
                exchange(&above, victim, &fresh);
            }
            2 => {
                fs::write(&fresh, "x").unwrap();
                exchange(&above, victim, &fresh);
            }
            3 => {
                if rustix::fs::renameat(&above, victim, CWD, &fresh).is_ok() {
                    rustix::fs::symlinkat(&canary, &above, victim).ok();
                }
            }
            4 => {
                rustix::fs::symlinkat(&canary, &above, "new").ok();
            }
            // A mount moves with the folders above it, so nothing else happens until it is gone again.
            _ => self.mount(&above, victim, &canary),
        }
    }

    fn open(&self, path: &str) -> Option<OwnedFd> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let path = path.trim_end_matches('/');
        rustix::fs::openat2(&self.base, path, flags, Mode::empty(), beneath).ok()
    }

    fn mount(&mut self, above: &OwnedFd, victim: &str, canary: &Path) {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(place) = rustix::fs::openat(above, victim, flags, Mode::empty()) else {
            return;
        };
        if mount_bind(canary, format!("/proc/self/fd/{}", place.as_raw_fd())).is_err() {
            return;
        }
        for _ in 0..self.dice.roll(2_000) {
            std::hint::spin_loop();
        }
        // Nobody else moves it: the folder it hides has its name as long as something is mounted on it.
        let mounted = format!("/proc/self/fd/{}/{victim}", above.as_raw_fd());
        unmount(mounted, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW).unwrap();
    }
}

fn exchange(above: &OwnedFd, victim: &str, fresh: &Path) {
    rustix::fs::renameat_with(above, victim, CWD, fresh, RenameFlags::EXCHANGE).ok();
}

fn duel(scene: &Scene, mounts: bool, rounds: u64) {
    let loot = scene.root.parent().unwrap().join("loot");
    fs::create_dir(&loot).unwrap();
    let current = AtomicU64::new(0);
    let end = u64::MAX;
    let (outcomes, done) = thread::scope(|scope| {
        let adversary = scope.spawn(|| {
            let mut adversary = Adversary {
                base: fs::File::open(&scene.root).unwrap().into(),
                outside: &scene.outside,
                loot,
                mounts,
                dice: Dice(0x5eed_1e57),
                done: 0,
            };
            loop {
                match current.load(Ordering::Acquire) {
                    0 => thread::yield_now(),
                    round if round == end => return adversary.done,
                    round => adversary.act(round),
                }
            }
        });
        // Whatever goes wrong, the other thread ends.
        let outcomes = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            clean(scene, rounds, &current)
        }));
        current.store(end, Ordering::Release);
        (outcomes, adversary.join().unwrap())
    });
    let outcomes = outcomes.unwrap();
    println!("{rounds} rounds against {done} exchanges: {outcomes:?}");
    scene.assert_nothing_outside_changed();
    assert!(done > rounds / 10, "the adversary hardly ran");
}

fn clean(scene: &Scene, rounds: u64, current: &AtomicU64) -> BTreeMap<String, u64> {
    let base = scene.base();
    let plain = scene.base().unguarded();
    let mut outcomes = BTreeMap::new();
    for round in 1..=rounds {
        for file in [
            "tree/file",
            "tree/a/file",
            "tree/a/b/c/file",
            "tree/a/b/file",
            "name",
        ] {
            scene.write(&format!("{round}/{file}"), 1);
        }
        scene.make(&format!("{round}/empty"));
        let [tree, empty, name] = ["tree", "empty", "name"].map(|last| format!("{round}/{last}"));
        let targets = [
            scene.seen(&tree, Removal::Tree),
            scene.seen(&empty, Removal::Empty),
            scene.seen(&name, Removal::Name),
        ];
        current.store(round, Ordering::Release);
        let base = if round % 3 == 0 { &plain } else { &base };
        for target in targets {
            let outcome = match remove(base, &target) {
                Ok(_) => "gone".to_owned(),
                Err(Skip::Partly(partly)) => format!("partly, {}", partly.why),
                Err(skip) => skip.to_string(),
            };
            *outcomes.entry(outcome).or_default() += 1;
        }
        if round % 200 == 0 {
            scene.assert_nothing_outside_changed();
        }
    }
    outcomes
}

#[test]
fn links_and_other_files_in_the_place_of_what_goes_lead_nowhere() {
    duel(&Scene::in_memory(), false, rounds(1_500));
}

#[test]
fn mounts_links_and_other_files_in_the_place_of_what_goes_lead_nowhere() {
    const NAME: &str = "mounts_links_and_other_files_in_the_place_of_what_goes_lead_nowhere";
    if let Some(folder) = inside() {
        return duel(&Scene::given(&folder), true, rounds(400));
    }
    let folder = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    // A first mount shows whether there can be any.
    with_mounts(
        "mount --bind \"$0\" \"$0\"",
        module_path!(),
        NAME,
        folder.path(),
    );
}
