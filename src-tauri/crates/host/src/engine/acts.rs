//! Acts as the window asks for them: plans by id, the one that runs, what ended last.
//!
//! The window gets previews and sends back the id of one. Only an act whose preview was handed out can be
//! applied, and applying makes the preview once more. It runs on a thread of its own; the engine's thread
//! carries what it reports to the surfaces, so that a window closed and opened again sees the same.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sandtray_core::act::journal::EntryView;
use sandtray_core::act::preview::{Acts, Preview, ResetView};
use sandtray_core::act::recommend::recommend;
use sandtray_core::act::{ACT_SCHEMA, RefusalKind, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::gauge::{GaugeId, GaugeKind};
use sandtray_core::inside::{DiskId, HomesSummary, InsideEntry, NEWEST};
use sandtray_core::leftover::view::CleanReceipt;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Settings;
use sandtray_core::status::Status;
use sandtray_core::words;
use serde::Serialize;

use super::{Ask, Engine};
use crate::act::parked;
use crate::act::plan::{Request, preview};
use crate::act::run::{Control, apply};
use crate::act::standing::standing;
use crate::error::{Cause, Failure};

/// How long an act of the window watches the rebuild before it ends; the watching goes on without it.
const WAIT: Duration = Duration::from_secs(120);

/// Everything that was ever done, newest first, as it is exported.
#[derive(Serialize)]
struct Exported {
    schema: u32,
    acts: Vec<EntryView>,
    cleaned: Vec<CleanReceipt>,
}

/// What acts are planned with: the engine's latest view of the machine.
pub(super) struct Scene {
    pub(super) machine: Machine,
    pub(super) settings: Settings,
    pub(super) bundles: Vec<Bundle>,
}

impl Engine {
    /// What a reset of a bundle would do, in every scope; of the only one, or the live one, where none is
    /// named. Reads disks and processes: a second or two on the caller's thread.
    ///
    /// # Errors
    /// Where there is no such bundle, or the engine has stopped.
    pub fn reset_view(&self, bundle: Option<&str>) -> Result<ResetView, Failure> {
        let scene = self.scene()?;
        let mut bundles = scene.bundles.iter();
        let found = match bundle {
            Some(id) => bundles.find(|bundle| bundle.id == id),
            None => scene
                .bundles
                .iter()
                .find(|bundle| bundle.live)
                .or_else(|| bundles.next()),
        };
        let found = found.ok_or_else(|| refused(&RefusalKind::NoBundle))?;
        let status = self.status();
        let (recommended, why) = recommend(
            verdict(&status, GaugeKind::GuestSessions, found),
            verdict(&status, GaugeKind::GuestSystem, found),
        );
        let plans: Vec<Preview> = Scope::ALL
            .into_iter()
            .map(|scope| {
                let bundle = Some(found.id.clone());
                self.preview(&scene, &Request::Reset { bundle, scope })
            })
            .collect();
        let (homes, newest) = self.homes(found);
        Ok(ResetView {
            bundle: found.id.clone(),
            path: PathText::new(&found.path),
            recommended,
            why,
            reason: words::scope_reason(why).to_owned(),
            running: plans.first().map(|plan| plan.running),
            plans,
            homes,
            newest,
        })
    }

    /// What moving a parked copy back would do.
    ///
    /// # Errors
    /// Where the engine has stopped; everything else is a refusal in the preview.
    pub fn restore_view(&self, copy: &str) -> Result<Preview, Failure> {
        let copy = copy.to_owned();
        Ok(self.preview(&self.scene()?, &Request::Restore { copy }))
    }

    /// What discarding a parked copy would do.
    ///
    /// # Errors
    /// As [`restore_view`](Self::restore_view).
    pub fn discard_view(&self, copy: &str, for_good: bool) -> Result<Preview, Failure> {
        let copy = copy.to_owned();
        Ok(self.preview(&self.scene()?, &Request::Discard { copy, for_good }))
    }

    /// Does what a preview showed. Returns at once; [`Event::Acts`](super::Event::Acts) tells the rest.
    ///
    /// # Errors
    /// Where the preview is out of date, or another act runs.
    pub fn apply_plan(&self, plan: &str) -> Result<(), Failure> {
        let scene = self.scene()?;
        let (act, cancel) = self.bench.begin(plan).map_err(|kind| refused(&kind))?;
        let (bench, inbox) = (Arc::clone(&self.bench), self.inbox.clone());
        let (id, at) = (act.id.clone(), act.planned_at);
        let homes = self.known_homes(&sessions_disk(&act.bundle));
        let work = move || {
            let control = Control {
                wait: WAIT,
                cancel,
                homes,
                ..Control::default()
            };
            let (machine, settings) = (&scene.machine, &scene.settings);
            let receipt = bench.carry_out(machine, &act, || {
                apply(machine, settings, &act, &control, &mut |progress| {
                    bench.tell(progress);
                    // The engine may have stopped; the act goes on to its end all the same.
                    inbox.send(Ask::ActTold).ok();
                })
            });
            inbox.send(Ask::ActEnded(Box::new(receipt))).ok();
        };
        let thread = thread::Builder::new().name("sandtray-act".into());
        if let Err(error) = thread.spawn(work) {
            tracing::warn!("act {id} of {at:?} has no thread: {error}");
            self.bench.give_up();
            return Err(Failure::io("begin", Path::new("sandtray-act"), error));
        }
        Ok(())
    }

    /// Puts right what an earlier run left in the middle, and follows a rebuild that goes on. The app asks
    /// for it at its start; whoever only reads does not, so that no `status` and no cron job moves a disk.
    pub fn resolve(&self) {
        self.tell(Ask::Resolve);
    }

    /// Asks the running act to stop, where nothing has moved yet; afterwards it only ends the watching.
    pub fn cancel_act(&self) {
        self.bench.cancel();
    }

    /// What runs, what ended last, and every parked copy as it is now.
    ///
    /// # Errors
    /// Where the engine has stopped.
    pub fn acts(&self) -> Result<Acts, Failure> {
        let parked = parked::list(&self.scene()?.machine).parked;
        Ok(self.bench.acts_with(parked))
    }

    /// Everything the journal tells, newest first.
    ///
    /// # Errors
    /// Where the journal cannot be read, or the engine has stopped.
    pub fn activity(&self) -> Result<Vec<EntryView>, Failure> {
        Ok(standing(&self.scene()?.machine)?.entries().rev().collect())
    }

    /// Writes everything that was ever done to a file that the user named in the native dialog.
    ///
    /// # Errors
    /// As [`activity`](Self::activity), and where the file cannot be written.
    pub fn export_activity(&self, file: &Path) -> Result<(), Failure> {
        let failed = |error| Failure::io("write the activity to", file, error);
        let all = Exported {
            schema: ACT_SCHEMA,
            acts: self.activity()?,
            cleaned: self.clean_receipts()?,
        };
        let text = serde_json::to_vec_pretty(&all)
            .map_err(|error| failed(std::io::Error::other(error)))?;
        std::fs::write(file, text).map_err(failed)
    }

    fn preview(&self, scene: &Scene, request: &Request) -> Preview {
        let view = preview(&scene.machine, &scene.settings, &scene.bundles, request);
        self.bench.remember(&view);
        view
    }

    /// What lives on the sessions disk: the count as last read, and the newest, read now.
    fn homes(&self, bundle: &Bundle) -> (Option<HomesSummary>, Vec<InsideEntry>) {
        let disk = sessions_disk(&bundle.id);
        let Ok(view) = self.inside(&disk, None, |_| {}) else {
            return (None, Vec::new());
        };
        let mut newest = view.entries;
        newest.retain(|entry| entry.newest);
        newest.sort_by_key(|entry| Reverse(entry.last_change));
        newest.truncate(NEWEST);
        (self.known_homes(&disk), newest)
    }

    /// The homes of a disk as last read.
    fn known_homes(&self, disk: &DiskId) -> Option<HomesSummary> {
        let status = self.status();
        status
            .homes
            .iter()
            .find(|homes| homes.disk == *disk)
            .cloned()
    }

    fn scene(&self) -> Result<Scene, Failure> {
        self.ask(Ask::Scene).ok_or_else(|| {
            let stopped = std::io::Error::other("the engine has stopped");
            Failure::io(
                "look at the sandbox storage",
                Path::new("sandtray-engine"),
                stopped,
            )
            .hint("Start Sandtray again.")
        })
    }
}

/// The sessions disk of a bundle.
fn sessions_disk(bundle: &str) -> DiskId {
    DiskId(GaugeId::new(GaugeKind::GuestSessions, bundle).0)
}

fn verdict(
    status: &Status,
    kind: GaugeKind,
    bundle: &Bundle,
) -> Option<sandtray_core::verdict::Verdict> {
    let id = GaugeId::new(kind, &bundle.id);
    let gauge = status.gauges.iter().find(|gauge| gauge.id == id)?;
    Some(gauge.verdict)
}

/// A refusal as the text that the window shows where it asked for something it could not get.
fn refused(kind: &RefusalKind) -> Failure {
    let cause = Cause::Io(std::io::Error::other(words::refusal(kind)));
    Failure::new("begin", Path::new("sandbox storage"), cause)
}
