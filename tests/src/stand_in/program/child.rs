//! Children of the app, as Electron has them: the same executable with `--type=`, and one of them
//! with a child of its own. They end when their parent closes their standard input, or dies.

use std::io::{Error, Read};
use std::process::{Child, ChildStdin, ExitCode, Stdio};

use super::super::script::Script;
use super::tether::Tether;
use super::{executable, same_executable};

/// Runs a child until its parent is done with it.
pub(super) fn run(script: &Script, kind: &str) -> Result<ExitCode, Error> {
    let tether = Tether::join(script, kind, |name| {
        // Chromium's children end on SIGTERM; the record shows that they were sent one.
        if ["TERM", "INT", "HUP", "QUIT"].contains(&name) {
            std::process::exit(1);
        }
    })?;
    let grandchild = (kind == "zygote")
        .then(|| Kid::start(script, "renderer"))
        .transpose()?;
    tether.say("up");
    let mut nothing = Vec::new();
    let _end = std::io::stdin().read_to_end(&mut nothing);
    if let Some(grandchild) = grandchild {
        grandchild.end()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A command line program that runs until it is ended, of the app's name and nothing else of it.
pub(super) fn command_line(script: &Script) -> Result<ExitCode, Error> {
    let tether = Tether::join(script, "cli", |name| {
        if ["TERM", "INT", "HUP", "QUIT"].contains(&name) {
            std::process::exit(1);
        }
    })?;
    tether.say("up");
    loop {
        std::thread::park();
    }
}

/// A child, with what holds it alive.
#[derive(Debug)]
pub(super) struct Kid {
    child: Child,
    alive: Option<ChildStdin>,
}

impl Kid {
    /// Starts one.
    pub(super) fn start(script: &Script, kind: &str) -> Result<Self, Error> {
        let mut command = same_executable(script, &executable()?)?;
        command.arg(format!("--type={kind}"));
        if kind == "utility" {
            command.arg("--utility-sub-type=network.mojom.NetworkService");
        }
        let mut child = command
            .arg(format!("--user-data-dir={}", script.user_data.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self {
            alive: child.stdin.take(),
            child,
        })
    }

    /// Ends it and waits until it has.
    pub(super) fn end(mut self) -> Result<(), Error> {
        drop(self.alive.take());
        let _status = self.child.wait()?;
        Ok(())
    }
}
