//! A session between two commands: nothing shows that its empty folder is used again.

use super::*;

/// A process that looks like Claude Code of a version, whose temp folder is this machine's.
fn claude(machine: &TestMachine, version: &str) -> Running {
    let versions = folder(machine.home().join(".local/share/claude/versions"));
    let program = versions.join(version);
    // Written by another process: one of ours that is about to exec would keep it busy.
    let copied = Command::new("cp")
        .args(["-L", "/bin/sleep"])
        .arg(&program)
        .status();
    assert!(copied.unwrap().success());
    run(Command::new(program).env("TMPDIR", machine.tmp()))
}

#[test]
fn an_idle_owner_between_two_commands_keeps_what_was_born_after_it_and_no_more() {
    let machine = later();
    let other = later();
    let owner = claude(&machine, "2.1.290");
    let kept = folder(machine.tmp().join("claude-empty-aB3xY9"));
    let elsewhere = folder(other.tmp().join("claude-empty-aB3xY9"));
    cleaned(&machine);
    cleaned(&other);
    assert!(there(&kept), "{:#}", look(&machine));
    assert!(kept_why(&machine).contains("until it ends"));
    assert!(!there(&elsewhere), "its temp folder is another");
    drop(owner);
    cleaned(&machine);
    assert!(!there(&kept), "{:#}", look(&machine));
}

#[test]
fn an_older_version_makes_a_new_one_for_every_command_and_keeps_none() {
    let machine = later();
    let owner = claude(&machine, "2.1.280");
    let left = folder(machine.tmp().join("claude-empty-aB3xY9"));
    cleaned(&machine);
    drop(owner);
    assert!(!there(&left));
}

fn kept_why(machine: &TestMachine) -> String {
    kept(&look(machine), "empty_mount_source")
}
