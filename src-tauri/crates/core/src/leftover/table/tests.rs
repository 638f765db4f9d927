//! What holds of every row, and which row takes which name.

use std::collections::BTreeSet;

use super::*;
use crate::leftover::{Kind, Place, Removal, Tier, shape};

/// The row that takes a thing of this name in this place on Linux.
fn taken(place: Place, name: &str) -> Option<&'static str> {
    on(Os::Linux, place, name)
}

fn on(os: Os, place: Place, name: &str) -> Option<&'static str> {
    CLASSES
        .iter()
        .filter(|class| class.systems.contains(&os) && class.places.contains(&place))
        .find(|class| {
            let fits = |shape: &&str| shape::fits(shape, name.as_bytes()).is_some();
            class.shapes.iter().any(fits)
        })
        .map(|class| class.name)
}

#[test]
fn every_row_is_complete_and_every_shape_can_be_read() {
    let mut names = BTreeSet::new();
    for class in CLASSES {
        let name = class.name;
        assert!(names.insert(name), "{name} twice");
        assert_eq!(super::class(name), Some(class));
        for text in [class.title, class.about, class.proof, class.source] {
            assert!(!text.is_empty(), "{name}");
        }
        for sentence in [class.about, class.proof, class.cost, class.remedy] {
            let whole = sentence.is_empty() || sentence.ends_with('.');
            assert!(whole && !sentence.contains("  "), "{name}: {sentence}");
        }
        assert!(
            !class.systems.is_empty() && !class.places.is_empty(),
            "{name}"
        );
        assert!(!class.shapes.is_empty(), "{name}");
        for shape in class.shapes {
            assert!(shape::is_pattern(shape), "{name}: {shape}");
        }
        let gates: BTreeSet<_> = class.gates.iter().collect();
        assert_eq!(gates.len(), class.gates.len(), "{name}: a gate twice");
        for place in class.places {
            let (Place::TempBelow(below)
            | Place::Session(below)
            | Place::Config(below)
            | Place::Home(below)
            | Place::Cache(below)
            | Place::Runtime(below)
            | Place::Bundle(below)
            | Place::Desktop(below)
            | Place::Project(below)
            | Place::Shared(below)) = place
            else {
                continue;
            };
            for component in below.split('/').filter(|_| !below.is_empty()) {
                let known = component == "*" || shape::is_pattern(component);
                assert!(known && component != "..", "{name}: {below}");
            }
        }
    }
}

#[test]
fn whatever_may_go_names_a_proof_besides_an_age() {
    for class in CLASSES {
        let name = class.name;
        let never = class.removal == Removal::Never;
        assert_eq!(class.gates.is_empty(), never, "{name}");
        assert!(!never || class.tier == Tier::Report, "{name}");
        if never {
            continue;
        }
        let has = |wanted: fn(&Gate) -> bool| class.gates.iter().any(wanted);
        assert!(
            has(|gate| matches!(gate, Gate::Idle(_))),
            "{name}: the race of making it"
        );
        assert!(
            has(|gate| !matches!(gate, Gate::Idle(_))),
            "{name}: age alone"
        );
        assert!(
            class.tier != Tier::Ask || !class.cost.is_empty(),
            "{name}: asked without a cost"
        );
        match class.removal {
            Removal::Tree => {
                assert_eq!(class.kind, Kind::Directory, "{name}");
                assert!(class.gates.contains(&Gate::NoMountSource), "{name}");
                let guarded = class.gates.contains(&Gate::NotHeld)
                    || class.gates.contains(&Gate::OnlyOwnKind);
                assert!(guarded, "{name}: a tree that may be held");
            }
            Removal::Empty => {
                assert_eq!(class.kind, Kind::Directory, "{name}");
                assert!(class.gates.contains(&Gate::Empty), "{name}");
            }
            Removal::Name | Removal::Never => assert_ne!(class.kind, Kind::Directory, "{name}"),
        }
        if class.gates.contains(&Gate::OwnerGone) {
            assert!(
                class.shapes.iter().all(|shape| shape.contains("{pid}")),
                "{name}"
            );
            assert!(
                class.gates.contains(&Gate::NoListener),
                "{name}: a number proves nothing"
            );
        }
        if class.kind == Kind::Socket {
            assert!(class.gates.contains(&Gate::NoListener), "{name}");
            assert!(class.gates.contains(&Gate::NoMountSource), "{name}");
        }
    }
}

#[test]
fn nothing_of_work_or_of_other_vendors_goes_in_bulk() {
    for name in [
        "worktree",
        "transcript",
        "file_history",
        "repository_copy",
        "bundle_stray_sessions",
        "native_shared_copy",
    ] {
        assert_eq!(
            class(name).map(|class| class.removal),
            Some(Removal::Never),
            "{name}"
        );
    }
    for class in CLASSES {
        let by_model = matches!(
            class.name,
            "python_temp_dir"
                | "mktemp_dir"
                | "rust_temp_dir"
                | "pytest_dir"
                | "project_test_dir"
                | "browser_profile"
                | "other_agent_dir"
        );
        assert!(!by_model || class.tier == Tier::Report, "{}", class.name);
    }
}

#[test]
fn names_in_a_temp_folder_are_taken_by_their_own_row_and_decoys_by_none() {
    let uuid = "01234567-89ab-cdef-0123-456789abcdef";
    for (name, row) in [
        ("claude-empty-Ab3xY9", Some("empty_mount_source")),
        ("srt-mux-4711-1.sock", Some("mux_socket")),
        ("srt-tt-4711-1.sock", Some("tls_inner_socket")),
        ("claude-http-0123456789abcdef.sock", Some("bridge_socket")),
        ("claude-socks-0123456789abcdef.sock", Some("bridge_socket")),
        ("srt-obs-Ab3xY9", Some("observer_dir")),
        ("srt-credmask-Ab3xY9", Some("credential_masks")),
        ("srt-ca-Ab3xY9", Some("tls_authority")),
        ("claude-1a2b-cwd", Some("cwd_file")),
        ("node-compile-cache", Some("node_compile_cache")),
        (".0123456789abcdef-00000001.node", Some("native_copy")),
        (
            ".bun-1000-0123456789abcdef.node",
            Some("native_shared_copy"),
        ),
        ("tmpa1_b2c3d", Some("python_temp_dir")),
        ("tmp.Ab3xY9Ab3x", Some("mktemp_dir")),
        (".tmpAb3xY9", Some("rust_temp_dir")),
        ("comet-test-4711-3", Some("project_test_dir")),
        ("playwright-artifacts-Ab3xY9", Some("browser_profile")),
        (".git", Some("other_agent_dir")),
        ("claude-empty-home-Ab3xY9", None),
        ("machine-claude-empty-Ab3xY9", None),
        ("claude-empty-Ab3xY99", None),
        ("claude-export.csv", None),
        ("claude-1000", None),
        ("srt-mux-4711-1.sock.bak", None),
        ("srt-settings.json", None),
        ("gkinstall4711", None),
        (".claude.json", None),
        ("scratchpad", None),
        (".bun-1000-0123456789abcdef", None),
        ("tmpclaude-1a2b-cwd", None),
        (uuid, None),
    ] {
        assert_eq!(taken(Place::Temp, name), row, "{name}");
    }
    let windows = on(Os::Windows, Place::Temp, "tmpclaude-1a2b-cwd");
    assert_eq!(windows, Some("legacy_cwd_file"));
    assert_eq!(on(Os::MacOs, Place::Temp, "claude-empty-Ab3xY9"), None);
    assert_eq!(on(Os::Windows, Place::Temp, "srt-mux-4711-1.sock"), None);
}

#[test]
fn state_and_user_data_of_the_configuration_folder_are_no_candidates() {
    for name in [
        ".claude.json",
        ".claude.json.backup",
        ".credentials.json",
        "history.jsonl",
        "jobs",
        "daemon",
        "sessions",
        "projects",
        "plugins",
        "agent-memory",
        "CLAUDE.md",
    ] {
        assert_eq!(taken(Place::Config(""), name), None, "{name}");
        assert_eq!(taken(Place::Home(""), name), None, "{name}");
    }
    let kept = |name| taken(Place::Config("plugins/cache"), name);
    assert_eq!(kept("installed_plugins.json"), None);
    assert_eq!(kept("claude-plugins-official"), None);
    assert_eq!(kept("temp_git_1763000000123_a1b2c3"), Some("plugin_clone"));
    assert_eq!(taken(Place::Config("debug"), "latest"), None);
}

#[test]
fn the_image_in_use_is_never_a_row() {
    for os in [Os::Linux, Os::MacOs] {
        for name in [
            "rootfs.img",
            "sessiondata.img",
            "vmlinuz",
            "initrd",
            ".rootfs.img.origin",
        ] {
            assert_eq!(on(os, Place::Bundle(""), name), None, "{name}");
        }
        assert_eq!(
            on(os, Place::Bundle(""), "rootfs.vhdx"),
            Some("bundle_stray_disk")
        );
    }
    for name in [
        "rootfs.vhdx",
        "sessiondata.vhdx",
        "smol-bin.vhdx",
        "vmlinuz",
        "initrd",
    ] {
        assert_eq!(on(Os::Windows, Place::Bundle(""), name), None, "{name}");
    }
    assert_eq!(
        on(Os::Windows, Place::Bundle(""), "rootfs.vhdx.zst"),
        Some("bundle_archive")
    );
    assert_eq!(
        on(Os::Linux, Place::Bundle(""), "rootfs.img.zst"),
        Some("bundle_archive")
    );
}

#[test]
fn content_settles_which_of_two_rows_it_is_and_doubt_asks() {
    let row = taken(Place::Job, "tmp.Ab3xY9Ab3x").and_then(class).unwrap();
    let settle = |only_bytecode| {
        let content = Content {
            only_bytecode,
            ..Content::default()
        };
        settled(row, &content).name
    };
    assert_eq!(settle(Some(true)), "bytecode_overlay");
    assert_eq!(settle(Some(false)), "overlay");
    assert_eq!(settle(None), "overlay");
    let pad = taken(Place::Session("*/{uuid}"), "scratchpad")
        .and_then(class)
        .unwrap();
    let settle = |transcript| {
        let content = Content {
            transcript,
            ..Content::default()
        };
        settled(pad, &content).name
    };
    assert_eq!(settle(Some(false)), "scratchpad");
    assert_eq!(settle(Some(true)), "resumable_scratchpad");
    assert_eq!(settle(None), "resumable_scratchpad");
    for class in CLASSES {
        let other = class.otherwise.map(|other| super::class(other).unwrap());
        assert!(
            other.is_none_or(|other| other.otherwise.is_none() && other.shapes == class.shapes)
        );
    }
}
