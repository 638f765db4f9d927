//! Public reports as what a scan must see (facts of the leftovers §7). Nothing is judged here.

use std::os::unix::fs::{MetadataExt, symlink};

use super::*;

fn session(number: u32) -> String {
    format!("{number:08x}-d9cb-469f-a165-70867728950e")
}

/// D4 (#35121, #35886): 1.4 TB in one output, of which the disk holds next to nothing here.
#[test]
fn d4_a_runaway_output_has_its_length_and_its_blocks() {
    let world = World::new();
    let path = format!("tmp/claude-501/{PROJECT}/{SESSION}/tasks/bpnhmxvxm.output");
    let path = world.file(&path, "line\n");
    let length = 1_400_000_000_000;
    let output = fs::File::options().write(true).open(&path).unwrap();
    if output.set_len(length).is_err() {
        println!(
            "skipped: d4_a_runaway_output_has_its_length_and_its_blocks: the filesystem has no such long files"
        );
        return;
    }
    let found = world.found();
    let it = one(&found, "output");
    assert_eq!(it.apparent.0, length);
    assert_eq!(it.allocated.0, fs::metadata(&path).unwrap().blocks() * 512);
    assert!(it.allocated.0 < 1_000_000);
    assert_eq!(it.origin.session.as_deref(), Some(SESSION));
    assert_eq!(it.origin.project.as_deref(), Some(PROJECT));
}

/// D7 (#75354): 95 dead and some live sessions under one root, each told apart by its id.
#[test]
fn d7_every_session_directory_says_whose_it_is() {
    let world = World::new();
    for number in 0..101 {
        let project = if number % 2 == 0 {
            PROJECT
        } else {
            "-home-you-thesis"
        };
        let pad = format!("tmp/claude-501/{project}/{}/scratchpad", session(number));
        world.file(&format!("{pad}/notes.md"), "notes");
        if number >= 95 {
            world.file(
                &format!("home/.claude/projects/{project}/{}.jsonl", session(number)),
                "",
            );
        }
    }
    let found = world.found();
    let pads = of(&found, "scratchpad");
    assert_eq!(pads.len(), 101);
    for it in pads {
        let id = it.origin.session.as_deref().unwrap();
        assert!(it.path.to_str().unwrap().contains(id));
        let project = it.origin.project.as_deref().unwrap();
        assert!(it.path.starts_with(project));
        let number = u32::from_str_radix(&id[..8], 16).unwrap();
        assert_eq!(it.content.transcript, Some(number >= 95), "{id}");
        assert_eq!(it.content.members.len(), 2);
    }
}

/// D10 (#23095, #32396): hidden copies in a root, by exact shape and magic, among others' files.
#[test]
fn d10_native_copies_are_known_by_name_and_magic() {
    let world = World::new();
    let count = 281;
    for number in 0..count {
        let magic: &[u8] = [&b"MZ\x90\0"[..], b"\x7fELF", b"\xcf\xfa\xed\xfe"][number % 3];
        let path = world.file(&format!("tmp/.{number:016x}-{number:08}.node"), magic);
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_len(6_965_760)
            .unwrap();
        world.file(&format!("tmp/.{number:015x}-{number:08}.node"), magic);
        world.file(&format!("tmp/{number:016x}-{number:08}.node"), magic);
    }
    world.file("tmp/.00000000000000ff-99999999.node", "const x = 1;\n");
    let found = world.found();
    let native = of(&found, "native");
    assert_eq!(native.len(), count + 1);
    let real = native.iter().filter(|it| it.content.native == Some(true));
    assert_eq!(real.count(), count);
    let sum: u64 = native.iter().map(|it| it.apparent.0).sum();
    assert!(sum > 6_965_760 * count as u64);
}

/// D11 (#17990, #9520): 1,988 path files, and files of a person's that begin alike.
#[test]
fn d11_path_files_are_known_by_name_and_content() {
    let world = World::new();
    for number in 0..1988 {
        world.file(
            &format!("tmp/claude-{number:04x}-cwd"),
            "/home/you/project\n",
        );
    }
    world.file("tmp/claude-export.csv", "a,b\n");
    world.file("tmp/claude-ffff-cwd", "notes\nof a person\n");
    world.file("tmp/claude-cwd", "/home/you\n");
    let found = world.found();
    assert_eq!(found.len(), 1989);
    let paths = found.iter().filter(|it| it.content.path_line == Some(true));
    assert_eq!(paths.count(), 1988);
}

/// D12 (#28235): debug logs by the thousand, and `latest`, which is a link.
#[test]
fn d12_debug_logs_stream_and_latest_is_none_of_them() {
    let world = World::new();
    let count = 4463;
    for number in 0..count {
        world.file(
            &format!("home/.claude/debug/{}.txt", session(number)),
            "log",
        );
    }
    symlink(
        format!("{}.txt", session(7)),
        world.at("home/.claude/debug/latest"),
    )
    .unwrap();
    let found = world.found();
    assert_eq!(found.len(), usize::try_from(count).unwrap());
    assert!(
        found
            .iter()
            .all(|it| it.kind_fits && it.named.session.is_some())
    );
}

/// D13 (#80367): staging clones among real plugins.
#[test]
fn d13_staging_clones_are_found_and_plugins_are_not() {
    let world = World::new();
    let cache = "home/.claude/plugins/cache";
    for number in 0..131_u64 {
        let clone = format!(
            "{cache}/temp_git_{}_a{number:05}",
            1_795_000_000_000 + number
        );
        world.file(&format!("{clone}/.git/HEAD"), "ref");
        world.file(&format!("{clone}/plugin.json"), "{}");
    }
    for version in ["1.0.0", "1.1.0"] {
        world.file(
            &format!("{cache}/market/plugin/{version}/plugin.json"),
            "{}",
        );
    }
    world.file(
        "home/.claude/plugins/installed_plugins.json",
        r#"{"plugin@market":[{"installPath":"x/market/plugin/1.1.0"}]}"#,
    );
    let found = world.found();
    assert_eq!(found.len(), 131);
    for it in &found {
        assert_eq!(
            (it.class.name, it.content.installed),
            ("clones", Some(false))
        );
        assert_eq!((it.inodes, it.named.millis.is_some()), (4, true));
    }
}

/// D14 (#14980): six versions, one of them empty, the launcher on one that is not the newest.
#[test]
fn d14_versions_with_the_launched_the_newest_and_the_empty_one() {
    let world = World::new();
    for (version, size) in [
        ("2.1.99", 100),
        ("2.1.100", 100),
        ("2.1.258", 100),
        ("2.1.274", 100),
        ("2.1.278", 0),
        ("2.1.280", 100),
    ] {
        world.file(
            &format!("home/.local/share/claude/versions/{version}"),
            vec![0; size],
        );
    }
    world.folder("home/.local/bin");
    symlink(
        world.at("home/.local/share/claude/versions/2.1.274"),
        world.at("home/.local/bin/claude"),
    )
    .unwrap();
    let found = world.found();
    let mut kept: Vec<_> = of(&found, "versions")
        .into_iter()
        .filter(|it| it.newer_siblings == 0 || it.content.launched != Some(false))
        .map(|it| it.path.file_name().unwrap().to_str().unwrap())
        .collect();
    kept.sort_unstable();
    assert_eq!(kept, ["2.1.274", "2.1.280"]);
    let empty = of(&found, "versions");
    let empty = empty.iter().find(|it| it.apparent.0 == 0).unwrap();
    assert_eq!(empty.newer_siblings, 1);
}

/// D16 (shepherd#560): the inodes are in one directory, which says so.
#[test]
fn d16_a_directory_says_how_many_inodes_it_takes() {
    let world = World::new();
    for number in 0..3000 {
        world.file(
            &format!(
                "tmp/claude-501/node-compile-cache/v22/{:03x}/{number:08x}",
                number % 64
            ),
            "code",
        );
    }
    let found = world.found();
    let it = one(&found, "compiled");
    assert_eq!(it.inodes, 3000 + 64 + 2);
    assert_eq!(
        it.content.members,
        [],
        "asked about one by one before they go"
    );
}

/// D18 (#20139, #18679): a root of another user's is counted and offers nothing.
#[test]
fn d18_another_users_root_is_seen_and_nothing_in_it_is_ours() {
    let world = World::new();
    world.file(
        &format!("tmp/claude-501/{PROJECT}/{SESSION}/scratchpad/x"),
        "x",
    );
    world.file(&format!("tmp/claude-501/{PROJECT}/tasks/b1.output"), "x");
    let mut scene = world.scene();
    for root in &mut scene.roots {
        root.owner = Owner::Foreign;
    }
    let (found, looked) = scan(&scene, &|_| true);
    assert!(looked.complete);
    assert_eq!(found.len(), 2);
    for it in &found {
        assert!(!it.own && it.inodes > 0, "{it:#?}");
        assert_eq!((it.content.transcript, it.content.path_line), (None, None));
    }
}

/// D20 (#21429, #26130): copies of the configuration, the newest by the moment in their names.
#[test]
fn d20_backups_are_ranked_by_the_moment_in_their_names() {
    let world = World::new();
    world.file("home/.claude.json", "{}");
    // Made in the wrong order.
    for number in [3_i64, 1, 7, 0, 6, 2, 5, 4] {
        let millis = 1_795_000_000_000 + number;
        world.file(&format!("home/.claude.json.backup.{millis}"), "{}");
    }
    let found = world.found();
    assert_eq!(found.len(), 8);
    for it in &found {
        let number = it.named.millis.unwrap() - 1_795_000_000_000;
        assert_eq!(i64::from(it.newer_siblings), 7 - number);
    }
}
