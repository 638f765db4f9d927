//! Twenty public reports as acceptance cases: D1 to D20 of the facts. (D10 is Windows': its names are
//! tested where names are.)

use std::os::unix::fs::symlink;

use super::*;
use sandtray_tests::skip;

const DAY: i64 = 24 * 3_600;

/// A machine on which everything made now is so many days old.
fn days(count: i64) -> TestMachine {
    let mut machine = later();
    machine.now_offset = count * DAY;
    machine.save().unwrap();
    machine
}

/// A running session of ours in the registry: this very process.
fn live_session(machine: &TestMachine, id: &str, cwd: &str) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let start = stat
        .rsplit(") ")
        .next()
        .unwrap()
        .split(' ')
        .nth(19)
        .unwrap();
    let pid = std::process::id();
    let record = serde_json::json!({
        "pid": pid, "procStart": start, "sessionId": id, "cwd": cwd, "status": "idle",
        "version": "2.1.278", "kind": "interactive", "startedAt": 1,
    });
    file(
        machine.home().join(format!(".claude/sessions/{pid}.json")),
        record.to_string().as_bytes(),
    );
}

fn uuid(number: u32) -> String {
    format!("0b5c1f8e-1111-4222-8333-{number:012x}")
}

/// D1, #96129.
#[test]
fn d1_empty_folders_and_dead_sockets_go_and_those_of_the_living_stay() {
    let machine = later();
    for number in 0..300_u32 {
        folder(machine.tmp().join(format!("claude-empty-{number:06}")));
        dead_socket(
            machine
                .tmp()
                .join(format!("srt-mux-{NO_PROCESS}-{number}.sock")),
        );
    }
    let live: Vec<(PathBuf, UnixListener)> = (0..3)
        .map(|number| {
            let name = format!("srt-mux-{}-{number}.sock", std::process::id());
            let path = machine.tmp().join(name);
            let listener = UnixListener::bind(&path).unwrap();
            (path, listener)
        })
        .collect();
    let decoys = [
        folder(machine.tmp().join("claude-empty-home-aB3xY9")),
        folder(machine.tmp().join("claude-empty-aB3xY")),
        folder(machine.tmp().join("claude-empty-aB3xY97")),
        folder(machine.tmp().join("machine-claude-empty-aB3xY9")),
        file(machine.tmp().join("claude-empty-aFile1"), b""),
        file(machine.tmp().join("srt-mux-1-1.sock"), b"no socket"),
        file(machine.tmp().join("claude-empty-filled/work.md"), b"work"),
        dead_socket(machine.tmp().join("other-1-1.sock")),
    ];
    let view = look(&machine);
    // The folder with something in it has the right name and is counted, and is not dead.
    assert_eq!(
        counts(&view, "empty_mount_source"),
        [301, 300, 0, 1],
        "{view:#}"
    );
    assert_eq!(counts(&view, "mux_socket"), [303, 300, 3, 0], "{view:#}");
    let receipt = cleaned(&machine);
    assert_eq!(receipt["removed"], 600, "{receipt:#}");
    for path in decoys.iter().chain(live.iter().map(|(path, _)| path)) {
        assert!(there(path), "{}", path.display());
    }
    // Their owner listens no more and lives: the name proves nothing until it has ended.
    drop(live);
    assert_eq!(cleaned(&machine)["removed"], 0);
}

/// D2, #91512.
#[test]
fn d2_idle_overlays_of_bytecode_go_while_the_job_runs_and_the_newest_stays() {
    let machine = later();
    let tmp = machine.home().join(".claude/jobs/4f1c9a02/tmp");
    let tree = |name: &str| {
        let cache = format!("{name}/Users/you/app/.venv/lib/site/__pycache__");
        file(tmp.join(cache).join("models.cpython-312.pyc"), &[1; 9_000]);
        tmp.join(name)
    };
    let (first, second) = (tree("tmp.aaaaaaaaaa"), tree("tmp.bbbbbbbbbb"));
    let mixed = tree("tmp.cccccccccc");
    file(mixed.join("Users/you/app/notes.md"), b"mine");
    // Later than the others by what the filesystem says, which the test does not hurry.
    let newest = tree("tmp.dddddddddd");
    let view = look(&machine);
    assert_eq!(number(&view, "bytecode_overlay", "dead"), 2, "{view:#}");
    cleaned(&machine);
    assert!(!there(&first) && !there(&second));
    assert!(there(&mixed) && there(&newest), "{:#}", look(&machine));
}

/// D3, #85576: 185,541 of them there, two thousand here; the bench makes them all.
#[test]
fn d3_model_made_folders_are_counted_first_and_go_only_by_name() {
    let machine = days(3);
    for number in 0..2_000_u32 {
        folder(machine.tmp().join(format!("tmp{number:08x}")));
    }
    let work = machine.tmp().join("tmpabcdefgh");
    fs::create_dir_all(work.join("clone/.git")).unwrap();
    let view = look(&machine);
    assert_eq!(number(&view, "python_temp_dir", "count"), 2_001, "{view:#}");
    assert_eq!(view["classes"][0]["tier"], "report");
    assert_eq!(cleaned(&machine)["removed"], 0);
    let words = ["--yes", "--class", "python_temp_dir", "--for-good"];
    let receipt = receipt(&clean(&machine, &words).well());
    assert_eq!(receipt["removed"], 2_000, "{receipt:#}");
    assert!(there(&work.join("clone/.git")));
}

/// D4, #35121 and #35886.
#[test]
fn d4_a_runaway_log_of_a_dead_session_shows_both_sizes_and_goes() {
    let mut machine = days(3);
    let root = session_root(&mut machine);
    let log = root.join(format!(
        "-home-you-webshop/{}/tasks/bpnhmxvxm.output",
        uuid(1)
    ));
    sparse(log.clone(), 1_400_000_000_000);
    let view = look(&machine);
    assert_eq!(counts(&view, "task_output"), [1, 1, 0, 0], "{view:#}");
    assert_eq!(number(&view, "task_output", "apparent"), 1_400_000_000_000);
    assert!(number(&view, "task_output", "allocated") < 1_000_000);
    done(&clean(
        &machine,
        &["--yes", "--class", "task_output", "--for-good"],
    ));
    assert!(!there(&log));
}

/// D5, #33670.
#[test]
fn d5_a_deleted_file_that_is_still_open_is_shown_with_its_holder() {
    let machine = later();
    let path = file(machine.tmp().join("runaway.output"), &vec![7; 3_000_000]);
    let open = File::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let view = look(&machine);
    let found = &view["deleted_open"][0];
    assert_eq!(found["pid"], std::process::id(), "{view:#}");
    assert_eq!(found["apparent"], 3_000_000);
    assert!(found["path"].as_str().unwrap().ends_with("runaway.output"));
    drop(open);
    assert_eq!(look(&machine)["deleted_open"], serde_json::json!([]));
}

/// D6, #40108.
#[test]
fn d6_a_temp_folder_in_memory_is_said_to_be_memory() {
    let test = "reports::d6_a_temp_folder_in_memory_is_said_to_be_memory";
    let machine = later();
    let script = "set -e\nmount -t tmpfs -o size=8m tmpfs \"$TMP_UNDER_TEST\"\n\
        mkdir \"$TMP_UNDER_TEST\"/claude-empty-aB3xY9\n\"$CTL\" leftovers --json --machine \"$MACHINE\"";
    let mut command = Command::new("unshare");
    command.arg("-m");
    if !skip::is_root() {
        command.arg("-Ur");
    }
    command
        .args(["sh", "-c", script])
        .env("TMP_UNDER_TEST", machine.tmp())
        .env("CTL", ctl::program())
        .env("MACHINE", machine.file());
    let ran = ctl::run(&mut command);
    if ran.err.contains("unshare") || ran.err.contains("mount:") {
        return skip::say(test, format!("no mount namespace here: {}", ran.err.trim()));
    }
    let view = ran.well().json();
    assert_eq!(view["classes"][0]["memory"], true, "{view:#}");
    assert!(view["notes"].to_string().contains("memory"), "{view:#}");
}

/// D7, #75354, and D8, #91402.
#[test]
fn d7_d8_sessions_are_told_apart_by_id_and_an_idle_one_is_alive() {
    let mut machine = days(10);
    let root = session_root(&mut machine);
    let dead: Vec<PathBuf> = (0..20)
        .map(|number| {
            let session = root.join(format!("-home-you-old-shop/{}", uuid(number)));
            file(session.join("scratchpad/x"), b"x");
            session.join("scratchpad")
        })
        .collect();
    // Ten days without a write, and alive: its clock says nothing of it.
    live_session(&machine, &uuid(100), "/home/you/papers");
    let named = root.join(format!("-home-you-elsewhere/{}", uuid(100)));
    let sibling = root.join(format!("-home-you-papers/{}", uuid(101)));
    for session in [&named, &sibling] {
        file(session.join("scratchpad/x"), b"x");
        file(session.join("tasks/bpnhmxvxm.output"), b"x");
    }
    let view = look(&machine);
    assert_eq!(counts(&view, "scratchpad"), [22, 20, 2, 0], "{view:#}");
    assert_eq!(counts(&view, "task_output"), [2, 0, 2, 0], "{view:#}");
    done(&clean(&machine, &["--yes", "--tier", "ask", "--for-good"]));
    assert!(dead.iter().all(|pad| !there(pad)));
    assert!(there(&named.join("scratchpad/x")) && there(&sibling.join("tasks/bpnhmxvxm.output")));
}

/// D9, #26057.
#[test]
fn d9_a_native_copy_that_runs_is_kept_and_goes_once_it_ends() {
    let machine = days(3);
    let path = machine.tmp().join(".0123456789abcdef-12345678.node");
    assert!(
        Command::new("cp")
            .args(["-L", "/bin/sleep"])
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let shared = file(
        machine.tmp().join(".bun-1000-0123456789abcdef.node"),
        b"\x7fELF",
    );
    let text = file(
        machine.tmp().join(".fedcba9876543210-12345678.node"),
        b"not a library",
    );
    let process = run(&mut Command::new(&path));
    let words = ["--yes", "--class", "native_copy", "--for-good"];
    done(&clean(&machine, &words));
    assert!(there(&path), "{:#}", look(&machine));
    drop(process);
    goes(&machine, &words, &[&path]);
    assert!(there(&shared) && there(&text));
}

/// D11, #17990 and #9520.
#[test]
fn d11_files_of_working_folders_go_by_strict_name_and_content() {
    let machine = later();
    for number in 0..500_u32 {
        file(
            machine.tmp().join(format!("claude-{number:04x}-cwd")),
            b"/home/you/project\n",
        );
    }
    let decoys = [
        file(machine.tmp().join("claude-export.csv"), b"a,b\n"),
        file(machine.tmp().join("claude-beef-cwd.bak"), b"/home/you\n"),
        file(machine.tmp().join("claude-fade-cwd"), b"two\nlines\n"),
        file(machine.tmp().join("claude-face-cwd"), &[b'/'; 5_000]),
    ];
    symlink(&decoys[0], machine.tmp().join("claude-cafe-cwd")).unwrap();
    assert_eq!(cleaned(&machine)["removed"], 500);
    assert!(decoys.iter().all(|decoy| there(decoy)));
    assert!(there(&machine.tmp().join("claude-cafe-cwd")));
}

/// D12, #28235.
#[test]
fn d12_debug_logs_go_and_the_latest_and_the_open_ones_stay() {
    let machine = days(3);
    let debug = machine.home().join(".claude/debug");
    for number in 0..200 {
        file(debug.join(format!("{}.txt", uuid(number))), b"log");
    }
    let open = File::options()
        .append(true)
        .open(debug.join(format!("{}.txt", uuid(7))))
        .unwrap();
    symlink(debug.join(format!("{}.txt", uuid(9))), debug.join("latest")).unwrap();
    let receipt = cleaned(&machine);
    assert!(
        there(&debug.join(format!("{}.txt", uuid(7)))),
        "{receipt:#}"
    );
    assert!(there(&debug.join("latest")), "{receipt:#}");
    assert!(
        there(&debug.join(format!("{}.txt", uuid(9)))),
        "what `latest` points to"
    );
    assert_eq!(receipt["removed"], 198, "{receipt:#}");
    drop(open);
}

/// D13, #80367.
#[test]
fn d13_staging_clones_of_plugins_go_and_versions_stay() {
    let machine = days(3);
    let cache = machine.home().join(".claude/plugins/cache");
    for name in [
        "temp_git_1758500000000_a1b2c3",
        "temp_github_1758500000000_a1b2c3",
    ] {
        file(cache.join(name).join("README.md"), b"x");
    }
    let version = file(cache.join("market/formatter/1.2.0/plugin.json"), b"{}");
    let list = file(
        machine
            .home()
            .join(".claude/plugins/installed_plugins.json"),
        b"{}",
    );
    let removed = cleaned(&machine)["removed"].as_u64().unwrap();
    assert!(removed >= 1, "{:#}", look(&machine));
    assert!(!there(&cache.join("temp_git_1758500000000_a1b2c3")));
    assert!(there(&version) && there(&list));
}

/// D14, #14980.
#[test]
fn d14_old_versions_go_and_the_linked_the_newest_and_the_running_stay() {
    let machine = days(3);
    let versions = machine.home().join(".local/share/claude/versions");
    for version in ["2.1.270", "2.1.271", "2.1.272", "2.1.273", "2.1.274"] {
        fs::create_dir_all(&versions).unwrap();
        let to = versions.join(version);
        assert!(
            Command::new("cp")
                .args(["-L", "/bin/sleep"])
                .arg(&to)
                .status()
                .unwrap()
                .success()
        );
    }
    fs::write(versions.join("2.1.269"), "").unwrap();
    let bin = folder(machine.home().join(".local/bin"));
    symlink(versions.join("2.1.272"), bin.join("claude")).unwrap();
    let runs = run(&mut Command::new(versions.join("2.1.271")));
    done(&clean(
        &machine,
        &["--yes", "--class", "old_version", "--for-good"],
    ));
    drop(runs);
    for version in ["2.1.271", "2.1.272", "2.1.274"] {
        assert!(
            there(&versions.join(version)),
            "{version} {:#}",
            look(&machine)
        );
    }
    for version in ["2.1.269", "2.1.270", "2.1.273"] {
        assert!(
            !there(&versions.join(version)),
            "{version} {:#}",
            look(&machine)
        );
    }
}

/// D16, erwins-enkel/shepherd#560.
#[test]
fn d16_a_cache_of_tiny_files_is_named_by_its_inodes() {
    let machine = days(3);
    let cache = machine.tmp().join("node-compile-cache");
    for number in 0..300 {
        file(
            cache.join(format!("v22/{:02x}/{number}", number % 16)),
            b"x",
        );
    }
    let view = look(&machine);
    assert_eq!(number(&view, "node_compile_cache", "count"), 1, "{view:#}");
    assert!(
        number(&view, "node_compile_cache", "inodes") >= 300,
        "{view:#}"
    );
}

/// D17, #25992.
#[test]
fn d17_a_dead_bridge_socket_goes_and_its_folder_stays() {
    let machine = later();
    let bridge = machine.tmp().join("claude-mcp-browser-bridge-you");
    let socket = dead_socket(bridge.join(format!("{NO_PROCESS}.sock")));
    assert_eq!(cleaned(&machine)["removed"], 1, "{:#}", look(&machine));
    assert!(!there(&socket) && there(&bridge));
}

/// D18, #20139 and #18679.
#[test]
fn d18_a_root_of_another_user_is_measured_and_offers_nothing() {
    let test = "reports::d18_a_root_of_another_user_is_measured_and_offers_nothing";
    if !skip::is_root() {
        return skip::say(test, "only root can make another user's folder");
    }
    let mut machine = days(3);
    let root = folder(machine.tmp().join("claude"));
    let pad = folder(root.join(format!("-home-you-webshop/{}/scratchpad", uuid(1))));
    let empty = folder(root.join("claude-empty-aB3xY9"));
    machine.add_temp_root(root.clone()).unwrap();
    for path in [&root, &empty] {
        std::os::unix::fs::chown(path, Some(12_345), Some(12_345)).unwrap();
    }
    done(&clean(&machine, &["--yes", "--tier", "ask", "--for-good"]));
    done(&clean(&machine, &["--yes"]));
    assert!(there(&pad) && there(&empty), "{:#}", look(&machine));
}

/// D15 (the text of 2.1.257), D19 (#55435, #57765).
#[test]
fn d15_d19_masks_and_worktrees_are_never_part_of_a_clean_up() {
    let machine = days(30);
    let project = machine.home().join("webshop");
    let stub = file(project.join(".claude/settings.local.json"), b"");
    mode(&stub, 0o444);
    let tree = project.join(".claude/worktrees/agent-1");
    file(tree.join(".git"), b"gitdir: /elsewhere");
    let old = machine.home().join(".claude-worktrees/webshop/agent-2");
    file(old.join(".git"), b"gitdir: /elsewhere");
    for words in [&["--yes"][..], &["--yes", "--tier", "ask", "--for-good"]] {
        done(&clean(&machine, words));
    }
    assert!(there(&stub) && there(&tree.join(".git")) && there(&old.join(".git")));
}

/// D20, #21429 and #26130.
#[test]
fn d20_copies_of_the_settings_go_but_for_the_newest_and_the_settings_stay() {
    let machine = days(3);
    let home = machine.home();
    let settings = file(home.join(".claude.json"), b"{}");
    for number in 0..9 {
        file(
            home.join(format!(".claude.json.backup.175850000000{number}")),
            b"{}",
        );
    }
    let words = ["--yes", "--class", "config_backup", "--for-good"];
    done(&clean(&machine, &words));
    let left: Vec<String> = fs::read_dir(&home)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".backup."))
        .collect();
    assert_eq!(left.len(), 5, "{left:?}");
    assert!(
        left.iter()
            .all(|name| name.as_bytes().last() >= Some(&b'4')),
        "{left:?}"
    );
    assert!(there(&settings));
}
