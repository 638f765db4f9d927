//! Live sandboxes, made as the sandbox runtime makes them: what they stand on stays, and goes once they end.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use super::*;
use sandtray_tests::{programs, skip};

/// How many run at once.
const SANDBOXES: usize = 20;

/// A sandboxed command: masks from an empty folder, a socket bound in, its own processes and network.
struct Sandbox {
    child: Child,
    says: BufReader<ChildStdout>,
    hears: ChildStdin,
    mask: PathBuf,
    socket: PathBuf,
    /// Who listens on the socket; taken when the session ends.
    listener: Option<UnixListener>,
}

impl Sandbox {
    fn start(machine: &TestMachine, number: usize) -> Option<Self> {
        let tmp = machine.tmp();
        let mask = folder(tmp.join(format!("claude-empty-s{number:05}")));
        let socket = tmp.join(format!("claude-http-{number:016x}.sock"));
        let listener = UnixListener::bind(&socket).unwrap();
        let project = folder(machine.home().join(format!("project-{number}")));
        // The sandbox tries to write what is masked, and to find its bridge.
        let script = "echo ready; while read line; do \
             if touch .claude/commands/x 2>/dev/null; then echo mask gone; \
             elif test ! -S \"$0\"; then echo bridge gone; else echo whole; fi; done";
        let mut command = Command::new(programs::find("bwrap")?);
        command
            .args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"])
            .args(["--unshare-pid", "--unshare-net", "--die-with-parent"])
            .arg("--bind")
            .args([&project, &project])
            .arg("--ro-bind")
            .arg(&mask)
            .arg(project.join(".claude/commands"))
            .arg("--ro-bind")
            .arg("/dev/null")
            .arg(project.join(".mcp.json"))
            .arg("--bind")
            .args([&socket, &socket])
            .arg("--chdir")
            .arg(&project)
            .args(["sh", "-c", script])
            .arg(&socket)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let mut sandbox = Self {
            says: BufReader::new(child.stdout.take()?),
            hears: child.stdin.take()?,
            child,
            mask,
            socket,
            listener: Some(listener),
        };
        (sandbox.line() == "ready").then_some(sandbox)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// What the sandbox says of itself.
    fn state(&mut self) -> String {
        writeln!(self.hears, "check").unwrap();
        self.line()
    }

    fn end(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.listener = None;
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Sandboxes, or none where they cannot be had.
fn sandboxes(test: &str, machine: &TestMachine, count: usize) -> Option<Vec<Sandbox>> {
    let all: Option<Vec<Sandbox>> = (0..count)
        .map(|number| Sandbox::start(machine, number))
        .collect();
    if all.is_none() {
        skip::say(test, "bwrap makes no sandbox here");
    }
    all
}

#[test]
fn cleaning_everything_beside_live_sandboxes_disturbs_none_and_takes_what_they_leave() {
    let test = "sandboxes::cleaning_everything_beside_live_sandboxes_disturbs_none_and_takes_what_they_leave";
    let machine = later();
    let dead = folder(machine.tmp().join("claude-empty-dead01"));
    let Some(mut all) = sandboxes(test, &machine, SANDBOXES) else {
        return;
    };
    for round in 0..3 {
        cleaned(&machine);
        for sandbox in &mut all {
            assert_eq!(sandbox.state(), "whole", "round {round}");
            assert!(there(&sandbox.mask) && there(&sandbox.socket));
        }
    }
    assert!(!there(&dead));
    let many = u64::try_from(SANDBOXES).unwrap();
    assert_eq!(
        counts(&look(&machine), "empty_mount_source"),
        [many, 0, many, 0]
    );
    // Half of them end, as a killed session does.
    for sandbox in all.iter_mut().step_by(2) {
        sandbox.end();
    }
    for (number, sandbox) in all.iter_mut().enumerate() {
        let ended = number % 2 == 0;
        if ended {
            goes(&machine, &["--yes"], &[&sandbox.mask, &sandbox.socket]);
        } else {
            assert!(there(&sandbox.mask) && there(&sandbox.socket), "{number}");
            assert_eq!(sandbox.state(), "whole");
        }
    }
}

#[test]
fn a_sandbox_in_a_sandbox_keeps_what_the_inner_one_stands_on() {
    let test = "sandboxes::a_sandbox_in_a_sandbox_keeps_what_the_inner_one_stands_on";
    let machine = later();
    let outer = folder(machine.tmp().join("claude-empty-outer1"));
    let inner = folder(machine.tmp().join("claude-empty-inner1"));
    let Some(bwrap) = programs::find("bwrap") else {
        return skip::say(test, "bwrap is not installed");
    };
    let targets = folder(machine.home().join("p"));
    for name in ["a", "b"] {
        folder(targets.join(name));
    }
    let mut child = Command::new(&bwrap)
        .args([
            "--bind",
            "/",
            "/",
            "--dev-bind",
            "/dev",
            "/dev",
            "--die-with-parent",
        ])
        .arg("--ro-bind")
        .args([&outer, &targets.join("a")])
        .arg(&bwrap)
        .args([
            "--bind",
            "/",
            "/",
            "--dev-bind",
            "/dev",
            "/dev",
            "--die-with-parent",
        ])
        .arg("--ro-bind")
        .args([&inner, &targets.join("b")])
        .args(["sh", "-c", "echo ready; read line"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    if line != "ready\n" {
        child.wait().unwrap();
        return skip::say(test, "bwrap makes no sandbox in a sandbox here");
    }
    cleaned(&machine);
    assert!(there(&outer) && there(&inner), "{}", look(&machine));
    child.kill().unwrap();
    child.wait().unwrap();
    goes(&machine, &["--yes"], &[&outer, &inner]);
}

#[test]
fn a_process_of_ones_own_that_nobody_may_look_into_does_not_keep_the_dead() {
    let machine = later();
    let dead = folder(machine.tmp().join("claude-empty-dead01"));
    let socket = dead_socket(machine.tmp().join("claude-http-0123456789abcdef.sock"));
    let closed = machine.root().join("innocent");
    // Written by another process: see the app's own tests.
    assert!(
        Command::new("cp")
            .args(["-L", "/bin/sleep"])
            .arg(&closed)
            .status()
            .unwrap()
            .success()
    );
    mode(&closed, 0o111);
    let process = run(&mut Command::new(&closed));
    cleaned(&machine);
    drop(process);
    assert!(!there(&dead) && !there(&socket));
}

#[test]
fn what_a_process_works_in_or_writes_is_kept_until_it_ends() {
    let mut machine = later();
    machine.now_offset = 4 * 24 * 3_600;
    machine.save().unwrap();
    let root = session_root(&mut machine);
    let session = root.join("-home-you-webshop/0b5c1f8e-1111-4222-8333-123456789abc");
    let pad = folder(session.join("scratchpad/deep"));
    let output = file(session.join("tasks/babc123de.output"), b"log");
    let works = run(Command::new("/bin/sleep").current_dir(&pad));
    let log = fs::OpenOptions::new().append(true).open(&output).unwrap();
    let writes = run(Command::new("/bin/sleep").stdout(log));
    let all = ["--yes", "--tier", "ask", "--for-good"];
    done(&clean(&machine, &all));
    assert!(there(&pad) && there(&output), "{:#}", look(&machine));
    drop(works);
    drop(writes);
    done(&clean(&machine, &all));
    assert!(!there(&pad) && !there(&output), "{:#}", look(&machine));
}
