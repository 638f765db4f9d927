//! What surrounds a candidate: launchers, lists, transcripts, bundles, repositories.

use super::*;

const RELEASE: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "76543210fedcba9876543210fedcba9876543210";

#[cfg(unix)]
fn versions(world: &World) {
    for (version, size) in [("2.1.9", 4), ("2.1.258", 4), ("2.1.274", 4), ("2.1.280", 0)] {
        let path = format!("home/.local/share/claude/versions/{version}");
        world.file(&path, vec![0; size]);
    }
}

#[cfg(unix)]
#[test]
fn the_launched_version_the_newest_and_a_failed_download_that_is_newer_are_told_apart() {
    let world = World::new();
    versions(&world);
    world.folder("home/.local/bin");
    std::os::unix::fs::symlink(
        "../share/claude/versions/2.1.258",
        world.at("home/.local/bin/claude"),
    )
    .unwrap();
    let found = world.found();
    let facts: Vec<_> = of(&found, "versions")
        .iter()
        .map(|it| {
            let version = it.path.file_name().unwrap().to_str().unwrap();
            (version, it.newer_siblings, it.content.launched)
        })
        .collect();
    // Numbers, not letters; and what is empty stands in for nobody.
    assert_eq!(
        facts,
        [
            ("2.1.258", 1, Some(true)),
            ("2.1.274", 0, Some(false)),
            ("2.1.280", 0, Some(false)),
            ("2.1.9", 2, Some(false)),
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_launcher_that_is_no_link_among_the_versions_launches_all_of_them() {
    let world = World::new();
    versions(&world);
    let launched = |world: &World| {
        let found = world.found();
        let launched: Vec<_> = of(&found, "versions")
            .iter()
            .map(|it| it.content.launched)
            .collect();
        assert_eq!(launched.len(), 4);
        launched
    };
    let all = vec![Some(true); 4];
    assert_eq!(launched(&world), all, "there is none");
    let launcher = world.file("home/.local/bin/claude", "#!/bin/sh\n");
    assert_eq!(launched(&world), all, "a script");
    fs::remove_file(&launcher).unwrap();
    let elsewhere = world.file("home/opt/claude", "");
    std::os::unix::fs::symlink(&elsewhere, &launcher).unwrap();
    assert_eq!(launched(&world), all, "a link to somewhere else");
    fs::remove_file(&launcher).unwrap();
    std::os::unix::fs::symlink("/nowhere", &launcher).unwrap();
    assert_eq!(launched(&world), all, "a link to nothing");
}

#[test]
fn a_clone_is_installed_where_the_list_names_it_and_unknown_where_the_list_cannot_be_read() {
    let world = World::new();
    let clone = "temp_git_1795000000123_a1b2c3";
    world.file(&format!("home/.claude/plugins/cache/{clone}/README.md"), "");
    // The decoy: a real plugin.
    world.file("home/.claude/plugins/cache/market/plugin/1.0.0/x", "");
    let installed = || {
        let found = world.found();
        let it = one(&found, "clones");
        assert_eq!(it.named.millis, Some(1_795_000_000_123));
        it.content.installed
    };
    assert_eq!(installed(), Some(false), "nothing is installed");
    let list = world.file("home/.claude/plugins/installed_plugins.json", "{}");
    assert_eq!(installed(), Some(false));
    fs::write(
        &list,
        format!(r#"{{"a":[{{"installPath":"/x/{clone}"}}]}}"#),
    )
    .unwrap();
    assert_eq!(installed(), Some(true));
    fs::write(&list, "{\"a\":").unwrap();
    assert_eq!(installed(), None, "cut off");
    fs::rename(&list, list.with_extension("set-aside.1")).unwrap();
    assert_eq!(installed(), None, "set aside");
}

#[test]
fn a_session_can_be_resumed_where_any_configuration_has_its_transcript() {
    let world = World::new();
    let path = format!("tmp/claude-501/{PROJECT}/{SESSION}/scratchpad/plan.md");
    world.file(&path, "");
    let second = world.folder("second");
    let mut scene = world.scene();
    scene.config_dirs.push(second);
    let transcript = |scene: &Scene| {
        let (found, _) = scan(scene, &|_| true);
        one(&found, "scratchpad").content.transcript
    };
    // The decoys: another session's, a folder of this one's, a longer name.
    world.file(
        "home/.claude/projects/-x/1f8fad5b-d9cb-469f-a165-70867728950e.jsonl",
        "",
    );
    world.folder(&format!("home/.claude/projects/-x/{SESSION}/subagents"));
    world.file(&format!("home/.claude/projects/-x/a{SESSION}.jsonl"), "");
    assert_eq!(transcript(&scene), Some(false));
    world.file(&format!("second/projects/-y/{SESSION}.jsonl"), "");
    assert_eq!(transcript(&scene), Some(true));
    assert_eq!(transcript(&world.scene()), Some(false));
    scene.config_dirs.clear();
    assert_eq!(transcript(&scene), None, "nowhere to look");
}

#[test]
fn a_spare_is_superseded_by_the_whole_image_beside_it() {
    let world = World::new();
    let bundle = "home/.config/Claude/vm_bundles/claudevm.bundle";
    let write = |name: &str, text: &str| world.file(&format!("{bundle}/{name}"), text);
    let facts = || -> Vec<(String, Option<bool>)> {
        let found = world.found();
        of(&found, "spare")
            .iter()
            .map(|it| (it.path.display().to_string(), it.content.superseded))
            .collect()
    };
    let expect = |facts: &[(String, Option<bool>)], want: &[(&str, Option<bool>)]| {
        let facts: Vec<_> = facts
            .iter()
            .map(|(name, it)| (name.as_str(), *it))
            .collect();
        assert_eq!(facts, want);
    };
    write("rootfs.img.zst", "z");
    write("rootfs.vhdx", "v");
    expect(
        &facts(),
        &[
            ("rootfs.img.zst", Some(false)),
            ("rootfs.vhdx", Some(false)),
        ],
    );
    write("rootfs.img", "i");
    // Without its origin the app deletes the image and unpacks again.
    expect(
        &facts(),
        &[
            ("rootfs.img", Some(false)),
            ("rootfs.img.zst", Some(false)),
            ("rootfs.vhdx", Some(false)),
        ],
    );
    write(".rootfs.img.origin", RELEASE);
    expect(
        &facts(),
        &[
            ("rootfs.img", Some(false)),
            ("rootfs.img.zst", None),
            ("rootfs.vhdx", Some(true)),
        ],
    );
    write(".rootfs.img.zst.origin", OTHER);
    assert_eq!(
        facts()[1].1,
        Some(false),
        "the next release, not unpacked yet"
    );
    write(".rootfs.img.zst.origin", RELEASE);
    assert_eq!(facts()[1].1, Some(true));
    fs::write(world.at(&format!("{bundle}/rootfs.img")), "").unwrap();
    assert_eq!(facts()[1].1, Some(false), "nothing was unpacked");
}

#[test]
fn a_warm_release_is_kept_where_an_origin_names_it_or_no_system_stands() {
    let world = World::new();
    let bundles = "home/.config/Claude/vm_bundles";
    world.folder(&format!("{bundles}/warm/{OTHER}"));
    world.folder(&format!("{bundles}/warm/not-a-release"));
    world.folder(&format!("{bundles}/claudevm.bundle"));
    let superseded = || {
        let found = world.found();
        one(&found, "warm").content.superseded
    };
    assert_eq!(superseded(), Some(false));
    world.file(&format!("{bundles}/claudevm.bundle/rootfs.img"), "i");
    let origin = world.file(
        &format!("{bundles}/claudevm.bundle/.rootfs.img.origin"),
        RELEASE,
    );
    assert_eq!(superseded(), Some(true));
    fs::write(origin, format!("{OTHER}\n")).unwrap();
    assert_eq!(superseded(), Some(false));
}

#[test]
fn a_stub_is_tracked_where_an_index_above_it_names_it() {
    let world = World::new();
    world.file("home/.bashrc", "");
    let untracked = || one(&world.found(), "mask").content.untracked;
    // The folders above this test's own are not asked about by the assertion, but looked at.
    assert_eq!(untracked(), Some(true));
    world.folder("home/.git");
    assert_eq!(untracked(), Some(true), "nothing was added");
    world.file("home/.git/index", b"DIRC\0\0\0\x02....bashrc.old\0");
    assert_eq!(untracked(), Some(true));
    world.file("home/.git/index", b"DIRC\0\0\0\x02....bashrc\0");
    assert_eq!(untracked(), Some(false));
    world.file("home/.git/index", b"DIRC\0\0\0\x04....bashrc\0");
    assert_eq!(untracked(), None, "paths of version 4 are not whole");
    fs::remove_dir_all(world.at("home/.git")).unwrap();
    world.file("home/.git", "gitdir: /elsewhere\n");
    assert_eq!(untracked(), None);
}

#[test]
fn projects_are_those_of_the_list_and_of_running_sessions_below_what_may_be_seen() {
    let world = World::new();
    let home = world.at("home");
    let listed = home.join("web.shop");
    let running = home.join("thesis");
    let outside = world.at("outside");
    let list = format!(
        r#"{{"projects":{{"{}":{{"history":[1]}},"{}":{{}},"relative":{{}},"/nowhere":{{}}}}}}"#,
        listed.display(),
        outside.display(),
    );
    world.file("home/.claude.json", list);
    let record = format!(r#"{{"pid":4711,"cwd":"{}"}}"#, running.display());
    world.file("home/.claude/sessions/4711.json", record);
    world.file("home/.claude/sessions/12.json", "not a record");
    for project in ["home/web.shop", "home/thesis", "home/unlisted", "outside"] {
        world.file(&format!("{project}/.claude/settings.json"), "");
    }
    world.file("home/web.shop/.claude/worktrees/agent-1/.git", "gitdir: x");
    let found = world.found();
    let stubs = of(&found, "stub");
    let bases: Vec<_> = stubs.iter().map(|it| it.base.to_path_buf()).collect();
    assert_eq!(bases.len(), 2, "{bases:?}");
    for project in [&listed, &running] {
        assert!(
            bases.contains(&fs::canonicalize(project).unwrap()),
            "{bases:?}"
        );
    }
    for it in stubs {
        assert_eq!(it.content.empty, Some(true));
        let project = it.origin.project.as_deref().unwrap();
        assert!(
            project.starts_with('-') && !project.contains(['/', '.']),
            "{project}"
        );
    }
    assert_eq!(one(&found, "worktree").inodes, 2);
}

#[cfg(unix)]
#[test]
fn a_stub_is_as_the_sandbox_makes_it_by_length_and_mode() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let list = format!(
        r#"{{"projects":{{"{}":{{}}}}}}"#,
        world.at("home/p").display()
    );
    world.file("home/.claude.json", list);
    let stub = world.file("home/p/.claude/settings.json", "");
    for (text, mode, own) in [("", 0o444, true), ("", 0o644, false), ("{}", 0o444, false)] {
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(&stub, text).unwrap();
        fs::set_permissions(&stub, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(one(&world.found(), "stub").content.own_kind, Some(own));
    }
}

#[cfg(unix)]
#[test]
fn a_log_that_latest_leads_to_is_launched() {
    let machine = World::new().machine;
    let folder = tempfile::tempdir().unwrap();
    let debug = folder.path().join("debug");
    fs::create_dir(&debug).unwrap();
    let launched = |name: &str| {
        let path = debug.join(name);
        super::super::content::launched(&machine, &path)
    };
    assert_eq!(launched("a.txt"), Some(false));
    std::os::unix::fs::symlink("a.txt", debug.join("latest")).unwrap();
    assert_eq!(
        (launched("a.txt"), launched("b.txt")),
        (Some(true), Some(false))
    );
    fs::remove_file(debug.join("latest")).unwrap();
    std::os::unix::fs::symlink(debug.join("b.txt"), debug.join("latest")).unwrap();
    assert_eq!(
        (launched("a.txt"), launched("b.txt")),
        (Some(false), Some(true))
    );
    fs::remove_file(debug.join("latest")).unwrap();
    fs::write(debug.join("latest"), "a.txt").unwrap();
    assert_eq!(launched("a.txt"), None);
}

#[cfg(unix)]
#[test]
fn a_package_is_launched_where_a_program_of_its_prefix_leads_into_it() {
    let world = World::new();
    let modules = "home/.npm-global/lib/node_modules/@anthropic-ai";
    let left = world.folder(&format!("{modules}/.claude-code-Ab3xY9z1"));
    let used = world.file(&format!("{modules}/claude-code/cli.js"), "");
    world.folder("home/.npm-global/bin");
    std::os::unix::fs::symlink(&used, world.at("home/.npm-global/bin/claude")).unwrap();
    let launched = |path: &Path| {
        super::super::content::launched(&world.machine, &fs::canonicalize(path).unwrap())
    };
    assert_eq!(launched(&left), Some(false));
    assert_eq!(launched(used.parent().unwrap()), Some(true));
}
