//! History: kept across runs and kills, and never wiped.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use sandtray_tests::ctl;
use sandtray_tests::disk::possible;
use sandtray_tests::machine::{Bundle, TestMachine};
use sandtray_tests::{demo, skip};
use serde_json::Value;

use crate::{faults, only};

fn status(machine: &TestMachine) -> Value {
    ctl::on(&machine.file(), &["status", "--json"])
        .well()
        .json()
}

/// All points of the host's bytes in the last day.
fn points(machine: &TestMachine) -> Vec<Value> {
    let report = ctl::on(&machine.file(), &["history", "--json", "--range", "24h"])
        .well()
        .json();
    let series = report["series"].as_array().unwrap().iter();
    series
        .filter(|series| series["id"].as_str().unwrap().starts_with("host_bytes:"))
        .flat_map(|series| series["points"].as_array().unwrap().clone())
        .collect()
}

fn data(machine: &TestMachine) -> PathBuf {
    machine.home().join(".local/share/sandtray")
}

#[test]
fn each_run_adds_a_point_and_a_span_without_runs_is_a_gap() {
    let mut machine = TestMachine::new().unwrap();
    for offset in [0, 600, 7200] {
        machine.now_offset = offset;
        machine.save().unwrap();
        status(&machine);
    }
    let points = points(&machine);
    assert_eq!(points.len(), 3, "{points:#?}");
    assert!(
        points
            .iter()
            .all(|point| point["last"].as_u64().unwrap() > 0 && point["count"] == 1)
    );
}

#[test]
fn a_watcher_killed_at_any_moment_leaves_a_history_that_goes_on() {
    let mut machine = TestMachine::new().unwrap();
    for round in 0..4 {
        machine.now_offset = round * 120;
        machine.save().unwrap();
        let mut watcher = ctl::command(&machine.file(), &["watch", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(watcher.stdout.take().unwrap()).lines();
        for line in lines {
            // Killed in different states: while it starts, while it measures, when it has recorded.
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let measured = line["status"]["measured_at"].is_i64();
            if round % 2 == 0 || measured {
                break;
            }
        }
        watcher.kill().unwrap();
        watcher.wait().unwrap();
    }
    machine.now_offset = 3600;
    machine.save().unwrap();
    let status = status(&machine);
    assert_eq!(
        faults(&status),
        Vec::<&str>::new(),
        "{:#}",
        status["faults"]
    );
    assert!(!points(&machine).is_empty());
}

#[test]
fn a_corrupt_history_is_set_aside_and_said_so_and_a_new_one_begins() {
    let machine = TestMachine::new().unwrap();
    status(&machine);
    let file = data(&machine).join("history.sqlite");
    let names = || -> Vec<String> {
        let entries = fs::read_dir(data(&machine)).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    };
    let garbage = b"this was a database once".repeat(500);
    fs::write(&file, &garbage).unwrap();

    let after = status(&machine);
    assert_eq!(faults(&after), ["history_set_aside"]);
    let aside = names()
        .into_iter()
        // Its log is set aside beside it, under the same name and an ending.
        .find(|name| name.contains("corrupt") && !name.ends_with("-wal") && !name.ends_with("-shm"))
        .unwrap();
    assert_eq!(
        fs::read(data(&machine).join(aside)).unwrap(),
        garbage,
        "nothing of it was changed"
    );
    assert_eq!(points(&machine).len(), 1, "the new history has begun");
    assert_eq!(
        faults(&status(&machine)),
        Vec::<&str>::new(),
        "said once, then it is over"
    );
}

#[test]
fn a_second_one_only_reads_and_says_so() {
    let machine = TestMachine::new().unwrap();
    let mut first = ctl::command(&machine.file(), &["watch", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    let measured = lines.any(|line| {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        line["status"]["measured_at"].is_i64()
    });
    assert!(measured);
    let second = status(&machine);
    assert_eq!(faults(&second), ["read_only"], "{second:#}");
    assert!(
        second["gauges"]
            .as_array()
            .unwrap()
            .iter()
            .any(|gauge| gauge["kind"] == "host_bytes")
    );
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(
        faults(&status(&machine)),
        Vec::<&str>::new(),
        "the lock went with its owner"
    );
}

#[test]
fn a_clock_that_jumps_back_is_told_and_nothing_is_lost() {
    let mut machine = TestMachine::new().unwrap();
    machine.now_offset = 3 * 3600;
    machine.save().unwrap();
    status(&machine);
    machine.now_offset = 0;
    machine.save().unwrap();
    let back = status(&machine);
    assert_eq!(faults(&back), ["clock_went_back"], "{:#}", back["faults"]);
    machine.now_offset = 3 * 3600 + 60;
    machine.save().unwrap();
    status(&machine);
    assert!(points(&machine).len() >= 2);
}

#[test]
fn the_demo_machine_tells_its_story() {
    if let Err(reason) = possible() {
        return skip::say("past::the_demo_machine_tells_its_story", reason);
    }
    let folder = tempfile::tempdir().unwrap();
    let machine = demo::build(folder.path()).unwrap();
    let status = status(&machine);
    assert_eq!(status["label"], "Demo");
    assert_eq!(status["verdict"], "low", "{:#}", status["gauges"]);
    let sessions = only(&status["gauges"], |gauge| gauge["kind"] == "guest_sessions");
    assert_eq!(sessions["forecast"]["state"], "filling", "{sessions:#}");
    let days = (sessions["forecast"]["full_at"].as_i64().unwrap() - status["at"].as_i64().unwrap())
        / 86_400;
    assert!((1..5).contains(&days), "full in {days} days: {sessions:#}");
    let system = only(&status["gauges"], |gauge| gauge["kind"] == "guest_system");
    assert_eq!(
        (
            system["verdict"].as_str(),
            system["forecast"]["state"].as_str()
        ),
        (Some("ok"), Some("steady"))
    );

    let history = ctl::on(&machine.file(), &["history", "--json", "--range", "30d"])
        .well()
        .json();
    let of = |kind: &str| {
        let series = history["series"].as_array().unwrap().iter();
        series
            .filter(|series| series["id"].as_str().unwrap().starts_with(kind))
            .count()
    };
    for kind in [
        "guest_sessions:",
        "guest_system:",
        "host_bytes:",
        "bundle_allocated:",
        "root_allocated:",
        "root_entries:",
    ] {
        assert!(of(kind) >= 1, "{kind}");
    }
    let reset = only(&history["events"], |event| {
        event["id"].as_str().unwrap().starts_with("guest_sessions:")
    });
    assert_eq!(reset["kind"], "stepped_down");
    let shapes = status["shapes"].to_string();
    assert!(shapes.contains("claude-empty-"), "{shapes}");
}

#[test]
fn a_history_made_before_the_bundle_is_kept_when_one_appears() {
    if let Err(reason) = possible() {
        return skip::say(
            "past::a_history_made_before_the_bundle_is_kept_when_one_appears",
            reason,
        );
    }
    let mut machine = TestMachine::new().unwrap();
    status(&machine);
    Bundle::create(&machine.claude())
        .unwrap()
        .sessions(50.0, 3)
        .unwrap();
    machine.now_offset = 120;
    machine.save().unwrap();
    let after = status(&machine);
    only(&after["gauges"], |gauge| gauge["kind"] == "guest_sessions");
    assert_eq!(points(&machine).len(), 2);
}
