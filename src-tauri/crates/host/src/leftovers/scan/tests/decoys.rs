//! Beside what is sought lies what only looks like it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::process::Command;

use super::*;

/// One of everything, all of it real.
fn fill(world: &World) {
    world.folder("tmp/claude-empty-Ab3xY9");
    world.socket("tmp/srt-mux-4711-a1.sock");
    world.socket("tmp/claude-http-0123456789abcdef.sock");
    world.socket("tmp/srt-obs-Ab3xY9/s0123abcd.sock");
    world.file("tmp/srt-credmask-Ab3xY9/0.fake", "x");
    world.file("tmp/srt-ca-Ab3xY9/ca.key", "x");
    world.file("tmp/.0123456789abcdef-00000001.node", b"\x7fELF rest");
    world.file("tmp/claude-0a1f-cwd", "/home/you/project\n");
    let session = format!("tmp/claude-501/{PROJECT}/{SESSION}");
    world.file(&format!("{session}/tasks/bpnhmxvxm.output"), "out");
    world.file(&format!("tmp/claude-501/{PROJECT}/tasks/old.output"), "out");
    world.file(&format!("{session}/scratchpad/plan.md"), "plan");
    world.folder("tmp/tmp.0123456789");
    world.folder("tmp/tmpab_12345");
    let cache = "home/.claude/jobs/7f3a/tmp/tmp.abcdefghij/Users/you/app/__pycache__";
    world.file(&format!("{cache}/models.cpython-312.pyc"), "pyc");
    world.file(&format!("home/.claude/debug/{SESSION}.txt"), "log");
    world.file(
        "home/.claude/plugins/cache/temp_git_1795000000123_a1b2c3/x",
        "",
    );
    world.file("home/.local/share/claude/versions/2.1.280", "program");
    world.file("home/.claude.json.backup.1795000000123", "{}");
    world.socket("tmp/claude-mcp-browser-bridge-you/7455.sock");
    world.file("tmp/claude-501/node-compile-cache/v22/x", "x");
    world.folder("home/.cache/claude-cli-nodejs/-home-you/mcp-logs-x");
}

const ALL_OF_THEM: [(&str, &str); 21] = [
    ("backups", ".claude.json.backup.1795000000123"),
    ("bridge", "claude-http-0123456789abcdef.sock"),
    ("browser_bridge", "claude-mcp-browser-bridge-you/7455.sock"),
    ("clones", "plugins/cache/temp_git_1795000000123_a1b2c3"),
    ("compiled", "node-compile-cache"),
    ("cwd", "claude-0a1f-cwd"),
    ("debug", "debug/0f8fad5b-d9cb-469f-a165-70867728950e.txt"),
    ("empty", "claude-empty-Ab3xY9"),
    ("logs", "claude-cli-nodejs/-home-you/mcp-logs-x"),
    ("mktemp", "tmp.0123456789"),
    ("mux", "srt-mux-4711-a1.sock"),
    ("native", ".0123456789abcdef-00000001.node"),
    (
        "output",
        "-home-you-webshop/0f8fad5b-d9cb-469f-a165-70867728950e/tasks/bpnhmxvxm.output",
    ),
    ("output", "-home-you-webshop/tasks/old.output"),
    ("overlay", "tmp.abcdefghij"),
    ("own", "srt-ca-Ab3xY9"),
    ("own", "srt-credmask-Ab3xY9"),
    ("own", "srt-obs-Ab3xY9"),
    ("python", "tmpab_12345"),
    (
        "scratchpad",
        "-home-you-webshop/0f8fad5b-d9cb-469f-a165-70867728950e/scratchpad",
    ),
    ("versions", ".local/share/claude/versions/2.1.280"),
];

fn expected() -> Vec<(&'static str, &'static Path)> {
    let pair = |(class, path): &(&'static str, &'static str)| (*class, Path::new(*path));
    ALL_OF_THEM.iter().map(pair).collect()
}

#[test]
fn one_of_everything_is_found_once_with_what_its_gates_ask() {
    let world = World::new();
    fill(&world);
    let found = world.found();
    assert_eq!(paths(&found), expected());
    for it in &found {
        assert!(it.kind_fits && it.own, "{it:#?}");
        assert!(
            it.born <= it.touched && it.born.0 > 1_700_000_000,
            "{it:#?}"
        );
        assert!(it.base.join(&it.path).exists());
        assert_eq!(*it.root, *token(&it.base));
        assert_eq!(it.content.members.first(), Some(&it.id));
        assert_eq!(it.inside.is_some(), cfg!(target_os = "linux"));
    }
    assert_eq!(one(&found, "empty").content.empty, Some(true));
    assert_eq!(one(&found, "mux").named.pid, Some(4711));
    assert_eq!(one(&found, "native").content.native, Some(true));
    assert_eq!(one(&found, "cwd").content.path_line, Some(true));
    let own = of(&found, "own");
    assert!(own.iter().all(|it| it.content.own_kind == Some(true)));
    assert_eq!(own[2].content.sockets, [b"s0123abcd.sock"]);
    assert_eq!((own[2].inodes, own[2].content.members.len()), (2, 2));
    let overlay = one(&found, "overlay");
    assert_eq!(overlay.content.only_bytecode, Some(true));
    assert_eq!(overlay.inodes, 6);
    let job = overlay.origin.job.as_ref().unwrap();
    assert!(job.ends_with(".claude/jobs/7f3a"));
    let scratchpad = one(&found, "scratchpad");
    assert_eq!(scratchpad.content.repository, Some(false));
    assert_eq!(scratchpad.origin.project.as_deref(), Some(PROJECT));
    assert_eq!(scratchpad.origin.session.as_deref(), Some(SESSION));
    let old = of(&found, "output")[1];
    assert_eq!(old.origin.project.as_deref(), Some(PROJECT));
    assert_eq!(old.origin.session, None);
}

#[test]
fn counting_names_counts_what_a_scan_finds() {
    let world = World::new();
    fill(&world);
    // Of the wrong kind: the folder itself says so.
    world.file("tmp/claude-empty-Zz3xY9", "");
    let (names, looked) = names_for(ROWS, &world.scene(), &|_| true, &Cancel::default());
    assert!(looked.complete);
    let counted: u64 = names.iter().map(|it| it.count).sum();
    assert_eq!(counted, expected().len() as u64);
    let mux = names.iter().find(|it| it.class.name == "mux").unwrap();
    assert_eq!(*mux.root, *token(&world.at("tmp").canonicalize().unwrap()));
    let (names, _) = names_for(
        ROWS,
        &world.scene(),
        &|class| class.name == "own",
        &Cancel::default(),
    );
    assert_eq!((names.len(), names[0].count), (1, 3));
}

#[test]
fn only_what_is_wanted_is_found_and_nothing_else_is_taken_for_it() {
    let world = World::new();
    fill(&world);
    let (found, _) = scan(&world.scene(), &|class| class.name == "mktemp");
    // The overlay of a job has the same shape in a temp root, but it is the job's.
    assert_eq!(paths(&found), [("mktemp", Path::new("tmp.0123456789"))]);
}

#[test]
fn names_that_only_look_alike_never_match() {
    let world = World::new();
    for name in [
        "claude-empty-home-abcdef",
        "machine-claude-empty-Ab3xY9",
        "claude-empty-Ab3xY",
        "claude-empty-Ab3xY99",
        "claude-empty-Ab3x-9",
        "CLAUDE-empty-Ab3xY9",
        "claude-empty-",
        "claude-empty-Ab3xY9.bak",
        "xclaude-empty-Ab3xY9",
        "claude-empty-Ab3xY\u{e9}",
        "claude-empty-Ab3xY9\n",
        "\nclaude-empty-Ab3xY9",
        "srt-obs-Ab3xY",
        "srt-ca-backups",
        "tmp.012345678",
        "tmp.01234567890",
        "tmp-0123456789",
        "tmp0123456",
        "tmpABCDEFGH",
        "tmp",
        "gkinstall-Ab3xY9",
        "claude-mcp-browser-bridge-",
        "node-compile-cache-2",
        "systemd-private-0123",
    ] {
        world.folder(&format!("tmp/{name}"));
    }
    for name in [
        "claude-export.csv",
        "claude-0a1-cwd",
        "claude-0a1f2-cwd",
        "claude-0A1F-cwd",
        "claude-0a1f-cwd.txt",
        "claude-zzzz-cwd",
        ".0123456789abcde-00000001.node",
        ".0123456789abcdef-0000001.node",
        "0123456789abcdef-00000001.node",
        ".bun-501-0123456789abcdef.node",
        ".0123456789abcdef-00000001.nodes",
        "claude-http-0123456789abcdef.sock.lock",
        "srt-mux-12345678901-a.sock",
    ] {
        world.file(&format!("tmp/{name}"), "/home/you\n");
    }
    for name in [
        "srt-mux-4711.sock",
        "srt-mux--a1.sock",
        "srt-mux-x-a1.sock",
        "srt-mux-4711-A1.sock",
        "claude-http-0123456789abcdeg.sock",
        "claude-ftp-0123456789abcdef.sock",
        "claude-mcp-browser-bridge/7455.sock",
        "claude-mcp-browser-bridge-you/7455.socket",
        "claude-mcp-browser-bridge-you/deep/7455.sock",
    ] {
        world.socket(&format!("tmp/{name}"));
    }
    for raw in [
        &b"claude-empty-Ab3x\xff9"[..],
        b"\xff",
        b"srt-ca-\xff\xfe\xfd\xfc\xfb\xfa",
    ] {
        fs::create_dir(world.at("tmp").join(OsStr::from_bytes(raw))).unwrap();
    }
    for path in [
        "home/.claude.json",
        "home/.claude.json.backup",
        "home/.claude.json.backup.179500000012",
        "home/.claude/debug/latest",
        "home/.claude/debug/notes.txt",
        "home/.claude/debug/sub/0f8fad5b-d9cb-469f-a165-70867728950e.txt",
        "home/.claude/plugins/cache/market/plugin/1.0.0/x",
        "home/.claude/plugins/cache/temp_git_x_a1b2c3/x",
        "home/.claude/plugins/installed_plugins.json",
        "home/.local/share/claude/versions/2.1.280.tmp",
        "home/.local/share/claude/versions/latest",
    ] {
        world.file(path, "{}");
    }
    assert_eq!(paths(&world.found()), []);
}

#[test]
fn what_is_of_another_kind_is_said_to_be_and_is_not_looked_into() {
    let world = World::new();
    let outside = world.folder("outside");
    fs::write(outside.join("canary"), "alive").unwrap();
    let canary = outside.join("canary");
    // Links in the place of each kind.
    symlink(&outside, world.at("tmp/claude-empty-Ab3xY9")).unwrap();
    symlink(&outside, world.at("tmp/srt-ca-Ab3xY9")).unwrap();
    symlink(&canary, world.at("tmp/claude-0a1f-cwd")).unwrap();
    symlink(&canary, world.at("tmp/srt-mux-4711-a1.sock")).unwrap();
    symlink("/nowhere", world.at("tmp/.0123456789abcdef-00000001.node")).unwrap();
    // A pipe would make whoever opens it wait for ever.
    for name in [
        "claude-0a2f-cwd",
        "claude-empty-Bb3xY9",
        ".0123456789abcdef-00000002.node",
    ] {
        let made = Command::new("mkfifo")
            .arg(world.at("tmp").join(name))
            .status();
        assert!(made.unwrap().success());
    }
    // A folder for a file, a file for a folder, a file for a socket.
    world.folder("tmp/claude-0a3f-cwd");
    world.file("tmp/claude-empty-Cb3xY9", "");
    world.file("tmp/srt-mux-4711-b1.sock", "");
    // Outputs are links into transcripts at times (#41737).
    let tasks = world.folder(&format!("tmp/claude-501/{PROJECT}/{SESSION}/tasks"));
    symlink(&canary, tasks.join("a0123456789abcdef.output")).unwrap();
    let found = world.found();
    assert_eq!(found.len(), 12);
    for it in &found {
        assert!(!it.kind_fits, "{it:#?}");
        let content = &it.content;
        let looked = (
            content.empty,
            content.native,
            content.path_line,
            content.own_kind,
        );
        assert_eq!(looked, (None, None, None, None));
        assert_eq!((it.inodes, content.members.len()), (1, 1));
    }
    assert_eq!(fs::read_to_string(canary).unwrap(), "alive");
}

#[test]
fn a_link_on_the_way_is_not_followed() {
    let world = World::new();
    let elsewhere = format!("elsewhere/{SESSION}/scratchpad/x");
    world.file(&elsewhere, "");
    world.file(&format!("logs/{SESSION}.txt"), "");
    world.socket("bridge/7455.sock");
    world.folder("tmp/claude-501");
    symlink(
        world.at("elsewhere"),
        world.at("tmp/claude-501").join(PROJECT),
    )
    .unwrap();
    symlink(world.at("logs"), world.at("home/.claude/debug")).unwrap();
    symlink(
        world.at("bridge"),
        world.at("tmp/claude-mcp-browser-bridge-you"),
    )
    .unwrap();
    assert_eq!(paths(&world.found()), []);
}

#[test]
fn another_users_entries_are_counted_and_are_not_own() {
    let world = World::new();
    fill(&world);
    if !rustix::process::geteuid().is_root() {
        println!(
            "skipped: another_users_entries_are_counted_and_are_not_own: only root can give files away"
        );
        return;
    }
    let give = |path: &str| chown(world.at(path), Some(65534), Some(65534)).unwrap();
    give("tmp/claude-empty-Ab3xY9");
    give("tmp/claude-0a1f-cwd");
    give(&format!(
        "tmp/claude-501/{PROJECT}/{SESSION}/scratchpad/plan.md"
    ));
    let found = world.found();
    assert_eq!(paths(&found), expected());
    let strangers: Vec<_> = found
        .iter()
        .filter(|it| !it.own)
        .map(|it| it.class.name)
        .collect();
    assert_eq!(strangers, ["cwd", "empty"]);
    assert_eq!(one(&found, "cwd").content.path_line, None, "not read");
    assert_eq!(one(&found, "scratchpad").content.foreign, 1);
    // Another user's root: nothing in it is ours (#20139).
    let mut scene = world.scene();
    scene.roots.iter_mut().for_each(|root| {
        if root.why == RootWhy::ClaudeTemp {
            root.owner = Owner::Foreign;
        }
    });
    let (found, _) = scan(&scene, &|_| true);
    assert_eq!(paths(&found), expected());
    for class in ["output", "scratchpad", "compiled"] {
        assert!(of(&found, class).iter().all(|it| !it.own), "{class}");
    }
    assert!(one(&found, "mux").own);
}

#[test]
fn an_ordinary_user_sees_a_gap_where_a_folder_is_closed() {
    let world = World::new();
    fill(&world);
    if rustix::process::geteuid().is_root() {
        println!(
            "skipped: an_ordinary_user_sees_a_gap_where_a_folder_is_closed: root can read everything"
        );
        return;
    }
    let close = |path: &str, mode| {
        fs::set_permissions(world.at(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    let pad = format!("tmp/claude-501/{PROJECT}/{SESSION}/scratchpad");
    world.file(&format!("{pad}/closed/x"), "");
    let closed = [
        format!("{pad}/closed"),
        "tmp/claude-mcp-browser-bridge-you".to_owned(),
    ];
    closed.iter().for_each(|path| close(path, 0));
    let (found, looked) = world.scan();
    closed.iter().for_each(|path| close(path, 0o755));
    assert_eq!(
        (looked.unreadable, looked.complete, looked.gaps.len()),
        (2, false, 2)
    );
    let it = one(&found, "scratchpad");
    assert_eq!((it.content.unreadable, it.content.repository), (1, None));
    assert_eq!(it.inodes, 3, "the closed folder itself is known");
    assert_eq!(found.len(), expected().len() - 1);
}

#[test]
fn whoever_stops_a_scan_gets_no_half_candidates() {
    let world = World::new();
    fill(&world);
    let cancel = Cancel::default();
    let mut found = 0;
    let looked = scan_for(
        ROWS,
        &world.scene(),
        &|_| true,
        &cancel,
        &mut |_| {},
        &mut |_| {
            found += 1;
            cancel.cancel();
        },
    );
    assert!(!looked.complete);
    assert!(found < expected().len(), "{found}");
}
