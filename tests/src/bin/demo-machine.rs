//! `demo-machine DIR` builds the demo machine in a folder and leaves it there.
//! `demo-machine run -- PROGRAM ARGS…` builds one in a temp folder, runs the program on it with
//! `--machine FILE` added, and takes the machine away, also on Ctrl-C.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command line program for developers prints"
)]

use std::path::Path;
use std::process::ExitCode;

use sandtray_tests::demo;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["run", "--", program, rest @ ..] => run(program, rest),
        [folder] if !folder.starts_with('-') => leave(Path::new(folder)),
        _ => Err("usage: demo-machine DIR | demo-machine run -- PROGRAM ARGS…".to_owned()),
    };
    match outcome {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn leave(folder: &Path) -> Result<ExitCode, String> {
    std::fs::create_dir_all(folder)
        .map_err(|cause| format!("cannot create {}: {cause}", folder.display()))?;
    let machine =
        demo::build(folder).map_err(|cause| format!("cannot build the demo machine: {cause}"))?;
    println!("{}", machine.file().display());
    Ok(ExitCode::SUCCESS)
}

fn run(program: &str, rest: &[&str]) -> Result<ExitCode, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|cause| format!("cannot wait for signals: {cause}"))?;
    let folder = tempfile::Builder::new()
        .prefix("sandtray-demo-")
        .tempdir()
        .map_err(|cause| format!("cannot create a temp folder: {cause}"))?;
    let code = runtime.block_on(async {
        // From here on Ctrl-C ends the program below and not this one, which has a folder to remove.
        let mut ended = Ended::listen()?;
        let machine = demo::build(folder.path())
            .map_err(|cause| format!("cannot build the demo machine: {cause}"))?;
        let mut command = tokio::process::Command::new(program);
        command
            .args(rest)
            .arg("--machine")
            .arg(machine.file())
            .kill_on_drop(true);
        // What the web view stores belongs to the demo as well.
        for (variable, below) in [
            ("XDG_DATA_HOME", "app/data"),
            ("XDG_CONFIG_HOME", "app/config"),
            ("XDG_CACHE_HOME", "app/cache"),
            ("XDG_STATE_HOME", "app/state"),
        ] {
            command.env(variable, machine.root().join(below));
        }
        let mut child = command
            .spawn()
            .map_err(|cause| format!("cannot start {program}: {cause}"))?;
        let status = tokio::select! {
            status = child.wait() => status,
            () = ended.asked() => {
                // A terminal tells it as well; one that was not told, or does not go, is ended.
                let wait = tokio::time::timeout(std::time::Duration::from_secs(2), child.wait());
                match wait.await {
                    Ok(status) => status,
                    Err(_) => child.kill().await.map(|()| std::process::ExitStatus::default()),
                }
            }
        };
        status.map_err(|cause| format!("cannot wait for {program}: {cause}"))
    })?;
    drop(runtime);
    folder
        .close()
        .map_err(|cause| format!("cannot remove the demo machine: {cause}"))?;
    Ok(if code.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Being asked to end: by Ctrl-C, on Unix also by `kill` or with the terminal.
struct Ended {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// The terminal was closed.
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Ended {
    fn listen() -> Result<Self, String> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let listen =
                |kind| signal(kind).map_err(|cause| format!("cannot wait for signals: {cause}"));
            Ok(Self {
                interrupt: listen(SignalKind::interrupt())?,
                terminate: listen(SignalKind::terminate())?,
                hangup: listen(SignalKind::hangup())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    async fn asked(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
