//! The program from a test's side: laid out, started, asked, seen, reaped.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Error, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::identity::{Disk, disks};
use super::log::Log;
use super::program::{CONTROL, HANDED_DOWN, PIDS, SIGNALS, VM};
use super::script::{self, Script};
use super::sessions::{FOLDERS, Sessions};
use super::tree::Tree;
use super::witness::{Actor, Witness};
use crate::machine::Bundle;

/// The app on a machine of a test's own. Everything it started ends with this value.
#[derive(Debug)]
pub struct StandIn {
    pub(super) executable: PathBuf,
    pub(super) script: Script,
    pub(super) bundle: Bundle,
    pub(super) witness: Witness,
}

impl StandIn {
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

    /// Starts a decoy: a command line program of the same name, elsewhere, as `claude` is. It must
    /// still run after whatever a test does.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn start_cli(&self) -> Result<Actor, Error> {
        let name = self.executable.file_name().unwrap_or_default();
        let folder = self.script.run.join("cli");
        fs::create_dir_all(&folder)?;
        let cli = folder.join(name);
        copy(&program(), &cli)?;
        let script = serde_json::to_string(&self.script)?;
        let mut child = Command::new(&cli)
            .env(HANDED_DOWN, script)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        let pid = child.id();
        let _thread = std::thread::spawn(move || child.wait());
        Ok(self.witness.until("the command line program", |actors| {
            let found = actors.iter().find(|actor| actor.pid == pid);
            found.filter(|actor| actor.has_said("up")).cloned()
        }))
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

    pub(super) fn install(&self) -> Result<(), Error> {
        copy(&program(), &self.executable)
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

/// Copies a program, by a program: a copy that this process still had open for writing in some other
/// thread's child could not be run. A running one is replaced, not written to.
fn copy(program: &Path, to: &Path) -> Result<(), Error> {
    let new = to.with_extension("new");
    let copied = Command::new("cp").arg(program).arg(&new).status()?;
    if !copied.success() {
        return Err(Error::other(format!("cp to {} failed", new.display())));
    }
    fs::rename(new, to)
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
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
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
