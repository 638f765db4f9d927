//! Journeys of leftovers through the built command line tool: real folders, real sockets, live sandboxes.
//!
//! Beside everything that may go stand decoys that may not; each test asserts both. Age is a later clock,
//! never a weaker rule.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "all of this is a test"
)]

mod asks;
mod bundles;
mod contract;
mod full;
mod reports;
mod reuse;
mod sandboxes;
mod schedule;

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use sandtray_tests::ctl::{self, Ran};
use sandtray_tests::machine::TestMachine;
use serde_json::Value;

/// Two hours: past every least age of an automatic class.
const LATER: i64 = 2 * 3_600;

/// A machine whose clock is two hours ahead of what is made on it.
fn later() -> TestMachine {
    let mut machine = TestMachine::new().unwrap();
    machine.now_offset = LATER;
    machine.save().unwrap();
    machine
}

/// `leftovers --json`.
fn look(machine: &TestMachine) -> Value {
    ctl::on(&machine.file(), &["leftovers", "--json"])
        .well()
        .json()
}

/// A number of a class, summed over its roots.
fn number(view: &Value, class: &str, field: &str) -> u64 {
    let classes = view["classes"].as_array().unwrap();
    classes
        .iter()
        .filter(|one| one["class"] == class)
        .map(|one| one[field].as_u64().unwrap())
        .sum()
}

/// Count, dead, live and unknown of a class.
fn counts(view: &Value, class: &str) -> [u64; 4] {
    ["count", "dead", "live", "unknown"].map(|field| number(view, class, field))
}

/// Everything that is said of why some of a class are kept.
fn kept(view: &Value, class: &str) -> String {
    let classes = view["classes"].as_array().unwrap();
    classes
        .iter()
        .filter(|one| one["class"] == class)
        .map(|one| one["kept"].to_string())
        .collect()
}

/// `clean --json` with these further words.
fn clean(machine: &TestMachine, words: &[&str]) -> Ran {
    let mut all = vec!["clean", "--json"];
    all.extend(words);
    ctl::on(&machine.file(), &all)
}

/// The last line of a clean-up: its receipt.
fn receipt(ran: &Ran) -> Value {
    let last = ran.out.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// It ended well.
fn done(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// Removes all of the automatic tier, well.
fn cleaned(machine: &TestMachine) -> Value {
    receipt(&clean(machine, &["--yes"]).well())
}

/// Cleans until these are gone: what a killed sandbox was made of ends a moment after its first process, and
/// what other tests run may keep something until it ends.
fn goes(machine: &TestMachine, words: &[&str], paths: &[&Path]) {
    for _ in 0..300 {
        done(&clean(machine, words));
        if !paths.iter().any(|path| there(path)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{paths:?} stay: {:#}", look(machine));
}

fn folder(path: PathBuf) -> PathBuf {
    fs::create_dir_all(&path).unwrap();
    path
}

fn file(path: PathBuf, content: &[u8]) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

fn sparse(path: PathBuf, size: u64) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(&path).unwrap().set_len(size).unwrap();
    path
}

/// A socket that nobody listens on, as a killed process leaves it.
fn dead_socket(path: PathBuf) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    drop(UnixListener::bind(&path).unwrap());
    path
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A process that ends with the test, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a program that runs until it is dropped.
fn run(command: &mut Command) -> Running {
    Running(command.arg("600").spawn().unwrap())
}

/// Whether a name is there, whatever it is.
fn there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// A temp root of Claude Code's own on this machine: `claude-<uid>`.
fn session_root(machine: &mut TestMachine) -> PathBuf {
    let uid = rustix::process::geteuid().as_raw();
    let root = folder(machine.tmp().join(format!("claude-{uid}")));
    mode(&root, 0o700);
    machine.add_temp_root(root.clone()).unwrap();
    root
}

/// A number that no process has: beyond what the kernel gives.
const NO_PROCESS: u32 = 4_194_305;
