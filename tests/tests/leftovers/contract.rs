//! What a script relies on: fields, exit codes, and that nothing goes unasked.

use super::*;

#[test]
fn classes_carry_counts_sizes_and_the_root_and_nothing_is_invented() {
    let machine = later();
    for name in ["aB3xY9", "Zz0001", "cccccc"] {
        folder(machine.tmp().join(format!("claude-empty-{name}")));
    }
    let view = look(&machine);
    assert_eq!(view["schema"], 1);
    let class = &view["classes"][0];
    assert_eq!(class["class"], "empty_mount_source");
    assert_eq!(class["tier"], "automatic");
    assert_eq!(class["root"]["path"], machine.tmp().to_str().unwrap());
    assert_eq!(
        counts(&view, "empty_mount_source"),
        [3, 3, 0, 0],
        "{view:#}"
    );
    for field in ["apparent", "allocated", "inodes", "oldest"] {
        assert!(class[field].is_u64(), "{field}: {class:#}");
    }
    assert_eq!(class["inodes"], 3);
    assert!(class["rate_per_hour"].is_number());
    assert_eq!(view["classes"].as_array().unwrap().len(), 1, "{view:#}");
}

#[test]
fn an_empty_machine_has_no_leftovers_and_cleaning_it_is_done_well() {
    let machine = later();
    assert_eq!(look(&machine)["classes"], serde_json::json!([]));
    let receipt = cleaned(&machine);
    assert_eq!(receipt["removed"], 0);
    assert_eq!(receipt["skipped"], serde_json::json!([]));
}

#[test]
fn nothing_goes_without_a_word_of_consent_and_a_dry_run_changes_nothing() {
    let machine = later();
    let empty = folder(machine.tmp().join("claude-empty-aB3xY9"));
    let refused = clean(&machine, &[]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let dry = clean(&machine, &["--dry-run"]).well().json();
    assert_eq!(dry["count"], 1, "{dry:#}");
    assert!(there(&empty));
    assert_eq!(cleaned(&machine)["removed"], 1);
    assert!(!there(&empty));
}

#[test]
fn a_receipt_has_counts_and_what_was_measured() {
    let machine = later();
    folder(machine.tmp().join("claude-empty-aB3xY9"));
    let ran = clean(&machine, &["--yes"]).well();
    let receipt = receipt(&ran);
    assert_eq!(receipt["removed"], 1);
    assert_eq!(receipt["skipped"], serde_json::json!([]));
    assert!(receipt["freed_measured"].is_i64(), "{receipt:#}");
    assert!(receipt["inodes_freed"].is_i64() || receipt["inodes_freed"].is_null());
    // Every line before it is progress.
    for line in ran.out.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["schema"], 1, "{line:#}");
    }
}

#[test]
fn a_root_that_is_not_watched_is_refused_and_a_watched_one_is_the_only_one_cleaned() {
    let mut machine = later();
    let other = folder(machine.root().join("other"));
    machine.add_temp_root(other.clone()).unwrap();
    let unwatched = folder(machine.root().join("unwatched"));
    let here = folder(other.join("claude-empty-aB3xY9"));
    let elsewhere = folder(machine.tmp().join("claude-empty-aB3xY9"));
    let canary = folder(unwatched.join("claude-empty-aB3xY9"));
    for root in [
        unwatched.to_str().unwrap(),
        "/",
        machine.root().to_str().unwrap(),
    ] {
        let refused = clean(&machine, &["--yes", "--root", root]);
        assert_eq!(refused.code, Some(3), "{refused:?}");
    }
    done(&clean(
        &machine,
        &["--yes", "--root", other.to_str().unwrap()],
    ));
    assert!(!there(&here) && there(&elsewhere) && there(&canary));
}

#[test]
fn a_class_that_does_not_exist_is_refused_and_one_that_does_goes_alone() {
    let machine = later();
    let empty = folder(machine.tmp().join("claude-empty-aB3xY9"));
    let cwd = file(
        machine.tmp().join("claude-beef-cwd"),
        b"/home/you/project\n",
    );
    assert_eq!(clean(&machine, &["--yes", "--class", "junk"]).code, Some(3));
    done(&clean(&machine, &["--yes", "--class", "cwd_file"]));
    assert!(there(&empty) && !there(&cwd));
}

#[test]
fn what_was_cleaned_is_told_by_the_journal() {
    let machine = later();
    folder(machine.tmp().join("claude-empty-aB3xY9"));
    let receipt = cleaned(&machine);
    let journal = ctl::on(&machine.file(), &["journal", "--json"])
        .well()
        .json();
    let entry = &journal["entries"][0];
    assert_eq!(entry["id"], receipt["id"], "{journal:#}");
    assert_eq!(
        (&entry["kind"], &entry["state"]),
        (&"clean".into(), &"done".into())
    );
    assert!(
        entry["outcome"]
            .as_str()
            .unwrap()
            .contains("1 leftover removed")
    );
}

#[test]
fn what_cannot_be_removed_is_an_error_by_name_and_the_rest_goes() {
    let machine = later();
    // A folder that takes no changes: its owner may not write it, root may all the same.
    if sandtray_tests::skip::is_root() {
        sandtray_tests::skip::say(
            "contract::what_cannot_be_removed_is_an_error_by_name_and_the_rest_goes",
            "root may write everything",
        );
        return;
    }
    let locked = folder(machine.tmp().join("locked"));
    let mut machine = machine;
    machine.add_temp_root(locked.clone()).unwrap();
    let stays = folder(locked.join("claude-empty-aB3xY9"));
    let goes = folder(machine.tmp().join("claude-empty-aB3xY9"));
    mode(&locked, 0o500);
    let ran = clean(&machine, &["--yes"]);
    mode(&locked, 0o700);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        receipt(&ran)["failed"]
            .to_string()
            .contains("claude-empty-aB3xY9")
    );
    assert!(there(&stays) && !there(&goes));
}
