//! The one owner of the state: a named thread that measures, decides and reports.
//!
//! The thread runs a current-thread runtime with an inbox and one timer. What takes long (locating on a
//! slow mount, walking trees) happens on threads of its own and comes back through the inbox, so that
//! a question is answered within a tick; [`Engine::status`] does not even ask the thread.
//!
//! Cadence (design: it costs nothing to keep running): volumes and guest disks every [`TICK`], what
//! exists every minute, a full measurement at start and then so seldom that measuring takes less than
//! half a percent of the time; entries are counted more often, as far as that stays cheap, and guest
//! disks are looked into once a day.

mod acts;
mod bench;
mod chart;
mod count;
mod cut_off;
mod disks;
mod full;
mod inside;
mod leftovers;
mod once;
mod origin;
mod rebuild;
mod run;
mod schedule;
mod state;
mod targets;

use std::path::{Path, PathBuf};
use std::sync::mpsc as reply;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sandtray_core::act::preview::Acts;
use sandtray_core::act::receipt::Receipt;
use sandtray_core::gauge::GaugeId;
use sandtray_core::history::{History, Range};
use sandtray_core::inside::DiskId;
use sandtray_core::inside::growth::Snapshot;
use sandtray_core::leftover::view::{CleanReceipt, Cleaning, LeftoverSummary};
use sandtray_core::machine::Machine;
use sandtray_core::notice::Notice;
use sandtray_core::settings::{FolderKind, Settings, SettingsPatch, Snooze};
use sandtray_core::status::{Fault, Status};
use sandtray_core::time::Time;
use tokio::sync::mpsc::{self, UnboundedSender};

use crate::act::resolve::Resolved;
use crate::error::Failure;
use crate::leftovers::scan::Scene as Swept;

pub use once::{history, once};

/// How often volumes and guest disks are looked at.
pub const TICK: Duration = Duration::from_secs(10);

/// What the engine reports, in order.
#[derive(Clone, Debug)]
pub enum Event {
    /// A new snapshot.
    Status(Arc<Status>),
    /// Something to tell now; at most one per incident and level.
    Notice(Notice),
    /// The history took a point.
    Recorded,
    /// An act runs, or what stands aside has changed.
    Acts(Box<Acts>),
    /// An act is over, or the rebuild that followed it is.
    ActEnded(Box<Receipt>),
    /// A clean-up runs or has ended, or what stands aside has changed.
    Cleaning(Box<Cleaning>),
    /// A clean-up is over.
    Cleaned(Box<CleanReceipt>),
}

/// What the engine is asked to do.
enum Ask {
    History(Range, reply::Sender<History>),
    Measure,
    CancelMeasurement,
    Snooze(Option<GaugeId>, Snooze),
    Settings(reply::Sender<Settings>),
    Patch(SettingsPatch, reply::Sender<Result<Settings, Failure>>),
    AddFolder(
        FolderKind,
        PathBuf,
        reply::Sender<Result<Settings, Failure>>,
    ),
    RemoveFolder(String, reply::Sender<Result<Settings, Failure>>),
    Fault(Fault, bool),
    Settle(reply::Sender<()>),
    Place(DiskId, reply::Sender<Option<(inside::Place, Time)>>),
    Top(Box<inside::Top>, reply::Sender<Option<Snapshot>>),
    Daily(Vec<(inside::Top, Duration)>),
    Located(crate::locate::Located),
    Measured(full::Full),
    Counted(count::Counted),
    Scene(reply::Sender<acts::Scene>),
    Resolve,
    ActTold,
    ActEnded(Box<Receipt>),
    Resolved(Vec<Resolved>),
    SweepScene(reply::Sender<Swept>),
    Leftovers(LeftoverSummary),
    Looked(LeftoverSummary, Duration),
    CleanTold,
    Cleaned(Box<CleanReceipt>),
    Stop,
}

/// A handle to the running engine. Cheap to call from any thread; dropping it stops the engine.
#[derive(Debug)]
pub struct Engine {
    latest: Arc<Mutex<Arc<Status>>>,
    inbox: UnboundedSender<Ask>,
    settings_file: PathBuf,
    desk: Arc<inside::Desk>,
    bench: Arc<bench::Bench>,
    sweep: Arc<leftovers::Sweep>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts the engine; `on_event` is called on the engine's thread.
    ///
    /// # Errors
    /// Where not even a thread can be had. Unreadable settings or history are faults in the status.
    pub fn start(
        machine: Machine,
        on_event: impl FnMut(Event) + Send + 'static,
    ) -> Result<Self, Failure> {
        let (inbox, asked) = mpsc::unbounded_channel();
        let state = state::State::open(machine);
        let settings_file = state.settings_file.path().to_owned();
        let now = state.now();
        let latest = Arc::new(Mutex::new(Arc::new(state.status(now))));
        let failed = |error| {
            Failure::io(
                "start the engine's thread",
                Path::new("sandtray-engine"),
                error,
            )
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(failed)?;
        let desk = Arc::new(inside::Desk::default());
        let bench = Arc::new(bench::Bench::default());
        let sweep = Arc::new(leftovers::Sweep::default());
        let running = run::Running::new(
            state,
            inbox.clone(),
            Arc::clone(&desk),
            Arc::clone(&bench),
            Arc::clone(&sweep),
            Arc::clone(&latest),
            Box::new(on_event),
        );
        let thread = thread::Builder::new()
            .name("sandtray-engine".into())
            .spawn(move || runtime.block_on(running.run(asked)))
            .map_err(failed)?;
        Ok(Self {
            latest,
            inbox,
            settings_file,
            desk,
            bench,
            sweep,
            thread: Some(thread),
        })
    }

    /// The latest snapshot; never waits for a measurement.
    #[must_use]
    pub fn status(&self) -> Arc<Status> {
        Arc::clone(&self.latest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The chart of a range; none where the engine has stopped.
    #[must_use]
    pub fn history(&self, range: Range) -> Option<History> {
        self.ask(|answer| Ask::History(range, answer))
    }

    /// Starts a full measurement, unless one runs.
    pub fn measure_now(&self) {
        self.tell(Ask::Measure);
    }

    /// Stops a running full measurement.
    pub fn cancel_measurement(&self) {
        self.tell(Ask::CancelMeasurement);
    }

    /// Is quiet about a gauge, or about all of them where none is named.
    pub fn snooze(&self, gauge: Option<GaugeId>, span: Snooze) {
        self.tell(Ask::Snooze(gauge, span));
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.ask(Ask::Settings).unwrap_or_default()
    }

    /// Changes settings and stores them.
    ///
    /// # Errors
    /// Where they cannot be stored; the old ones stay in force.
    pub fn patch_settings(&self, patch: SettingsPatch) -> Result<Settings, Failure> {
        self.change(|answer| Ask::Patch(patch, answer))
    }

    /// Adds a folder that the user chose in the native dialog.
    ///
    /// # Errors
    /// Where it is no directory or the settings cannot be stored.
    pub fn add_folder(&self, kind: FolderKind, path: &Path) -> Result<Settings, Failure> {
        self.change(|answer| Ask::AddFolder(kind, path.to_owned(), answer))
    }

    /// Removes a folder from the settings by its id.
    ///
    /// # Errors
    /// Where the settings cannot be stored.
    pub fn remove_folder(&self, id: &str) -> Result<Settings, Failure> {
        self.change(|answer| Ask::RemoveFolder(id.to_owned(), answer))
    }

    /// Where the settings are stored, for display.
    #[must_use]
    pub fn settings_file(&self) -> PathBuf {
        self.settings_file.clone()
    }

    /// A surface reports a fault of its own (no tray host, no notification server), or that it is gone.
    pub fn set_fault(&self, fault: Fault, present: bool) {
        self.tell(Ask::Fault(fault, present));
    }

    /// Waits until everything asked so far was done and its reports were delivered.
    pub fn settle(&self) {
        self.ask(Ask::Settle);
    }

    /// The engine's thread may have ended by a panic in a callback; then nothing is left to tell.
    fn tell(&self, ask: Ask) {
        self.inbox.send(ask).ok();
    }

    fn ask<T>(&self, ask: impl FnOnce(reply::Sender<T>) -> Ask) -> Option<T> {
        let (answer, answered) = reply::channel();
        self.tell(ask(answer));
        answered.recv().ok()
    }

    fn change(
        &self,
        ask: impl FnOnce(reply::Sender<Result<Settings, Failure>>) -> Ask,
    ) -> Result<Settings, Failure> {
        self.ask(ask).unwrap_or_else(|| {
            let stopped = std::io::Error::other("the engine has stopped");
            Err(
                Failure::io("change the settings", &self.settings_file, stopped)
                    .hint("Start Sandtray again."),
            )
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.tell(Ask::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic on the engine's thread was printed there; it must not become a second one here.
            thread.join().ok();
        }
    }
}

#[cfg(test)]
mod tests;
