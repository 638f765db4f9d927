//! The tests leave the machine as they found it: a tool that watches litter must not make any.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cannot, command, in_ci, output};

/// A home and a temp folder for everything the suite starts.
pub(crate) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    pub(crate) fn create() -> Result<Self, String> {
        // Short, because sockets below it have short limits.
        let folder = std::env::temp_dir().join(format!("sandtray-test-{}", std::process::id()));
        for below in ["home", "tmp", "run"] {
            let path = folder.join(below);
            fs::create_dir_all(&path).map_err(|cause| cannot("create", &path, &cause))?;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As the system's: everybody may write to the temp folder, a test may drop its rights.
            for (below, mode) in [("tmp", 0o1777), ("run", 0o700)] {
                let path = folder.join(below);
                fs::set_permissions(&path, fs::Permissions::from_mode(mode))
                    .map_err(|cause| cannot("set the rights of", &path, &cause))?;
            }
        }
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Points a command at this home and temp folder, and away from the real ones. Cargo and rustup
    /// keep theirs.
    pub(crate) fn confine<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let home = real_home();
        for (variable, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if std::env::var_os(variable).is_none() {
                command.env(variable, home.join(below));
            }
        }
        for variable in [
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "XDG_STATE_HOME",
            "CLAUDE_CODE_TMPDIR",
            "CLAUDE_TMPDIR",
            "CLAUDE_CONFIG_DIR",
        ] {
            command.env_remove(variable);
        }
        let tmp = self.folder.join("tmp");
        command
            .env("HOME", self.folder.join("home"))
            .env("XDG_RUNTIME_DIR", self.folder.join("run"))
            .env("TMPDIR", &tmp)
            .env("TEMP", &tmp)
            .env("TMP", &tmp)
            .env("RUST_BACKTRACE", "1")
            .env("NO_COLOR", "1")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What remains was already reported by `unchanged`.
        let _ignored = fs::remove_dir_all(&self.folder);
    }
}

/// What must be the same after the tests.
pub(crate) struct State {
    tree: String,
    home: BTreeMap<PathBuf, String>,
}

/// The work tree and the home folder as they are now.
pub(crate) fn state() -> Result<State, String> {
    let mut home = BTreeMap::new();
    list(&real_home(), 4, &mut home);
    Ok(State {
        tree: tree()?,
        home,
    })
}

/// Names every difference from `before`, and every file that a test left behind.
pub(crate) fn unchanged(before: &State, scratch: &Scratch) -> Result<(), String> {
    let now = state()?;
    let mut found = Vec::new();
    if now.tree != before.tree {
        found.push(format!("the work tree changed:\n{}", now.tree));
    }
    let names = before.home.keys().chain(now.home.keys());
    for path in names {
        // On a machine in use other programs write to the home as well; there only ours count.
        let ours = path.to_string_lossy().to_lowercase().contains("sandtray");
        if (in_ci() || ours) && before.home.get(path) != now.home.get(path) {
            found.push(format!("changed in the home folder: {}", path.display()));
        }
    }
    for (below, allowed) in [("tmp", LEFT_IN_TMP), ("home", LEFT_IN_HOME)] {
        let folder = scratch.folder().join(below);
        for entry in fs::read_dir(&folder).map_err(|cause| cannot("read", &folder, &cause))? {
            let name = entry
                .map_err(|cause| cannot("read", &folder, &cause))?
                .file_name();
            let name = name.to_string_lossy();
            if !allowed.iter().any(|start| name.starts_with(start)) {
                found.push(format!("a test left {below}/{name} behind"));
            }
        }
    }
    found.dedup();
    if found.is_empty() {
        Ok(())
    } else {
        Err(found.join("\n"))
    }
}

/// What others leave: the X server's key, the web view's and the compiler's caches.
const LEFT_IN_TMP: &[&str] = &["xvfb-run.", "rustdoctest", "dbus-", "WebKit", "."];
const LEFT_IN_HOME: &[&str] = &[".cache", ".local", ".config", ".dbus", ".pki"];

fn tree() -> Result<String, String> {
    output(command("git").args(["status", "--porcelain", "--untracked-files=all"]))
}

fn real_home() -> PathBuf {
    std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
        .map_or_else(std::env::temp_dir, PathBuf::from)
}

/// Names, lengths and times below a folder, the toolchains' own left out.
fn list(folder: &Path, depth: u32, into: &mut BTreeMap<PathBuf, String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if [
            ".cargo",
            ".rustup",
            ".npm",
            ".cache",
            ".nvm",
            ".debug", // profilers keep copies there of what ran
            "target",
            "node_modules",
        ]
        .contains(&&*name)
        {
            continue;
        }
        let Ok(about) = entry.metadata() else {
            continue;
        };
        let path = entry.path();
        if about.is_dir() {
            if depth > 0 && !path.join(".git").exists() {
                list(&path, depth - 1, into);
            }
            into.insert(path, "folder".to_owned());
        } else {
            into.insert(path, format!("{} {:?}", about.len(), about.modified().ok()));
        }
    }
}
