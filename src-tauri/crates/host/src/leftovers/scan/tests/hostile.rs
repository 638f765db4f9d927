//! What temp folders do to those who look at them: mounts, depth, no inodes, swaps.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::process::{Command, Output};

use rustix::fs::{CWD, Mode, OFlags};

use super::*;
use crate::walk;

const PAD: &str =
    "tmp/claude-501/-home-you-webshop/0f8fad5b-d9cb-469f-a165-70867728950e/scratchpad";

/// Runs one test of this program again in other circumstances, on a world that stands; see `walk`.
fn again(before: &[&OsStr], test: &str, world: &World) -> Option<Output> {
    let (program, arguments) = before.split_first()?;
    Command::new(program)
        .args(arguments)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("SANDTRAY_TEST_ROOT", &world.root)
        .output()
        .ok()
}

fn assert_passed(output: &Output) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

/// The world that a test was started again in.
fn given() -> Option<World> {
    let root = PathBuf::from(std::env::var_os("SANDTRAY_TEST_ROOT")?);
    let machine = crate::machine::load(&root.join("machine.toml")).unwrap();
    Some(World {
        root,
        machine,
        _dir: None,
    })
}

fn unshared(script: &str, test: &str, world: &World) -> Result<Output, &'static str> {
    let flag = if rustix::process::geteuid().is_root() {
        "-m"
    } else {
        "-Urm"
    };
    let root = world.root.as_os_str();
    let before = [
        OsStr::new("unshare"),
        OsStr::new(flag),
        OsStr::new("sh"),
        OsStr::new("-c"),
        OsStr::new(script),
        root,
    ];
    match again(&before, test, world) {
        None => Err("unshare is not installed"),
        Some(output) if output.status.code() == Some(77) => Err("mount is not permitted"),
        Some(output) if output.stdout.is_empty() => Err("mount namespaces are not permitted"),
        Some(output) => Ok(output),
    }
}

/// Mounts are made in a mount namespace of the test's own, which ends with it.
#[test]
fn what_is_mounted_in_a_leftover_or_over_it_is_seen_and_not_entered() {
    const NAME: &str = "leftovers::scan::tests::hostile::what_is_mounted_in_a_leftover_or_over_it_is_seen_and_not_entered";
    if let Some(world) = given() {
        return look_beside_mounts(&world);
    }
    let world = World::new();
    world.file("decoy/not ours", vec![b'x'; 500_000]);
    world.file(&format!("{PAD}/ours"), "ours");
    world.file(&format!("{PAD}/bound"), "");
    world.folder(&format!("{PAD}/same"));
    world.folder(&format!("{PAD}/other"));
    world.folder("tmp/claude-empty-Ab3xY9");
    world.folder("tmp/claude-empty-Bb3xY9");
    world.file("home/.claude/debug/x", "");
    let script = format!(
        "mount --bind \"$0/decoy\" \"$0/{PAD}/same\" && mount -t tmpfs none \"$0/{PAD}/other\" \
         && mount --bind \"$0/decoy/not ours\" \"$0/{PAD}/bound\" \
         && mount --bind \"$0/decoy\" \"$0/tmp/claude-empty-Ab3xY9\" \
         && mount --bind \"$0/decoy\" \"$0/home/.claude/debug\" || exit 77; exec \"$@\""
    );
    match unshared(&script, NAME, &world) {
        Ok(output) => assert_passed(&output),
        Err(reason) => println!("skipped: {NAME}: {reason}"),
    }
}

fn look_beside_mounts(world: &World) {
    let (found, looked) = world.scan();
    let pad = one(&found, "scratchpad");
    assert_eq!(
        pad.content.mounts, 3,
        "same filesystem, another one, and a file"
    );
    assert_eq!((pad.inodes, pad.content.repository), (2, None));
    assert!(pad.apparent.0 < 100_000);
    let [over, beside] = of(&found, "empty")[..] else {
        panic!("{found:#?}");
    };
    assert_eq!((over.content.mounts, over.content.empty), (1, None));
    assert_eq!(
        (beside.content.mounts, beside.content.empty),
        (0, Some(true))
    );
    // Its place is that of what is mounted over, as mount tables name it.
    let (over, beside) = (over.inside.clone().unwrap(), beside.inside.clone().unwrap());
    assert_eq!(over.device, beside.device);
    assert!(over.path.ends_with(b"/tmp/claude-empty-Ab3xY9"));
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let line = table
        .lines()
        .find(|line| line.contains("/tmp/claude-empty-Ab3xY9 "));
    let device = line.unwrap().split(' ').nth(2).unwrap();
    assert_eq!(device, format!("{}:{}", over.device.0, over.device.1));
    // A folder on the way that is a mount is not entered, and said.
    assert_eq!(
        (looked.unreadable, looked.gaps[0].operation.as_str()),
        (1, "enter")
    );
}

/// A filesystem in memory on which not one more inode can be made.
#[test]
fn a_scan_needs_no_inode_and_names_places_by_their_own_filesystem() {
    const NAME: &str = "leftovers::scan::tests::hostile::a_scan_needs_no_inode_and_names_places_by_their_own_filesystem";
    if let Some(world) = given() {
        let tmp = world.at("tmp");
        let mut made = 0;
        while fs::create_dir(tmp.join(format!("claude-empty-{made:06}"))).is_ok() {
            made += 1;
        }
        assert!((100..=512).contains(&made), "{made}");
        assert!(fs::write(tmp.join("one more"), "").is_err());
        let found = world.found();
        assert_eq!(of(&found, "empty").len(), made);
        let inside = found[0].inside.clone().unwrap();
        // Relative to the filesystem's own root, which is `tmp` here (facts §0.3).
        assert_eq!(inside.path, b"/claude-empty-000000");
        assert!(
            found
                .iter()
                .all(|it| it.inodes == 1 && it.content.empty == Some(true))
        );
        return;
    }
    let world = World::new();
    let script = "mount -t tmpfs -o nr_inodes=512 none \"$0/tmp\" || exit 77; exec \"$@\"";
    match unshared(script, NAME, &world) {
        Ok(output) => assert_passed(&output),
        Err(reason) => println!("skipped: {NAME}: {reason}"),
    }
}

/// Few handles are allowed, so that keeping a folder open per level would fail.
#[test]
fn a_leftover_deeper_than_any_path_is_looked_into_with_few_handles() {
    const NAME: &str = "leftovers::scan::tests::hostile::a_leftover_deeper_than_any_path_is_looked_into_with_few_handles";
    const DEPTH: u64 = 2000;
    if let Some(world) = given() {
        let found = world.found();
        let pad = one(&found, "scratchpad");
        assert_eq!(pad.inodes, 1 + 3 * DEPTH);
        assert_eq!(
            (pad.content.unreadable, pad.content.repository),
            (0, Some(true))
        );
        assert_eq!(pad.content.members, []);
        return;
    }
    let world = World::new();
    let pad = world.folder(PAD);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o755);
    let mut at: OwnedFd = rustix::fs::openat(CWD, &pad, flags, mode).unwrap();
    let long = "d".repeat(200);
    for level in 0..DEPTH {
        // One is met before the way down and one after it.
        let last = if level + 1 == DEPTH { ".git" } else { "z" };
        for name in ["a", last, &long] {
            rustix::fs::mkdirat(&at, name, mode).unwrap();
        }
        at = rustix::fs::openat(&at, long.as_str(), flags, mode).unwrap();
    }
    drop(at);
    let before = ["sh", "-c", "ulimit -n 48; exec \"$@\"", "sh"].map(OsStr::new);
    let output = again(&before, NAME, &world).unwrap();
    let removed = Command::new("rm").arg("-rf").arg(&pad).status().unwrap();
    assert!(removed.success());
    assert_passed(&output);
}

#[test]
fn sizes_are_those_of_the_walk_that_measures_roots() {
    let world = World::new();
    let mut name = 0_u32;
    for depth in 0..30 {
        let folder = (0..depth).fold(PAD.to_owned(), |path, level| format!("{path}/{level}"));
        for length in [0_usize, 1, 5000, 70_000] {
            name += 1;
            world.file(&format!("{folder}/f{name}"), vec![b'x'; length]);
        }
    }
    let sparse = fs::File::create(world.at(PAD).join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    // Two names inside are one inode; one with a name outside stays.
    fs::hard_link(world.at(PAD).join("f4"), world.at(PAD).join("f4 again")).unwrap();
    fs::hard_link(world.at(PAD).join("f3"), world.at("store")).unwrap();
    let found = world.found();
    let pad = one(&found, "scratchpad");
    let tree = walk::measure(&world.at(PAD), &walk::Options::default()).unwrap();
    assert_eq!(pad.apparent, tree.usage.apparent);
    assert_eq!(pad.allocated, tree.usage.allocated);
    assert_eq!(pad.shared.0, allocated(&world.at("store")));
    assert_eq!(pad.inodes, 30 + 30 * 4 + 1 - 1);
    assert!(pad.apparent.0 > 1 << 40 && pad.allocated.0 < 1 << 30);
    assert_eq!(pad.content.members.len(), 1 + 29 + 30 * 4 + 1 + 1);
}

fn allocated(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).unwrap().blocks() * 512
}

/// Somebody swaps folders for links while they are looked into: nothing outside is ever counted.
#[test]
fn swapped_folders_lead_nowhere() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let world = World::new();
    let outside = world.folder("outside");
    fs::write(outside.join("huge"), "").unwrap();
    let huge = fs::File::options()
        .write(true)
        .open(outside.join("huge"))
        .unwrap();
    huge.set_len(1 << 42).unwrap();
    fs::create_dir(outside.join(".git")).unwrap();
    let pad = world.folder(PAD);
    fs::create_dir(pad.join("swap")).unwrap();
    fs::write(pad.join("swap/small"), "").unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swaps = {
        let (stop, pad, outside) = (Arc::clone(&stop), pad.clone(), outside.clone());
        std::thread::spawn(move || {
            let mut rounds = 0_u32;
            while !stop.load(Ordering::Relaxed) || rounds < 50 {
                fs::rename(pad.join("swap"), pad.join("aside")).unwrap();
                std::os::unix::fs::symlink(&outside, pad.join("swap")).unwrap();
                fs::remove_file(pad.join("swap")).unwrap();
                fs::rename(pad.join("aside"), pad.join("swap")).unwrap();
                rounds += 1;
            }
        })
    };
    for _ in 0..100 {
        let (found, _) = world.scan();
        let pad = one(&found, "scratchpad");
        assert!(pad.apparent.0 < 1 << 30, "{pad:#?}");
        assert_ne!(pad.content.repository, Some(true));
    }
    stop.store(true, Ordering::Relaxed);
    swaps.join().unwrap();
    assert!(outside.join("huge").exists());
}
