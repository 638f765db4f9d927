use std::fs::OpenOptions;
use std::io::Write;

use super::*;

struct Bench {
    dir: tempfile::TempDir,
    log: Log,
}

impl Bench {
    fn new(before: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cowork_vm_node.log");
        if !before.is_empty() {
            fs::write(&path, before).unwrap();
        }
        Self {
            log: Log::at_end(path),
            dir,
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("cowork_vm_node.log")
    }

    fn add(&self, bytes: &[u8]) {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(self.path())
            .unwrap();
        file.write_all(bytes).unwrap();
    }

    fn read(&mut self) -> Vec<Said> {
        self.read_at_most(1_000_000)
    }

    fn read_at_most(&mut self, mut budget: u64) -> Vec<Said> {
        let mut said = Vec::new();
        self.log.read(&mut budget, &mut said);
        said
    }
}

const READY: &[u8] = b"2026-03-08 06:49:51 [info] All files ready\n";
const STARTED: &[u8] = b"2026-03-08 06:49:52 [info] [VM:start] Startup complete\n";

#[test]
fn what_was_there_before_does_not_count_and_what_is_added_does() {
    let mut bench = Bench::new("All files ready\n");
    assert_eq!(bench.read(), []);
    bench.add(STARTED);
    assert_eq!(bench.read(), [Said::Started]);
    assert_eq!(bench.read(), [], "once");
}

#[test]
fn a_log_that_comes_later_counts_from_its_beginning() {
    let mut bench = Bench::new("");
    assert_eq!(bench.read(), []);
    bench.add(READY);
    bench.add(b"noise\r\n\xff\xfe\n");
    bench.add(STARTED);
    assert_eq!(bench.read(), [Said::FilesReady, Said::Started]);
}

#[test]
fn a_line_counts_once_it_is_whole() {
    let mut bench = Bench::new("");
    let (head, tail) = STARTED.split_at(40);
    bench.add(head);
    assert_eq!(bench.read(), []);
    bench.add(tail);
    assert_eq!(bench.read(), [Said::Started]);
    // Begun before the watch: not for us, even though it ends within it.
    let mut bench = Bench::new("[VM:start] Startup ");
    bench.add(b"complete\n");
    assert_eq!(bench.read(), []);
    bench.add(READY);
    assert_eq!(bench.read(), [Said::FilesReady]);
}

#[test]
fn a_log_that_was_cut_or_written_anew_counts_from_its_beginning() {
    let mut bench = Bench::new(&"old line\n".repeat(100));
    fs::write(bench.path(), READY).unwrap();
    assert_eq!(bench.read(), [Said::FilesReady]);
    // Cut, and longer again than it was.
    fs::write(bench.path(), [STARTED, &b"x\n".repeat(2000)].concat()).unwrap();
    assert_eq!(bench.read(), [Said::Started]);
    fs::remove_file(bench.path()).unwrap();
    assert_eq!(bench.read(), []);
    bench.add(READY);
    assert_eq!(bench.read(), [Said::FilesReady]);
}

#[test]
fn a_log_that_was_moved_aside_is_read_to_its_end() {
    let mut bench = Bench::new("old\n");
    bench.add(READY);
    fs::rename(bench.path(), bench.dir.path().join("cowork_vm_node1.log")).unwrap();
    fs::write(bench.dir.path().join("main.log"), STARTED).unwrap();
    bench.add(STARTED);
    assert_eq!(bench.read(), [Said::FilesReady, Said::Started]);
    assert_eq!(bench.read(), []);
}

#[test]
fn a_look_reads_no_more_than_it_may_and_the_next_goes_on() {
    let mut bench = Bench::new("");
    for _ in 0..100 {
        bench.add(READY);
    }
    let mut count = 0;
    for _ in 0..200 {
        let said = bench.read_at_most(100);
        assert!(said.len() <= 2);
        count += said.len();
    }
    assert_eq!(count, 100);
}

#[test]
fn a_line_without_an_end_is_dropped_and_its_end_is_no_line() {
    let mut bench = Bench::new("");
    bench.add(&vec![b'x'; 100_000]);
    assert_eq!(bench.read(), []);
    bench.add(b"All files ready\n");
    assert_eq!(bench.read(), []);
    bench.add(STARTED);
    assert_eq!(bench.read(), [Said::Started]);
}

#[test]
fn far_behind_only_the_newest_is_read() {
    let mut bench = Bench::new("");
    bench.add(READY);
    bench.add(&b"noise noise noise\n".repeat(600_000));
    bench.add(STARTED);
    assert_eq!(bench.read(), [Said::Started]);
}

#[test]
fn a_place_that_was_stored_is_found_again() {
    let mut bench = Bench::new("old\n");
    bench.add(READY);
    assert_eq!(bench.read(), [Said::FilesReady]);
    let stored = serde_json::to_string(bench.log.place()).unwrap();
    bench.add(STARTED);
    let place: Place = serde_json::from_str(&stored).unwrap();
    bench.log = Log::resume(bench.path(), &[place]);
    assert_eq!(bench.read(), [Said::Started]);
    bench.log = Log::resume(bench.path(), &[]);
    assert_eq!(bench.read(), [], "without a place, from now on");
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_not_opened() {
    let mut bench = Bench::new("");
    fs::create_dir(bench.path()).unwrap();
    assert_eq!(bench.read(), []);
    fs::remove_dir(bench.path()).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(bench.path())
        .status();
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(bench.read(), []);
        fs::remove_file(bench.path()).unwrap();
    }
    // A log folder that people moved elsewhere is followed.
    let real = bench.dir.path().join("real.log");
    fs::write(&real, READY).unwrap();
    std::os::unix::fs::symlink(&real, bench.path()).unwrap();
    assert_eq!(bench.read(), [Said::FilesReady]);
}
