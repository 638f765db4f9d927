mod faults;

use super::line::parse;
use super::*;

const OLD: &str = "6d1538ba36ce3a09f5b3b0d6c2f2a1e5d4c3b2a1";
const NEW: &str = "88251839aa00bb11cc22dd33ee44ff5566778899";
const WHOLE: [&str; 7] = [
    ".initrd.origin",
    ".rootfs.img.origin",
    ".vmlinuz.origin",
    "initrd",
    "rootfs.img",
    "sessiondata.img",
    "vmlinuz",
];

fn file(name: &str, inode: u64, size: u64) -> File {
    File {
        name: name.to_owned(),
        apparent: Apparent(size),
        allocated: Allocated(size),
        modified: None,
        identity: Identity {
            device: 1,
            inode,
            size,
        },
        content: None,
        readable: None,
    }
}

fn disk(name: &str, inode: u64, size: u64, readable: Option<bool>) -> File {
    File {
        readable,
        ..file(name, inode, size)
    }
}

fn origin_file(name: &str, release: &str) -> File {
    File {
        content: Some(format!("{release}\n")),
        ..file(&format!(".{name}.origin"), 900, 40)
    }
}

/// A bundle that is whole, of one release.
fn whole(release: &str) -> Vec<File> {
    vec![
        origin_file("initrd", release),
        origin_file("rootfs.img", release),
        origin_file("vmlinuz", release),
        file("initrd", 13, 71),
        disk("rootfs.img", 11, 9000, Some(true)),
        disk("sessiondata.img", 12, 500, Some(true)),
        file("vmlinuz", 14, 14),
    ]
}

fn without(mut files: Vec<File>, names: &[&str]) -> Vec<File> {
    files.retain(|file| !names.contains(&file.name.as_str()));
    files
}

/// A rebuild that is looked at.
struct Bench {
    fold: Fold,
    files: Vec<File>,
    runs: Option<bool>,
    now: i64,
}

impl Bench {
    fn new(scope: Scope, there: Vec<File>) -> Self {
        Self {
            fold: Fold::begin(scope, &WHOLE, &there, Time(1000)),
            files: there,
            runs: None,
            now: 1000,
        }
    }

    fn look(&mut self, after: i64, lines: &[&str]) -> Rebuild {
        self.now += after;
        let look = Observation {
            files: self.files.clone(),
            lines: lines.iter().filter_map(|line| parse(line)).collect(),
            runs: self.runs,
        };
        self.fold.step(&look, Time(self.now))
    }

    fn put(&mut self, file: File) {
        self.files.retain(|other| other.name != file.name);
        self.files.push(file);
    }

    fn take(&mut self, name: &str) {
        self.files.retain(|other| other.name != name);
    }
}

const fn at(percent: u8) -> Rebuild {
    Rebuild::Downloading {
        percent: Some(percent),
    }
}

fn failed(fault: Fault) -> Rebuild {
    Rebuild::Failed {
        cause: fault.sentence().to_owned(),
    }
}

fn looping(fault: Fault) -> Rebuild {
    Rebuild::Looping {
        cause: fault.sentence().to_owned(),
    }
}

#[test]
fn silence_is_waiting_for_as_long_as_it_lasts() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    for _ in 0..100 {
        assert_eq!(bench.look(3600, &[]), Rebuild::Waiting);
    }
    bench.runs = Some(false);
    assert_eq!(bench.look(1, &[]), Rebuild::Waiting);
}

#[test]
fn a_whole_rebuild_goes_through_its_phases() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    assert_eq!(bench.look(1, &[]), Rebuild::Waiting);
    let said = [
        "[VM:start] Beginning startup",
        "[VM:steps] download_and_sdk_prepare started",
        "[Bundle:status] rootfs.img missing",
    ];
    assert_eq!(bench.look(1, &said), Rebuild::Waiting);
    bench.put(file(".wvm-tmp-a1B2c3/rootfs.img.zst.partial", 50, 0));
    assert_eq!(
        bench.look(1, &[]),
        Rebuild::Waiting,
        "an empty one is nothing"
    );
    bench.put(file(".wvm-tmp-a1B2c3/rootfs.img.zst.partial", 50, 100));
    assert_eq!(bench.look(1, &[]), Rebuild::Downloading { percent: None });
    assert_eq!(
        bench.look(1, &["[download:1] 45.0% (540.0/1200.0 MB) avg"]),
        at(45)
    );
    // A small file that is complete does not make the large one so.
    assert_eq!(
        bench.look(1, &["[download:2] 100.0% (14.0/14.0 MB) avg"]),
        at(45)
    );
    assert_eq!(
        bench.look(1, &["[download:1] 99.9% (1199.9/1200.0 MB) avg"]),
        at(99)
    );
    bench.take(".wvm-tmp-a1B2c3/rootfs.img.zst.partial");
    bench.put(file("rootfs.img.zst", 50, 1200));
    bench.put(origin_file("rootfs.img.zst", NEW));
    bench.put(file(".wvm-tmp-a1B2c3/rootfs.img", 11, 4000));
    assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
    bench.files = whole(NEW);
    bench.take("sessiondata.img");
    assert_eq!(
        bench.look(5, &["All files ready in a folder"]),
        Rebuild::Waiting,
        "without a sessions disk it is not ready"
    );
    assert_eq!(
        bench.look(1, &["[VM:steps] guest_vsock_connect started"]),
        Rebuild::Booting
    );
    bench.files = whole(NEW);
    assert_eq!(bench.look(20, &[]), Rebuild::Booting);
    assert_eq!(
        bench.look(1, &["[VM:start] Startup complete"]),
        Rebuild::Ready
    );
    assert!(bench.fold.litter(Time(bench.now)).is_empty());
}

#[test]
fn without_a_word_in_the_logs_the_files_say_when_it_is_done() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.put(file("rootfs.img", 11, 4000));
    assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
    bench.files = without(whole(NEW), &[".rootfs.img.origin"]);
    assert_eq!(bench.look(1, &[]), Rebuild::Unpacking, "its origin is last");
    bench.files = whole(NEW);
    assert!(!bench.look(1, &[]).is_over(), "it must rest first");
    bench.put(origin_file("initrd", OLD));
    assert!(!bench.look(20, &[]).is_over(), "two releases");
    bench.files = whole(NEW);
    bench.look(1, &[]);
    assert_eq!(bench.look(5, &[]), Rebuild::Ready);
    // The guest writes into its disk, and that is no unpacking.
    bench.put(disk("rootfs.img", 11, 9500, Some(true)));
    assert_eq!(bench.look(5, &[]), Rebuild::Ready);
}

#[test]
fn a_disk_that_is_locked_all_the_time_is_believed_after_the_longest_boot() {
    let mut bench = Bench::new(
        Scope::SessionDisk,
        without(whole(OLD), &["sessiondata.img"]),
    );
    bench.put(disk("sessiondata.img", 77, 500, None));
    for _ in 0..15 {
        assert_eq!(bench.look(10, &[]), Rebuild::Waiting);
    }
    assert_eq!(bench.look(10, &[]), Rebuild::Ready);
}

#[test]
fn a_new_sessions_disk_is_ready_when_its_filesystem_can_be_read_or_the_guest_runs() {
    let there = without(whole(OLD), &["sessiondata.img"]);
    let mut bench = Bench::new(Scope::SessionDisk, there.clone());
    assert_eq!(bench.look(600, &[]), Rebuild::Waiting);
    bench.put(disk("sessiondata.img", 77, 500, Some(false)));
    assert_eq!(bench.look(60, &[]), Rebuild::Waiting, "not formatted yet");
    bench.put(disk("sessiondata.img", 77, 500, Some(true)));
    bench.look(1, &[]);
    assert_eq!(bench.look(5, &[]), Rebuild::Ready);

    let mut bench = Bench::new(Scope::SessionDisk, there.clone());
    bench.put(disk("sessiondata.img", 77, 500, None));
    assert_eq!(
        bench.look(1, &["[VM:start] Startup complete"]),
        Rebuild::Ready
    );

    // The parked one under the same name is not a new one.
    let mut bench = Bench::new(Scope::SessionDisk, there);
    bench.fold = bench.fold.without([Identity {
        device: 1,
        inode: 12,
        size: 0,
    }]);
    bench.put(disk("sessiondata.img", 12, 500, Some(true)));
    assert_eq!(bench.look(1000, &[]), Rebuild::Waiting);
}

#[test]
fn a_sandbox_that_runs_without_a_new_sessions_disk_has_failed() {
    let mut bench = Bench::new(
        Scope::SessionDisk,
        without(whole(OLD), &["sessiondata.img"]),
    );
    assert!(!bench.look(1, &["[VM:start] Startup complete"]).is_over());
    assert_eq!(bench.look(20, &[]), failed(Fault::NoSessions));
}

#[test]
fn what_was_left_behind_is_litter_and_no_progress() {
    // A13: an empty `.partial` and an old temporary folder beside a whole bundle.
    let mut there = whole(NEW);
    there.push(file("rootfs.img.zst.partial", 60, 0));
    there.push(file(".wvm-tmp-a1B2c3", 61, 0));
    there.push(file(".wvm-tmp-a1B2c3/rootfs.img.zst", 62, 700));
    let mut bench = Bench::new(Scope::Bundle, there.clone());
    assert_eq!(bench.look(100, &[]), Rebuild::Waiting);
    assert_eq!(bench.look(5, &[]), Rebuild::Ready);
    assert_eq!(
        bench.fold.litter(Time(bench.now)),
        [
            ".wvm-tmp-a1B2c3",
            ".wvm-tmp-a1B2c3/rootfs.img.zst",
            "rootfs.img.zst.partial"
        ]
    );
    // One that stops growing was progress, and is litter a minute later.
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.put(file(".wvm-tmp-a1B2c3", 61, 0));
    bench.put(file(".wvm-tmp-a1B2c3/rootfs.img.zst", 60, 700));
    assert_eq!(bench.look(1, &[]), Rebuild::Downloading { percent: None });
    assert!(bench.fold.litter(Time(bench.now)).is_empty());
    assert_eq!(bench.look(59, &[]), Rebuild::Downloading { percent: None });
    assert_eq!(bench.look(1, &[]), Rebuild::Waiting);
    assert_eq!(bench.fold.litter(Time(bench.now)).len(), 2);
}

#[test]
fn unpacking_it_again_at_each_launch_is_no_failure() {
    // A14: the system disk shrinks and grows, while its origin stays as it was.
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.files = whole(NEW);
    bench.look(1, &[]);
    assert_eq!(bench.look(5, &[]), Rebuild::Ready);
    for _ in 0..3 {
        bench.put(disk("rootfs.img", 11, 100, Some(false)));
        assert!(!bench.look(60, &[]).is_over());
        bench.put(disk("rootfs.img", 11, 5000, Some(false)));
        assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
        bench.put(disk("rootfs.img", 11, 9000, Some(true)));
        assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
        bench.look(5, &[]);
        assert_eq!(bench.look(5, &[]), Rebuild::Ready);
    }
}

#[test]
fn a_restored_disk_is_ready_when_the_app_says_so_or_has_had_its_time() {
    let mut bench = Bench::new(Scope::SessionDisk, whole(OLD));
    assert!(!bench.look(1, &[]).is_over());
    assert_eq!(
        bench.look(1, &["[VM:start] Startup complete"]),
        Rebuild::Ready
    );
    let mut bench = Bench::new(Scope::SessionDisk, whole(OLD));
    bench.look(1, &[]);
    assert!(!bench.look(10, &[]).is_over());
    assert_eq!(bench.look(10, &[]), Rebuild::Ready);
}

#[test]
fn a_fold_that_was_stored_goes_on_where_it_was() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.look(1, &["[deleteVMBundle] Deleting reinstall files"]);
    bench.put(file("rootfs.img.zst.partial", 60, 700));
    assert_eq!(bench.look(1, &["[download:1] 45.0% (45/100 MB)"]), at(45));
    let stored = serde_json::to_string(&bench.fold).unwrap();
    let read: Fold = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, bench.fold);
    bench.fold = read;
    assert_eq!(bench.look(1, &[]), at(45));
    assert_eq!(
        bench.look(1, &["[deleteVMBundle] Deleting reinstall files"]),
        looping(Fault::Deletes)
    );
}

#[test]
fn nothing_a_look_may_hold_makes_it_panic() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    for now in [i64::MIN, -1, 0, i64::MAX, 5] {
        bench.now = 0;
        let look = Observation {
            files: (0..2000)
                .map(|number| {
                    disk(
                        &format!("rootfs.img{number}.partial"),
                        number,
                        u64::MAX,
                        None,
                    )
                })
                .chain([file("", 0, 0), file("/", 0, 1), file(".origin", 0, 1)])
                .collect(),
            lines: (0..100)
                .filter_map(|number| parse(&format!("[download:{number}] 1% (1/99999999 GB)")))
                .collect(),
            runs: None,
        };
        assert!(!bench.fold.step(&look, Time(now)).is_over());
    }
}

#[test]
fn sentences_name_nobodys_folder_and_end_with_a_stop() {
    for fault in [Fault::Latched, Fault::Gate, Fault::Unknown, Fault::NoSpace] {
        let text = fault.sentence();
        assert!(text.ends_with('.') && !text.contains("  "), "{text}");
    }
}

#[test]
fn what_is_unpacked_is_not_called_a_download_again_between_two_files() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    bench.look(1, &["[download:1] 99.0% (1188.0/1200.0 MB) avg"]);
    bench.put(file("rootfs.img", 11, 9000));
    assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
    bench.put(origin_file("rootfs.img", NEW));
    for _ in 0..3 {
        assert_eq!(bench.look(1, &[]), Rebuild::Unpacking);
    }
    assert_eq!(bench.look(1, &["All files ready"]), Rebuild::Unpacking);
    let boots = ["[VM:steps] guest_vsock_connect started"];
    assert_eq!(bench.look(1, &boots), Rebuild::Booting);
    bench.fold.booting_at = None;
    assert_eq!(bench.look(5, &[]), Rebuild::Waiting);
}

#[test]
fn a_second_attempt_counts_its_own_percent() {
    let mut bench = Bench::new(Scope::Bundle, vec![]);
    assert_eq!(bench.look(1, &["[download:1] 99.0% (99/100 MB)"]), at(99));
    let again = ["Checksum mismatch for x", "[download:2] 45.0% (45/100 MB)"];
    assert_eq!(bench.look(1, &again), at(45));
}
