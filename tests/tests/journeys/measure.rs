//! `measure`: equal to `du`, and honest about what it could not read.

use std::fs;
use std::path::Path;

use sandtray_tests::ctl;
use sandtray_tests::machine::TestMachine;
use serde_json::Value;

use crate::only;

fn root<'a>(report: &'a Value, path: &Path) -> &'a Value {
    only(&report["roots"], |root| {
        root["path"] == path.to_str().unwrap()
    })
}

/// What `du` says of a folder, in bytes.
#[cfg(target_os = "linux")]
fn du(path: &Path, more: &[&str]) -> u64 {
    let said = std::process::Command::new("du")
        .args(["-s", "--block-size=1"])
        .args(more)
        .arg(path)
        .output()
        .unwrap();
    String::from_utf8(said.stdout)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn totals_equal_those_of_du_to_the_byte_with_one_thread_and_with_more() {
    let machine = TestMachine::new().unwrap();
    let tmp = machine.tmp();
    sandtray_tests::leftovers::in_temp_root(
        &tmp,
        1000,
        sandtray_tests::leftovers::Amount {
            directories: 200,
            files: 40,
        },
    )
    .unwrap();
    let twice = tmp.join("written-once.bin");
    fs::write(&twice, vec![1; 300_000]).unwrap();
    fs::hard_link(&twice, tmp.join("named-twice.bin")).unwrap();
    std::os::unix::fs::symlink("/usr", tmp.join("a-way-out")).unwrap();

    for threads in ["1", "4"] {
        let report = ctl::on(
            &machine.file(),
            &["measure", "--json", "--threads", threads],
        )
        .well()
        .json();
        assert_eq!(report["schema"], 1);
        let root = root(&report, &tmp);
        assert_eq!(root["allocated"], du(&tmp, &[]), "{root:#}");
        assert_eq!(root["apparent"], du(&tmp, &["--apparent-size"]), "{root:#}");
        assert_eq!(root["complete"], true);
        assert_eq!(root["unreadable"], 0);
        assert_eq!(root["mounts_skipped"], 0);
        let parts = ["files", "dirs", "symlinks", "others"];
        let sum: u64 = parts.iter().map(|part| root[part].as_u64().unwrap()).sum();
        assert_eq!(root["entries"], sum);
        assert_eq!(root["symlinks"], 1, "a link is counted and not followed");
        assert!(root["shared"].as_u64().unwrap() >= 300_000);
    }
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_counted_and_named_and_the_sum_says_so() {
    if sandtray_tests::skip::is_root() {
        // The suite runs as an ordinary user, too; there this test stands.
        return sandtray_tests::skip::say(
            "measure::what_cannot_be_read_is_counted_and_named_and_the_sum_says_so",
            "root can read everything",
        );
    }
    use std::os::unix::fs::PermissionsExt;
    let machine = TestMachine::new().unwrap();
    let locked = machine.tmp().join("locked");
    fs::create_dir_all(locked.join("inside")).unwrap();
    fs::write(machine.tmp().join("seen.txt"), "seen").unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let report = ctl::on(&machine.file(), &["measure", "--json"])
        .well()
        .json();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();

    let root = root(&report, &machine.tmp());
    assert_eq!(root["complete"], false);
    assert_eq!(root["unreadable"], 1);
    assert_eq!(root["files"], 1);
    assert!(
        root["gaps"][0]["path"].as_str().unwrap().contains("locked"),
        "{root:#}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn names_are_bytes_and_come_back_exactly() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let machine = TestMachine::new().unwrap();
    let odd = machine
        .tmp()
        .join(OsStr::from_bytes(b"line\nbreak \xff\xfe"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("file"), "x").unwrap();

    let ran = ctl::run(ctl::command(&machine.file(), &["measure", "--json"]).arg(&odd)).well();
    let root = &ran.json()["roots"][0];
    assert!(
        root["path"].as_str().unwrap().contains('\u{fffd}'),
        "{root:#}"
    );
    let bytes = sandtray_core::paths::PathText::new(&odd).path_bytes;
    assert_eq!(root["path_bytes"].as_str(), bytes.as_deref(), "{root:#}");
    assert_eq!(root["files"], 1);

    // Printed for people, a name cannot break the line.
    let text = ctl::run(ctl::command(&machine.file(), &["measure"]).arg(&odd))
        .well()
        .out;
    assert!(text.contains("line\\nbreak"), "{text}");
}

#[test]
fn a_folder_that_is_not_there_is_named_with_its_cause_and_the_others_are_measured() {
    let machine = TestMachine::new().unwrap();
    let gone = machine.root().join("gone");
    let mut command = ctl::command(&machine.file(), &["measure", "--json"]);
    let ran = ctl::run(command.arg(&gone).arg(machine.tmp()));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("gone"), "{ran:?}");
    assert_eq!(ran.json()["roots"].as_array().unwrap().len(), 1);
}
