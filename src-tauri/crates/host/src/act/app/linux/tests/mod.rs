//! The app's own moves on real processes: copies of a shell and of `sleep` in temp folders, ended by
//! their group at the end of each test. Nothing else on this machine is looked for by name or touched.

mod find;
mod holders;
mod ordinary;
mod quit;
mod start;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use sandtray_core::bundle::{Bundle, Profile};
use sandtray_core::machine::{Folders, Machine, Os};
use sandtray_core::settings::Claude;
use tempfile::TempDir;

/// A machine of its own: home, an app, a bundle.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(place.bundle().path).unwrap();
        place.program("/bin/sh", "app/claude-desktop");
        place
    }

    /// Canonical, as bundles are.
    fn path(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    fn data(&self) -> PathBuf {
        self.path().join("home/.config/Claude")
    }

    fn app(&self) -> PathBuf {
        self.path().join("app/claude-desktop")
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
            only_roots: Some(Vec::new()),
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

    fn claude(&self) -> Claude {
        Claude {
            executable: self.app().to_str().unwrap().into(),
            ..Claude::default()
        }
    }

    fn bundle(&self) -> Bundle {
        Bundle {
            id: "test".into(),
            path: self.data().join("vm_bundles/claudevm.bundle"),
            profile: Profile::Claude,
            live: true,
            detour: None,
            files: Vec::new(),
        }
    }

    /// A file of the bundle.
    fn file(&self, name: &str) -> PathBuf {
        let path = self.bundle().path.join(name);
        fs::write(&path, "disk").unwrap();
        path
    }

    /// A program of this system under a name of its own. Written by another process: a descriptor of
    /// ours that is open for writing would be every child's that another test starts in that moment, and
    /// until its exec nobody could run the program.
    fn program(&self, original: &str, name: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let written = Command::new("cp")
            .args(["-L", original])
            .arg(&path)
            .status();
        assert!(written.unwrap().success());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Runs `script` in a shell that is `program`, with the data folder of this place among its arguments.
    fn run(&self, program: &Path, script: &str) -> Group {
        let told = format!("--user-data-dir={}", self.data().display());
        Group::ready(Command::new(program).args(["-c", script, &told]))
    }
}

/// A process and everything it started, ended with the test.
struct Group(Child);

/// Keeps a shell alive without a child that would outlive it for long.
const STAY: &str = "echo ready; while :; do sleep 0.1; done";

impl Group {
    /// Starts it, and it is its own program from here on.
    fn start(command: &mut Command) -> Self {
        let child = command.process_group(0).spawn();
        Self(child.unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// Starts it and waits until it says that it is ready.
    fn ready(command: &mut Command) -> Self {
        let mut group = Self::start(command.stdin(Stdio::null()).stdout(Stdio::piped()));
        let mut line = String::new();
        let out = group.0.stdout.as_mut().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        group
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    fn runs(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
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
            begun.elapsed() < Duration::from_secs(30),
            "waited for {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_start_of_the_machine_has_a_name_that_stays() {
    let boot = super::boot().unwrap();
    assert_eq!(boot.len(), 36, "{boot}");
    assert_eq!(super::boot(), Some(boot));
}
