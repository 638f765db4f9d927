//! Rescues: what was chosen comes out, and nothing that has taken its place.

use std::fs;
use std::path::Path;

use sandtray_core::inside::RescueEnd;
use sandtray_core::rescue::{Receipt, Refusal};

use super::*;

fn done(end: RescueEnd) -> Receipt {
    match end {
        RescueEnd::Done { receipt } => receipt,
        RescueEnd::Refused { refusal } => panic!("{refusal:?}"),
    }
}

fn files(target: &Path) -> Vec<String> {
    let mut files: Vec<String> = walkdir::WalkDir::new(target)
        .min_depth(1)
        .into_iter()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            entry
                .path()
                .strip_prefix(target)
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    files.sort();
    files
}

#[test]
fn what_was_chosen_comes_out_and_nothing_else_and_nothing_is_overwritten() {
    let test = "what_was_chosen_comes_out_and_nothing_else_and_nothing_is_overwritten";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let (engine, disk) = (&running.engine, running.disk());
    let fox = running.open(&["brave-fox"]);
    let top = running.top();
    let target = fixture.at("out");
    // A folder, and something in another folder; an entry twice is one.
    let chosen = [
        entry(&top, "quiet-lake").id.clone(),
        entry(&fox, "notes").id.clone(),
        entry(&fox, "notes").id.clone(),
    ];
    engine.check_rescue(&disk, &chosen).unwrap();
    assert!(!target.exists());
    let mut last = None;
    let end = engine.rescue(&disk, &chosen, &target, |progress| last = Some(progress));
    let receipt = done(end.unwrap());
    assert!(receipt.complete, "{receipt:?}");
    assert_eq!(last.unwrap().disk, disk);
    assert_eq!(
        files(&target),
        [
            "notes/same",
            "quiet-lake/notes/plan.md",
            "quiet-lake/notes/same"
        ]
    );
    assert_eq!(fs::read(target.join("notes/same")).unwrap(), b"of the fox");
    assert_eq!(
        fs::read(target.join("quiet-lake/notes/same")).unwrap(),
        b"of the lake"
    );

    fs::write(target.join("notes/same"), "mine").unwrap();
    let again = engine.rescue(&disk, &chosen[1..], &target, |_| {}).unwrap();
    assert!(matches!(
        again,
        RescueEnd::Refused {
            refusal: Refusal::TargetExists { .. }
        }
    ));
    assert_eq!(fs::read(target.join("notes/same")).unwrap(), b"mine");
}

#[test]
fn a_whole_disk_is_refused_in_words() {
    let test = "a_whole_disk_is_refused_in_words";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let target = fixture.at("out");
    running.top();
    let refused = running.engine.rescue(&running.disk(), &[], &target, |_| {});
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("nothing is chosen"), "{text}");
    assert!(running.engine.check_rescue(&running.disk(), &[]).is_err());
    assert!(!target.exists());
}

#[test]
fn what_has_taken_the_place_of_a_chosen_file_is_not_copied() {
    let test = "what_has_taken_the_place_of_a_chosen_file_is_not_copied";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let notes = running.open(&["quiet-lake", "notes"]);
    let chosen = ["plan.md", "same"].map(|name| entry(&notes, name).id.clone());
    // Another file has the name, and the file has another name.
    fixture.debugfs("ln /quiet-lake/notes/plan.md /quiet-lake/notes/other.md");
    fixture.debugfs("unlink /quiet-lake/notes/plan.md");
    fixture.debugfs("ln /brave-fox/secret /quiet-lake/notes/plan.md");
    let target = fixture.at("out");
    let end = running
        .engine
        .rescue(&running.disk(), &chosen, &target, |_| {});
    let receipt = done(end.unwrap());
    assert_eq!(files(&target), ["same"]);
    assert_eq!((receipt.failed, receipt.complete), (1, false));
    let failure = &receipt.failures[0];
    assert_eq!(failure.path.path, "/quiet-lake/notes/plan.md");
    assert!(
        failure.cause.contains("something else by now"),
        "{failure:?}"
    );

    let alone = fixture.at("alone");
    let refused = running
        .engine
        .rescue(&running.disk(), &chosen[..1], &alone, |_| {});
    let text = refused.unwrap_err().to_string();
    assert!(
        text.contains("plan.md") && text.contains("Open the list again"),
        "{text}"
    );
    assert!(!alone.exists());
}

#[test]
fn a_rescue_is_stopped_and_only_one_runs() {
    let test = "a_rescue_is_stopped_and_only_one_runs";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.ready();
    let (engine, disk) = (&running.engine, running.disk());
    let chosen = [entry(&running.top(), "many").id.clone()];
    let (target, beside) = (fixture.at("out"), fixture.at("beside"));
    let mut second = None;
    let end = engine.rescue(&disk, &chosen, &target, |_| {
        second = Some(engine.rescue(&disk, &chosen, &beside, |_| {}));
        engine.cancel_inside();
        engine.cancel_rescue();
    });
    let receipt = done(end.unwrap());
    assert!(receipt.cancelled && !receipt.complete, "{receipt:?}");
    assert!(files(&target).len() < 1_200);
    let text = second.unwrap().unwrap_err().to_string();
    assert!(text.contains("another copy is under way"), "{text}");
    assert!(!beside.exists());

    let end = engine.rescue(&disk, &chosen, &beside, |_| {});
    assert!(done(end.unwrap()).complete, "the next one is not stopped");
    assert_eq!(files(&beside).len(), 1_200);
}

#[cfg(target_os = "linux")]
#[test]
fn with_no_byte_free_it_looks_inside_and_refuses_to_copy_there() {
    use crate::store::full_volume::{fill, inside};

    let name = "with_no_byte_free_it_looks_inside_and_refuses_to_copy_there";
    let Some(fixture) = Fixture::new(name) else {
        return;
    };
    inside(module_path!(), name, "size=8m", |mount| {
        // What Sandtray keeps lies on the full volume, too.
        let own = fixture.at("home/.local/share");
        fs::create_dir_all(&own).unwrap();
        fill(mount);
        std::os::unix::fs::symlink(mount, own.join("sandtray")).unwrap();
        let running = fixture.ready();
        let top = running.top();
        assert!(top.complete);
        let chosen = [entry(&top, "quiet-lake").id.clone()];
        let end = running
            .engine
            .rescue(&running.disk(), &chosen, &mount.join("out"), |_| {});
        assert!(matches!(
            end.unwrap(),
            RescueEnd::Refused {
                refusal: Refusal::NotEnoughRoom { .. }
            }
        ));
        assert!(!mount.join("out").exists());
        let text = format!("{:?}", running.engine.status().faults);
        assert!(text.contains("HistoryInMemory"), "{text}");
        assert_eq!(running.engine.status().homes[0].count, 3);
    });
}
