//! The suite again as an ordinary user: what is built for root here is used by people who are not.
//!
//! The built test programs run once more under the uid of nobody, with a home of its own. They are
//! copied first, because a clone below `/root` cannot be reached by anybody else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::steps::Outcome;
use super::{WORKSPACE, counts, window};
use crate::command::{Log, built, cannot, cargo, command, found, output, workspace};
use crate::desktop;

/// uid and gid of `nobody`.
const NOBODY: &str = "65534";

/// Folders of the packages whose tests depend on who runs them.
const PACKAGES: [&str; 4] = [
    "src-tauri/crates/core",
    "src-tauri/crates/host",
    "src-tauri/crates/cli",
    "tests",
];

pub(crate) fn run(log: &mut Log) -> Result<Outcome, String> {
    if !cfg!(unix) {
        return Ok(Outcome::done()); // the steps before ran as an ordinary user
    }
    if output(command("id").arg("-u"))?.trim() != "0" {
        return Ok(Outcome::done());
    }
    let Some(setpriv) = found("setpriv") else {
        return Ok(Outcome::skipped(
            "ordinary-user",
            "setpriv is not installed",
        ));
    };
    let home = Home::create()?;
    let mut outcome = Outcome::done();
    for program in programs(log)? {
        let name = program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with("house_rules-") {
            continue; // it reads the sources, which need not be readable
        }
        let copy = home.copy(&program)?;
        let mut test = as_nobody(&setpriv, &home);
        if name.starts_with("e2e-") {
            match desktop::session(&home.folder) {
                Ok(session) => {
                    test.arg(session.get_program()).args(session.get_args());
                    test.arg(copy).args(window::JOURNEYS);
                }
                Err(reason) => {
                    outcome = outcome.and(Outcome::skipped("desktop as an ordinary user", reason));
                    continue;
                }
            }
        } else {
            test.arg(copy).arg("--show-output");
        }
        let (well, text) = log.try_run(&mut test)?;
        let counts = counts::rust(&text);
        if well && counts.is_some_and(|counts| counts.passed == 0) {
            continue; // a crate without tests
        }
        outcome = outcome.and(Outcome::of_tests(well, counts, &text)?);
    }
    Ok(outcome)
}

/// How Cargo says that a program was built with the test harness, and not only could be.
const BUILT_AS_TEST: &str = "\"test\":true},\"features\"";

/// A command prefix that drops all privileges and the environment.
fn as_nobody(setpriv: &Path, home: &Home) -> Command {
    let mut command = command(setpriv);
    command
        .args([
            "--reuid",
            NOBODY,
            "--regid",
            NOBODY,
            "--clear-groups",
            "--no-new-privs",
        ])
        .current_dir(home.folder.join("home"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.folder.join("home"))
        .env("TMPDIR", home.folder.join("tmp"))
        .env("INSTA_WORKSPACE_ROOT", &home.folder)
        .env("SANDTRAY_CTL", home.folder.join("bin/sandtrayctl"))
        .env("SANDTRAY_APP", home.folder.join("bin/sandtray"))
        .env("XDG_RUNTIME_DIR", home.folder.join("run"))
        .env("RUST_BACKTRACE", "1");
    command
}

/// The test programs of the packages, as Cargo names them.
fn programs(log: &mut Log) -> Result<Vec<PathBuf>, String> {
    // All of the workspace is named, as in the other steps, so that nothing is built again.
    let mut list = cargo();
    list.arg("test")
        .args(WORKSPACE)
        .args(["--no-run", "--message-format=json"]);
    let text = log.run(&mut list)?;
    let wanted = PACKAGES.map(|folder| workspace().join(folder));
    let mut programs: Vec<PathBuf> = text
        .lines()
        .filter(|line| line.contains("\"compiler-artifact\"") && line.contains(BUILT_AS_TEST))
        .filter(|line| {
            field(line, "manifest_path").is_some_and(|manifest| {
                Path::new(manifest)
                    .parent()
                    .is_some_and(|folder| wanted.iter().any(|wanted| wanted == folder))
            })
        })
        .filter_map(|line| field(line, "executable").map(PathBuf::from))
        // Programs that the tests start are named too; those lie one folder higher.
        .filter(|program| {
            program
                .parent()
                .is_some_and(|folder| folder.ends_with("deps"))
        })
        .collect();
    programs.sort();
    programs.dedup();
    if programs.is_empty() {
        Err("Cargo names no test program".to_owned())
    } else {
        Ok(programs)
    }
}

/// The value of a string field in a line of JSON; paths here hold no escapes.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// A folder that nobody owns, outside of anybody's home.
struct Home {
    folder: PathBuf,
}

impl Home {
    fn create() -> Result<Self, String> {
        let home = Self {
            folder: std::env::temp_dir().join(format!("sandtray-nobody-{}", std::process::id())),
        };
        for below in ["home", "tmp", "run", "bin"] {
            let path = home.folder.join(below);
            fs::create_dir_all(&path).map_err(|cause| cannot("create", &path, &cause))?;
        }
        home.copy(&built("debug", "sandtrayctl"))?;
        home.copy(&built("debug", "sandtray"))?;
        // Tests look for it beside themselves.
        home.copy(&built("debug", "stand-in-claude"))?;
        output(
            command("chown")
                .args(["-R", &format!("{NOBODY}:{NOBODY}")])
                .arg(&home.folder),
        )?;
        Ok(home)
    }

    fn copy(&self, program: &Path) -> Result<PathBuf, String> {
        let copy = self
            .folder
            .join("bin")
            .join(program.file_name().unwrap_or_default());
        fs::copy(program, &copy).map_err(|cause| cannot("copy", program, &cause))?;
        Ok(copy)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ignored = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_cargos_messages() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/w/tests/Cargo.toml","executable":"/t/debug/deps/a-1"}"#;
        assert_eq!(field(line, "executable"), Some("/t/debug/deps/a-1"));
        assert_eq!(field(line, "manifest_path"), Some("/w/tests/Cargo.toml"));
        assert_eq!(field(r#"{"executable":null}"#, "executable"), None);
    }
}
