//! What the program's processes report to the test: who they are, what they do, that they ended.
//!
//! Each connects to a socket of the test's and keeps the connection. The kernel closes it when the
//! process dies, however it dies, so a test waits for events and never for time; and when the test
//! dies, they all go (see `program::tether`).

use std::io::{BufRead, BufReader, Error, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::reap::Handle;

/// A test that waits longer has failed; it says what it waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// One process of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// `app`, `zygote`, `utility`, `renderer`, `cowork-linux-helper`, `qemu`, `virtiofsd`,
    /// `autostart-watch`.
    pub role: String,
    /// Its number.
    pub pid: u32,
    /// When it began (see [`super::reap::started`]).
    pub start: u64,
    /// What it runs.
    pub executable: PathBuf,
    /// What it has told so far.
    pub said: Vec<String>,
    /// Whether its connection has ended, as it does when the process ends.
    pub ended: bool,
}

impl Actor {
    /// From the line that it notes: role, pid, start, executable.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        Some(Self {
            role: words.next()?.to_owned(),
            pid: words.next()?.parse().ok()?,
            start: words.next()?.parse().ok()?,
            executable: words.next()?.into(),
            said: Vec::new(),
            ended: false,
        })
    }

    /// The process, where it runs still.
    #[must_use]
    pub fn handle(&self) -> Option<Handle> {
        Handle::of_start(self.pid, self.start).filter(Handle::lives)
    }

    /// Whether it has told this.
    #[must_use]
    pub fn has_said(&self, text: &str) -> bool {
        self.said.iter().any(|said| said == text)
    }

    /// The state that it told last, of an app.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        let states = self.said.iter().rev();
        states.filter_map(|said| said.strip_prefix("state ")).next()
    }
}

#[derive(Debug, Default)]
struct Seen {
    actors: Vec<Actor>,
    streams: Vec<UnixStream>,
    /// Processes that this test started itself and that have ended.
    exits: Vec<u32>,
    closed: bool,
}

/// The test's end of all those connections.
#[derive(Clone, Debug)]
pub struct Witness {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    socket: PathBuf,
}

impl Witness {
    /// Listens on a socket.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn listen(socket: &Path) -> Result<Self, Error> {
        let listener = UnixListener::bind(socket)?;
        let this = Self {
            seen: Arc::default(),
            socket: socket.to_owned(),
        };
        let witness = this.clone();
        let _thread = std::thread::Builder::new()
            .name("witness".to_owned())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    if !witness.admit(stream) {
                        return;
                    }
                }
            })?;
        Ok(this)
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection; false once it is over.
    fn admit(&self, stream: UnixStream) -> bool {
        let mut seen = self.lock();
        let Ok(kept) = stream.try_clone() else {
            return true;
        };
        if seen.closed {
            return false;
        }
        seen.streams.push(kept);
        drop(seen);
        let witness = self.clone();
        let _thread = std::thread::Builder::new()
            .name("actor".to_owned())
            .spawn(move || witness.hear(stream));
        true
    }

    fn hear(&self, stream: UnixStream) {
        let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
        let took = || {
            self.seen.1.notify_all();
            // It waits for this before it goes on; where it is gone, its end comes next.
            let _gone = (&stream).write_all(b".");
        };
        let Some(actor) = lines.next().as_deref().and_then(Actor::parse) else {
            return;
        };
        let index = {
            let mut seen = self.lock();
            seen.actors.push(actor);
            seen.actors.len() - 1
        };
        took();
        for line in lines {
            if let Some(actor) = self.lock().actors.get_mut(index) {
                actor.said.push(line);
            }
            took();
        }
        if let Some(actor) = self.lock().actors.get_mut(index) {
            actor.ended = true;
        }
        self.seen.1.notify_all();
    }

    /// A process that the test started has ended and was waited for.
    pub(crate) fn exited(&self, pid: u32) {
        self.lock().exits.push(pid);
        self.seen.1.notify_all();
    }

    /// Everyone so far, in the order in which they came.
    #[must_use]
    pub fn actors(&self) -> Vec<Actor> {
        self.lock().actors.clone()
    }

    /// Waits for an event: until `look` gives something for what is known.
    ///
    /// # Panics
    /// After a minute, with what is known by then.
    pub fn until<T>(&self, what: &str, mut look: impl FnMut(&[Actor]) -> Option<T>) -> T {
        self.until_or_exit(what, 0, |actors, _| look(actors))
    }

    /// The same; `look` hears also whether that process of the test's has ended.
    pub(crate) fn until_or_exit<T>(
        &self,
        what: &str,
        pid: u32,
        mut look: impl FnMut(&[Actor], bool) -> Option<T>,
    ) -> T {
        let end = Instant::now() + PATIENCE;
        let mut seen = self.lock();
        loop {
            if let Some(found) = look(&seen.actors, seen.exits.contains(&pid)) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited for {what}; known: {:#?}",
                seen.actors
            );
            let waited = self.seen.1.wait_timeout(seen, left);
            (seen, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends it: every process that is connected goes, and none that comes later stays.
    pub fn close(&self) {
        let mut seen = self.lock();
        seen.closed = true;
        for stream in seen.streams.drain(..) {
            let _gone = stream.shutdown(std::net::Shutdown::Both);
        }
        drop(seen);
        // Wakes the thread that listens, which then goes and takes the socket with it.
        let _woken = UnixStream::connect(&self.socket);
        let _gone = std::fs::remove_file(&self.socket);
    }
}
