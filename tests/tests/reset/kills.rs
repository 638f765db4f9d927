//! `sandtrayctl reset` killed at many moments: reading commands change nothing, and `journal resolve` puts
//! right whatever there is to put right.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use sandtray_tests::stand_in::Disk;
use serde_json::Value;

use crate::ordinary::{DISK, ordinary};
use crate::world::{Picture, World};

/// Runs an act and kills it as soon as its journal has this line; false where it ended before.
fn killed(world: &World, words: &[&str], step: &str, index: Option<u64>) -> bool {
    let journal = world.own().join("journal.jsonl");
    let begins = fs::read(&journal).map_or(0, |bytes| bytes.len());
    let mut child = world.begin(words);
    let there = || {
        let bytes = fs::read(&journal).unwrap_or_default();
        let new = String::from_utf8_lossy(bytes.get(begins..).unwrap_or_default()).into_owned();
        new.lines().any(|line| {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            line["line"] == "before" && line["step"] == step && line["index"].as_u64() == index
        })
    };
    while !there() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    let _output = child.wait_with_output().unwrap();
    true
}

/// The app runs: by its user, unless the reset had started it just before it was killed.
fn started(world: &World) {
    if world.app.app().is_none() {
        let _second_instance = world.app.start();
    }
    world.app.until_state("ready");
}

/// All that was ever a file of the bundle.
fn more(all: &mut BTreeMap<(u64, u64), (String, Disk)>, world: &World) {
    for (name, disk) in world.app.disks_identity().unwrap_or_default() {
        let _old = all.insert(disk.place.unwrap(), (name, disk));
    }
}

fn kills(root: &std::path::Path, scope: &str, moments: &[(&str, Option<u64>)]) {
    let world = World::running(root, |builder| builder);
    let tree = world.app.snapshot_tree().unwrap();
    let mut all = BTreeMap::new();
    let mut parked = 0;
    for (step, index) in moments {
        more(&mut all, &world);
        let app = world.app.pid();
        let words = ["reset", "--scope", scope, "--yes", "--wait", "60"];
        assert!(killed(&world, &words, step, *index), "{step} {index:?}");
        // The app that was asked to quit does so, whoever asked; the kill may have come before the question.
        if let Some(app) = app {
            if *step == "quit" {
                let _gone = world.app.ask("quit");
            }
            world.app.until_ended(app);
        }
        let kept = |when: &str| {
            for (name, disk) in all.values() {
                println!("{when} {step} {index:?} {name}");
                world.assert_kept(&BTreeMap::from([(name.clone(), *disk)]));
            }
        };
        kept("killed at");

        // Reading commands say what they found and change nothing.
        let (before, places) = (Picture::of(&world.own(), &[]), world.places());
        let status = world.ctl(&["status", "--json"]);
        assert_eq!(status.code, Some(0), "{status:?}");
        let read = world.ctl(&["journal"]).well();
        assert!(read.out.contains("journal resolve"), "{read:?}");
        assert_eq!(world.journal().last().unwrap()["state"], "begun");
        let _copies = world.copies();
        assert_eq!(
            Picture::of(&world.own(), &[]).differs(&before),
            Vec::<PathBuf>::new()
        );
        let ours = |places: &BTreeMap<(u64, u64), Vec<PathBuf>>| -> Vec<_> {
            all.keys().map(|place| places.get(place).cloned()).collect()
        };
        assert_eq!(ours(&world.places()), ours(&places));
        // Nothing else is begun before it is put right.
        let again = world.reset(scope, "1");
        assert_eq!(again.refused()[0], "unresolved", "{:#}", again.last);

        let resolved = world.ctl(&["journal", "resolve", "--json"]).well().json();
        let end = resolved["resolved"][0]["end"].as_str().unwrap().to_owned();
        kept("resolved after");
        let copies = world.copies();
        if end == "done" {
            parked += 1;
        } else {
            assert!(
                ["interrupted", "rolled_back"].contains(&end.as_str()),
                "{resolved:#}"
            );
        }
        assert_eq!(copies.len(), parked, "{step} {index:?}: {resolved:#}");
        assert!(
            copies.iter().all(|copy| copy["state"] == "whole"),
            "{copies:#?}"
        );
        assert_eq!(world.journal().last().unwrap()["state"], end.as_str());
        let nothing = world.ctl(&["journal", "resolve", "--json"]).well().json();
        assert!(nothing["resolved"].as_array().unwrap().is_empty());
        assert!(
            world
                .app
                .snapshot_tree()
                .unwrap()
                .gone_since(&tree)
                .is_empty()
        );

        // Its user starts the app, which finds its disks or makes new ones.
        started(&world);
    }
    let signals = world.app.signals();
    assert!(
        signals
            .iter()
            .all(|(role, _, name)| role == "app" && name == "TERM"),
        "{signals:?}"
    );
}

#[test]
fn a_reset_of_the_system_disk_killed_at_any_moment_is_put_right() {
    ordinary(
        module_path!(),
        "a_reset_of_the_system_disk_killed_at_any_moment_is_put_right",
        DISK,
        |root| {
            kills(
                root,
                "system-disk",
                &[
                    ("record", None),
                    ("move", Some(0)),
                    ("move", Some(3)),
                    ("prove_again", None),
                    ("relaunch", None),
                ],
            );
        },
    );
}

#[test]
fn a_reset_of_a_bundle_killed_at_any_moment_is_put_right() {
    ordinary(
        module_path!(),
        "a_reset_of_a_bundle_killed_at_any_moment_is_put_right",
        DISK,
        |root| {
            let moments = [
                ("quit", None),
                ("move", Some(0)),
                ("compare", None),
                ("watch", None),
            ];
            kills(root, "bundle", &moments);
        },
    );
}

#[test]
fn an_undo_killed_at_any_moment_is_put_right_and_can_be_asked_for_again() {
    ordinary(
        module_path!(),
        "an_undo_killed_at_any_moment_is_put_right_and_can_be_asked_for_again",
        DISK,
        |root| {
            let world = World::running(root, |builder| builder);
            let old = world.app.disks_identity().unwrap();
            let mut copy = world.reset("system-disk", "60").parked();
            world.app.until_state("ready");
            let new = world.app.disks_identity().unwrap();
            // Six files go aside and six come back; the `.origin` before its image.
            for index in [1, 6, 11] {
                let app = world.app.pid().unwrap();
                let words = ["parked", "restore", &copy, "--yes", "--wait", "60"];
                assert!(killed(&world, &words, "move", Some(index)), "{index}");
                world.app.until_ended(app);
                world.assert_kept(&old);
                world.assert_kept(&new);
                let resolved = world.ctl(&["journal", "resolve", "--json"]).well().json();
                world.assert_kept(&old);
                world.assert_kept(&new);
                let copies = world.copies();
                assert_eq!(copies.len(), 1, "{index}: {copies:#?}");
                assert_eq!(copies[0]["state"], "whole");
                match resolved["resolved"][0]["end"].as_str().unwrap() {
                    // It was over, or nothing was begun.
                    "done" => copy = copies[0]["id"].as_str().unwrap().to_owned(),
                    "interrupted" | "rolled_back" => assert_eq!(copies[0]["id"], copy.as_str()),
                    other => panic!("{other}"),
                }
                started(&world);
                assert!(!world.app.log().contains("version mismatch: have=none"));
            }
            world.restore(&copy).done();
            world.assert_kept(&old);
            world.assert_kept(&new);
        },
    );
}

#[test]
fn a_removal_that_was_killed_goes_on_and_touches_nothing_else() {
    ordinary(
        module_path!(),
        "a_removal_that_was_killed_goes_on_and_touches_nothing_else",
        DISK,
        |root| {
            let world = World::running(root, |builder| builder);
            let mut live = world.app.disks_identity().unwrap();
            for step in ["move", "verify"] {
                let copy = world.reset("system-disk", "60").parked();
                world.app.until_state("ready");
                live = world.app.disks_identity().unwrap();
                let words = ["parked", "discard", &copy, "--for-good", "--yes"];
                // The line before it is written either way; a removal of six files may be over by then.
                let step_index = (step == "move").then_some(0);
                let cut = killed(&world, &words, step, step_index);
                let resolved = world.ctl(&["journal", "resolve", "--json"]).well().json();
                println!("{step}: cut {cut}: {resolved}");
                if world.copies().is_empty() {
                    assert!(!world.own().join("parked").join(&copy).exists());
                } else {
                    assert_eq!(world.copies()[0]["state"], "whole");
                    world.act(&words).done();
                }
                assert!(world.copies().is_empty());
                world.assert_kept(&live);
            }
            let now = world.app.disks_identity().unwrap();
            assert!(live.iter().all(|(name, disk)| now[name].same_file(disk)));
        },
    );
}
