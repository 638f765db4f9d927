//! What a test asks for before the program runs: the layout, the script, the misbehaviours.

use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};

use super::layout::Layout;
use super::program::TETHER;
use super::running::StandIn;
use super::script::{self, Begins, Misbehaviour, Rebuilds, Script};
use super::witness::Witness;
use crate::machine::TestMachine;

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
}
