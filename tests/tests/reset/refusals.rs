//! Every reason that real programs can show why nothing is done: named, and everything where it was.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use sandtray_tests::stand_in::{Layout, Misbehaviour};

use crate::ordinary::{ROOMY, ordinary};
use crate::world::{LATCH, World, holders, picture};

fn nothing() -> Vec<PathBuf> {
    Vec::new()
}

/// Refused for this reason before anything was done; the app, where it ran, heard nothing.
fn refused(world: &World, words: &[&str], reason: &str) -> serde_json::Value {
    let before = picture(world);
    let told = world.act(words);
    assert_eq!(told.refused(), [reason], "{:#}", told.last);
    assert_eq!(picture(world).differs(&before), nothing());
    assert!(world.app.signals().is_empty());
    let text = &told.last["refused"][0]["text"];
    assert!(text.as_str().is_some_and(|text| text.len() > 20), "{text}");
    told.last["refused"][0].clone()
}

const RESET: [&str; 4] = ["reset", "--scope", "session-disk", "--yes"];

/// A16 (#67512): Claude Desktop itself refuses to open such a folder.
#[test]
fn a_data_folder_behind_a_link_is_refused_and_named() {
    ordinary(
        module_path!(),
        "a_data_folder_behind_a_link_is_refused_and_named",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| builder);
            let data = world.machine.claude();
            let elsewhere = world.machine.root().join("other-disk");
            fs::rename(&data, &elsewhere).unwrap();
            symlink(&elsewhere, &data).unwrap();
            let refusal = refused(&world, &RESET, "link");
            assert_eq!(refusal["path"], data.to_str().unwrap());
        },
    );
}

#[test]
fn a_disk_that_a_stranger_holds_is_not_moved_and_the_stranger_is_named() {
    ordinary(
        module_path!(),
        "a_disk_that_a_stranger_holds_is_not_moved_and_the_stranger_is_named",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| builder);
            let image = world.app.bundle().sessions_image();
            // A backup program that reads it.
            let held = fs::File::open(&image).unwrap();
            let refusal = refused(&world, &RESET, "held");
            assert_eq!(refusal["holders"][0]["pid"], std::process::id());
            assert_eq!(refusal["holders"][0]["vm"], false);
            assert_eq!(
                refusal["holders"][0]["file"]["path"],
                image.to_str().unwrap()
            );
            drop(held);
            world.reset("session-disk", "1").done();
        },
    );
}

#[test]
fn a_stranger_that_is_seen_once_the_app_is_gone_stops_it_and_the_app_runs_again() {
    ordinary(
        module_path!(),
        "a_stranger_that_is_seen_once_the_app_is_gone_stops_it_and_the_app_runs_again",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let disks = world.app.disks_identity().unwrap();
            let first = world.app.pid().unwrap();
            let held = fs::File::open(world.app.bundle().sessions_image()).unwrap();
            let told = world.reset("session-disk", "60");
            assert_eq!(told.refused(), ["held"]);
            assert_eq!(told.last["end"], "refused");
            assert_eq!(told.last["relaunched"], true);
            drop(held);
            let second = world.app.until_back(first);
            world.app.until_state("ready");
            assert_eq!(
                world.app.signals(),
                [("app".to_owned(), first, "TERM".to_owned())]
            );
            assert_ne!(first, second);
            let now = world.app.disks_identity().unwrap();
            assert!(disks.iter().all(|(name, disk)| now[name].same_file(disk)));
            assert!(world.copies().is_empty());
            assert_eq!(world.journal()[0]["state"], "refused");
        },
    );
}

#[test]
fn a_parked_place_that_is_something_else_is_refused() {
    ordinary(
        module_path!(),
        "a_parked_place_that_is_something_else_is_refused",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| builder);
            let place = world.own().join("parked");
            fs::create_dir_all(world.own()).unwrap();
            fs::write(&place, "a file").unwrap();
            refused(&world, &RESET, "name_taken");
            fs::remove_file(&place).unwrap();
            let elsewhere = world.machine.root().join("elsewhere");
            fs::create_dir(&elsewhere).unwrap();
            symlink(&elsewhere, &place).unwrap();
            refused(&world, &RESET, "link");
            assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
        },
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_app_is_asked_to_quit() {
    ordinary(
        module_path!(),
        "a_folder_that_cannot_be_written_is_refused_before_the_app_is_asked_to_quit",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let mode = |path: &Path, mode| {
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            };
            let bundle = world.bundle().to_owned();
            for (scope, folder) in [
                ("session-disk", bundle.clone()),
                ("bundle", bundle.parent().unwrap().to_owned()),
            ] {
                mode(&folder, 0o555);
                let words = ["reset", "--scope", scope, "--yes"];
                let refusal = refused(&world, &words, "not_writable");
                assert_eq!(refusal["path"], folder.to_str().unwrap());
                mode(&folder, 0o755);
            }
            assert!(!holders(&world.app.bundle().sessions_image()).is_empty());
        },
    );
}

/// Half a bundle: what is there can be moved, what is not there is said.
#[test]
fn half_a_bundle_has_nothing_of_one_scope_and_moves_in_another() {
    ordinary(
        module_path!(),
        "half_a_bundle_has_nothing_of_one_scope_and_moves_in_another",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| builder);
            fs::remove_file(world.app.bundle().sessions_image()).unwrap();
            refused(&world, &RESET, "nothing_to_move");
            let disks = world.app.disks_identity().unwrap();
            world.reset("bundle", "1").done();
            world.assert_kept(&disks);
            // What is left is an empty place.
            fs::create_dir_all(world.bundle()).unwrap();
            let words = ["reset", "--scope", "bundle", "--yes"];
            let told = world.act(&words);
            assert_eq!(told.refused(), ["nothing_to_move"]);
        },
    );
}

/// A12 (#34602): set-up would stop in the middle, with the bytes short said beforehand.
#[test]
fn too_little_room_for_the_rebuild_is_refused_with_the_bytes_short() {
    ordinary(
        module_path!(),
        "too_little_room_for_the_rebuild_is_refused_with_the_bytes_short",
        Some("size=250m"),
        |root| {
            let world = World::running(root, |builder| builder);
            for scope in ["session-disk", "bundle"] {
                let refusal = refused(
                    &world,
                    &["reset", "--scope", scope, "--yes"],
                    "not_enough_space",
                );
                let bytes = |name: &str| refusal[name].as_u64().unwrap();
                assert!(bytes("available") < 250 << 20);
                assert_eq!(bytes("short"), bytes("needed") - bytes("available"));
                // Not the smaller scope: that has no room either.
                let offers = serde_json::json!(["dead_weight", "leftovers", "empty_trash"]);
                assert_eq!(refusal["offers"], offers);
            }
        },
    );
}

/// A17 (#66778): both are listed, nothing is chosen for a person, and the other one is left alone.
#[test]
fn of_two_bundles_one_has_to_be_named_and_only_that_one_moves() {
    ordinary(
        module_path!(),
        "of_two_bundles_one_has_to_be_named_and_only_that_one_moves",
        ROOMY,
        |root| {
            let world = World::new(root, |builder| builder);
            let mut other = Layout::new(&world.machine.home().join(".config/Claude-3p"));
            other.sessions = 2;
            let other = other.make().unwrap().folder;
            refused(&world, &RESET, "several_bundles");
            let located = world.ctl(&["locate", "--json"]).well().json();
            let bundles = located["bundles"].as_array().unwrap();
            assert_eq!(bundles.len(), 2, "{located:#}");
            let named = |path: &Path| {
                let path = path.to_str();
                let found = bundles
                    .iter()
                    .find(|bundle| bundle["path"].as_str() == path);
                found.unwrap()["id"].as_str().unwrap().to_owned()
            };
            let mine = crate::world::Picture::of(world.bundle(), &[]);
            let id = named(&other);
            let words = [&RESET[..], &["--bundle", &id, "--wait", "1"]].concat();
            world.act(&words).done();
            assert!(!other.join("sessiondata.img").exists());
            assert_eq!(
                crate::world::Picture::of(world.bundle(), &[]).differs(&mine),
                nothing()
            );
            let unknown = [&RESET[..], &["--bundle", "nobody"]].concat();
            assert_eq!(world.act(&unknown).refused(), ["no_bundle"]);
        },
    );
}

/// A18 (#74890, #92714): the app quits and its VM does not.
#[test]
fn a_vm_that_outlives_its_app_stops_it_before_any_move_and_is_named() {
    ordinary(
        module_path!(),
        "a_vm_that_outlives_its_app_stops_it_before_any_move_and_is_named",
        ROOMY,
        |root| {
            let world =
                World::running(root, |builder| builder.misbehaves(Misbehaviour::VmOutlives));
            world.settings("quit_seconds = 2");
            let disks = world.app.disks_identity().unwrap();
            let (app, vm) = (world.app.pid().unwrap(), world.app.vm().unwrap());
            let told = world.reset("session-disk", "60");
            assert_eq!(told.refused(), ["orphan_vm"]);
            let refusal = &told.last["refusals"][0];
            assert_eq!(refusal["holders"][0]["pid"], vm.pid);
            assert_eq!(refusal["holders"][0]["vm"], true);
            assert!(!told.told("move", "begun"));
            // Starting the app beside it would be the next fault; the VM itself is nobody's to end.
            assert_eq!(told.last["relaunched"], false);
            assert!(world.app.app().is_none());
            assert!(vm.handle().is_some());
            assert_eq!(
                world.app.signals(),
                [("app".to_owned(), app, "TERM".to_owned())]
            );
            let now = world.app.disks_identity().unwrap();
            assert!(disks.iter().all(|(name, disk)| now[name].same_file(disk)));
            assert!(world.copies().is_empty());
            // Asked again it is said at once.
            let again = world.reset("session-disk", "60");
            assert_eq!(again.refused(), ["orphan_vm"]);
            assert!(again.events.is_empty());
            // Once it has ended nothing stands in the way.
            assert_eq!(world.app.ask_vm("end").unwrap(), "stopped");
            for actor in world.app.witness().actors() {
                world.app.until_ended(actor.pid);
            }
            world.reset("session-disk", "1").done();
        },
    );
}

#[test]
fn an_app_that_never_quits_is_left_running() {
    ordinary(
        module_path!(),
        "an_app_that_never_quits_is_left_running",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| {
                builder.misbehaves(Misbehaviour::AsksBeforeQuit)
            });
            world.settings("quit_seconds = 2");
            let (app, vm) = (world.app.pid().unwrap(), world.app.vm().unwrap());
            let told = world.reset("session-disk", "60");
            assert_eq!(told.refused(), ["did_not_quit"]);
            assert_eq!(told.last["refusals"][0]["waited"], 2);
            let explained = |event: &serde_json::Value| {
                event["waiting_for"]
                    .as_str()
                    .is_some_and(|text| text.contains("sessions"))
            };
            assert!(told.events.iter().any(explained), "{:#?}", told.events);
            assert_eq!(world.app.pid(), Some(app));
            assert_eq!(world.app.vm().map(|vm| vm.pid), Some(vm.pid));
            assert_eq!(
                world.app.signals(),
                [("app".to_owned(), app, "TERM".to_owned())]
            );
            assert_eq!(world.app.ask("dialog stay").unwrap(), "stays");
            assert!(world.app.ask("status").unwrap().starts_with("state=ready"));
            assert!(world.copies().is_empty());
        },
    );
}

#[test]
fn an_app_that_comes_back_by_itself_keeps_its_disks() {
    ordinary(
        module_path!(),
        "an_app_that_comes_back_by_itself_keeps_its_disks",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder.misbehaves(Misbehaviour::ComesBack));
            world.settings("quit_seconds = 5");
            let disks = world.app.disks_identity().unwrap();
            let first = world.app.pid().unwrap();
            let told = world.reset("session-disk", "20");
            // When it is back is its own affair: before the proof, in the window, or after all is done.
            let _second = world.app.until_back(first);
            match told.last["end"].as_str().unwrap() {
                "refused" | "rolled_back" => {
                    assert_eq!(told.reasons(), ["came_back"]);
                    assert_eq!(told.last["relaunched"], false);
                    assert!(world.copies().is_empty());
                    let now = world.app.disks_identity().unwrap();
                    assert!(disks.iter().all(|(name, disk)| now[name].same_file(disk)));
                }
                // Or it had begun a new disk under the old one's name: the old one is kept as a copy.
                "done" => {
                    assert_eq!(world.copies().len(), 1);
                    assert_eq!(world.journal().last().unwrap()["state"], "done");
                }
                other => panic!("{other}: {:#}", told.last),
            }
            // Whether its VM found its disk at the very moment it looked is a matter of luck; the disk is kept.
            world.assert_kept(&disks);
            assert_eq!(
                world.app.signals(),
                [("app".to_owned(), first, "TERM".to_owned())]
            );
        },
    );
}

/// A10 (#93385): the latch stops every repair; it belongs to the disks that were there before.
#[test]
fn a_latch_goes_into_the_parked_copy_and_the_app_repairs_itself() {
    ordinary(
        module_path!(),
        "a_latch_goes_into_the_parked_copy_and_the_app_repairs_itself",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            fs::write(world.bundle().join(LATCH), "").unwrap();
            let words = ["reset", "--scope", "session-disk", "--dry-run", "--json"];
            assert_eq!(world.ctl(&words).well().json()["latch"], true);
            let told = world.reset("session-disk", "60");
            assert_eq!(told.done()["rebuild"], "ready");
            let copy = world.copies().remove(0);
            let folder = Path::new(copy["path"].as_str().unwrap());
            assert!(folder.join(LATCH).is_file());
            assert!(!world.bundle().join(LATCH).exists());
        },
    );
}
