//! A machine with the stand-in on it, `sandtrayctl` pointed at it, and what is compared.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use sandtray_tests::ctl::{self, Ran};
use sandtray_tests::machine::TestMachine;
use sandtray_tests::stand_in::{Builder, Disk, StandIn};
use serde_json::Value;

pub(crate) const LATCH: &str = ".auto_reinstall_attempted";

/// The machine and its app.
pub(crate) struct World {
    pub(crate) machine: TestMachine,
    pub(crate) app: StandIn,
}

/// What an act printed: one event a line, then a receipt or refusals.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) ran: Ran,
    pub(crate) events: Vec<Value>,
    /// The last line: the receipt, or `{"refused": […]}`.
    pub(crate) last: Value,
}

impl Told {
    fn new(ran: Ran) -> Self {
        let lines: Vec<Value> = ran
            .out
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON {line:?} in {ran:?}"))
            })
            .collect();
        for line in &lines {
            assert_eq!(line["schema"], 1, "{line}");
        }
        let mut events = lines;
        let last = events.pop().unwrap_or_default();
        for event in &events {
            assert!(
                event["step"].is_string() && event["state"].is_string(),
                "{event}"
            );
        }
        Self { ran, events, last }
    }

    /// The receipt of an act that went to its end.
    pub(crate) fn done(&self) -> &Value {
        assert_eq!(self.last["end"], "done", "{:#?}", self.last);
        assert_eq!(self.ran.code, Some(0), "{:?}", self.ran);
        &self.last
    }

    /// The id of the copy that it parked.
    pub(crate) fn parked(&self) -> String {
        self.done()["parked"].as_str().unwrap().to_owned()
    }

    /// The reasons of a refusal, which exits with 3.
    pub(crate) fn refused(&self) -> Vec<&str> {
        assert_eq!(self.ran.code, Some(3), "{:?}", self.ran);
        self.reasons()
    }

    /// Why, as far as it says.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        let list = [&self.last["refused"], &self.last["refusals"]];
        list.iter()
            .filter_map(|list| list.as_array())
            .flatten()
            .map(|refusal| refusal["reason"].as_str().unwrap())
            .collect()
    }

    /// Whether a step was told as done.
    pub(crate) fn did(&self, step: &str) -> bool {
        self.told(step, "done")
    }

    /// Whether a step was told in a state.
    pub(crate) fn told(&self, step: &str, state: &str) -> bool {
        self.events
            .iter()
            .any(|event| event["step"] == step && event["state"] == state)
    }

    /// The states of the rebuild, in the order in which they were first told.
    pub(crate) fn rebuild(&self) -> Vec<String> {
        let mut states: Vec<String> = Vec::new();
        for event in &self.events {
            if let Some(state) = event["rebuild"]["state"].as_str()
                && states.last().is_none_or(|last| last != state)
            {
                states.push(state.to_owned());
            }
        }
        states
    }
}

impl World {
    /// Lays the app out, as `change` says; it does not run.
    pub(crate) fn new(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> Self {
        let machine = TestMachine::at(&folder.join("m")).unwrap();
        let app = change(StandIn::on(&machine)).lay_out().unwrap();
        let world = Self { machine, app };
        world.settings("");
        world
    }

    /// The same, and the app runs with its VM on the disks.
    pub(crate) fn running(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> Self {
        let machine = TestMachine::at(&folder.join("m")).unwrap();
        let app = change(StandIn::on(&machine)).running().unwrap();
        let world = Self { machine, app };
        world.settings("");
        world
    }

    /// Writes the settings that make the stand-in the app, with `more` in their table `claude`.
    pub(crate) fn settings(&self, more: &str) {
        self.write_settings(&format!("{}{more}\n", self.app.settings()));
    }

    /// Writes these settings.
    pub(crate) fn write_settings(&self, text: &str) {
        let folder = self.machine.home().join(".config/sandtray");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("settings.toml"), text).unwrap();
    }

    /// Our own data folder on this machine.
    pub(crate) fn own(&self) -> PathBuf {
        self.machine.home().join(".local/share/sandtray")
    }

    pub(crate) fn bundle(&self) -> &Path {
        &self.app.bundle().folder
    }

    /// Runs a command.
    pub(crate) fn ctl(&self, words: &[&str]) -> Ran {
        ctl::on(&self.machine.file(), words)
    }

    /// Runs an act with `--json`.
    pub(crate) fn act(&self, words: &[&str]) -> Told {
        Told::new(self.ctl(&[words, &["--json"]].concat()))
    }

    /// Resets, without a question; `wait` seconds for the rebuild.
    pub(crate) fn reset(&self, scope: &str, wait: &str) -> Told {
        self.act(&["reset", "--scope", scope, "--yes", "--wait", wait])
    }

    /// Restores a copy.
    pub(crate) fn restore(&self, copy: &str) -> Told {
        self.act(&["parked", "restore", copy, "--yes", "--wait", "60"])
    }

    /// Begins an act and lets a test do something at each line it prints.
    pub(crate) fn act_with(&self, words: &[&str], mut at: impl FnMut(&Value)) -> Told {
        let mut child = self.begin(words);
        let out = child.stdout.take().unwrap();
        let mut text = String::new();
        for line in BufReader::new(out).lines() {
            let line = line.unwrap();
            at(&serde_json::from_str(&line).unwrap_or_default());
            text.push_str(&line);
            text.push('\n');
        }
        let ended = child.wait_with_output().unwrap();
        Told::new(Ran {
            code: ended.status.code(),
            out: text,
            err: String::from_utf8_lossy(&ended.stderr).into_owned(),
        })
    }

    /// Begins an act, with its output in pipes.
    pub(crate) fn begin(&self, words: &[&str]) -> Child {
        ctl::command(&self.machine.file(), &[words, &["--json"]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The copies of `parked list --json`.
    pub(crate) fn copies(&self) -> Vec<Value> {
        let list = self.ctl(&["parked", "list", "--json"]).well().json();
        assert_eq!(list["schema"], 1);
        list["parked"].as_array().unwrap().clone()
    }

    /// The entries of `journal --json`.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let list = self.ctl(&["journal", "--json"]).well().json();
        assert_eq!(list["schema"], 1);
        list["entries"].as_array().unwrap().clone()
    }

    /// Files of the bundle that are in place, and those in each parked copy, by who they are.
    pub(crate) fn places(&self) -> BTreeMap<(u64, u64), Vec<PathBuf>> {
        let mut places: BTreeMap<_, Vec<PathBuf>> = BTreeMap::new();
        let mut open = vec![
            self.bundle().to_owned(),
            self.own().join("parked"),
            self.machine.home().join(".config/.sandtray-parked"),
            self.machine.home().join(".local/share/Trash"),
        ];
        while let Some(path) = open.pop() {
            let Ok(seen) = path.symlink_metadata() else {
                continue;
            };
            if seen.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|one| one.unwrap().path()));
            } else {
                places
                    .entry((seen.dev(), seen.ino()))
                    .or_default()
                    .push(path);
            }
        }
        places
    }

    /// Nothing is lost: each of these files is in exactly one place, with its name and its content. The
    /// head of a disk that a VM has mounted since may differ.
    pub(crate) fn assert_kept(&self, files: &BTreeMap<String, Disk>) {
        let places = self.places();
        for (name, file) in files {
            let found = places.get(&file.place.unwrap());
            let [path] = found.map(Vec::as_slice).unwrap_or_default() else {
                panic!("{name} is at {found:?}");
            };
            assert_eq!(path.file_name().unwrap().to_str(), Some(name.as_str()));
            let now = Disk::of(path).unwrap();
            assert_eq!((now.size, now.tail), (file.size, file.tail), "{name}");
        }
    }
}

/// Every entry below a folder with all that would show a change: who it is, its length, its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture(BTreeMap<PathBuf, String>);

impl Picture {
    /// Looks; `not` are names at the top that change by themselves. The history of what was measured grows
    /// with every look and is no part of it, nor are the folders that were made for it.
    pub(crate) fn of(root: &Path, not: &[&str]) -> Self {
        let mut seen = BTreeMap::new();
        let mut open = vec![root.to_owned()];
        while let Some(path) = open.pop() {
            let one = path.symlink_metadata().unwrap();
            let below = path.strip_prefix(root).unwrap().to_owned();
            let text = format!(
                "{:o} {} {} {}.{} {}.{}",
                one.mode(),
                one.ino(),
                one.len(),
                one.mtime(),
                one.mtime_nsec(),
                one.ctime(),
                one.ctime_nsec()
            );
            if one.is_dir() {
                open.extend(
                    fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path())
                        .filter(|child| {
                            path != root || !not.iter().any(|name| child.ends_with(name))
                        })
                        .filter(|child| !is_history(child)),
                );
            }
            // What was measured needs a place; who made the folders for it, and when, is no matter.
            let ours = ["sandtray", "share", ".local", "home"];
            if !ours.iter().any(|name| path.ends_with(name)) {
                seen.insert(below, text);
            }
        }
        Self(seen)
    }

    /// What differs from an earlier one.
    pub(crate) fn differs(&self, earlier: &Self) -> Vec<PathBuf> {
        let other = |path: &&PathBuf| self.0.get(*path) != earlier.0.get(*path);
        let all = self.0.keys().chain(earlier.0.keys());
        let mut paths: Vec<PathBuf> = all.filter(other).cloned().collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

fn is_history(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.parent()
        .is_some_and(|folder| folder.ends_with(".local/share/sandtray"))
        && (name.starts_with("history.sqlite") || name == "lock")
}

/// The machine's folder, without what the running app itself writes and without the history, which grows
/// with every look.
pub(crate) fn picture(world: &World) -> Picture {
    Picture::of(world.machine.root(), &["stand-in"])
}

/// Pids of processes that have this file open, by device and inode.
pub(crate) fn holders(file: &Path) -> Vec<u32> {
    let Ok(named) = fs::metadata(file) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        let open = fs::read_dir(entry.path().join("fd")).into_iter().flatten();
        let holds = open.flatten().any(|fd| {
            fs::metadata(fd.path())
                .is_ok_and(|open| (open.dev(), open.ino()) == (named.dev(), named.ino()))
        });
        if holds {
            found.push(pid);
        }
    }
    found
}

/// Names below a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
