//! The app as a process whose words are heard.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use sandtray_tests::machine::TestMachine;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};

use crate::{PATIENCE, until};

/// The built app.
pub(crate) fn program() -> PathBuf {
    match std::env::var_os("SANDTRAY_APP") {
        Some(program) => program.into(),
        None => panic!("SANDTRAY_APP names no app: run `cargo xtask test --only build,desktop`"),
    }
}

/// Lines that a process wrote, as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words(Arc<Mutex<Vec<String>>>);

impl Words {
    /// Listens to a stream until it ends.
    pub(crate) fn listen(&self, stream: impl AsyncRead + Send + Unpin + 'static) {
        let words = self.clone();
        tokio::spawn(async move {
            let mut lines = BufReader::new(stream).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                println!("  app: {line}");
                words.0.lock().unwrap().push(line);
            }
        });
    }

    /// How often a text was said so far.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.0
            .lock()
            .unwrap()
            .iter()
            .filter(|line| line.contains(text))
            .count()
    }

    /// Waits until it was said so often.
    pub(crate) async fn said(&self, text: &str, times: usize) {
        until(&format!("{text:?}, {times} times"), async || {
            (self.count(text) >= times).then_some(())
        })
        .await;
    }
}

/// A running app.
pub(crate) struct App {
    child: Child,
    /// What it says.
    pub(crate) words: Words,
}

impl App {
    /// Starts it on a machine.
    pub(crate) fn start(machine: &TestMachine, arguments: &[&str]) -> Self {
        Self::spawn(command(machine).args(arguments))
    }

    /// Starts a prepared command.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let words = Words::default();
        words.listen(child.stderr.take().unwrap());
        Self { child, words }
    }

    /// The number of its process.
    pub(crate) fn number(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Waits until it ends by itself.
    pub(crate) async fn ended(mut self) -> ExitStatus {
        tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .expect("the app does not end")
            .unwrap()
    }

    /// Whether it still runs.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Ends it as a power cut would, and waits until it is gone.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// The app on a machine, not started yet.
pub(crate) fn command(machine: &TestMachine) -> Command {
    let mut command = Command::new(program());
    command
        .arg("--machine")
        .arg(machine.file())
        .env("SANDTRAY_LOG", "info")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}
