//! Runs the built `sandtrayctl`, as a person would.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// What a run left behind.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// The JSON on standard output.
    ///
    /// # Panics
    /// Where it is none: with everything that was printed, for the test's report.
    #[must_use]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.out) {
            Ok(value) => value,
            Err(problem) => panic!("no JSON ({problem}): {self:?}"),
        }
    }

    /// This, where the exit code is 0.
    ///
    /// # Panics
    /// Where it is not: with everything that was printed, for the test's report.
    #[must_use]
    pub fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }
}

/// The program: the one that `SANDTRAY_CTL` names, else built now.
///
/// Why built: a test that ran yesterday's program would prove nothing. The suite sets the variable.
///
/// # Panics
/// Where it cannot be built.
#[must_use]
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(program) = std::env::var_os("SANDTRAY_CTL") {
            return program.into();
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args([
                "build",
                "--quiet",
                "-p",
                "sandtrayctl",
                "--message-format=json",
            ])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stderr(Stdio::inherit())
            .output()
            .unwrap_or_else(|problem| panic!("cannot start cargo: {problem}"));
        assert!(built.status.success(), "sandtrayctl does not build");
        String::from_utf8_lossy(&built.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|message| message["target"]["name"] == "sandtrayctl")
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .unwrap_or_else(|| panic!("cargo names no program sandtrayctl"))
    })
}

/// A command that looks at a machine and at nothing else; for tests that kill it or read as it goes.
#[must_use]
pub fn command(machine: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .args(words)
        .arg("--machine")
        .arg(machine)
        .stdin(Stdio::null())
        .env_remove("RUST_LOG");
    command
}

/// Runs a command on the machine that a file describes.
///
/// # Panics
/// Where the program cannot be started.
#[must_use]
pub fn on(machine: &Path, words: &[&str]) -> Ran {
    run(&mut command(machine, words))
}

/// Runs a command to its end.
///
/// # Panics
/// Where the program cannot be started.
#[must_use]
pub fn run(command: &mut Command) -> Ran {
    let output = command
        .output()
        .unwrap_or_else(|problem| panic!("cannot start {}: {problem}", program().display()));
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
