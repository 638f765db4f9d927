//! The command line itself: exit codes, pipes, and text for people.

use std::process::Stdio;

use sandtray_tests::ctl;
use sandtray_tests::machine::TestMachine;

#[test]
fn wrong_usage_exits_with_2_and_help_with_0() {
    let machine = TestMachine::new().unwrap();
    for words in [
        &["no-such-command"][..],
        &["status", "--no-such-flag"],
        &["disk"],
        &["measure", "--threads", "0"],
    ] {
        let ran = ctl::on(&machine.file(), words);
        assert_eq!(ran.code, Some(2), "{words:?}: {ran:?}");
    }
    let help = ctl::run(std::process::Command::new(ctl::program()).arg("--help"))
        .well()
        .out;
    for command in ["status", "locate", "measure", "history", "watch", "disk"] {
        assert!(help.contains(command), "{help}");
    }
    assert!(
        !help.contains("--machine"),
        "for tests and the demo only: {help}"
    );
}

#[test]
fn piped_text_has_no_colours_and_no_progress() {
    let machine = TestMachine::new().unwrap();
    for words in [&["status"][..], &["locate"], &["measure"], &["history"]] {
        let ran = ctl::on(&machine.file(), words).well();
        assert!(
            !ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'),
            "{words:?}: {ran:?}"
        );
        assert_eq!(ran.err, "", "{words:?}");
        assert!(!ran.out.trim().is_empty(), "{words:?} says nothing");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let machine = TestMachine::new().unwrap();
    let mut child = ctl::command(&machine.file(), &["status", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!err.contains("panicked"), "{err}");
    assert_eq!(output.status.code(), Some(0), "{err}");
}
