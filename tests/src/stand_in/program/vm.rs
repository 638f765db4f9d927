//! The "VM": a starter that listens on a socket, as `cowork-linux-helper` does, the machine that
//! holds the disks open, and what shares folders with it.
//!
//! The starter takes one command for each line and answers with one line: `hello app` (the app's own
//! connection: its end stops the VM), `stop`, `end` (also where the VM is told to outlive the app),
//! `status`, `write` (a few bytes to each disk), `home NAME` (a new session home inside the sessions
//! disk). The VM is told to stop over a pipe, never by a signal; a signal that reaches it is recorded.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, Read, Seek, SeekFrom, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::super::log::Log;
use super::super::reap::Handle;
use super::super::rebuild::remove;
use super::super::script::{Misbehaviour, Script};
use super::control::{Line, serve};
use super::tether::Tether;
use super::{say, vm_program};
use crate::programs;

/// The starter's socket in the run folder.
pub(crate) const SOCKET: &str = "claude-cowork-vm.sock";
/// Never told to end: a signal to the starter or the machine ends it, as it ends the real ones.
fn ends(name: &str) -> bool {
    ["TERM", "INT", "HUP", "QUIT"].contains(&name)
}

/// The running machine, from the starter.
struct Machine {
    child: Child,
    told: ChildStdin,
    says: BufReader<ChildStdout>,
}

impl Machine {
    fn start(script: &Script, executable: &Path) -> Result<Self, Error> {
        let drive = |name: &str| {
            let image = script.bundle().join(name);
            format!("file={},format=raw,if=virtio", image.display())
        };
        let mut child = vm_program(script, executable, "qemu-system-x86_64")?
            .args(["-nodefaults", "-m", "4096", "-drive", &drive("rootfs.img")])
            .args(["-drive", &drive("sessiondata.img")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(told), Some(says)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::other("no pipes to the machine"));
        };
        let says = BufReader::new(says);
        Ok(Self { child, told, says })
    }

    /// Tells it something and gives its answer; none where it has ended.
    fn ask(&mut self, line: &str) -> Option<String> {
        self.told.write_all(format!("{line}\n").as_bytes()).ok()?;
        self.says()
    }

    fn says(&mut self) -> Option<String> {
        let mut answer = String::new();
        let read = self.says.read_line(&mut answer).ok()?;
        (read > 0).then(|| answer.trim_end().to_owned())
    }
}

/// The starter: `cowork-linux-helper -socket PATH`.
pub(super) fn starter(
    script: &Script,
    words: &[String],
    executable: &Path,
) -> Result<ExitCode, Error> {
    let tether = Tether::join(script, "cowork-linux-helper", |name| {
        if ends(name) {
            std::process::exit(1);
        }
    })?;
    let at = words.iter().position(|word| word == "-socket");
    let socket = at
        .and_then(|at| words.get(at + 1))
        .map_or_else(|| script.run.join(SOCKET), PathBuf::from);
    let mut machine = Machine::start(script, executable)?;
    let mut share = vm_program(script, executable, "virtiofsd")?
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let up = machine.says().is_some_and(|line| line == "up");
    if up {
        remove(&socket)?;
        let (send, events) = channel();
        let gone = send.clone();
        let watched = Handle::of(machine.child.id());
        let _thread = std::thread::Builder::new()
            .name("machine".to_owned())
            .spawn(move || {
                let _ended = watched.map(|machine| machine.wait(None));
                let _starter_gone = gone.send(Event::MachineGone);
            })?;
        serve(UnixListener::bind(&socket)?, send)?;
        tether.say("up");
        // The app waits for this line before it connects.
        say("listening")?;
        attend(script, &mut machine, &events);
        remove(&socket)?;
    } else {
        say("failed")?;
    }
    drop(machine.told);
    let status = machine.child.wait()?;
    tether.say(&format!("machine ended: {status}"));
    drop(share.stdin.take());
    let _status = share.wait()?;
    Ok(ExitCode::SUCCESS)
}

/// What reaches the starter.
enum Event {
    Asked(Line),
    MachineGone,
}

impl From<Line> for Event {
    fn from(line: Line) -> Self {
        Self::Asked(line)
    }
}

/// Answers until the machine has ended.
fn attend(script: &Script, machine: &mut Machine, events: &Receiver<Event>) {
    let outlives = script.does(Misbehaviour::VmOutlives);
    let mut app = None;
    while let Ok(Event::Asked(line)) = events.recv() {
        let stops = match line.text.as_deref() {
            Some("hello app") => {
                app = Some(line.from);
                line.answer("up");
                continue;
            }
            // The app's connection ended without a word: it has died.
            None if app == Some(line.from) => !outlives,
            None => continue,
            Some("stop") => !outlives,
            Some("end") => true,
            Some("status") => {
                line.answer(&format!("running {}", machine.child.id()));
                continue;
            }
            Some(other) => match machine.ask(other) {
                Some(answer) => {
                    line.answer(&answer);
                    continue;
                }
                None => true,
            },
        };
        if stops {
            let _last = machine.ask("stop");
            line.answer("stopped");
            return;
        }
        line.answer("stays");
    }
}

/// The machine: `qemu-system-x86_64 … -drive file=IMAGE,… -drive file=IMAGE,…`.
pub(super) fn machine(script: &Script, words: &[String]) -> Result<ExitCode, Error> {
    let tether = Tether::join(script, "qemu", |name| {
        if ends(name) {
            std::process::exit(1);
        }
    })?;
    let images: Vec<PathBuf> = words
        .iter()
        .filter_map(|word| word.strip_prefix("file="))
        .map(|rest| rest.split(',').next().unwrap_or(rest).into())
        .collect();
    let mut disks = Vec::new();
    for image in &images {
        disks.push(File::options().read(true).write(true).open(image)?);
    }
    let log = Log::named(&script.user_data, "coworkd.log");
    log.info("[coworkd] running e2fsck on /dev/vdb")?;
    log.info("[coworkd] mounting session disk /dev/vdb at /sessions")?;
    // A guest that mounts its disks changes them: no comparison may take that for damage.
    write(&mut disks)?;
    tether.say("up");
    say("up")?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let answer = match line.split_once(' ').unwrap_or((&line, "")) {
            ("stop", _) => {
                drop(disks);
                tether.say("stopped");
                say("stopped")?;
                return Ok(ExitCode::SUCCESS);
            }
            ("write", _) => write(&mut disks).map(|()| "written".to_owned()),
            ("home", name) => home(images.last(), name),
            _ => Err(Error::other(format!("what is {line:?}?"))),
        };
        say(&answer.unwrap_or_else(|problem| format!("failed: {problem}")))?;
    }
    // Whoever started it is gone; a machine runs on without.
    wait()
}

/// Shares folders with the machine: holds the data folder open, and no disk.
pub(super) fn share(script: &Script) -> Result<ExitCode, Error> {
    let tether = Tether::join(script, "virtiofsd", |name| {
        if ends(name) {
            std::process::exit(1);
        }
    })?;
    let _shared = File::open(&script.user_data)?;
    tether.say("up");
    let mut nothing = Vec::new();
    let _end = std::io::stdin().read_to_end(&mut nothing);
    Ok(ExitCode::SUCCESS)
}

fn wait() -> ! {
    loop {
        std::thread::park();
    }
}

/// Counts up in the first bytes of each disk, which neither ext4 nor a partition table uses.
fn write(disks: &mut [File]) -> Result<(), Error> {
    for disk in disks {
        let mut count = [0; 8];
        let _at = disk.seek(SeekFrom::Start(0))?;
        disk.read_exact(&mut count)?;
        let next = u64::from_le_bytes(count).wrapping_add(1);
        let _at = disk.seek(SeekFrom::Start(0))?;
        disk.write_all(&next.to_le_bytes())?;
        disk.sync_data()?;
    }
    Ok(())
}

/// Makes a session home inside the sessions disk, with a file that exists nowhere else.
fn home(disk: Option<&PathBuf>, name: &str) -> Result<String, Error> {
    let disk = disk.ok_or_else(|| Error::other("no sessions disk"))?;
    let disk = disk.display().to_string();
    let known = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if name.is_empty() || !known(name) {
        return Err(Error::other(format!("{name:?} is no session's name")));
    }
    let orders = format!("mkdir {name}\nwrite /proc/self/status {name}/only-here.txt\n");
    let _said = programs::run("debugfs", ["-w", "-f", "-", disk.as_str()], &orders)?;
    Ok(format!("made {name}"))
}

/// The app's connection to the starter.
#[derive(Debug)]
pub(super) struct Link {
    stream: UnixStream,
}

impl Link {
    /// Joins a running starter as its app; `gone` hears when it ends.
    pub(super) fn join(
        script: &Script,
        gone: Sender<super::app::Event>,
    ) -> Result<Option<Self>, Error> {
        let Ok(mut stream) = UnixStream::connect(script.run.join(SOCKET)) else {
            return Ok(None);
        };
        stream.write_all(b"hello app\n")?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut answer = String::new();
        let _read = reader.read_line(&mut answer)?;
        if answer.trim_end() != "up" {
            return Ok(None);
        }
        let _thread = std::thread::Builder::new()
            .name("vm".to_owned())
            .spawn(move || {
                for _answer in reader.lines().map_while(Result::ok) {}
                let _app_gone = gone.send(super::app::Event::VmGone);
            })?;
        Ok(Some(Self { stream }))
    }

    /// Asks it to stop the VM.
    pub(super) fn stop(&mut self) -> Result<(), Error> {
        self.stream.write_all(b"stop\n")
    }
}
