//! The rebuild after a reset, watched: its phases, and every way in which it goes wrong. Whatever the app
//! does, the old disks stay parked and come back.

use std::fs;

use sandtray_tests::stand_in::Misbehaviour;
use serde_json::Value;

use crate::ordinary::{ROOMY, ordinary};
use crate::world::{Told, World, names};

/// A reset whose disks moved and whose rebuild did not come to a good end; gives the cause.
fn failed(told: &Told) -> &str {
    assert_eq!(told.last["end"], "done", "{:#}", told.last);
    assert_eq!(told.last["rebuild"], "failed", "{:#}", told.last);
    assert_eq!(
        told.ran.code,
        Some(1),
        "moved, and not ready: {:?}",
        told.ran
    );
    told.last["rebuild_detail"]["cause"].as_str().unwrap()
}

#[test]
fn a_download_is_told_by_its_percentage_and_followed_to_the_boot() {
    ordinary(
        module_path!(),
        "a_download_is_told_by_its_percentage_and_followed_to_the_boot",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder.rebuilds_when_told());
            let first = world.app.pid().unwrap();
            let words = ["reset", "--scope", "bundle", "--yes", "--wait", "60"];
            let mut at = 0;
            let told = world.act_with(&words, |event| {
                let state = event["rebuild"]["state"].as_str();
                match (at, event["step"].as_str(), state) {
                    (0, Some("watch"), Some(_)) => {
                        let _pid = world.app.until_back(first);
                        let did = world.app.ask("phase until download 45").unwrap();
                        assert_eq!(did, "did download 45");
                        at = 1;
                    }
                    (1, _, Some("downloading")) if event["rebuild"]["percent"] == 45 => {
                        let did = world.app.ask("phase all").unwrap();
                        assert_eq!(did, "ready");
                        at = 2;
                    }
                    _ => {}
                }
            });
            assert_eq!(told.done()["rebuild"], "ready");
            assert_eq!(at, 2, "{:?}", told.rebuild());
        },
    );
}

/// A13 (#89869, #34602): what a rebuild leaves behind is litter, not progress.
#[test]
fn a_rebuild_that_runs_out_of_space_has_failed_with_that_cause() {
    ordinary(
        module_path!(),
        "a_rebuild_that_runs_out_of_space_has_failed_with_that_cause",
        ROOMY,
        |root| {
            let mut world =
                World::running(root, |builder| builder.misbehaves(Misbehaviour::NoSpace));
            let disks = world.app.disks_identity().unwrap();
            let told = world.reset("bundle", "60");
            let cause = failed(&told);
            assert!(cause.contains("space") || cause.contains("full"), "{cause}");
            // The empty `.partial` stays, and nothing takes it for a disk.
            let litter = names(world.bundle());
            assert!(
                litter.iter().any(|name| name.starts_with(".wvm-tmp-")),
                "{litter:?}"
            );
            world.assert_kept(&disks);
            world.app.tell(|script| script.misbehaves.clear()).unwrap();
            let copy = told.last["parked"].as_str().unwrap();
            assert_eq!(world.restore(copy).done()["rebuild"], "ready");
            let now = world.app.disks_identity().unwrap();
            assert!(disks.iter().all(|(name, disk)| now[name].same_file(disk)));
        },
    );
}

#[test]
fn a_rebuild_that_goes_round_in_a_circle_is_told_as_a_loop() {
    ordinary(
        module_path!(),
        "a_rebuild_that_goes_round_in_a_circle_is_told_as_a_loop",
        ROOMY,
        |root| {
            for (what, scope, word) in [
                (Misbehaviour::ChecksumLoop, "bundle", "checksum"),
                (Misbehaviour::ExdevLoop, "system-disk", "volume"),
            ] {
                let world = World::running(&root.join(word), |builder| builder.misbehaves(what));
                let disks = world.app.disks_identity().unwrap();
                let told = world.reset(scope, "60");
                let cause = failed(&told).to_lowercase();
                assert_eq!(told.last["rebuild_detail"]["state"], "looping");
                println!("{what:?}: {cause}");
                world.assert_kept(&disks);
                assert_eq!(world.copies()[0]["verified"], false);
            }
        },
    );
}

#[test]
fn an_app_that_says_it_is_done_and_made_nothing_is_not_believed() {
    ordinary(
        module_path!(),
        "an_app_that_says_it_is_done_and_made_nothing_is_not_believed",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| {
                builder.misbehaves(Misbehaviour::NeverRebuilds)
            });
            let disks = world.app.disks_identity().unwrap();
            let told = world.reset("system-disk", "50");
            assert!(!failed(&told).is_empty());
            world.assert_kept(&disks);
        },
    );
}

#[test]
fn a_guest_that_does_not_answer_is_no_ready_disk() {
    ordinary(
        module_path!(),
        "a_guest_that_does_not_answer_is_no_ready_disk",
        ROOMY,
        |root| {
            let mut world = World::running(root, |builder| builder);
            let disks = world.app.disks_identity().unwrap();
            world
                .app
                .tell(|script| {
                    let _new = script.misbehaves.insert(Misbehaviour::BootFails);
                })
                .unwrap();
            let told = world.reset("session-disk", "60");
            assert!(!failed(&told).is_empty());
            assert_eq!(world.copies()[0]["verified"], false);
            world.assert_kept(&disks);
        },
    );
}

/// A14 (#81427): doing it again is not failing.
#[test]
fn an_app_that_unpacks_at_every_start_is_ready_all_the_same() {
    ordinary(
        module_path!(),
        "an_app_that_unpacks_at_every_start_is_ready_all_the_same",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| {
                builder.misbehaves(Misbehaviour::RebuildsEveryStart)
            });
            for scope in ["session-disk", "system-disk"] {
                let told = world.reset(scope, "60");
                assert_eq!(told.done()["rebuild"], "ready", "{:#}", told.last);
                world.app.until_state("ready");
            }
            assert_eq!(world.copies().len(), 2);
            assert!(world.copies().iter().all(|copy| copy["verified"] == true));
        },
    );
}

/// A20 (#37947, #41066): two cycles are a loop, no reset helps, and the copy is safe.
#[test]
fn a_platform_gate_that_deletes_at_every_start_is_recognised_from_two_cycles() {
    ordinary(
        module_path!(),
        "a_platform_gate_that_deletes_at_every_start_is_recognised_from_two_cycles",
        ROOMY,
        |root| {
            let mut world = World::running(root, |builder| builder);
            let disks = world.app.disks_identity().unwrap();
            world
                .app
                .tell(|script| {
                    let _new = script.misbehaves.insert(Misbehaviour::DeletesAtStart);
                })
                .unwrap();
            let first = world.app.pid().unwrap();
            let words = ["reset", "--scope", "system-disk", "--yes", "--wait", "60"];
            let mut again = false;
            let told = world.act_with(&words, |event: &Value| {
                if !again && event["step"] == "watch" && event["rebuild"].is_object() {
                    again = true;
                    // Its user tries once more.
                    let second = world.app.until_back(first);
                    world.app.until_state("unsupported");
                    assert_eq!(world.app.ask("quit").unwrap(), "quitting");
                    world.app.until_ended(second);
                    let _third = world.app.start().unwrap();
                }
            });
            let cause = failed(&told);
            assert_eq!(told.last["rebuild_detail"]["state"], "looping", "{cause}");
            // The system files that the gate deletes are those of the copy no more.
            world.assert_kept(&disks);
            assert_eq!(world.copies()[0]["state"], "whole");
            let copy = told.last["parked"].as_str().unwrap();
            let discard = world.act(&["parked", "discard", copy, "--for-good", "--yes"]);
            assert_eq!(discard.refused(), ["not_verified"]);
        },
    );
}

/// A9 (#93247): what the app itself lost since is named, and not taken for ours.
#[test]
fn a_session_that_the_app_loses_at_its_start_is_told_as_missing() {
    ordinary(
        module_path!(),
        "a_session_that_the_app_loses_at_its_start_is_told_as_missing",
        ROOMY,
        |root| {
            let mut world = World::running(root, |builder| builder);
            let tree = world.app.snapshot_tree().unwrap();
            world
                .app
                .tell(|script| {
                    let _new = script.misbehaves.insert(Misbehaviour::LosesASession);
                })
                .unwrap();
            let told = world.reset("session-disk", "60");
            let report = &told.done()["sessions"];
            assert_eq!(report["untouched"], true, "{report:#}");
            let gone = world.app.snapshot_tree().unwrap().gone_since(&tree);
            assert!(!gone.is_empty());
            assert_eq!(report["missing"].as_array().unwrap().len(), gone.len());
            let read = world.ctl(&["journal"]).well();
            assert!(read.out.contains("done"), "{read:?}");
            assert!(
                fs::metadata(world.own().join("journal.jsonl"))
                    .unwrap()
                    .len()
                    > 0
            );
        },
    );
}
