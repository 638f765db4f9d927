//! The program from a test's side: laid out, started, asked, seen, reaped.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Error, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::identity::{Disk, disks};
use super::layout::Layout;
use super::log::Log;
use super::program::{CONTROL, PIDS, SIGNALS, TETHER, VM};
use super::script::{self, Begins, Misbehaviour, Rebuilds, Script};
use super::sessions::{FOLDERS, Sessions};
use super::tree::Tree;
use super::witness::{Actor, Witness};
use crate::machine::{Bundle, TestMachine};

/// What to lay out and how it behaves.
#[derive(Clone, Debug)]
pub struct Builder {
    folder: PathBuf,
    /// The bundle and the sessions.
    pub layout: Layout,
    /// What the program is told.
    pub script: Script,
}

impl Builder {
    /// Changes what is laid out.
    #[must_use]
    pub fn layout(mut self, change: impl FnOnce(&mut Layout)) -> Self {
        change(&mut self.layout);
        self
    }

    /// Changes what the program is told.
    #[must_use]
    pub fn script(mut self, change: impl FnOnce(&mut Script)) -> Self {
        change(&mut self.script);
        self
    }

    /// Adds a misbehaviour.
    #[must_use]
    pub fn misbehaves(self, what: Misbehaviour) -> Self {
        self.script(|script| {
            let _new = script.misbehaves.insert(what);
        })
    }

    /// It touches the bundle only when a task is opened.
    #[must_use]
    pub fn begins_with_a_task(self) -> Self {
        self.script(|script| script.begins = Begins::Task)
    }

    /// A rebuild waits for `phase next`.
    #[must_use]
    pub fn rebuilds_when_told(self) -> Self {
        self.script(|script| script.rebuilds = Rebuilds::WhenTold)
    }

    /// Makes the bundle, the sessions and the program's own copy of its executable.
    ///
    /// # Errors
    /// Where something cannot be made; [`crate::disk::possible`] says why disks cannot.
    pub fn lay_out(self) -> Result<StandIn, Error> {
        let bundle = self.layout.make()?;
        let app = self.folder.join("app");
        fs::create_dir_all(&app)?;
        fs::create_dir_all(&self.script.run)?;
        let witness = Witness::listen(&self.script.run.join(TETHER))?;
        let stand_in = StandIn {
            executable: app.join("claude-desktop"),
            script: self.script,
            bundle,
            witness,
        };
        stand_in.install()?;
        stand_in.script.save(&app.join(script::FILE))?;
        Ok(stand_in)
    }

    /// Lays it out, starts it, and waits until its VM holds the disks.
    ///
    /// # Errors
    /// Where it cannot be laid out or started.
    pub fn running(self) -> Result<StandIn, Error> {
        let stand_in = self.lay_out()?;
        let _pid = stand_in.start()?;
        if stand_in.script.begins == Begins::Task {
            let _state = stand_in.ask("open-task")?;
        }
        stand_in.until_state("ready");
        Ok(stand_in)
    }
}

/// The app on a machine of a test's own. Everything it started ends with this value.
#[derive(Debug)]
pub struct StandIn {
    executable: PathBuf,
    script: Script,
    bundle: Bundle,
    witness: Witness,
}

impl StandIn {
    /// An app whose own files lie in `folder`, and its data in `folder/Claude`.
    #[must_use]
    pub fn builder(folder: &Path) -> Builder {
        Self::at(folder, &folder.join("Claude"))
    }

    /// The app of a test's machine: its data lie where that machine's app has them.
    #[must_use]
    pub fn on(machine: &TestMachine) -> Builder {
        Self::at(&machine.root().join("stand-in"), &machine.claude())
    }

    /// An app whose own files lie in one folder and its data in another.
    #[must_use]
    pub fn at(folder: &Path, user_data: &Path) -> Builder {
        Builder {
            folder: folder.to_owned(),
            layout: Layout::new(user_data),
            script: Script {
                user_data: user_data.to_owned(),
                run: folder.join("run"),
                tethered: true,
                ..Script::default()
            },
        }
    }

    /// The app's executable: a copy of its own, so that no two tests share one.
    #[must_use]
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// The words that start it, for `[claude] launch = […]`.
    #[must_use]
    pub fn launch(&self) -> Vec<String> {
        vec![
            self.executable.display().to_string(),
            format!("--user-data-dir={}", self.script.user_data.display()),
        ]
    }

    /// What `settings.toml` says to make this the app.
    #[must_use]
    pub fn settings(&self) -> String {
        let launch: Vec<String> = self
            .launch()
            .iter()
            .map(|word| format!("'{word}'"))
            .collect();
        format!(
            "[claude]\nexecutable = '{}'\nlaunch = [{}]\n",
            self.executable.display(),
            launch.join(", ")
        )
    }

    /// The bundle in its place.
    #[must_use]
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// The app's data folder.
    #[must_use]
    pub fn user_data(&self) -> &Path {
        &self.script.user_data
    }

    /// The host-side sessions.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        Sessions::of(&self.script.user_data)
    }

    /// What every process reports.
    #[must_use]
    pub fn witness(&self) -> &Witness {
        &self.witness
    }

    /// Tells it something else from its next start on.
    ///
    /// # Errors
    /// Where the script cannot be written.
    pub fn tell(&mut self, change: impl FnOnce(&mut Script)) -> Result<(), Error> {
        change(&mut self.script);
        self.script
            .save(&self.executable.with_file_name(script::FILE))
    }

    /// Starts it and waits until it is up; gives its pid.
    ///
    /// # Errors
    /// Where it cannot be started, or ends before it is up.
    pub fn start(&self) -> Result<u32, Error> {
        let launch = self.launch();
        let mut child = Command::new(&self.executable)
            .args(&launch[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        let pid = child.id();
        let witness = self.witness.clone();
        // Waited for at once: what has ended must not be seen as a process any more.
        let _thread = std::thread::spawn(move || {
            let _status = child.wait();
            witness.exited(pid);
        });
        let up = self
            .witness
            .until_or_exit("the app to be up", pid, |actors, exited| {
                let up = actors
                    .iter()
                    .any(|actor| actor.pid == pid && actor.has_said("up"));
                (up || exited).then_some(up)
            });
        if up {
            Ok(pid)
        } else {
            Err(Error::other("the app ended before it was up"))
        }
    }

    /// The app that runs now.
    #[must_use]
    pub fn app(&self) -> Option<Actor> {
        newest(&self.witness.actors(), "app")
    }

    /// Its pid.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.app().map(|app| app.pid)
    }

    /// The machine that holds the disks, where one runs.
    #[must_use]
    pub fn vm(&self) -> Option<Actor> {
        newest(&self.witness.actors(), "qemu")
    }

    /// Waits until the app that runs is in a state that begins so (see `program::app`).
    ///
    /// # Panics
    /// After a minute.
    pub fn until_state(&self, state: &str) {
        self.witness.until(&format!("state {state}"), |actors| {
            let app = newest(actors, "app")?;
            app.state()?.starts_with(state).then_some(())
        });
    }

    /// Waits for an app other than that one to be up, whoever starts it; gives its pid.
    ///
    /// # Panics
    /// After a minute.
    #[must_use]
    pub fn until_back(&self, but: u32) -> u32 {
        self.witness.until("the app to be back", |actors| {
            let app = newest(actors, "app")?;
            (app.pid != but && app.has_said("up")).then_some(app.pid)
        })
    }

    /// Waits until a process has ended.
    ///
    /// # Panics
    /// After a minute.
    pub fn until_ended(&self, pid: u32) {
        self.witness.until(&format!("the end of {pid}"), |actors| {
            let actor = actors.iter().rev().find(|actor| actor.pid == pid)?;
            actor.ended.then_some(actor.clone())
        });
        // The connection ends a moment before the process does.
        let actors = self.witness.actors();
        let one = actors.iter().rev().find(|actor| actor.pid == pid);
        if let Some(handle) = one.and_then(Actor::handle) {
            let ended = handle.wait(Some(Duration::from_secs(60)));
            assert!(ended.unwrap_or(false), "{pid} does not end");
        }
    }

    /// Says one line to the app's control socket and gives its answer.
    ///
    /// # Errors
    /// Where nobody listens or nobody answers.
    pub fn ask(&self, line: &str) -> Result<String, Error> {
        ask(&self.script.run.join(CONTROL), line)
    }

    /// Says one line to the VM's starter and gives its answer.
    ///
    /// # Errors
    /// Where nobody listens or nobody answers.
    pub fn ask_vm(&self, line: &str) -> Result<String, Error> {
        ask(&self.script.run.join(VM), line)
    }

    /// Sends the app what a reset sends it; does not wait.
    ///
    /// # Errors
    /// Where no app runs.
    pub fn terminate(&self) -> Result<u32, Error> {
        let app = self.app().ok_or_else(|| Error::other("no app runs"))?;
        match app.handle() {
            Some(handle) => handle.terminate()?,
            None => return Err(Error::other("the app has just ended")),
        }
        Ok(app.pid)
    }

    /// Ends the app and its VM as its user would, for a test that wants a quiet machine.
    ///
    /// # Errors
    /// Where it does not listen.
    pub fn quit_politely_for_cleanup(&self) -> Result<(), Error> {
        if let Some(app) = self.app() {
            let _answer = self.ask("quit")?;
            self.until_ended(app.pid);
        }
        if let Some(vm) = self.vm() {
            let _answer = self.ask_vm("end")?;
            self.until_ended(vm.pid);
        }
        Ok(())
    }

    /// Every signal that any of its processes got: role, pid, name.
    #[must_use]
    pub fn signals(&self) -> Vec<(String, u32, String)> {
        let text = fs::read_to_string(self.script.run.join(SIGNALS)).unwrap_or_default();
        text.lines()
            .filter_map(|line| {
                let mut words = line.split(' ').map(str::to_owned);
                let (role, pid) = (words.next()?, words.next()?.parse().ok()?);
                Some((role, pid, words.next()?))
            })
            .collect()
    }

    /// How the machines that ran so far have ended: `exit status: 0` where they were told over the
    /// pipe, a signal where somebody killed them.
    #[must_use]
    pub fn machines_ended(&self) -> Vec<String> {
        let actors = self.witness.actors();
        let said = actors.iter().flat_map(|actor| &actor.said);
        said.filter_map(|said| said.strip_prefix("machine ended: "))
            .map(str::to_owned)
            .collect()
    }

    /// What the app has logged of its VM.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(Log::of_vm(&self.script.user_data).file()).unwrap_or_default()
    }

    /// A picture of the host-side session tree.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn snapshot_tree(&self) -> Result<Tree, Error> {
        Tree::of(&self.script.user_data, &FOLDERS)
    }

    /// Which file is which in the live bundle.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn disks_identity(&self) -> Result<BTreeMap<String, Disk>, Error> {
        disks(&self.bundle.folder)
    }

    /// Replaces the executable by an equal one, as an update does while the app runs: its
    /// `/proc/PID/exe` then ends in ` (deleted)`.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn update(&self) -> Result<(), Error> {
        self.install()
    }

    /// Copies the program, by a program: a copy that this process still had open for writing in some
    /// other thread's child could not be run.
    fn install(&self) -> Result<(), Error> {
        let new = self.executable.with_extension("new");
        let copied = Command::new("cp").arg(program()).arg(&new).status()?;
        if !copied.success() {
            return Err(Error::other(format!("cp to {} failed", new.display())));
        }
        fs::rename(new, &self.executable)
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.witness.close();
        let text = fs::read_to_string(self.script.run.join(PIDS)).unwrap_or_default();
        for actor in text.lines().filter_map(Actor::parse) {
            // Most have gone by themselves by now; one that hangs goes here, by its start time.
            if let Some(handle) = actor.handle()
                && !matches!(handle.wait(Some(Duration::from_millis(200))), Ok(true))
                && handle.kill().is_ok()
            {
                let _ended = handle.wait(Some(Duration::from_secs(60)));
            }
        }
    }
}

/// The last to come of a role that runs still; asks the system, which knows an end first.
fn newest(actors: &[Actor], role: &str) -> Option<Actor> {
    let running = |actor: &&Actor| actor.role == role && actor.handle().is_some();
    actors.iter().rev().find(running).cloned()
}

fn ask(socket: &Path, line: &str) -> Result<String, Error> {
    let named = |cause: Error| {
        Error::new(
            cause.kind(),
            format!("cannot ask {} {line:?}: {cause}", socket.display()),
        )
    };
    let mut stream = UnixStream::connect(socket).map_err(named)?;
    stream
        .write_all(format!("{line}\n").as_bytes())
        .map_err(named)?;
    let mut answer = String::new();
    let read = BufReader::new(stream).read_line(&mut answer);
    if read.map_err(named)? == 0 {
        return Err(named(Error::other("no answer")));
    }
    Ok(answer.trim_end().to_owned())
}

/// The built program: the one that `SANDTRAY_STAND_IN` names, else what Cargo put beside this test.
#[must_use]
pub fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("SANDTRAY_STAND_IN") {
        return program.into();
    }
    let test = std::env::current_exe().unwrap_or_default();
    let mut folder = test.parent().unwrap_or(Path::new(""));
    if folder.ends_with("deps") {
        folder = folder.parent().unwrap_or(folder);
    }
    folder.join("stand-in-claude")
}
