//! The desk on real disks: what the window asks by ids, and what must not come of it.

mod days;
mod rescues;
mod views;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use sandtray_core::inside::{DiskId, InsideEntry, InsideView};
use sandtray_core::machine::Machine;
use sandtray_core::status::Status;
use tempfile::TempDir;

use crate::disk::inside::tests::tool;
use crate::engine::{Engine, Event};
use crate::error::Failure;

/// A machine with a bundle whose sessions disk is made of a folder.
struct Fixture {
    dir: TempDir,
}

impl Fixture {
    /// With two homes, a folder of many files and a decoy; none where no disk can be made.
    fn new(test: &str) -> Option<Self> {
        let fixture = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        for (path, bytes) in [
            ("quiet-lake/notes/plan.md", "the plan"),
            ("quiet-lake/notes/same", "of the lake"),
            ("brave-fox/notes/same", "of the fox"),
            ("brave-fox/secret", "a decoy"),
        ] {
            fixture.put(path, bytes.as_bytes());
        }
        for number in 0..1_200 {
            fixture.put(&format!("many/{number:04}"), b"");
        }
        fs::create_dir_all(fixture.at("tmp")).unwrap();
        match fixture.make() {
            Ok(()) => Some(fixture),
            Err(why) => {
                println!("skipped: {test}: {why}");
                None
            }
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Puts a file into the folder that disks are made of.
    fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.at("content").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn image(&self) -> PathBuf {
        self.at("home/.config/Claude/vm_bundles/claudevm.bundle/sessiondata.img")
    }

    /// Makes the sessions disk anew.
    fn make(&self) -> Result<(), String> {
        let image = self.image();
        fs::create_dir_all(image.parent().unwrap()).unwrap();
        drop(fs::remove_file(&image));
        let made = tool("mkfs.ext4")
            .args(["-q", "-F", "-b", "4096", "-L", "sessions", "-d"])
            .arg(self.at("content"))
            .arg(&image)
            .arg("64M")
            .output()
            .map_err(|error| format!("no mkfs.ext4 ({error})"))?;
        if made.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&made.stderr).into_owned())
        }
    }

    /// Changes the disk as a guest would.
    fn debugfs(&self, request: &str) {
        let output = tool("debugfs")
            .args(["-w", "-R", request])
            .arg(self.image())
            .output()
            .unwrap();
        assert!(output.status.success(), "{request}: {output:?}");
    }

    fn machine(&self, now_offset: i64) -> Machine {
        let file = self.at("machine.toml");
        let text = format!(
            "home = 'home'\nos = 'linux'\ntemp_roots = ['tmp']\nnow_offset = {now_offset}\n"
        );
        fs::write(&file, text).unwrap();
        crate::machine::load(&file).unwrap()
    }

    /// An engine that has located the disk and counted its homes, where `counts` holds.
    fn engine(&self, now_offset: i64, enough: impl Fn(&Status) -> bool) -> Running {
        let (events, reported) = mpsc::channel();
        let engine = Engine::start(self.machine(now_offset), move |event| {
            events.send(event).ok();
        });
        let running = Running {
            engine: engine.unwrap(),
            reported,
        };
        running.wait(enough);
        running
    }

    /// An engine that knows the disk.
    fn ready(&self) -> Running {
        self.engine(0, |status| !status.bundles.is_empty())
    }
}

/// A running engine, and what it reports.
struct Running {
    engine: Engine,
    reported: Receiver<Event>,
}

impl Running {
    /// Waits for a status.
    fn wait(&self, enough: impl Fn(&Status) -> bool) -> Arc<Status> {
        self.reported
            .iter()
            .find_map(|event| match event {
                Event::Status(status) if enough(&status) => Some(status),
                _ => None,
            })
            .unwrap()
    }

    fn disk(&self) -> DiskId {
        let bundle = self.engine.status().bundles[0].id.clone();
        DiskId(format!("guest_sessions:{bundle}"))
    }

    fn top(&self) -> InsideView {
        self.view(None).unwrap()
    }

    fn view(&self, folder: Option<&str>) -> Result<InsideView, Failure> {
        self.engine.inside(&self.disk(), folder, |_| {})
    }

    /// The view of a folder, opened name by name.
    fn open(&self, names: &[&str]) -> InsideView {
        names.iter().fold(self.top(), |view, name| {
            self.view(Some(&entry(&view, name).id)).unwrap()
        })
    }
}

fn entry<'a>(view: &'a InsideView, name: &str) -> &'a InsideEntry {
    let found = view.entries.iter().find(|entry| entry.name.path == name);
    found.unwrap_or_else(|| panic!("no {name} in {view:#?}"))
}

fn names(view: &InsideView) -> Vec<&str> {
    let mut names: Vec<&str> = view
        .entries
        .iter()
        .map(|entry| entry.name.path.as_str())
        .collect();
    names.sort_unstable();
    names
}
