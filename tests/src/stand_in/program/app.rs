//! The app itself: the parent process, the one that a reset asks to quit.
//!
//! Its control socket `control.sock` takes:
//!
//! | command | answer |
//! | --- | --- |
//! | `status` | `state=STATE vm=yes\|no asking=yes\|no` |
//! | `open-task` | `STATE`: begins what waits for a task, and tries anew what failed |
//! | `phase next` | `did PHASE`, or why not |
//! | `phase all`, `phase until PHASE` | the last of them, or why not |
//! | `write-session` | the name of a new session's index file |
//! | `dialog quit`, `dialog stay` | the user's choice, where it asks before it quits |
//! | `quit` | `quitting`: as from its menu |
//! | `crash` | none: it dies at once, as by SIGKILL |
//!
//! It prints each state on a line of its own, and tells it the test: `starting`, `waiting` (for a task), `rebuilding`, `hanging`, `ready`, `unsupported`,
//! `failed CAUSE`, `quitting`.

use std::fs::{self, File};
use std::io::Error;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::super::gate::platform_gate;
use super::super::log::Log;
use super::super::rebuild::{Rebuild, Step, remove};
use super::super::script::{Begins, Misbehaviour, Rebuilds, Script};
use super::super::sessions::Sessions;
use super::boot::Vm;
use super::child::Kid;
use super::control::{Line, serve};
use super::tether::Tether;
use super::{again, install, say};

/// The control socket in the run folder.
pub(crate) const SOCKET: &str = "control.sock";

/// What reaches the app.
#[derive(Debug)]
pub(super) enum Event {
    Signal(&'static str),
    Asked(Line),
    VmGone,
}

impl From<Line> for Event {
    fn from(line: Line) -> Self {
        Self::Asked(line)
    }
}

struct App {
    script: Script,
    executable: PathBuf,
    words: Vec<String>,
    tether: Tether,
    log: Log,
    sessions: Sessions,
    kids: Vec<Kid>,
    rebuild: Option<Rebuild>,
    vm: Option<Vm>,
    state: String,
    asking: bool,
    outbox: Sender<Event>,
    inbox: Receiver<Event>,
}

/// Runs the app to its end.
pub(super) fn run(script: Script, words: &[String], executable: &Path) -> Result<ExitCode, Error> {
    let main = Log::named(&script.user_data, "main.log");
    if UnixStream::connect(script.run.join(SOCKET)).is_ok() {
        main.info("Not main instance, returning early from app ready")?;
        return Ok(ExitCode::SUCCESS);
    }
    install(executable)?;
    let (outbox, inbox) = channel();
    let signals = outbox.clone();
    let tether = Tether::join(&script, "app", move |name| {
        let _app_gone = signals.send(Event::Signal(name));
    })?;
    let mut app = App {
        executable: executable.to_owned(),
        words: words.to_vec(),
        tether,
        log: Log::of_vm(&script.user_data),
        sessions: Sessions::of(&script.user_data),
        kids: Vec::new(),
        rebuild: None,
        vm: None,
        state: "starting".to_owned(),
        asking: false,
        outbox,
        inbox,
        script,
    };
    // What a full disk refuses is not written; the app runs on.
    let _full = main.info("Starting app");
    app.start()?;
    app.attend()?;
    let _full = main.info("App quit");
    Ok(ExitCode::SUCCESS)
}

impl App {
    fn start(&mut self) -> Result<(), Error> {
        let lock = self.lock();
        remove(&lock)?;
        // As Chromium has it: host name and pid of the one instance on this data folder.
        let _full = std::os::unix::fs::symlink(format!("stand-in-{}", std::process::id()), lock);
        let _full = self.sessions.started();
        if self.script.does(Misbehaviour::LosesASession) {
            self.sessions.lose_one()?;
        }
        for kind in ["zygote", "utility", "renderer"] {
            self.kids.push(Kid::start(&self.script, kind)?);
        }
        let socket = self.script.run.join(SOCKET);
        remove(&socket)?;
        serve(UnixListener::bind(socket)?, self.outbox.clone())?;
        self.tether.say("up");
        match self.script.begins {
            Begins::Launch => self.begin(),
            Begins::Task => self.become_("waiting"),
        }
        Ok(())
    }

    fn lock(&self) -> PathBuf {
        self.script.user_data.join("SingletonLock")
    }

    /// Handles events, and moves a rebuild on between them, until it is time to quit.
    fn attend(&mut self) -> Result<(), Error> {
        loop {
            let event = if self.moves_by_itself() {
                match self.inbox.recv_timeout(self.pause()) {
                    Err(RecvTimeoutError::Timeout) => {
                        let _answer = self.step();
                        continue;
                    }
                    event => event.map_err(Error::other)?,
                }
            } else {
                self.inbox.recv().map_err(Error::other)?
            };
            let quits = match event {
                Event::Signal("TERM" | "INT" | "HUP") => self.asked_to_quit(),
                Event::Signal(_) => false,
                Event::VmGone => {
                    self.vm = None;
                    let _full = self.log.error("[VM] Process exited unexpectedly");
                    self.become_("failed VM gone");
                    false
                }
                Event::Asked(line) => self.asked(&line)?,
            };
            if quits {
                return self.quit();
            }
        }
    }

    fn moves_by_itself(&self) -> bool {
        self.rebuild
            .as_ref()
            .is_some_and(|rebuild| !rebuild.needed || self.script.rebuilds == Rebuilds::ByItself)
    }

    fn pause(&self) -> Duration {
        let loops = [Misbehaviour::ChecksumLoop, Misbehaviour::ExdevLoop];
        // A loop without a breath would fill its log.
        let least = if loops.iter().any(|what| self.script.does(*what)) {
            5
        } else {
            0
        };
        Duration::from_millis(self.script.pace_ms.max(least))
    }

    /// Whether it quits: it may ask back first.
    fn asked_to_quit(&mut self) -> bool {
        if self.script.does(Misbehaviour::AsksBeforeQuit) {
            self.asking = true;
            self.tether.say("asking");
        }
        !self.asking
    }

    /// Answers a command; whether it quits.
    fn asked(&mut self, line: &Line) -> Result<bool, Error> {
        let Some(text) = &line.text else {
            return Ok(false);
        };
        let yes = |is: bool| if is { "yes" } else { "no" };
        let answer = match text.split_once(' ').unwrap_or((text, "")) {
            ("status", _) => format!(
                "state={} vm={} asking={}",
                self.state,
                yes(self.vm.is_some()),
                yes(self.asking)
            ),
            ("open-task", _) => {
                if self.rebuild.is_none() && self.vm.is_none() {
                    self.begin();
                }
                self.state.clone()
            }
            ("phase", "next") => self.step(),
            ("phase", "all") => self.steps(None),
            ("phase", rest) if rest.starts_with("until ") => self.steps(Some(&rest[6..])),
            ("write-session", _) => match self.sessions.add_next() {
                Ok(name) => name,
                Err(problem) => format!("failed: {problem}"),
            },
            ("dialog", "stay") => {
                self.asking = false;
                "stays".to_owned()
            }
            ("quit", _) | ("dialog", "quit") => {
                line.answer("quitting");
                return Ok(true);
            }
            ("crash", _) => {
                rustix::process::kill_process(
                    rustix::process::getpid(),
                    rustix::process::Signal::KILL,
                )?;
                return Ok(true);
            }
            _ => format!("what is {text:?}?"),
        };
        line.answer(&answer);
        Ok(false)
    }

    /// Looks at the bundle and begins what it takes.
    fn begin(&mut self) {
        if self.script.does(Misbehaviour::DeletesAtStart) {
            let gate = platform_gate(&self.script);
            return match gate {
                Ok(()) => self.become_("unsupported"),
                Err(problem) => self.failed(&problem),
            };
        }
        match Rebuild::plan(&self.script) {
            Ok(Ok(rebuild)) => {
                self.rebuild = Some(rebuild);
                self.become_("rebuilding");
            }
            Ok(Err(refused)) => self.become_(&format!("failed {refused}")),
            Err(problem) => self.failed(&problem),
        }
    }

    /// Takes one step of the rebuild; gives what happened.
    fn step(&mut self) -> String {
        let Some(rebuild) = &mut self.rebuild else {
            return format!("nothing to do: {}", self.state);
        };
        match rebuild.step() {
            Ok(Step::Did(phase)) => {
                self.tether.say(&format!("did {phase}"));
                return format!("did {phase}");
            }
            Ok(Step::Boot) => {
                self.rebuild = None;
                match Vm::boot(&self.script, &self.executable, &self.log, &self.outbox) {
                    Ok(Ok(vm)) => {
                        self.vm = Some(vm);
                        self.become_("ready");
                    }
                    Ok(Err(cause)) => self.become_(&format!("failed {cause}")),
                    Err(problem) => self.failed(&problem),
                }
            }
            Ok(Step::Hangs) => {
                self.rebuild = None;
                self.become_("hanging");
            }
            Ok(Step::Failed(cause)) => {
                self.rebuild = None;
                self.become_(&format!("failed {cause}"));
            }
            Ok(Step::Done) => self.rebuild = None,
            Err(problem) => self.failed(&problem),
        }
        self.state.clone()
    }

    /// Takes steps until that phase is done, or there are none left.
    fn steps(&mut self, until: Option<&str>) -> String {
        let mut answer = String::new();
        // A bound: some misbehaviours have no last phase.
        for _step in 0..200 {
            answer = self.step();
            let there = until.is_some_and(|until| answer == format!("did {until}"));
            if there || self.rebuild.is_none() {
                return answer;
            }
        }
        format!("goes on for ever, last: {answer}")
    }

    /// Something real went wrong, a full disk first of all: the app says so and lives on.
    fn failed(&mut self, problem: &Error) {
        self.rebuild = None;
        let cause = if problem.kind() == std::io::ErrorKind::StorageFull {
            "ENOSPC: no space left on device, write".to_owned()
        } else {
            problem.to_string()
        };
        let _full = self
            .log
            .error(&format!("[VM:start] Startup failed: Error: {cause}"));
        self.become_(&format!("failed {cause}"));
    }

    fn become_(&mut self, state: &str) {
        self.state = state.to_owned();
        let settled = state != "rebuilding" || self.script.rebuilds == Rebuilds::WhenTold;
        if settled && let Some(back) = std::env::var_os(again::BACK) {
            let _full = File::create(back);
        }
        self.tether.say(&format!("state {state}"));
        let _nobody_reads = say(&format!("state {state}"));
    }

    /// Stops the VM, writes what it writes, ends its children.
    fn quit(&mut self) -> Result<(), Error> {
        self.state = "quitting".to_owned();
        self.tether.say("state quitting");
        if let Some(vm) = self.vm.take() {
            let _full = self.log.info("[VM:shutdown] App quit, stopping VM");
            vm.stop(&self.script, || match self.inbox.recv() {
                Ok(Event::VmGone) | Err(_) => true,
                Ok(Event::Asked(line)) => {
                    line.answer("quitting");
                    false
                }
                Ok(Event::Signal(_)) => false,
            })?;
        }
        let _full = self.sessions.quit();
        if self.script.does(Misbehaviour::DeletesAtQuit) {
            platform_gate(&self.script)?;
        }
        for kid in self.kids.drain(..) {
            kid.end()?;
        }
        if self.script.does(Misbehaviour::ComesBack) || self.script.come_back_when.is_some() {
            again::leave_behind(&self.script, &self.executable, &self.words)?;
        }
        remove(&self.lock())?;
        let _gone = fs::remove_file(self.script.run.join(SOCKET));
        Ok(())
    }
}
