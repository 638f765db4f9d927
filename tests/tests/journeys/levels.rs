//! `status`: verdicts at the lines that matter.

use std::fs;

use sandtray_tests::ctl;
use sandtray_tests::disk::possible;
use sandtray_tests::machine::{Bundle, TestMachine};
use sandtray_tests::skip;

use crate::only;

#[test]
fn the_sessions_disk_is_judged_by_what_is_usable() {
    if let Err(reason) = possible() {
        return skip::say(
            "levels::the_sessions_disk_is_judged_by_what_is_usable",
            reason,
        );
    }
    for (percent, verdict) in [
        (40.0, "ok"),
        (79.0, "ok"),
        (81.0, "low"),
        (91.0, "critical"),
        (99.6, "critical"),
    ] {
        let machine = TestMachine::new().unwrap();
        Bundle::create(&machine.claude())
            .unwrap()
            .sessions(percent, 10)
            .unwrap();
        let status = ctl::on(&machine.file(), &["status", "--json"])
            .well()
            .json();
        assert_eq!(status["schema"], 1);
        let gauge = only(&status["gauges"], |gauge| gauge["kind"] == "guest_sessions");
        assert_eq!(gauge["verdict"], verdict, "{percent}: {gauge:#}");
        let shown = gauge["percent"].as_f64().unwrap();
        assert!((shown - percent).abs() < 0.6, "{percent}: {gauge:#}");
        let [used, available] = ["used", "available"].map(|field| gauge[field].as_f64().unwrap());
        assert!(
            (used / (used + available) * 100.0 - shown).abs() < 0.1,
            "{gauge:#}"
        );
        assert!(
            gauge["limit"].as_f64().unwrap() > used + available,
            "5 % are root's: {gauge:#}"
        );
        assert_eq!(
            gauge["forecast"]["state"], "unknown",
            "one look is no history"
        );
        assert!(gauge["forecast"]["reason"].is_string());
        if verdict != "ok" {
            assert_eq!(status["verdict"], verdict, "{:#}", status["gauges"]);
            let summary = status["summary"].as_str().unwrap().to_lowercase();
            assert!(summary.contains("sessions disk"), "{summary}");
        }
    }
}

#[test]
fn a_fresh_system_disk_does_not_cry_wolf_and_a_nearly_full_one_does() {
    if let Err(reason) = possible() {
        return skip::say(
            "levels::a_fresh_system_disk_does_not_cry_wolf_and_a_nearly_full_one_does",
            reason,
        );
    }
    for (percent, verdict) in [(86.0, "ok"), (92.0, "low"), (98.0, "critical")] {
        let machine = TestMachine::new().unwrap();
        Bundle::create(&machine.claude())
            .unwrap()
            .system(percent)
            .unwrap();
        let status = ctl::on(&machine.file(), &["status", "--json"])
            .well()
            .json();
        let gauge = only(&status["gauges"], |gauge| gauge["kind"] == "guest_system");
        assert_eq!(gauge["verdict"], verdict, "{percent}: {gauge:#}");
    }
}

#[test]
fn one_volume_has_one_gauge_however_many_roots_lie_on_it() {
    let mut machine = TestMachine::new().unwrap();
    for name in ["a", "b", "c"] {
        let root = machine.root().join(name);
        fs::create_dir(&root).unwrap();
        machine.add_temp_root(root).unwrap();
    }
    let status = ctl::on(&machine.file(), &["status", "--json"])
        .well()
        .json();
    let host = only(&status["gauges"], |gauge| gauge["kind"] == "host_bytes");
    assert!(host["available"].as_u64().unwrap() > 0, "{host:#}");
    let meters = status["meters"].as_array().unwrap();
    let entries = meters
        .iter()
        .filter(|meter| meter["kind"] == "root_entries");
    assert_eq!(entries.count(), 4);
}
