//! The one owner of the state: a named thread that measures, decides and reports.

use std::sync::{Arc, Mutex, PoisonError};

use sandtray_core::gauge::GaugeId;
use sandtray_core::history::{History, Range};
use sandtray_core::machine::Machine;
use sandtray_core::notice::Notice;
use sandtray_core::settings::{FolderKind, Settings, SettingsPatch, Snooze};
use sandtray_core::status::{Fault, Status};

use crate::error::Failure;

/// What the engine reports, in order.
#[derive(Clone, Debug)]
pub enum Event {
    /// A new snapshot.
    Status(Arc<Status>),
    /// Something to tell now; at most one per incident and level.
    Notice(Notice),
}

/// A handle to the running engine. Cheap to call from any thread; dropping it stops the engine.
#[derive(Debug)]
pub struct Engine {
    latest: Arc<Mutex<Arc<Status>>>,
}

impl Engine {
    /// Starts the engine; `on_event` is called on the engine's thread.
    ///
    /// # Errors
    /// Where not even a thread can be had. Unreadable settings or history are faults in the status.
    pub fn start(
        _machine: Machine,
        _on_event: impl FnMut(Event) + Send + 'static,
    ) -> Result<Self, Failure> {
        unimplemented!("contract only, see the next commit")
    }

    /// The latest snapshot; never waits for a measurement.
    #[must_use]
    pub fn status(&self) -> Arc<Status> {
        Arc::clone(&self.latest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The chart of a range.
    #[must_use]
    pub fn history(&self, _range: Range) -> History {
        unimplemented!("contract only, see the next commit")
    }

    /// Starts a full measurement, unless one runs.
    pub fn measure_now(&self) {}

    /// Stops a running full measurement.
    pub fn cancel_measurement(&self) {}

    /// Is quiet about a gauge, or about all of them where none is named.
    pub fn snooze(&self, _gauge: Option<GaugeId>, _span: Snooze) {}

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings::default()
    }

    /// Changes settings and stores them.
    ///
    /// # Errors
    /// Where they cannot be stored; the old ones stay in force.
    pub fn patch_settings(&self, _patch: SettingsPatch) -> Result<Settings, Failure> {
        Ok(Settings::default())
    }

    /// Adds a folder that the user chose in the native dialog.
    ///
    /// # Errors
    /// Where it is no directory or the settings cannot be stored.
    pub fn add_folder(
        &self,
        _kind: FolderKind,
        _path: &std::path::Path,
    ) -> Result<Settings, Failure> {
        Ok(Settings::default())
    }

    /// Removes a folder from the settings by its id.
    ///
    /// # Errors
    /// Where the settings cannot be stored.
    pub fn remove_folder(&self, _id: &str) -> Result<Settings, Failure> {
        Ok(Settings::default())
    }

    /// Where the settings are stored, for display.
    #[must_use]
    pub fn settings_file(&self) -> std::path::PathBuf {
        std::path::PathBuf::new()
    }

    /// A surface reports a fault of its own (no tray host, no notification server), or that it is gone.
    pub fn set_fault(&self, _fault: Fault, _present: bool) {}

    /// Waits until every report made so far was delivered.
    pub fn settle(&self) {}
}
