//! Undo, undo of undo, what an undo cannot bring back, and the end of a copy.

use std::fs;
use std::path::Path;

use sandtray_tests::disk::Numbers;
use sandtray_tests::programs;
use sandtray_tests::stand_in::Misbehaviour;

use crate::ordinary::{ROOMY, ordinary};
use crate::world::{LATCH, World, names, picture};

/// Another release than the one that was laid out.
const NEWER: &str = "f00dfacef00dfacef00dfacef00dfacef00dface";

fn homes(image: &Path) -> String {
    programs::run("debugfs", ["-R", "ls -p /", image.to_str().unwrap()], "").unwrap()
}

/// A9 (#93247): sessions on both sides of the reset come and go with their disks, and the list of the host
/// loses nothing at any time.
#[test]
fn undo_gives_the_old_disk_back_and_undo_of_undo_the_new_one() {
    ordinary(
        module_path!(),
        "undo_gives_the_old_disk_back_and_undo_of_undo_the_new_one",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let image = world.app.bundle().sessions_image();
            let old = world.app.disks_identity().unwrap();
            let tree = world.app.snapshot_tree().unwrap();
            assert!(homes(&image).contains("-lake-") || homes(&image).contains("/brave"));
            let first = world.reset("session-disk", "60").parked();
            world.app.until_state("ready");
            // Work goes on: a home on the new disk, a session on the host.
            assert_eq!(
                world.app.ask_vm("home since-the-reset").unwrap(),
                "made since-the-reset"
            );
            let _session = world.app.ask("write-session").unwrap();
            let new = world.app.disks_identity().unwrap();
            assert!(!new["sessiondata.img"].same_file(&old["sessiondata.img"]));

            let told = world.restore(&first);
            let second = told.parked();
            assert_eq!(told.last["rebuild"], "ready", "{:#}", told.last);
            world.app.until_state("ready");
            let now = world.app.disks_identity().unwrap();
            assert!(now["sessiondata.img"].same_file(&old["sessiondata.img"]));
            assert!(!homes(&image).contains("since-the-reset"));
            world.assert_kept(&old);
            world.assert_kept(&new);
            let ids: Vec<_> = world
                .copies()
                .iter()
                .map(|copy| copy["id"].clone())
                .collect();
            assert_eq!(
                ids,
                [second.as_str()],
                "the first came back and is no copy any more"
            );
            assert!(!world.own().join("parked").join(&first).exists());

            let third = world.restore(&second).parked();
            world.app.until_state("ready");
            let now = world.app.disks_identity().unwrap();
            assert!(now["sessiondata.img"].same_file(&new["sessiondata.img"]));
            assert!(homes(&image).contains("since-the-reset"));
            world.assert_kept(&old);
            assert_eq!(world.copies()[0]["id"], third.as_str());
            assert!(
                world
                    .app
                    .snapshot_tree()
                    .unwrap()
                    .gone_since(&tree)
                    .is_empty()
            );
            let states: Vec<_> = world
                .journal()
                .iter()
                .map(|entry| entry["state"].clone())
                .collect();
            assert_eq!(states, ["done", "done", "done"]);
            // What has come back is no copy, and cannot come back again.
            assert_eq!(world.restore(&first).refused(), ["no_copy"]);
        },
    );
}

#[test]
fn a_whole_bundle_comes_back_in_one_piece() {
    ordinary(
        module_path!(),
        "a_whole_bundle_comes_back_in_one_piece",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let old = world.app.disks_identity().unwrap();
            let first = world.reset("bundle", "60").parked();
            world.app.until_state("ready");
            let new = world.app.disks_identity().unwrap();
            let told = world.restore(&first);
            assert_eq!(told.done()["rebuild"], "ready", "{:#}", told.last);
            world.app.until_state("ready");
            let now = world.app.disks_identity().unwrap();
            assert!(old.keys().eq(now.keys()));
            assert!(old.iter().all(|(name, disk)| now[name].same_file(disk)));
            world.assert_kept(&new);
            // The system disk is not told from the release it wants: nothing was deleted, nothing unpacked.
            assert!(!world.app.log().contains("version mismatch"));
        },
    );
}

/// The app would delete the old system disk at once (#87512).
#[test]
fn over_a_newer_release_only_the_sessions_come_back() {
    ordinary(
        module_path!(),
        "over_a_newer_release_only_the_sessions_come_back",
        ROOMY,
        |root| {
            let mut world = World::running(root, |builder| builder);
            let old = world.app.disks_identity().unwrap();
            world
                .app
                .tell(|script| script.want = NEWER.to_owned())
                .unwrap();
            let first = world.reset("bundle", "60").parked();
            world.app.until_state("ready");

            let words = ["parked", "restore", &first, "--dry-run", "--json"];
            let shown = world.ctl(&words).well().json();
            assert_eq!(shown["scope"], "session_disk");
            assert!(!shown["notes"].as_array().unwrap().is_empty(), "{shown:#}");
            let told = world.restore(&first);
            told.done();
            world.app.until_state("ready");
            let now = world.app.disks_identity().unwrap();
            assert!(now["sessiondata.img"].same_file(&old["sessiondata.img"]));
            assert!(!now["rootfs.img"].same_file(&old["rootfs.img"]));
            world.assert_kept(&old);
            // What is left of the first copy stays a copy: whole, and still not to be had over this release.
            let copies = world.copies();
            let left = copies
                .iter()
                .find(|copy| copy["id"] == first.as_str())
                .unwrap();
            assert_eq!(left["state"], "whole", "{left:#}");
            let again = world.restore(&first);
            assert_eq!(again.refused(), ["other_release"]);
        },
    );
}

/// A10 (#93385, #80637): no sessions disk is made, and a latch stops every repair; the copy is the cure.
#[test]
fn where_no_session_disk_is_ever_made_the_old_one_is_given_back() {
    ordinary(
        module_path!(),
        "where_no_session_disk_is_ever_made_the_old_one_is_given_back",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| {
                builder.misbehaves(Misbehaviour::NoSessionDisk)
            });
            let old = world.app.disks_identity().unwrap();
            let told = world.reset("session-disk", "60");
            assert_eq!(told.last["end"], "done");
            assert_eq!(told.last["rebuild"], "failed", "{:#}", told.last);
            assert_eq!(
                told.ran.code,
                Some(1),
                "moved, and not ready: {:?}",
                told.ran
            );
            fs::write(world.bundle().join(LATCH), "").unwrap();
            let copy = told.last["parked"].as_str().unwrap();
            // Before a new disk was seen working the copy is all there is.
            let discard = world.act(&["parked", "discard", copy, "--for-good", "--yes"]);
            assert_eq!(discard.refused(), ["not_verified"]);
            let told = world.restore(copy);
            assert_eq!(told.done()["rebuild"], "ready", "{:#}", told.last);
            world.app.until_state("ready");
            let now = world.app.disks_identity().unwrap();
            assert!(now["sessiondata.img"].same_file(&old["sessiondata.img"]));
            assert!(!world.bundle().join(LATCH).exists());
            world.assert_kept(&old);
            assert!(world.copies().is_empty());
            assert!(names(&world.own().join("parked")).is_empty());
        },
    );
}

#[test]
fn a_copy_that_is_not_what_it_was_does_not_come_back() {
    ordinary(
        module_path!(),
        "a_copy_that_is_not_what_it_was_does_not_come_back",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let copy = world.reset("session-disk", "60").parked();
            world.app.until_state("ready");
            let parked = world
                .own()
                .join("parked")
                .join(&copy)
                .join("sessiondata.img");
            // Somebody repaired it by hand: the same length, another head.
            let mut bytes = fs::read(&parked).unwrap();
            bytes[5000] ^= 1;
            fs::write(&parked, bytes).unwrap();
            let before = picture(&world);
            let app = world.app.pid();
            let signals = world.app.signals();
            let told = world.restore(&copy);
            assert_eq!(told.refused(), ["copy_changed"]);
            assert_eq!(world.app.pid(), app);
            assert_eq!(world.app.signals(), signals);
            assert!(picture(&world).differs(&before).is_empty());
            // Another file of that name is seen without reading it.
            fs::remove_file(&parked).unwrap();
            fs::write(&parked, "another").unwrap();
            assert_eq!(world.copies()[0]["state"], "changed");
            assert_eq!(world.restore(&copy).refused(), ["copy_changed"]);
        },
    );
}

#[test]
fn a_copy_goes_to_the_trash_by_one_rename_or_for_good_and_never_by_itself() {
    ordinary(
        module_path!(),
        "a_copy_goes_to_the_trash_by_one_rename_or_for_good_and_never_by_itself",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let old = world.app.disks_identity().unwrap();
            let first = world.reset("session-disk", "60").parked();
            let no_trash = world.act(&["parked", "discard", &first, "--yes"]);
            assert_eq!(no_trash.refused(), ["no_trash"]);
            let trash = world.machine.home().join(".local/share/Trash");
            fs::create_dir_all(trash.join("files")).unwrap();
            fs::create_dir_all(trash.join("info")).unwrap();
            let unasked = world.act(&["parked", "discard", &first]);
            assert_eq!(unasked.refused(), ["not_confirmed"]);
            world.act(&["parked", "discard", &first, "--yes"]).done();
            assert!(world.copies().is_empty());
            assert_eq!(names(&trash.join("files")).len(), 1);
            assert_eq!(names(&trash.join("info")).len(), 1);
            world.assert_kept(&old);

            let second = world.reset("session-disk", "60").parked();
            world.app.until_state("ready");
            let copy = world.own().join("parked").join(&second);
            let used = Numbers::read(copy.join("sessiondata.img").to_str().unwrap()).unwrap();
            assert!(used.blocks > 0);
            let live = world.app.disks_identity().unwrap();
            let told = world.act(&["parked", "discard", &second, "--for-good", "--yes"]);
            told.done();
            assert!(!copy.exists());
            world.assert_kept(&live);
            let kinds: Vec<_> = world
                .journal()
                .iter()
                .map(|entry| entry["kind"].clone())
                .collect();
            assert_eq!(kinds, ["reset", "trash", "reset", "remove"]);
        },
    );
}

/// P4: an undo needs no room, so it works where nothing can be written any more.
#[test]
fn on_a_volume_that_is_full_to_the_byte_the_old_disk_still_comes_back() {
    ordinary(
        module_path!(),
        "on_a_volume_that_is_full_to_the_byte_the_old_disk_still_comes_back",
        Some("size=600m"),
        |root| {
            let world = World::running(root, |builder| builder);
            let old = world.app.disks_identity().unwrap();
            let copy = world.reset("session-disk", "60").parked();
            world.app.until_state("ready");
            let new = world.app.disks_identity().unwrap();
            // Something else takes all the room there is.
            let mut filler = fs::File::create(root.join("filler")).unwrap();
            let block = vec![1; 1 << 20];
            while std::io::Write::write_all(&mut filler, &block).is_ok() {}
            while std::io::Write::write(&mut filler, &block[..512]).is_ok() {}
            let told = world.restore(&copy);
            assert_eq!(told.last["end"], "done", "{:#}", told.last);
            let now = world.app.disks_identity().unwrap();
            assert!(now["sessiondata.img"].same_file(&old["sessiondata.img"]));
            world.assert_kept(&old);
            world.assert_kept(&new);
            assert_eq!(world.journal().last().unwrap()["state"], "done");
            // A reset is refused here, with the bytes short; nothing is half done.
            let told = world.reset("session-disk", "1");
            assert!(
                told.refused().contains(&"not_enough_space"),
                "{:#}",
                told.last
            );
        },
    );
}
