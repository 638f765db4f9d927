//! The window between the proof and the rename: the app comes back inside it.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::ordinary::{DISK, ordinary};
use crate::world::{World, holders};

/// The reset is held still by a signal as soon as it makes the place for the copy, which is after the proof
/// and before the first rename; then the app comes back and its VM opens the disks; then it goes on. A
/// rename succeeds under an open file, so only the second proof sees it.
#[test]
fn an_app_that_comes_back_between_proof_and_rename_gets_its_disk_back() {
    ordinary(
        module_path!(),
        "an_app_that_comes_back_between_proof_and_rename_gets_its_disk_back",
        DISK,
        |root| {
            let trigger = root.join("m/home/.local/share/sandtray/parked");
            let world = World::running(root, |builder| {
                builder.script(|script| script.come_back_when = Some(trigger.clone()))
            });
            let disks = world.app.disks_identity().unwrap();
            let first = world.app.pid().unwrap();
            let child = world.begin(&["reset", "--scope", "session-disk", "--yes", "--wait", "60"]);
            let reset = Pid::from_child(&child);
            while !trigger.exists() {
                std::hint::spin_loop();
            }
            kill_process(reset, Signal::STOP).unwrap();
            let _second = world.app.until_back(first);
            world.app.until_state("ready");
            // On a machine that is slow enough the first rename is over by now.
            let still = world.app.bundle().sessions_image().exists() && {
                let image = world.app.disks_identity().unwrap();
                image["sessiondata.img"].same_file(&disks["sessiondata.img"])
            };
            kill_process(reset, Signal::CONT).unwrap();
            let ended = child.wait_with_output().unwrap();
            let out = String::from_utf8_lossy(&ended.stdout).into_owned();
            let receipt: serde_json::Value =
                serde_json::from_str(out.lines().last().unwrap()).unwrap();
            world.assert_kept(&disks);
            let vm = world.app.vm().unwrap();
            assert_eq!(
                world.app.signals(),
                [("app".to_owned(), first, "TERM".to_owned())]
            );
            assert_eq!(
                receipt["relaunched"], false,
                "one app is enough: {receipt:#}"
            );
            if still {
                assert_eq!(receipt["end"], "rolled_back", "{receipt:#}");
                assert_eq!(receipt["refusals"][0]["reason"], "came_back");
                assert_eq!(ended.status.code(), Some(1));
                let now = world.app.disks_identity().unwrap();
                assert!(now["sessiondata.img"].same_file(&disks["sessiondata.img"]));
                assert_eq!(holders(&world.app.bundle().sessions_image()), [vm.pid]);
                assert!(world.copies().is_empty());
                assert_eq!(
                    fs::read_dir(&trigger).unwrap().count(),
                    0,
                    "no empty folder is left"
                );
                assert_eq!(world.journal()[0]["state"], "rolled_back");
            } else {
                println!("the rename was faster than the signal: {}", receipt["end"]);
            }
        },
    );
}

/// The same a little later: the disk has moved, the app is back and has made a new one under the old name.
/// Nothing is replaced; the old disk is a copy, and undo gives it back.
#[test]
fn an_app_that_has_made_a_new_disk_in_the_window_keeps_it_and_undo_gives_the_old_one() {
    ordinary(
        module_path!(),
        "an_app_that_has_made_a_new_disk_in_the_window_keeps_it_and_undo_gives_the_old_one",
        DISK,
        |root| {
            let trigger = root.join("the-disk-has-moved");
            let world = World::running(root, |builder| {
                builder.script(|script| script.come_back_when = Some(trigger.clone()))
            });
            let disks = world.app.disks_identity().unwrap();
            let first = world.app.pid().unwrap();
            let image = world.app.bundle().sessions_image();
            let child = world.begin(&["reset", "--scope", "session-disk", "--yes", "--wait", "60"]);
            let reset = Pid::from_child(&child);
            while image.exists() {
                std::hint::spin_loop();
            }
            kill_process(reset, Signal::STOP).unwrap();
            fs::write(&trigger, "").unwrap();
            let _second = world.app.until_back(first);
            world.app.until_state("ready");
            let new = world.app.disks_identity().unwrap();
            assert!(!new["sessiondata.img"].same_file(&disks["sessiondata.img"]));
            kill_process(reset, Signal::CONT).unwrap();
            let ended = child.wait_with_output().unwrap();
            let out = String::from_utf8_lossy(&ended.stdout).into_owned();
            let receipt: serde_json::Value =
                serde_json::from_str(out.lines().last().unwrap()).unwrap();
            world.assert_kept(&disks);
            world.assert_kept(&new);
            let copy = receipt["parked"].as_str().unwrap().to_owned();
            // All of it is aside and the app works on a new disk: what a reset is for, whoever started it.
            assert_eq!(receipt["end"], "done", "{receipt:#}");
            assert_eq!(ended.status.code(), Some(0));
            let noticed = receipt["refusals"][0]["reason"] == "came_back";
            println!("seen coming back: {noticed}");
            assert_eq!(world.journal().last().unwrap()["state"], "done");
            let resolved = world.ctl(&["journal", "resolve", "--json"]).well().json();
            assert!(resolved["resolved"].as_array().unwrap().is_empty());
            assert_eq!(world.copies()[0]["state"], "whole");
            // From now on it quits for good.
            fs::remove_file(&trigger).unwrap();
            world.app.quit_politely_for_cleanup().unwrap();
            let told = world.restore(&copy);
            told.done();
            let now = world.app.disks_identity().unwrap();
            assert!(now["sessiondata.img"].same_file(&disks["sessiondata.img"]));
            world.assert_kept(&new);
        },
    );
}
