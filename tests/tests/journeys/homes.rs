//! Session homes: how many, how old and how large, from the host alone (#91680).

use sandtray_tests::disk::{self, Ext4, Numbers};
use sandtray_tests::machine::{Bundle, DISK, TestMachine};
use sandtray_tests::programs::run;
use sandtray_tests::{ctl, skip};

use crate::only;

#[test]
fn a_full_sessions_disk_is_told_with_its_1634_homes_and_the_oldest_of_them() {
    if let Err(reason) = disk::possible() {
        return skip::say(
            "homes::a_full_sessions_disk_is_told_with_its_1634_homes_and_the_oldest_of_them",
            reason,
        );
    }
    let machine = TestMachine::new().unwrap();
    let bundle = Bundle::create(&machine.claude()).unwrap();
    let homes = (0..1_634).map(|home| (format!("calm-fern-{home}"), 1));
    let image = bundle.sessions_image();
    Ext4::sessions(DISK, 100.0, homes.collect())
        .make(&image)
        .unwrap();
    let target = image.to_str().unwrap();
    let left = Numbers::read(target).unwrap();
    run(
        "debugfs",
        ["-w", "-f", "-", target],
        &format!(
            "sif calm-fern-7 mtime 20260521120000\nmkdir rest\nwrite /dev/null rest/file\nfallocate rest/file 0 {}\n",
            left.available() + 300
        ),
    )
    .unwrap();
    let on = |args: &[&str]| ctl::on(&machine.file(), args);

    let quick = on(&["status", "--json", "--quick"]).well().json();
    assert_eq!(quick["homes"], serde_json::json!([]), "not known yet");

    let status = on(&["status", "--json"]).well().json();
    let gauge = only(&status["gauges"], |gauge| gauge["kind"] == "guest_sessions");
    assert_eq!(gauge["available"], 0, "{gauge:#}");
    let homes = only(&status["homes"], |_| true);
    assert_eq!(homes["disk"], gauge["id"]);
    assert_eq!(homes["count"], 1_635);
    let oldest = homes["oldest"].as_i64().unwrap();
    let may = 1_779_321_600;
    assert!((may..may + 2 * 86_400).contains(&oldest), "{homes:#}");
    let (allocated, used) = (homes["allocated"].as_u64(), gauge["used"].as_u64());
    let (allocated, used) = (allocated.unwrap(), used.unwrap());
    assert!(
        allocated <= used && allocated > used / 100 * 97,
        "{homes:#}"
    );

    // From the history, and in words.
    let text = on(&["status", "--quick"]).well().out;
    let line = text.lines().find(|line| line.contains("session folders"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(
        line.starts_with("Sessions disk: 1,635 session folders, the oldest from 2026-05-2"),
        "{line}"
    );
}
