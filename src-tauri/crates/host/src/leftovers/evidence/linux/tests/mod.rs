//! Real processes of our own, real sandboxes, and trees of `/proc` that tests write. A pass sees all of the
//! machine; what is asserted is about what a test made itself.

mod ending;
mod holds;
mod ordinary;
mod own_words;
mod places;
mod sandboxes;
mod speed;
mod trees;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use sandtray_core::leftover::evidence::{Evidence, FileId, Hold};
use sandtray_core::machine::{Folders, Machine, Os};
use sandtray_core::settings::Claude;
use tempfile::TempDir;

use super::gathered;
use super::pass::Scene;

const NOBODY: u32 = 65534;

/// A folder of the test's own, and a machine that looks nowhere else.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::set_permissions(place.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    /// Canonical, as roots are.
    fn path(&self) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap()
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn folder(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// A copy of a program or a library, made by another process: a descriptor of ours that is open for
    /// writing would be every child's that another test starts in that moment.
    fn copy(&self, original: &Path, name: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let copied = Command::new("cp")
            .arg("-L")
            .args([original, &path])
            .status();
        assert!(copied.unwrap().success());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn machine(&self) -> Machine {
        let home = self.path().join("home");
        Machine {
            os: Os::Linux,
            uid: rustix::process::geteuid().as_raw(),
            folders: Folders {
                config: home.join(".config"),
                local: home.join(".local/share"),
                temp: home.join("tmp"),
            },
            variables: Default::default(),
            only_roots: Some(vec![self.path()]),
            user_data: Vec::new(),
            config_dirs: Vec::new(),
            extra_roots: Vec::new(),
            now_offset: 0,
            label: None,
            own_data: home.join(".local/share/sandtray"),
            own_config: home.join(".config/sandtray"),
            home,
        }
    }

    /// What a pass sees, with the registry in `config`.
    fn seen(&self) -> Evidence {
        let config = self.path().join("config");
        gathered::evidence(
            &Scene::real(),
            &self.machine(),
            &Claude::default(),
            &[config],
        )
    }

    fn held(&self, path: &Path) -> Option<Hold> {
        self.seen().held.get(&id(path)).cloned()
    }
}

fn id(path: &Path) -> FileId {
    let seen = fs::symlink_metadata(path).unwrap();
    FileId {
        device: seen.dev(),
        inode: seen.ino(),
    }
}

/// A process and everything it started, ended with the test.
struct Group(Child);

impl Group {
    fn start(command: &mut Command) -> Self {
        let child = command.process_group(0).spawn();
        Self(child.unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// Starts it and waits for the line `ready`; what it said instead where it never does.
    fn ready(command: &mut Command) -> Result<Self, String> {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Self::start(command);
        let mut line = String::new();
        let out = group.0.stdout.as_mut().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        if line == "ready\n" {
            return Ok(group);
        }
        let mut said = String::new();
        let mut error = BufReader::new(group.0.stderr.take().unwrap());
        error.read_line(&mut said).unwrap();
        Err(said.trim().to_owned())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.pid()).ok().and_then(Pid::from_raw) {
            kill_process_group(group, Signal::KILL).ok();
        }
        self.0.wait().ok();
    }
}

/// Waits for something that must come.
fn until<T>(what: &str, mut seen: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = seen() {
            return value;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "waited for {what}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs `look` as somebody who is not root: as root a thread gives up its rights for good, elsewhere the
/// tests are that user already.
fn ordinary<T: Send>(look: impl FnOnce() -> T + Send) -> T {
    if !is_root() {
        return look();
    }
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            use rustix::process::{Gid, Uid};
            use rustix::thread::{set_thread_res_gid, set_thread_res_uid};
            let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
            set_thread_res_gid(gid, gid, gid).unwrap();
            set_thread_res_uid(uid, uid, uid).unwrap();
            look()
        });
        thread.join().unwrap()
    })
}

/// Gives something to the ordinary user.
fn give(path: &Path) {
    if is_root() {
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}
