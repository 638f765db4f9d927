//! Zero bytes and zero inodes free: it counts, and it cleans.

use super::*;
use sandtray_tests::skip;

/// Cleans on a machine whose home and temp folder lie on a tmpfs with these options, once a script has
/// filled it; answers with what was printed. None where no namespace can be had.
fn cleaned_on(test: &str, options: &str, fill: &str) -> Option<String> {
    let mut machine = later();
    machine
        .set_temp_roots(vec![machine.home().join("tmp")])
        .unwrap();
    let script = format!(
        "set -e\nmount -t tmpfs -o {options} tmpfs \"$HOME_UNDER_TEST\"\ncd \"$HOME_UNDER_TEST\"\n\
         mkdir -p .config .local/share tmp\n{fill}\n\
         if touch more 2>/dev/null && echo x > more 2>/dev/null; then echo NOT FULL; fi\n\
         \"$CTL\" clean --yes --json --machine \"$MACHINE\"\n\
         echo; ls tmp | wc -l; echo fine > after"
    );
    let mut command = Command::new("unshare");
    command.arg("-m");
    if !skip::is_root() {
        command.arg("-Ur");
    }
    command
        .args(["sh", "-c", &script])
        .env("HOME_UNDER_TEST", machine.home())
        .env("CTL", ctl::program())
        .env("MACHINE", machine.file());
    let ran = ctl::run(&mut command);
    if ran.err.contains("unshare") || ran.err.contains("mount:") {
        skip::say(test, format!("no mount namespace here: {}", ran.err.trim()));
        return None;
    }
    Some(ran.well().out)
}

#[test]
fn with_no_inode_left_the_empty_folders_go_and_there_is_room_again() {
    let test = "full::with_no_inode_left_the_empty_folders_go_and_there_is_room_again";
    let fill = "i=100000; while mkdir tmp/claude-empty-$i 2>/dev/null; do i=$((i+1)); done";
    let Some(out) = cleaned_on(test, "size=64m,nr_inodes=400", fill) else {
        return;
    };
    assert!(!out.contains("NOT FULL"), "{out}");
    assert_eq!(out.lines().last().map(str::trim), Some("0"), "{out}");
}

#[test]
fn with_no_byte_left_the_dead_go_and_there_is_room_again() {
    let test = "full::with_no_byte_left_the_dead_go_and_there_is_room_again";
    let fill = "mkdir -p tmp/x; i=100000; while [ $i -lt 100050 ]; do mkdir tmp/claude-empty-$i; \
                echo /home/you > tmp/claude-$(printf %04x $i | tail -c 4)-cwd; i=$((i+1)); done; rmdir tmp/x\n\
                dd if=/dev/zero of=filler bs=4096 2>/dev/null || true";
    let Some(out) = cleaned_on(test, "size=2m", fill) else {
        return;
    };
    assert!(!out.contains("NOT FULL"), "{out}");
    assert_eq!(out.lines().last().map(str::trim), Some("0"), "{out}");
}
