//! How it looks at its bundle and repairs it.

use std::fs;

use sandtray_tests::disk::Numbers;
use sandtray_tests::machine::RELEASE;
use sandtray_tests::programs::run;
use sandtray_tests::stand_in::rebuild::LATCH;
use sandtray_tests::stand_in::{Misbehaviour, StandIn};

use crate::{cannot, holders};

/// Files of a bundle by name, sorted.
fn names(stand_in: &StandIn) -> Vec<String> {
    let entries = fs::read_dir(&stand_in.bundle().folder).unwrap().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn an_image_without_its_origin_is_deleted_first_and_unpacked_again() {
    if cannot("an_image_without_its_origin_is_deleted_first_and_unpacked_again") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .rebuilds_when_told()
        .lay_out()
        .unwrap();
    let laid_out = names(&stand_in);
    let before = stand_in.disks_identity().unwrap();
    fs::remove_file(stand_in.bundle().folder.join(".rootfs.img.origin")).unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("rebuilding");
    assert!(!stand_in.bundle().system_image().exists());
    assert!(stand_in.bundle().sessions_image().exists());
    assert!(stand_in.log().contains(&format!(
        "[info] [Bundle:status] rootfs.img version mismatch: have=none, want={RELEASE}\n"
    )));

    for answer in [
        "did unpack begins rootfs.img",
        "did unpacked rootfs.img",
        "did files ready",
        "ready",
        "nothing to do: ready",
    ] {
        assert_eq!(stand_in.ask("phase next").unwrap(), answer);
    }
    assert_eq!(names(&stand_in), laid_out);
    let after = stand_in.disks_identity().unwrap();
    let place = |name: &str| after[name].place == before[name].place;
    assert!(place("sessiondata.img") && place("rootfs.img.zst") && place("vmlinuz"));
    assert!(!holders(&stand_in.bundle().system_image()).is_empty());
    assert!(stand_in.log().contains("[VM:start] Startup complete"));
}

#[test]
fn an_image_of_another_release_goes_and_the_new_release_is_downloaded() {
    if cannot("an_image_of_another_release_goes_and_the_new_release_is_downloaded") {
        return;
    }
    let want = "2a762adfc2eea13eca0d113a2e6452ff00ae3f62";
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .rebuilds_when_told()
        .script(|script| want.clone_into(&mut script.want))
        .lay_out()
        .unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("rebuilding");
    for gone in ["rootfs.img", "vmlinuz", "initrd", ".rootfs.img.origin"] {
        assert!(!stand_in.bundle().folder.join(gone).exists(), "{gone}");
    }
    assert_eq!(
        stand_in.ask("phase until download 45").unwrap(),
        "did download 45"
    );
    let temp = names(&stand_in)
        .into_iter()
        .find(|name| name.starts_with(".wvm-tmp-"))
        .unwrap();
    let partial = stand_in
        .bundle()
        .folder
        .join(temp)
        .join("rootfs.img.zst.partial");
    assert_eq!(fs::metadata(&partial).unwrap().len(), 540_000_000);
    let log = stand_in.log();
    assert!(
        log.contains(&format!("have={RELEASE}, want={want}\n")),
        "{log}"
    );
    assert!(
        log.contains("[download:1] 45.0% (540.0/1200.0 MB) avg "),
        "{log}"
    );
    assert_eq!(stand_in.ask("phase all").unwrap(), "ready");
    assert!(!names(&stand_in).iter().any(|name| name.starts_with(".wvm")));
    for name in ["rootfs.img", "rootfs.img.zst", "vmlinuz", "initrd"] {
        let origin = stand_in.bundle().folder.join(format!(".{name}.origin"));
        assert_eq!(fs::read_to_string(origin).unwrap(), want);
    }
}

#[test]
fn a_prefetched_release_is_taken_before_anything_is_downloaded() {
    if cannot("a_prefetched_release_is_taken_before_anything_is_downloaded") {
        return;
    }
    let want = "2a762adfc2eea13eca0d113a2e6452ff00ae3f62";
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .layout(|layout| layout.warm = Some(want.to_owned()))
        .script(|script| want.clone_into(&mut script.want))
        .running()
        .unwrap();
    let app = stand_in.app().unwrap();
    assert!(app.has_said("did promote"), "{app:?}");
    assert!(
        !app.said.iter().any(|said| said.contains("download")),
        "{app:?}"
    );
}

#[test]
fn a_missing_sessions_disk_is_made_anew_and_nothing_else_is_touched() {
    if cannot("a_missing_sessions_disk_is_made_anew_and_nothing_else_is_touched") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).lay_out().unwrap();
    let before = stand_in.disks_identity().unwrap();
    let image = stand_in.bundle().sessions_image();
    let parked = folder.path().join("parked.img");
    fs::rename(&image, &parked).unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("ready");
    let after = stand_in.disks_identity().unwrap();
    for (name, disk) in &before {
        assert_eq!(
            after[name].same_file(disk),
            name != "sessiondata.img",
            "{name}"
        );
    }
    let says = run("dumpe2fs", ["-h", image.to_str().unwrap()], "").unwrap();
    assert!(says.contains("sessions\n"), "{says}");
    let (old, new) = (
        Numbers::read(parked.to_str().unwrap()).unwrap(),
        Numbers::read(image.to_str().unwrap()).unwrap(),
    );
    assert!(new.used() < 10 && old.used() > 1000, "{old:?} {new:?}");
}

#[test]
fn a_whole_bundle_that_is_gone_comes_back_whole() {
    if cannot("a_whole_bundle_that_is_gone_comes_back_whole") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).lay_out().unwrap();
    fs::rename(&stand_in.bundle().folder, folder.path().join("parked")).unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("ready");
    let made = names(&stand_in);
    for name in [
        "rootfs.img",
        "rootfs.img.zst",
        "vmlinuz",
        "initrd",
        "sessiondata.img",
    ] {
        assert!(
            made.iter().any(|made| made == name),
            "{name} is not in {made:?}"
        );
    }
    let app = stand_in.app().unwrap();
    let did = |phase: &str| app.has_said(&format!("did {phase}"));
    assert!(did("download 99") && did("unpacked rootfs.img") && did("session disk"));
}

#[test]
fn it_may_wait_for_a_task_before_it_touches_anything() {
    if cannot("it_may_wait_for_a_task_before_it_touches_anything") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .begins_with_a_task()
        .lay_out()
        .unwrap();
    fs::rename(&stand_in.bundle().folder, folder.path().join("parked")).unwrap();
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("waiting");
    assert!(!stand_in.bundle().folder.exists());
    assert!(stand_in.vm().is_none());
    let _state = stand_in.ask("open-task").unwrap();
    stand_in.until_state("ready");
    assert!(stand_in.vm().is_some());
}

#[test]
fn the_latch_stops_every_repair_and_deletes_nothing() {
    if cannot("the_latch_stops_every_repair_and_deletes_nothing") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path()).lay_out().unwrap();
    fs::write(stand_in.bundle().folder.join(LATCH), "").unwrap();
    fs::remove_file(stand_in.bundle().folder.join(".rootfs.img.origin")).unwrap();
    let before = names(&stand_in);
    let _pid = stand_in.start().unwrap();
    stand_in.until_state("failed latch");
    assert_eq!(names(&stand_in), before);
    assert!(
        stand_in
            .log()
            .contains("[info] [VM:start] Skipping auto-reinstall (already attempted once)\n")
    );
    // With the latch gone the next task repairs it.
    fs::remove_file(stand_in.bundle().folder.join(LATCH)).unwrap();
    let _state = stand_in.ask("open-task").unwrap();
    stand_in.until_state("ready");
}

#[test]
fn one_build_unpacks_at_every_start_though_nothing_is_wrong() {
    if cannot("one_build_unpacks_at_every_start_though_nothing_is_wrong") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stand_in = StandIn::builder(folder.path())
        .misbehaves(Misbehaviour::RebuildsEveryStart)
        .lay_out()
        .unwrap();
    let before = stand_in.disks_identity().unwrap();
    for _start in 0..2 {
        let _pid = stand_in.start().unwrap();
        stand_in.until_state("ready");
        // Not by its inode: the new file may well get the number of the one just deleted.
        let app = stand_in.app().unwrap();
        assert!(app.has_said("did unpacked rootfs.img"), "{app:?}");
        stand_in.quit_politely_for_cleanup().unwrap();
        let after = stand_in.disks_identity().unwrap();
        assert!(after["sessiondata.img"].same_file(&before["sessiondata.img"]));
    }
}
