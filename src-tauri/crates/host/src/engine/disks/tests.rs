use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use sandtray_core::bundle::Profile;
use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::time::DAY;
use tempfile::TempDir;

use super::*;

const NOW: Time = Time(1_795_000_000);
const ID: &str = "6d1538ba6d1538ba6d1538ba6d1538ba6d1538ba";

/// A bundle of its own in a temp folder, and an engine's view of it that can be started anew.
struct Fixture {
    dir: TempDir,
    disks: Disks,
    history: History,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("bundle")).unwrap();
        let history = History::open(&dir.path().join("own"), NOW);
        Self {
            dir,
            disks: Disks::default(),
            history,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// A filesystem of 32 MB with `megabytes` of files in it, named as the guest names it; false where
    /// none can be made.
    fn make(&self, image: &str, label: &str, megabytes: usize) -> bool {
        let inside = self.at("inside");
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join("file"), vec![7u8; megabytes * 1_000_000]).unwrap();
        let image = self.at("bundle").join(image);
        fs::remove_file(&image).ok();
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F", "-O", "^has_journal", "-L", label, "-d"])
            .arg(&inside)
            .arg(&image)
            .arg("32M")
            .stdout(std::process::Stdio::null())
            .status();
        let made = made.is_ok_and(|status| status.success());
        if !made {
            println!("skipped: engine disks: mkfs.ext4 is not installed");
        }
        made
    }

    /// Names the release that the system disk came from, as if that was written at `at`.
    fn origin(&self, id: &str, at: Time) {
        let path = self.at("bundle/.rootfs.img.origin");
        fs::write(&path, id).unwrap();
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(at.0.unsigned_abs());
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(at).unwrap();
    }

    fn look(&mut self, now: Time) -> Vec<Gauge> {
        let machine = self.at("machine.toml");
        fs::write(&machine, "home = 'home'\nos = 'linux'\n").unwrap();
        let machine = crate::machine::load(&machine).unwrap();
        let path = self.at("bundle");
        let files = ["rootfs.img", "sessiondata.img"]
            .into_iter()
            .filter(|name| path.join(name).exists())
            .map(|name| BundleFile {
                name: name.into(),
                role: Role::of(name),
                apparent: Apparent(5),
                allocated: Allocated(4),
            });
        let bundle = Bundle {
            id: "c0ffee".into(),
            profile: Profile::Claude,
            live: true,
            detour: None,
            files: files.collect(),
            path,
        };
        let (history, gaps) = (&mut self.history, &mut Vec::new());
        let gauges = self.disks.gauges(&machine, &[bundle], history, now, gaps);
        // As the engine does every minute.
        let latch = self.history.latch();
        self.history.record_all(now, &[], &latch);
        gauges
    }

    /// Used and baseline of the system disk.
    fn system(&mut self, now: Time) -> (u64, Option<u64>) {
        let gauges = self.look(now);
        let system = gauges
            .iter()
            .find(|gauge| gauge.kind == GaugeKind::GuestSystem)
            .unwrap();
        (system.level.unwrap().used, system.baseline)
    }

    fn restart(&mut self, now: Time) {
        let elsewhere = History::in_memory(crate::error::Failure::io(
            "restart",
            self.dir.path(),
            std::io::ErrorKind::NotFound.into(),
        ));
        // The old one has to let go of the file first.
        drop(std::mem::replace(&mut self.history, elsewhere));
        self.history = History::open(&self.at("own"), now);
        self.disks = Disks::default();
    }
}

#[test]
fn one_reading_gives_bytes_inodes_and_the_three_sizes() {
    let mut fixture = Fixture::new();
    if !fixture.make("sessiondata.img", "sessions", 9) {
        return;
    }
    let gauges = fixture.look(NOW);
    let ids: Vec<_> = gauges.iter().map(|gauge| gauge.id.0.as_str()).collect();
    assert_eq!(
        ids,
        ["guest_sessions:c0ffee", "guest_sessions_inodes:c0ffee"]
    );
    let inodes = gauges[1].level.unwrap();
    // Ten that ext4 keeps for itself, lost+found, and the file.
    assert_eq!(inodes.used, 12);
    assert_eq!(inodes.used + inodes.available, inodes.limit);
    let [shown] = fixture.disks.shown() else {
        panic!("one disk is shown: {:?}", fixture.disks.shown());
    };
    assert_eq!(
        (shown.disk.0.as_str(), shown.role),
        (ids[0], Role::SessionData)
    );
    let sizes = &shown.sizes;
    let used = gauges[0].level.unwrap().used;
    assert_eq!(sizes.guest_used.map(|used| used.0), Some(used));
    assert_eq!(sizes.apparent, Apparent(32 << 20));
    assert!(sizes.allocated.0 >= 9_000_000, "{sizes:?}");
}

#[test]
fn a_disk_that_cannot_be_looked_into_has_sizes_on_the_host_and_no_numbers() {
    let mut fixture = Fixture::new();
    fs::write(fixture.at("bundle/rootfs.img"), b"QFI\xfb").unwrap();
    let gauges = fixture.look(NOW);
    assert_eq!(gauges.len(), 2);
    assert!(
        gauges
            .iter()
            .all(|gauge| gauge.level.is_err() && gauge.baseline.is_none())
    );
    let sizes = &fixture.disks.shown()[0].sizes;
    assert_eq!(
        (sizes.apparent, sizes.allocated),
        (Apparent(5), Allocated(4))
    );
    assert_eq!((sizes.guest_used, sizes.guest_size), (None, None));
}

#[test]
fn a_brand_new_system_disk_tells_how_full_a_fresh_one_is_and_that_outlives_the_day() {
    // #37860: 86 % on its first day.
    let mut fixture = Fixture::new();
    if !fixture.make("rootfs.img", "cloudimg-rootfs", 23) {
        return;
    }
    let (fresh, baseline) = fixture.system(NOW);
    assert_eq!(baseline, None, "without an origin nothing is known");
    fixture.origin(ID, NOW);
    let (used, baseline) = fixture.system(NOW.plus(60));
    assert_eq!((used, baseline), (fresh, Some(fresh)));

    // It fills, it is another day, Sandtray is started anew.
    assert!(fixture.make("rootfs.img", "cloudimg-rootfs", 26));
    let later = NOW.plus(3 * DAY);
    fixture.restart(later);
    let (used, baseline) = fixture.system(later);
    assert!(used > fresh + 2_000_000);
    assert_eq!(baseline, Some(fresh));
    // A release that was never seen fresh is not known.
    fixture.origin(&ID.replace('6', "7"), NOW);
    fixture.restart(later);
    assert_eq!(fixture.system(later).1, None);
}

#[test]
fn a_system_disk_unpacked_anew_is_fresh_again_and_not_a_new_measure() {
    // #81427: at each launch.
    let mut fixture = Fixture::new();
    if !fixture.make("rootfs.img", "cloudimg-rootfs", 22) {
        return;
    }
    fixture.origin(ID, NOW);
    let (fresh, _) = fixture.system(NOW);
    let mut now = NOW;
    for megabytes in [24, 22, 25, 22] {
        now = now.plus(3_600);
        assert!(fixture.make("rootfs.img", "cloudimg-rootfs", megabytes));
        if megabytes == 22 {
            fixture.origin(ID, now);
        }
        let (used, baseline) = fixture.system(now);
        assert_eq!(baseline, Some(fresh), "{megabytes}");
        assert_eq!(used == fresh, megabytes == 22);
    }
}

#[test]
fn a_release_that_was_put_back_is_fresh_by_its_change_and_a_kept_number_is_not() {
    let mut fixture = Fixture::new();
    if !fixture.make("rootfs.img", "cloudimg-rootfs", 22) {
        return;
    }
    let old = NOW.plus(-30 * DAY);
    fixture.origin(ID, old);
    assert_eq!(fixture.system(NOW).1, None, "nobody saw it fresh");
    fixture.origin(&ID.replace('6', "7"), old);
    // The number is that of the minute before, of the release before.
    assert_eq!(fixture.system(NOW.plus(10)).1, None);
    let (used, baseline) = fixture.system(NOW.plus(70));
    assert_eq!(baseline, Some(used));
}
