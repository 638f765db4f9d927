//! `sandtrayctl reset` killed at many moments: reading commands change nothing, and `journal resolve` puts
//! right whatever there is to put right.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use sandtray_core::act::journal::EntryState;
use sandtray_core::status::FaultKind;
use sandtray_host::engine::Event;
use sandtray_tests::stand_in::Disk;
use serde_json::Value;

use crate::ordinary::{DISK, ROOMY, ordinary};
use crate::waiting::{engine, until};
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

/// Whether whoever reads is told that the last act was cut off.
fn told_as_cut_off(world: &World) -> bool {
    let entry = world.journal().pop().unwrap();
    let status = world.ctl(&["status", "--quick", "--json"]).well().json();
    let faults = status["faults"].as_array().unwrap();
    let fault = faults
        .iter()
        .any(|fault| fault["kind"] == "act_interrupted");
    let state = entry["state"] == "interrupted" && entry["ended_at"].is_null();
    assert_eq!(fault, state, "{entry:#} {faults:#?}");
    state
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
        assert!(told_as_cut_off(&world), "{step} {index:?}");
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

#[test]
fn an_act_that_another_process_runs_is_under_way_and_cut_off_only_once_it_is_killed() {
    ordinary(
        module_path!(),
        "an_act_that_another_process_runs_is_under_way_and_cut_off_only_once_it_is_killed",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder.begins_with_a_task());
            let wait = ["reset", "--scope", "session-disk", "--yes", "--wait", "600"];
            let mut act = world.begin(&wait);
            let journal = world.own().join("journal.jsonl");
            let watches = || fs::read_to_string(&journal).is_ok_and(|text| text.contains("watch"));
            while !watches() {
                assert!(act.try_wait().unwrap().is_none(), "it ended");
                std::thread::yield_now();
            }
            let before = Picture::of(&world.own(), &[]);
            let entry = world.journal().pop().unwrap();
            assert_eq!(entry["state"], "begun", "{entry:#}");
            assert!(!told_as_cut_off(&world));
            for words in [&["status", "--quick"][..], &["journal"]] {
                let read = world.ctl(words).well();
                assert!(!read.out.contains("ended in the middle"), "{read:?}");
            }
            assert_eq!(world.reset("session-disk", "1").refused()[0], "busy");

            // The app starts beside it: nothing is put right, and nothing is wrong.
            let (engine, reported) = engine(&world);
            engine.resolve();
            until("what it knows of acts", &reported, |event| {
                matches!(event, Event::Acts(_)).then_some(())
            });
            let faults = || {
                let mut faults = engine.status().faults.clone();
                faults.retain(|fault| fault.kind == FaultKind::ActInterrupted);
                faults
            };
            assert_eq!(faults(), []);
            assert_eq!(engine.activity().unwrap()[0].state, EntryState::Begun);
            assert_eq!(
                Picture::of(&world.own(), &[]).differs(&before),
                Vec::<PathBuf>::new()
            );

            act.kill().unwrap();
            let _output = act.wait_with_output().unwrap();
            assert!(told_as_cut_off(&world));
            assert_eq!(engine.activity().unwrap()[0].state, EntryState::Interrupted);
            let with_fault = |wanted: bool| {
                until("a look of the engine", &reported, |event| match event {
                    Event::Status(status) => status
                        .faults
                        .iter()
                        .any(|fault| fault.kind == FaultKind::ActInterrupted)
                        .eq(&wanted)
                        .then_some(()),
                    _ => None,
                });
            };
            with_fault(true);
            // Put right by somebody else, it is wrong no more.
            let resolved = world.ctl(&["journal", "resolve", "--json"]).well().json();
            assert_eq!(resolved["resolved"][0]["end"], "done", "{resolved:#}");
            with_fault(false);
            assert!(!told_as_cut_off(&world));
        },
    );
}
