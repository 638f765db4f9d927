//! The means by which an act meets the app: the real ones, or a test's.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::sessions::Sessions;
use sandtray_core::act::{Launch, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use super::app::{self, App, Held, Quit, Running};
use super::sessions;
use super::watch::{Watch, keep};
use crate::error::Failure;
use crate::walk::Cancel;

/// Everything an act asks of the app and of the processes beside it.
pub(super) trait Means {
    /// See [`app::find`].
    fn find(&mut self, bundle: &Bundle) -> Running;
    /// See [`app::launch`].
    fn launch(&mut self, bundle: &Bundle, app: Option<&App>) -> Option<Launch>;
    /// See [`app::quit`].
    fn quit(
        &mut self,
        app: &App,
        limit: Duration,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&str),
    ) -> Quit;
    /// See [`app::holders`].
    fn holders(&mut self, files: &[PathBuf]) -> Held;
    /// See [`app::start`].
    fn start(&mut self, launch: &Launch) -> Result<(), Failure>;
    /// See [`sessions::record`].
    fn sessions(&mut self, user_data: &Path) -> Sessions;
    /// Begins to watch; see [`Watch::begin`].
    fn begin_watching(&mut self, bundle: &Bundle, scope: Scope);
    /// Goes on watching after the act has ended; see [`keep`].
    fn keep_watching(&mut self, act: &str, bundle: &Path) -> io::Result<()>;
    /// Looks once; none where nothing is watched.
    fn look(&mut self) -> Option<Rebuild>;
    /// See [`app::boot`].
    fn boot(&mut self) -> Option<String>;
    /// Lets time pass between two looks.
    fn pause(&mut self, time: Duration);
}

/// The real ones.
#[derive(Debug)]
pub(super) struct Real<'a> {
    machine: &'a Machine,
    claude: &'a Claude,
    watch: Option<Watch>,
}

impl<'a> Real<'a> {
    /// Of this machine and these settings.
    pub(super) const fn new(machine: &'a Machine, claude: &'a Claude) -> Self {
        Self {
            machine,
            claude,
            watch: None,
        }
    }
}

impl Means for Real<'_> {
    fn find(&mut self, bundle: &Bundle) -> Running {
        app::find(self.machine, self.claude, bundle)
    }

    fn launch(&mut self, bundle: &Bundle, app: Option<&App>) -> Option<Launch> {
        app::launch(self.machine, self.claude, bundle, app)
    }

    fn quit(
        &mut self,
        app: &App,
        limit: Duration,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&str),
    ) -> Quit {
        app::quit(app, limit, cancel, tell)
    }

    fn holders(&mut self, files: &[PathBuf]) -> Held {
        app::holders(self.machine, self.claude, files)
    }

    fn start(&mut self, launch: &Launch) -> Result<(), Failure> {
        app::start(self.machine, launch)
    }

    fn sessions(&mut self, user_data: &Path) -> Sessions {
        sessions::record(user_data)
    }

    fn begin_watching(&mut self, bundle: &Bundle, scope: Scope) {
        self.watch = Some(Watch::begin(self.machine, bundle, scope));
    }

    fn keep_watching(&mut self, act: &str, bundle: &Path) -> io::Result<()> {
        match &self.watch {
            Some(watch) => keep(self.machine, act, bundle, watch),
            None => Ok(()),
        }
    }

    fn look(&mut self) -> Option<Rebuild> {
        self.watch.as_mut().map(Watch::look)
    }

    fn boot(&mut self) -> Option<String> {
        app::boot()
    }

    fn pause(&mut self, time: Duration) {
        thread::sleep(time);
    }
}
