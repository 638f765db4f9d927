//! Views: what they show, and which ids are good.

use std::fs::{self, File};

use sandtray_core::bytes::{Allocated, Apparent};

use super::*;

#[test]
fn the_top_shows_the_homes_and_ids_lead_down_and_up_again() {
    let test = "the_top_shows_the_homes_and_ids_lead_down_and_up_again";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let top = running.top();
    assert_eq!(names(&top), ["brave-fox", "many", "quiet-lake"]);
    assert!(top.sessions && top.complete && !top.cancelled && top.trail.is_empty());
    assert!(top.entries.iter().all(|entry| entry.newest));
    assert_eq!(entry(&top, "many").entries, 1_200);
    assert_eq!(top.growth, None, "nothing earlier is kept");

    let notes = running.open(&["quiet-lake", "notes"]);
    assert_eq!(names(&notes), ["plan.md", "same"]);
    let trail: Vec<&str> = notes
        .trail
        .iter()
        .map(|crumb| crumb.name.path.as_str())
        .collect();
    assert_eq!(trail, ["quiet-lake", "notes"]);
    assert!(notes.growth.is_none());
    for (crumb, expected) in notes
        .trail
        .iter()
        .zip([&["notes"][..], &["plan.md", "same"]])
    {
        assert_eq!(names(&running.view(Some(&crumb.id)).unwrap()), expected);
    }
    assert_eq!(
        notes.trail[0].id,
        entry(&top, "quiet-lake").id,
        "the same folder"
    );
    assert_eq!(running.top().entries, top.entries, "ids stay");
}

#[test]
fn the_sizes_of_the_image_are_those_of_the_host_and_of_the_guest() {
    let test = "the_sizes_of_the_image_are_those_of_the_host_and_of_the_guest";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let sizes = fixture.ready().top().sizes;
    let image = fs::metadata(fixture.image()).unwrap();
    let blocks = std::os::unix::fs::MetadataExt::blocks(&image);
    assert_eq!(sizes.apparent, Apparent(64 << 20));
    assert_eq!(sizes.allocated, Allocated(blocks * 512));
    let read = crate::disk::read(&fixture.image()).unwrap();
    let numbers = read.sessions_disk().unwrap().numbers.unwrap();
    assert_eq!(sizes.guest_used, Some(numbers.used));
    assert_eq!(sizes.guest_size, Some(numbers.size));
    assert!(!sizes.sentence.is_empty());
}

#[test]
fn no_path_and_no_id_of_another_disk_opens_anything() {
    let test = "no_path_and_no_id_of_another_disk_opens_anything";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    // A second disk with the same names, beside the first.
    let other = fixture.image().with_file_name("rootfs.img");
    fs::copy(fixture.image(), &other).unwrap();
    let running = fixture.ready();
    let system = DiskId(running.disk().0.replace("guest_sessions", "guest_system"));
    let system_top = running.engine.inside(&system, None, |_| {}).unwrap();
    assert!(!system_top.sessions);
    assert_eq!(
        names(&system_top),
        ["brave-fox", "lost+found", "many", "quiet-lake"]
    );
    let foreign = entry(&system_top, "quiet-lake").id.clone();
    let own = entry(&running.top(), "quiet-lake").id.clone();
    assert_ne!(foreign, own);
    for id in [
        foreign.as_str(),
        "/",
        "/quiet-lake",
        "quiet-lake",
        "..",
        "",
        "0",
    ] {
        let text = running.view(Some(id)).unwrap_err().to_string();
        assert!(
            text.contains("this list is out of date, open it again"),
            "{id}: {text}"
        );
        let target = fixture.at("out");
        let refused = running.engine.rescue(
            &running.disk(),
            &[own.clone(), id.to_owned()],
            &target,
            |_| {},
        );
        assert!(refused.is_err(), "{id}");
        assert!(!target.exists(), "{id}: nothing is made");
    }
    for disk in ["", "guest_sessions:", "/etc/passwd", "host_bytes:0"] {
        let text = running.engine.inside(&DiskId(disk.into()), None, |_| {});
        let text = text.unwrap_err().to_string();
        assert!(text.contains("there is no such disk now"), "{disk}: {text}");
    }
}

#[test]
fn a_folder_that_is_something_else_by_now_is_not_opened() {
    let test = "a_folder_that_is_something_else_by_now_is_not_opened";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let top = running.top();
    let (lake, many) = (entry(&top, "quiet-lake"), entry(&top, "many"));
    fixture.debugfs("unlink /quiet-lake");
    let gone = running.view(Some(&lake.id)).unwrap_err().to_string();
    fixture.debugfs("ln /brave-fox /quiet-lake");
    let other = running.view(Some(&lake.id)).unwrap_err().to_string();
    for text in [gone, other] {
        assert!(text.contains("out of date"), "{text}");
    }
    assert!(
        running.view(Some(&many.id)).is_ok(),
        "the others are as good as before"
    );
}

#[test]
fn a_reading_is_stopped_by_whoever_asked_and_by_a_newer_one() {
    let test = "a_reading_is_stopped_by_whoever_asked_and_by_a_newer_one";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let (engine, disk) = (&running.engine, running.disk());
    let mut told = 0;
    let stopped = engine
        .inside(&disk, None, |progress| {
            assert_eq!(progress.disk, disk);
            told += 1;
            engine.cancel_rescue();
            engine.cancel_inside();
        })
        .unwrap();
    assert!(stopped.cancelled && !stopped.complete);
    assert!(told >= 1);
    assert!(running.top().complete, "the next one is not stopped");

    let mut newer = None;
    let older = engine.inside(&disk, None, |_| {
        newer.get_or_insert_with(|| engine.inside(&disk, None, |_| {}).unwrap());
    });
    assert!(older.unwrap().cancelled);
    assert!(newer.unwrap().complete);
}

#[test]
fn an_image_that_cannot_be_read_says_why() {
    let test = "an_image_that_cannot_be_read_says_why";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let image = File::options().write(true).open(fixture.image()).unwrap();
    image.set_len(5_000).unwrap();
    let text = running.view(None).unwrap_err().to_string();
    assert!(
        text.contains("sessiondata.img") && text.contains("corrupt"),
        "{text}"
    );
    fs::remove_file(fixture.image()).unwrap();
    assert!(running.view(None).is_err());
    fs::write(fixture.image(), [&b"QFI\xfb"[..], &[0; 4096]].concat()).unwrap();
    let text = running.view(None).unwrap_err().to_string();
    assert!(text.contains("qcow2"), "{text}");
}
