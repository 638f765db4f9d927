use sandtray_core::act::sessions::Report;

use super::*;

struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let this = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        this.put("local-agent-mode-sessions/a/o/local_1.json", b"{}");
        this.put(
            "local-agent-mode-sessions/a/o/local_1/audit.jsonl",
            b"one\n",
        );
        this.put("claude-code-sessions/list.json", b"[]");
        // Neighbours that are no sessions.
        this.put("config.json", b"{}");
        this.put("vm_bundles/claudevm.bundle/sessiondata.img", b"disk");
        this
    }

    fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(path)
    }

    fn put(&self, path: impl AsRef<Path>, content: &[u8]) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn record(&self) -> Sessions {
        record(self.dir.path())
    }
}

fn names(sessions: &Sessions) -> Vec<String> {
    sessions
        .seen
        .keys()
        .map(|name| name.path.replace('\\', "/"))
        .collect()
}

#[test]
fn no_sessions_are_none_and_a_place_that_is_not_there_is_no_trouble() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(record(dir.path()), Sessions::default());
    assert_eq!(record(&dir.path().join("gone")), Sessions::default());
}

#[test]
fn everything_below_the_two_folders_is_seen_and_nothing_else() {
    let bench = Bench::new();
    let seen = bench.record();
    assert_eq!(
        names(&seen),
        [
            "claude-code-sessions",
            "claude-code-sessions/list.json",
            "local-agent-mode-sessions",
            "local-agent-mode-sessions/a",
            "local-agent-mode-sessions/a/o",
            "local-agent-mode-sessions/a/o/local_1",
            "local-agent-mode-sessions/a/o/local_1.json",
            "local-agent-mode-sessions/a/o/local_1/audit.jsonl",
        ]
    );
    assert!(seen.unreadable.is_empty());
    let list = seen
        .seen
        .iter()
        .find(|(name, _)| name.path.ends_with("list.json"))
        .unwrap()
        .1;
    assert_eq!(
        (list.size, list.content.as_deref()),
        (
            2,
            // What `printf '[]' | sha256sum` says.
            Some("4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945")
        )
    );
    assert_eq!(bench.record(), seen, "looking changes nothing");
    assert!(Report::exact(&seen, &bench.record()).untouched);
}

#[test]
fn each_kind_of_difference_is_found() {
    let file = "local-agent-mode-sessions/a/o/local_1.json";
    type Change = fn(&Bench, &Path);
    let changes: [(&str, Change); 5] = [
        ("removed", |_, path| fs::remove_file(path).unwrap()),
        ("longer", |_, path| fs::write(path, b"{ }").unwrap()),
        ("added", |bench, _| {
            bench.put("claude-code-sessions/new.json", b"");
        }),
        ("replaced", |_, path| {
            let other = path.with_extension("other");
            fs::copy(path, &other).unwrap();
            fs::rename(&other, path).unwrap();
        }),
        // The same length, the same inode, and the time set back.
        ("written", |_, path| {
            let before = fs::metadata(path).unwrap().modified().unwrap();
            fs::write(path, b"[]").unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(before).unwrap();
        }),
    ];
    for (what, change) in changes {
        let bench = Bench::new();
        let before = bench.record();
        change(&bench, &bench.at(file));
        let report = Report::exact(&before, &bench.record());
        assert!(!report.untouched && !report.differing.is_empty(), "{what}");
    }
}

#[test]
fn a_long_file_is_known_by_length_time_and_inode_alone() {
    let bench = Bench::new();
    let name = "claude-code-sessions/long";
    bench.put(name, &vec![1; 1_000_000]);
    let hashed = bench.record();
    bench.put(name, &vec![1; 1_000_001]);
    let seen = bench.record();
    let content = |sessions: &Sessions| {
        let key = PathText::new(Path::new("claude-code-sessions").join("long").as_path());
        sessions.seen[&key].content.clone()
    };
    assert!(content(&hashed).is_some() && content(&seen).is_none());
    File::options()
        .write(true)
        .open(bench.at(name))
        .unwrap()
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    assert!(!Report::exact(&seen, &bench.record()).untouched);
}

#[cfg(unix)]
#[test]
fn links_are_seen_and_never_followed_and_odd_names_are_kept() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "x").unwrap();
    let folder = bench.at("local-agent-mode-sessions");
    symlink(outside.path(), folder.join("out")).unwrap();
    symlink(&folder, folder.join("round")).unwrap();
    symlink("nowhere", folder.join("broken")).unwrap();
    for name in [&b"line\nbreak"[..], b"\xff\xfe", b" ", b"-rf"] {
        fs::write(folder.join(OsStr::from_bytes(name)), "x").unwrap();
    }
    let before = bench.record();
    assert!(before.unreadable.is_empty());
    assert!(!names(&before).iter().any(|name| name.ends_with("secret")));
    assert!(!names(&before).iter().any(|name| name.contains("round/")));
    assert!(before.seen.keys().any(|name| name.path_bytes.is_some()));
    assert_eq!(before.seen.len(), 8 + 3 + 4);
    fs::write(outside.path().join("secret"), "y").unwrap();
    assert!(
        Report::exact(&before, &bench.record()).untouched,
        "what lies outside is not ours to compare"
    );
    fs::remove_file(folder.join("broken")).unwrap();
    symlink("elsewhere", folder.join("broken")).unwrap();
    assert!(!Report::exact(&before, &bench.record()).untouched);
    // The folder itself is a link: one thing, and not entered.
    let moved = bench.at("moved");
    fs::rename(bench.at("claude-code-sessions"), &moved).unwrap();
    symlink(&moved, bench.at("claude-code-sessions")).unwrap();
    let now = bench.record();
    assert!(!names(&now).iter().any(|name| name.ends_with("list.json")));
    assert!(!Report::exact(&before, &now).untouched);
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_seen_and_not_read() {
    let bench = Bench::new();
    let socket = bench.at("claude-code-sessions/socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(bench.at("claude-code-sessions/pipe"))
        .status();
    let seen = bench.record();
    assert!(names(&seen).contains(&"claude-code-sessions/socket".to_owned()));
    if made.is_ok_and(|status| status.success()) {
        assert!(names(&seen).contains(&"claude-code-sessions/pipe".to_owned()));
    }
    assert!(seen.unreadable.is_empty());
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_named_and_equality_is_not_claimed() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let closed = bench.at("local-agent-mode-sessions/a/o/local_1");
    let file = bench.at("claude-code-sessions/list.json");
    for path in [&closed, &file] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    let seen = bench.record();
    let may = fs::read(&file).is_ok();
    for path in [&closed, &file] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }
    if may {
        println!(
            "skipped: what_cannot_be_read_is_named_and_equality_is_not_claimed: root may read everything"
        );
        return;
    }
    let unreadable: Vec<&str> = seen.unreadable.iter().map(|name| &*name.path).collect();
    assert_eq!(
        unreadable,
        [
            "claude-code-sessions/list.json",
            "local-agent-mode-sessions/a/o/local_1"
        ]
    );
    assert!(!Report::exact(&seen, &seen).untouched);
}

#[test]
fn a_tree_that_changes_meanwhile_is_walked_to_its_end() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let bench = Bench::new();
    let stop = AtomicBool::new(false);
    let started = std::sync::Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            started.wait();
            let mut round = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                let name = format!("claude-code-sessions/{}", round % 50);
                bench.put(&name, &vec![7; 100 + round as usize % 5000]);
                if round.is_multiple_of(3) {
                    fs::remove_file(bench.at(&name)).unwrap();
                }
                round = round.wrapping_add(1);
            }
        });
        started.wait();
        for _ in 0..50 {
            let seen = bench.record();
            assert!(seen.seen.len() >= 8);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let still = bench.record();
    assert!(Report::exact(&still, &bench.record()).untouched);
}
