//! What is shown and asked before anything happens; what happens without a yes: nothing.

use std::process::Command;

use sandtray_tests::ctl::{self, run};
use sandtray_tests::stand_in::Misbehaviour;
use serde_json::Value;

use crate::ordinary::{ROOMY, ordinary};
use crate::world::{World, picture};

/// Runs a command as root, as far as it can tell.
fn as_root(world: &World, words: &[&str]) -> ctl::Ran {
    let mut command = Command::new("unshare");
    command
        .arg("-Ur")
        .arg(ctl::program())
        .args(words)
        .arg("--machine")
        .arg(world.machine.file());
    run(&mut command)
}

/// What lives on the disk that goes, by name, size and last use: for programs as for people.
fn assert_homes(shown: &Value, read: &str, goes: bool) {
    let newest = shown["newest"].as_array().unwrap();
    assert_eq!(newest.is_empty(), !goes, "{shown:#}");
    assert_eq!(shown["homes"]["count"].is_u64(), goes, "{shown:#}");
    for home in newest {
        let name = home["path"].as_str().unwrap();
        let line = read.lines().find(|line| line.contains(name));
        assert!(line.is_some_and(|line| line.contains("UTC")), "{read}");
        assert!(home["allocated"].is_u64() && home["last_change"].is_i64());
    }
    let times: Vec<_> = newest
        .iter()
        .map(|home| home["last_change"].as_i64())
        .collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
}

#[test]
fn a_preview_says_what_would_move_and_changes_nothing() {
    ordinary(
        module_path!(),
        "a_preview_says_what_would_move_and_changes_nothing",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let before = picture(&world);
            for scope in ["session-disk", "system-disk", "bundle"] {
                let words = ["reset", "--scope", scope, "--dry-run"];
                let shown = world.ctl(&[&words[..], &["--json"]].concat()).well().json();
                assert_eq!(
                    (shown["schema"].as_u64(), shown["running"].as_bool()),
                    (Some(1), Some(true))
                );
                assert!(
                    shown["refusals"].as_array().unwrap().is_empty(),
                    "{shown:#}"
                );
                assert!(shown["needed"].as_u64() > Some(0) && shown["available"].is_u64());
                assert!(!shown["files"].as_array().unwrap().is_empty());
                let read = world.ctl(&words).well();
                assert!(read.out.contains("asked to quit"), "{read:?}");
                assert_homes(&shown, &read.out, scope != "system-disk");
            }
            assert_eq!(
                picture(&world).differs(&before),
                Vec::<std::path::PathBuf>::new()
            );
            assert!(world.app.signals().is_empty());
        },
    );
}

#[test]
fn without_a_terminal_and_without_a_yes_nothing_happens() {
    ordinary(
        module_path!(),
        "without_a_terminal_and_without_a_yes_nothing_happens",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let before = picture(&world);
            let told = world.act(&["reset", "--scope", "bundle"]);
            assert_eq!(told.refused(), ["not_confirmed"]);
            let read = world.ctl(&["reset", "--scope", "bundle"]);
            assert_eq!(read.code, Some(3), "{read:?}");
            assert!(read.out.contains("whole bundle"), "it was shown: {read:?}");
            assert_eq!(
                picture(&world).differs(&before),
                Vec::<std::path::PathBuf>::new()
            );
            assert!(world.app.signals().is_empty());
        },
    );
}

#[test]
fn root_never_resets_and_never_resolves() {
    ordinary(
        module_path!(),
        "root_never_resets_and_never_resolves",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| builder);
            let before = picture(&world);
            let refused = as_root(
                &world,
                &["reset", "--scope", "session-disk", "--yes", "--json"],
            );
            assert_eq!(refused.code, Some(3), "{refused:?}");
            assert!(refused.out.contains("\"reason\":\"root\""), "{refused:?}");
            // There is nothing to put right, and not even a lock is left behind.
            assert_eq!(as_root(&world, &["journal", "resolve"]).code, Some(0));
            assert_eq!(as_root(&world, &["status", "--json"]).code, Some(0));
            assert_eq!(
                picture(&world).differs(&before),
                Vec::<std::path::PathBuf>::new()
            );
        },
    );
}

#[test]
fn a_second_reset_while_one_is_under_way_is_refused_as_busy() {
    ordinary(
        module_path!(),
        "a_second_reset_while_one_is_under_way_is_refused_as_busy",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| {
                builder.misbehaves(Misbehaviour::AsksBeforeQuit)
            });
            let disks = world.app.disks_identity().unwrap();
            let words = ["reset", "--scope", "session-disk", "--yes", "--wait", "60"];
            let mut second = None;
            let first = world.act_with(&words, |event| {
                // It was asked to quit and asks back.
                let waits = event["waiting_for"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty());
                if second.is_none() && event["step"] == "quit" && waits {
                    second = Some(world.reset("bundle", "1"));
                    assert_eq!(world.app.ask("dialog quit").unwrap(), "quitting");
                }
            });
            assert_eq!(second.unwrap().refused(), ["busy"]);
            first.done();
            assert_eq!(world.copies().len(), 1);
            world.assert_kept(&disks);
        },
    );
}

#[test]
fn a_scope_is_recommended_by_what_is_full_and_by_nothing_else() {
    ordinary(
        module_path!(),
        "a_scope_is_recommended_by_what_is_full_and_by_nothing_else",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| {
                builder.layout(|layout| {
                    layout.sessions_percent = 20.0;
                    layout.system_percent = 30.0;
                })
            });
            let before = picture(&world);
            let told = world.act(&["reset", "--yes"]);
            assert_eq!(told.refused(), ["not_recommended"]);
            assert_eq!(
                picture(&world).differs(&before),
                Vec::<std::path::PathBuf>::new()
            );
            // Asked for explicitly it is refused for reasons of safety only.
            world.reset("session-disk", "1").done();
        },
    );
}
