//! Bad input: each has a clear message, and the rest goes on.

use std::fs;

use sandtray_tests::ctl;
use sandtray_tests::machine::TestMachine;
use serde_json::Value;

use crate::faults;

fn status_with_settings(text: &str) -> (TestMachine, Value) {
    let machine = TestMachine::new().unwrap();
    let folder = machine.home().join(".config/sandtray");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("settings.toml"), text).unwrap();
    let status = ctl::on(&machine.file(), &["status", "--json"])
        .well()
        .json();
    assert_eq!(
        fs::read_to_string(folder.join("settings.toml")).unwrap(),
        text,
        "the file was changed"
    );
    (machine, status)
}

#[test]
fn settings_with_unknown_keys_are_kept_and_told() {
    let (_machine, status) = status_with_settings("schema = 1\nfuture_wish = true\n");
    assert_eq!(faults(&status), ["settings_unknown_keys"]);
    assert!(
        status["faults"][0]["text"]
            .as_str()
            .unwrap()
            .contains("future_wish"),
        "{:#}",
        status["faults"]
    );
}

#[test]
fn settings_of_a_newer_version_are_left_alone() {
    let (_machine, status) = status_with_settings("schema = 99\nshape_of_things = [1, 2]\n");
    assert_eq!(faults(&status), ["settings_newer"]);
}

#[test]
fn settings_that_are_no_toml_are_left_alone() {
    let (_machine, status) = status_with_settings("this is = = not toml");
    assert_eq!(faults(&status), ["settings_unreadable"]);
    let text = status["faults"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("settings.toml"),
        "operation, path and cause: {text}"
    );
}

#[test]
fn a_threshold_from_the_settings_is_in_force() {
    if let Err(reason) = sandtray_tests::disk::possible() {
        return sandtray_tests::skip::say(
            "damage::a_threshold_from_the_settings_is_in_force",
            reason,
        );
    }
    let machine = TestMachine::new().unwrap();
    let bundle = sandtray_tests::machine::Bundle::create(&machine.claude()).unwrap();
    bundle.sessions(60.0, 3).unwrap();
    let folder = machine.home().join(".config/sandtray");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("settings.toml"),
        "schema = 1\n[thresholds]\nsessions_low_percent = 50\n",
    )
    .unwrap();
    let status = ctl::on(&machine.file(), &["status", "--json"])
        .well()
        .json();
    let gauge = crate::only(&status["gauges"], |gauge| gauge["kind"] == "guest_sessions");
    assert_eq!(gauge["verdict"], "low", "{gauge:#}");
}

#[test]
fn a_machine_file_that_is_missing_or_wrong_is_a_failure_and_never_the_real_machine() {
    let machine = TestMachine::new().unwrap();
    let missing = machine.root().join("missing.toml");
    let wrong = machine.root().join("wrong.toml");
    fs::write(&wrong, "home = 7\n").unwrap();
    for file in [missing, wrong] {
        let ran = ctl::on(&file, &["status", "--json"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert_eq!(ran.out, "", "{ran:?}");
        assert!(
            ran.err
                .contains(file.file_name().unwrap().to_str().unwrap()),
            "{ran:?}"
        );
    }
}

#[test]
fn a_file_that_vanishes_while_being_measured_stops_nothing() {
    let machine = TestMachine::new().unwrap();
    let tmp = machine.tmp();
    for n in 0..3000 {
        fs::create_dir(tmp.join(format!("tmp{n:08}"))).unwrap();
    }
    let measuring = std::thread::spawn({
        let file = machine.file();
        move || ctl::on(&file, &["measure", "--json"])
    });
    for n in 0..3000 {
        fs::remove_dir(tmp.join(format!("tmp{n:08}"))).unwrap();
    }
    let report = measuring.join().unwrap().well().json();
    let root = crate::only(&report["roots"], |root| {
        root["path"] == tmp.to_str().unwrap()
    });
    assert_eq!(
        root["unreadable"], 0,
        "what is gone is not unreadable: {root:#}"
    );
}

#[test]
fn a_temp_root_that_is_not_there_or_no_folder_is_no_reason_to_stop() {
    let mut machine = TestMachine::new().unwrap();
    let plain = machine.root().join("plain file");
    fs::write(&plain, "x").unwrap();
    machine.add_temp_root(plain).unwrap();
    machine
        .add_temp_root(machine.root().join("not there"))
        .unwrap();
    let report = ctl::on(&machine.file(), &["locate", "--json"])
        .well()
        .json();
    assert_eq!(
        report["temp_roots"].as_array().unwrap().len(),
        1,
        "{report:#}"
    );
    let _status = ctl::on(&machine.file(), &["status", "--json"])
        .well()
        .json();
}
