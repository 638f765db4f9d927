//! What it does wrong when it is told to.

use std::fs;

use sandtray_tests::stand_in::rebuild::LATCH;
use sandtray_tests::stand_in::{Misbehaviour, StandIn};

use crate::{cannot, holders};

#[test]
fn it_quits_and_is_back_at_once() {
    if cannot("it_quits_and_is_back_at_once") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::ComesBack)
        .running()
        .unwrap();
    let first = stand_in.terminate().unwrap();
    let second = stand_in.until_back(first);
    stand_in.until_state("ready");
    assert_ne!(first, second);
    assert!(!holders(&stand_in.bundle().sessions_image()).is_empty());
}

#[test]
fn it_comes_back_inside_a_window_that_somebody_holds_open() {
    if cannot("it_comes_back_inside_a_window_that_somebody_holds_open") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let trigger = folder.path().join("between-proof-and-rename");
    let stand_in = StandIn::builder(folder.path())
        .script(|script| script.come_back_when = Some(trigger.clone()))
        .running()
        .unwrap();
    let first = stand_in.terminate().unwrap();
    stand_in.until_ended(first);
    let image = stand_in.bundle().sessions_image();
    assert!(holders(&image).is_empty(), "proven free");
    // Now the window: what a fail point of a reset does.
    fs::write(&trigger, "").unwrap();
    stand_in.until_state("ready");
    let back = folder.path().join("between-proof-and-rename.back");
    assert!(back.exists());
    let parked = folder.path().join("parked.img");
    fs::rename(&image, &parked).unwrap();
    let vm = stand_in.vm().unwrap();
    assert_eq!(holders(&parked), [vm.pid], "moved from under a running VM");
}

#[test]
fn the_platform_gate_deletes_what_could_be_installed_again_at_every_start() {
    if cannot("the_platform_gate_deletes_what_could_be_installed_again_at_every_start") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::DeletesAtStart)
        .lay_out()
        .unwrap();
    for start in 1..=2 {
        let _pid = stand_in.start().unwrap();
        stand_in.until_state("unsupported");
        let at = |name: &str| stand_in.bundle().folder.join(name).exists();
        assert!(!at("rootfs.img") && !at("vmlinuz") && !at("initrd"));
        assert!(at("sessiondata.img") && at("rootfs.img.zst"));
        let log = stand_in.log();
        let gate = "[info] [cleanupVMBundleIfUnsupported] yukonSilver not supported";
        assert_eq!(log.matches(gate).count(), start);
        assert!(log.contains("[info] [deleteVMBundle] Deleting reinstall files\n"));
        stand_in.quit_politely_for_cleanup().unwrap();
    }
}

#[test]
fn the_platform_gate_may_do_so_at_quit() {
    if cannot("the_platform_gate_may_do_so_at_quit") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::DeletesAtQuit)
        .running()
        .unwrap();
    assert!(stand_in.bundle().system_image().exists());
    stand_in.quit_politely_for_cleanup().unwrap();
    assert!(!stand_in.bundle().system_image().exists());
    assert!(stand_in.bundle().sessions_image().exists());
}

#[test]
fn a_checksum_that_never_fits_is_tried_for_ever() {
    if cannot("a_checksum_that_never_fits_is_tried_for_ever") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::ChecksumLoop)
        .rebuilds_when_told()
        .lay_out()
        .unwrap();
    fs::rename(&stand_in.bundle().folder, folder.path().join("parked")).unwrap();
    let _pid = stand_in.start().unwrap();
    for time in 1..=3 {
        let answer = stand_in.ask("phase until downloaded").unwrap();
        assert_eq!(answer, "did downloaded");
        let log = stand_in.log();
        let mismatch = "[error] Checksum mismatch for rootfs.img.zst";
        assert_eq!(log.matches(mismatch).count(), time);
        assert!(log.contains(&format!("[download:{time}] Starting download from ")));
    }
    assert!(!stand_in.bundle().system_image().exists());
}

#[test]
fn a_rename_across_volumes_is_tried_for_ever() {
    if cannot("a_rename_across_volumes_is_tried_for_ever") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::ExdevLoop)
        .lay_out()
        .unwrap();
    fs::remove_file(stand_in.bundle().system_image()).unwrap();
    let _pid = stand_in.start().unwrap();
    // By itself: nobody tells it to go on.
    stand_in.witness().until("three rounds", |actors| {
        let said = actors.iter().flat_map(|actor| &actor.said);
        let rounds = said.filter(|said| *said == "did unpacked rootfs.img");
        (rounds.count() > 3).then_some(())
    });
    let log = stand_in.log();
    let again = "[error] EXDEV: cross-device link not permitted, rename '";
    assert!(log.matches(again).count() >= 3);
    assert!(!stand_in.bundle().system_image().exists());
}

/// Takes the whole bundle away, starts the app with a misbehaviour, and waits for what it comes to.
fn comes_to(what: Misbehaviour, state: &str) -> (tempfile::TempDir, StandIn) {
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(what)
        .lay_out()
        .unwrap();
    fs::rename(&stand_in.bundle().folder, folder.path().join("parked")).unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state(state);
    assert!(stand_in.vm().is_none());
    (folder, stand_in)
}

#[test]
fn it_may_never_rebuild() {
    if cannot("it_may_never_rebuild") {
        return;
    }
    let (_folder, stand_in) = comes_to(Misbehaviour::NeverRebuilds, "failed nothing was made");
    assert_eq!(fs::read_dir(&stand_in.bundle().folder).unwrap().count(), 0);
    assert!(
        stand_in
            .log()
            .contains("[VM:steps] download_and_sdk_prepare completed (4ms)")
    );
}

#[test]
fn the_host_disk_may_be_full_in_the_middle() {
    if cannot("the_host_disk_may_be_full_in_the_middle") {
        return;
    }
    let (_folder, stand_in) = comes_to(Misbehaviour::NoSpace, "failed ENOSPC");
    assert!(
        stand_in
            .log()
            .contains("[error] ENOSPC: no space left on device, write")
    );
    // The litter that was reported: a temporary folder with an empty file (#89869).
    let litter: Vec<_> = fs::read_dir(&stand_in.bundle().folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.path().join("rootfs.img.zst.partial"))
        .filter_map(|partial| fs::metadata(partial).ok())
        .collect();
    assert_eq!(litter.len(), 1);
    assert_eq!(litter[0].len(), 0);
}

#[test]
fn a_download_may_hang_and_say_nothing_more() {
    if cannot("a_download_may_hang_and_say_nothing_more") {
        return;
    }
    let (_folder, stand_in) = comes_to(Misbehaviour::DownloadHangs, "hanging");
    let log = stand_in.log();
    assert!(
        log.lines().last().unwrap().contains("[download:1] 45.0%"),
        "{log}"
    );
}

#[test]
fn the_sessions_disk_may_never_be_made() {
    if cannot("the_sessions_disk_may_never_be_made") {
        return;
    }
    let (_folder, stand_in) =
        comes_to(Misbehaviour::NoSessionDisk, "failed session disk not found");
    assert!(!stand_in.bundle().sessions_image().exists());
    assert!(stand_in.bundle().system_image().exists());
}

#[test]
fn a_boot_that_fails_leaves_the_latch() {
    if cannot("a_boot_that_fails_leaves_the_latch") {
        return;
    }
    let (_folder, stand_in) = comes_to(Misbehaviour::BootFails, "failed VM connection timeout");
    assert!(stand_in.bundle().folder.join(LATCH).exists());
}

#[test]
fn it_may_lose_a_session_as_it_starts() {
    if cannot("it_may_lose_a_session_as_it_starts") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut stand_in = StandIn::builder(folder.path()).running().unwrap();
    stand_in.quit_politely_for_cleanup().unwrap();
    let before = stand_in.snapshot_tree().unwrap();
    stand_in
        .tell(|script| {
            let _new = script.misbehaves.insert(Misbehaviour::LosesASession);
        })
        .unwrap();
    let _pid = stand_in.start().unwrap();
    let after = stand_in.snapshot_tree().unwrap();
    assert!(!after.gone_since(&before).is_empty());
    assert_eq!(stand_in.sessions().names().unwrap().len(), 5);
}
