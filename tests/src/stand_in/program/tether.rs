//! What every role has: it says who it is, records every signal it gets, and ends with its test.
//!
//! The test listens on `tether.sock` in the run folder. The kernel closes a connection when either
//! end dies, so the test learns of every death at once, and no process outlives the test: not even
//! when the test itself was killed.

use std::io::{Error, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::unix::{SignalKind, signal};

use super::super::reap::started;
use super::super::script::Script;
use super::note;

/// Name of the socket of the test.
pub(crate) const SOCKET: &str = "tether.sock";
/// One line for each process: role, pid, start time, executable.
pub(crate) const PIDS: &str = "pids";
/// One line for each signal: role, pid, its name.
pub(crate) const SIGNALS: &str = "signals";

/// Signals that are recorded: all that a program might send to end another or to wake it, and that
/// can be caught.
const RECORDED: [(i32, &str); 8] = [
    (1, "HUP"),
    (2, "INT"),
    (3, "QUIT"),
    (10, "USR1"),
    (12, "USR2"),
    (14, "ALRM"),
    (15, "TERM"),
    (18, "CONT"),
];

/// The connection to the test.
#[derive(Clone, Debug)]
pub(crate) struct Tether {
    test: Option<Arc<Mutex<Test>>>,
}

#[derive(Debug)]
struct Test {
    stream: UnixStream,
    /// One for each line that the test has taken.
    taken: Receiver<()>,
}

impl Tether {
    /// Notes this process, starts to record signals (each given to `told`), and joins the test.
    ///
    /// # Errors
    /// Where the run folder is gone or the test has ended: there is nobody left to play for.
    pub(crate) fn join(
        script: &Script,
        role: &str,
        told: impl Fn(&'static str) + Send + 'static,
    ) -> Result<Self, Error> {
        let pid = std::process::id();
        let executable = std::env::current_exe()?;
        let line = format!(
            "{role} {pid} {} {}",
            started(pid).unwrap_or(0),
            executable.display()
        );
        note(script, PIDS, &line)?;
        record(script.clone(), role.to_owned(), told)?;
        if !script.tethered {
            return Ok(Self { test: None });
        }
        let stream = UnixStream::connect(script.run.join(SOCKET))?;
        let mut lifeline = stream.try_clone()?;
        let (took, taken) = channel();
        let _thread = std::thread::Builder::new()
            .name("lifeline".to_owned())
            .spawn(move || {
                let mut one = [0; 1];
                // A byte for each line it took; anything else is the test's end.
                while lifeline.read(&mut one).is_ok_and(|read| read == 1) {
                    let _nobody_waits = took.send(());
                }
                std::process::exit(0);
            })?;
        let this = Self {
            test: Some(Arc::new(Mutex::new(Test { stream, taken }))),
        };
        this.say(&line);
        Ok(this)
    }

    /// Tells the test something and waits until it knows; where it is gone, this process goes as well.
    ///
    /// Why it waits: what one process tells because of another's word must not be known before it.
    pub(crate) fn say(&self, text: &str) {
        if let Some(test) = &self.test {
            let mut test = test.lock().unwrap_or_else(PoisonError::into_inner);
            let told = test.stream.write_all(format!("{text}\n").as_bytes());
            if told.is_err() || test.taken.recv().is_err() {
                std::process::exit(0);
            }
        }
    }
}

/// Listens to signals on a thread of its own; returns when every one of them is caught.
fn record(
    script: Script,
    role: String,
    told: impl Fn(&'static str) + Send + 'static,
) -> Result<(), Error> {
    let (ready, listening) = channel();
    let _thread = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if let Err(problem) = listen(&script, &role, &told, &ready) {
                let _gone = ready.send(Err(problem));
            }
        })?;
    listening.recv().map_err(Error::other)?
}

fn listen(
    script: &Script,
    role: &str,
    told: &impl Fn(&'static str),
    ready: &Sender<Result<(), Error>>,
) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let (send, mut received) = tokio::sync::mpsc::unbounded_channel();
        for (number, name) in RECORDED {
            let mut signals = signal(SignalKind::from_raw(number))?;
            let send = send.clone();
            let _task = tokio::spawn(async move {
                while signals.recv().await.is_some() && send.send(name).is_ok() {}
            });
        }
        let _started = ready.send(Ok(()));
        while let Some(name) = received.recv().await {
            note(
                script,
                SIGNALS,
                &format!("{role} {} {name}", std::process::id()),
            )?;
            told(name);
        }
        Ok(())
    })
}
