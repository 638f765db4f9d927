//! The means by which an act meets the app: the real ones, or a test's.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::refusal::Holder;
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
    /// Whether our own process runs inside a Windows package (#93152).
    fn packaged(&mut self) -> bool;
    /// See [`app::boot`].
    fn boot(&mut self) -> Option<String>;
    /// Lets time pass between two looks.
    fn pause(&mut self, time: Duration);
}

/// How often it is asked again where only another Sandtray holds a disk, and after how long.
const TRIES: u32 = 5;
const MOMENT: Duration = Duration::from_millis(300);

fn is_ours(holder: &Holder) -> bool {
    holder.name.starts_with("sandtray")
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
        let mut held = app::holders(self.machine, self.claude, files);
        for _ in 0..TRIES {
            match &held {
                // Another Sandtray reads a disk for a moment, once a minute.
                Held::By(holders) if holders.iter().all(is_ours) => self.pause(MOMENT),
                _ => break,
            }
            held = app::holders(self.machine, self.claude, files);
        }
        held
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

    fn packaged(&mut self) -> bool {
        super::hands::packaged()
    }

    fn boot(&mut self) -> Option<String> {
        app::boot()
    }

    fn pause(&mut self, time: Duration) {
        thread::sleep(time);
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs::File;
    use std::process::{Child, Command};

    use super::*;

    /// Starts a program of this name that has `disk` open for so many seconds.
    fn holding(name: &Path, disk: &Path, seconds: &str) -> Child {
        Command::new(name)
            .arg(seconds)
            .stdin(File::open(disk).unwrap())
            .spawn()
            .unwrap()
    }

    #[test]
    fn a_disk_that_another_sandtray_reads_for_a_moment_is_waited_for_and_one_that_another_holds_is_not()
     {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machine.toml");
        std::fs::write(&file, "home = 'home'\n").unwrap();
        let machine = crate::machine::load(&file).unwrap();
        let claude = Claude::default();
        let disk = folder.path().join("sessiondata.img");
        std::fs::write(&disk, "disk").unwrap();
        let program = |name: &str| {
            let program = folder.path().join(name);
            std::fs::copy("/bin/sleep", &program).unwrap();
            program
        };
        let mut means = Real::new(&machine, &claude);
        let files = [disk.clone()];

        let mut ours = holding(&program("sandtrayctl"), &disk, "0.2");
        // Reaped meanwhile, as whoever started it does.
        let reaping = thread::spawn(move || ours.wait());
        assert_eq!(means.holders(&files), Held::No);
        reaping.join().unwrap().unwrap();

        let mut other = holding(&program("other"), &disk, "1000");
        let held = means.holders(&files);
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(
            matches!(&held, Held::By(holders) if holders[0].name == "other"),
            "{held:?}"
        );
    }
}
