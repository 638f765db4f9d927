//! The engine's thread: inbox and timer around the state.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_core::settings::{FolderKind, Settings};
use sandtray_core::status::Status;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::acts::Scene;
use super::bench::Bench;
use super::count::{Caches, Counted, count};
use super::cut_off::CutOff;
use super::full;
use super::inside::{Desk, read_daily};
use super::leftovers::Sweep;
use super::rebuild::Follow;
use super::schedule::Schedule;
use super::state::State;
use super::{Ask, Event, TICK};
use crate::act::resolve::resolve;
use crate::error::{Cause, Failure};
use crate::locate::{Located, locate};
use crate::{machine, walk};

/// Bundles and roots are looked for this often.
const LOCATE_EVERY: Duration = Duration::from_secs(60);
/// The least time between two full measurements.
const MEASURE_EVERY: Duration = Duration::from_secs(15 * 60);
/// Measuring may take one part in so many of the time: a duty cycle below half a percent.
pub(super) const DUTY: u32 = 250;
/// The least time between two counts of entries.
const COUNT_EVERY: Duration = Duration::from_secs(5 * 60);
/// Whether guest disks are to be looked into is asked this often.
const INSIDE_EVERY: Duration = Duration::from_secs(60);
/// While a measurement runs its progress is reported this often.
const PROGRESS: Duration = Duration::from_millis(500);

/// Whether the machine is being looked over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Locating {
    Idle,
    Running,
    /// For longer than a tick, and it is the first time.
    Late,
    /// The settings changed meanwhile: its answer is not wanted.
    Outdated,
}

/// The engine's thread.
pub(super) struct Running {
    pub(super) state: State,
    pub(super) inbox: UnboundedSender<Ask>,
    latest: Arc<Mutex<Arc<Status>>>,
    pub(super) on_event: Box<dyn FnMut(Event) + Send>,
    located_at: Option<Instant>,
    locating: Locating,
    measure_at: Instant,
    count_at: Instant,
    desk: Arc<Desk>,
    bench: Arc<Bench>,
    pub(super) sweep: Arc<Sweep>,
    pub(super) schedule: Schedule,
    follow: Follow,
    cut_off: CutOff,
    /// This engine belongs to the app, which may act; every other one only reads.
    pub(super) acts: bool,
    inside_at: Instant,
    /// With the thread that counts, while one does.
    caches: Option<Caches>,
}

impl Running {
    pub(super) fn new(
        state: State,
        inbox: UnboundedSender<Ask>,
        desk: Arc<Desk>,
        bench: Arc<Bench>,
        sweep: Arc<Sweep>,
        latest: Arc<Mutex<Arc<Status>>>,
        on_event: Box<dyn FnMut(Event) + Send>,
    ) -> Self {
        Self {
            state,
            inbox,
            latest,
            on_event,
            located_at: None,
            locating: Locating::Idle,
            measure_at: Instant::now(),
            count_at: Instant::now() + COUNT_EVERY,
            desk,
            bench,
            sweep,
            schedule: Schedule::default(),
            follow: Follow::default(),
            cut_off: CutOff::default(),
            acts: false,
            inside_at: Instant::now(),
            caches: Some(Caches::new()),
        }
    }

    /// Runs until asked to stop.
    pub(super) async fn run(mut self, mut asked: UnboundedReceiver<Ask>) {
        let mut ticks = interval_at(Instant::now(), TICK);
        // After the machine slept one tick is enough.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let measuring = self.state.pace.is_some();
            tokio::select! {
                ask = asked.recv() => match ask {
                    Some(Ask::Stop) | None => break,
                    Some(ask) => self.answer(ask),
                },
                _ = ticks.tick() => self.tick(),
                () = tokio::time::sleep(PROGRESS), if measuring => self.publish(),
            }
        }
        if let Some(pace) = &self.state.pace {
            pace.cancel.cancel();
        }
        self.desk.stop();
        self.sweep.stop();
    }

    fn tick(&mut self) {
        if self
            .located_at
            .is_none_or(|at| at.elapsed() >= LOCATE_EVERY)
        {
            self.locate();
        }
        match self.located_at {
            Some(_) => {
                self.look();
                self.follow();
                if Instant::now() >= self.measure_at {
                    self.measure();
                } else if Instant::now() >= self.count_at {
                    self.count();
                } else if Instant::now() >= self.inside_at {
                    self.look_inside();
                } else {
                    self.sweep_when_due();
                }
            }
            // The first look around hangs: tell what can be told without it.
            None if self.locating == Locating::Late => {
                self.state.place(Located {
                    gaps: vec![self.no_answer()],
                    ..Located::default()
                });
                self.look();
            }
            None if self.locating == Locating::Running => self.locating = Locating::Late,
            None => {}
        }
    }

    fn no_answer(&self) -> Gap {
        Gap {
            operation: "look for bundles and temp folders".to_owned(),
            path: (&self.state.machine().home).into(),
            cause: "no answer yet; a network folder may be hanging".to_owned(),
        }
    }

    /// Looks for bundles and roots on a thread of its own: a dead network mount may hold it up.
    pub(super) fn locate(&mut self) {
        if self.locating != Locating::Idle {
            return;
        }
        let machine = self.state.machine().clone();
        if self.spawn("sandtray-locate", move || Ask::Located(locate(&machine))) {
            self.locating = Locating::Running;
        }
    }

    fn look(&mut self) {
        let now = self.state.now();
        self.state.watch_clock(now);
        self.state.tell_cut_off(&mut self.cut_off);
        let notices = self.state.look(now);
        if self.state.record_due(now) {
            self.state.record(now);
            (self.on_event)(Event::Recorded);
        }
        self.publish();
        for notice in notices {
            (self.on_event)(Event::Notice(notice));
        }
    }

    /// Starts a full measurement; before anything was located there is nothing to measure, and the
    /// first one follows at once.
    fn measure(&mut self) {
        if self.state.pace.is_some() || self.located_at.is_none() {
            return;
        }
        let (plan, pace) = full::plan(
            &self.state.located,
            self.state.now(),
            &walk::Progress::default(),
        );
        let machine = self.state.machine().clone();
        self.state.pace = Some(pace);
        // Far off, until the end of this one sets it.
        self.measure_at = Instant::now() + MEASURE_EVERY;
        let running = self.spawn("sandtray-measure", move || {
            Ask::Measured(plan.run(|| machine::now(&machine)))
        });
        if !running {
            self.state.pace = None;
        }
        self.publish();
    }

    /// Counts entries, unless that is under way or a full measurement does it.
    fn count(&mut self) {
        if self.state.pace.is_some() {
            return;
        }
        let Some(caches) = self.caches.take() else {
            return;
        };
        let (located, machine) = (self.state.located.clone(), self.state.machine().clone());
        let running = self.spawn("sandtray-count", move || {
            Ask::Counted(count(&located, caches, || machine::now(&machine)))
        });
        if !running {
            self.caches = Some(Caches::new());
        }
    }

    /// Looks into the guest disks whose reading of the day is due, unless something else takes long.
    fn look_inside(&mut self) {
        if self.state.pace.is_some() || !self.state.is_measured() || self.desk.is_busy() {
            return;
        }
        self.inside_at = Instant::now() + INSIDE_EVERY;
        let due = self.state.due_disks(self.state.now());
        if due.is_empty() {
            return;
        }
        let (desk, machine) = (Arc::clone(&self.desk), self.state.machine().clone());
        self.spawn("sandtray-inside", move || {
            let progress = walk::Progress::default();
            Ask::Daily(read_daily(&desk, &due, &progress, || {
                machine::now(&machine)
            }))
        });
    }

    /// Runs `work` on a thread of its own; its result comes back through the inbox.
    pub(super) fn spawn(&self, name: &str, work: impl FnOnce() -> Ask + Send + 'static) -> bool {
        let inbox = self.inbox.clone();
        thread::Builder::new()
            .name(name.into())
            // The engine may have stopped meanwhile; then nobody wants the result.
            .spawn(move || inbox.send(work()).ok())
            .is_ok()
    }

    /// Puts right what an earlier run of ours left in the middle, once, on a thread of its own.
    fn resolve(&mut self) {
        if std::mem::replace(&mut self.acts, true) {
            return;
        }
        let (machine, settings) = (self.state.machine().clone(), self.state.settings.clone());
        self.spawn("sandtray-resolve", move || {
            Ask::Resolved(resolve(&machine, &settings))
        });
    }

    fn publish_acts(&mut self) {
        (self.on_event)(Event::Acts(Box::new(self.bench.acts())));
    }

    /// Rebuilds that outlasted their acts may have come to their ends.
    fn follow(&mut self) {
        let machine = self.state.machine().clone();
        for receipt in self.follow.look(&machine) {
            self.publish_acts();
            (self.on_event)(Event::ActEnded(Box::new(receipt)));
        }
    }

    pub(super) fn publish(&mut self) {
        let status = Arc::new(self.state.status(self.state.now()));
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&status);
        (self.on_event)(Event::Status(status));
    }

    /// Whoever asked may have gone away meanwhile; an answer that nobody takes is no fault.
    fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::History(range, answer) => {
                answer.send(self.state.chart(range)).ok();
            }
            Ask::Measure => self.measure(),
            Ask::CancelMeasurement => {
                if let Some(pace) = &self.state.pace {
                    pace.cancel.cancel();
                }
            }
            Ask::Snooze(gauge, span) => {
                self.state.snooze(gauge.as_ref(), span, self.state.now());
                self.publish();
            }
            Ask::Settings(answer) => {
                answer.send(self.state.settings.clone()).ok();
            }
            Ask::Patch(patch, answer) => {
                let wanted = self.state.settings.patched(patch);
                answer.send(self.store(wanted)).ok();
            }
            Ask::AddFolder(kind, path, answer) => {
                let changed = added(&self.state.settings, kind, &path);
                answer
                    .send(changed.and_then(|wanted| self.store(wanted)))
                    .ok();
            }
            Ask::RemoveFolder(id, answer) => {
                let wanted = self.state.settings.without_folder(&id);
                answer.send(self.store(wanted)).ok();
            }
            Ask::Fault(fault, present) => {
                self.state.set_fault(fault, present);
                self.publish();
            }
            Ask::Settle(answer) => {
                answer.send(()).ok();
            }
            Ask::Located(located) => {
                let outdated =
                    std::mem::replace(&mut self.locating, Locating::Idle) == Locating::Outdated;
                if outdated {
                    self.locate();
                    return;
                }
                let first = self.located_at.replace(Instant::now()).is_none();
                self.state.place(located);
                self.look();
                if first {
                    self.measure();
                }
            }
            Ask::Measured(full) => {
                self.measure_at = Instant::now() + MEASURE_EVERY.max(full.took * DUTY);
                self.state.absorb(full, self.state.now());
                self.look();
                (self.on_event)(Event::Recorded);
                self.look_inside();
            }
            Ask::Place(disk, answer) => {
                let place = self.state.guest_disk(&disk);
                answer
                    .send(place.map(|place| (place, self.state.now())))
                    .ok();
            }
            Ask::Top(top, answer) => {
                answer
                    .send(self.state.absorb_top(*top, Duration::ZERO))
                    .ok();
                self.publish();
            }
            Ask::Daily(tops) => {
                for (top, took) in tops {
                    self.state.absorb_top(top, took);
                }
                self.publish();
            }
            Ask::Counted(Counted {
                meters,
                caches,
                took,
            }) => {
                self.caches = Some(caches);
                self.count_at = Instant::now() + COUNT_EVERY.max(took * DUTY);
                self.state.absorb_counts(meters, self.state.now());
                self.publish();
                (self.on_event)(Event::Recorded);
            }
            Ask::Scene(answer) => {
                answer
                    .send(Scene {
                        machine: self.state.machine().clone(),
                        settings: self.state.settings.clone(),
                        bundles: self.state.located.bundles.clone(),
                    })
                    .ok();
            }
            Ask::Resolve => self.resolve(),
            Ask::ActTold => self.publish_acts(),
            Ask::ActEnded(receipt) => {
                self.follow.take_up(self.state.machine());
                self.publish_acts();
                (self.on_event)(Event::ActEnded(receipt));
                // What is there now is not what was there before.
                self.locate();
            }
            Ask::Resolved(resolved) => {
                self.cut_off.remember(&resolved);
                self.state.tell_cut_off(&mut self.cut_off);
                for receipt in resolved.into_iter().filter_map(|one| one.receipt) {
                    (self.on_event)(Event::ActEnded(Box::new(receipt)));
                }
                self.follow.take_up(self.state.machine());
                self.publish();
                self.publish_acts();
            }
            Ask::SweepScene(answer) => {
                answer.send(self.swept()).ok();
            }
            Ask::Leftovers(summary) => {
                self.state.leftovers = Some(summary);
                self.publish();
            }
            Ask::Looked(summary, took) => self.absorb_look(summary, took),
            Ask::CleanTold => self.publish_cleaning(),
            Ask::Cleaned(receipt) => self.cleaned(receipt),
            Ask::Stop => {}
        }
    }

    /// Stores settings, then puts them in force; new folders are looked for at once.
    fn store(&mut self, wanted: Settings) -> Result<Settings, Failure> {
        self.state.settings_file.save(&wanted)?;
        let before: Machine = self.state.machine().clone();
        self.state.apply(wanted.clone());
        if *self.state.machine() != before {
            // What is being looked for now is not what is wanted any more.
            match self.locating {
                Locating::Idle => self.locate(),
                _ => self.locating = Locating::Outdated,
            }
        }
        self.look();
        Ok(wanted)
    }
}

fn added(
    settings: &Settings,
    kind: FolderKind,
    path: &std::path::Path,
) -> Result<Settings, Failure> {
    let refuse = |cause| {
        Failure::new("add the folder", path, cause)
            .hint("Choose a folder that exists and has a plain name.")
    };
    let found = std::fs::metadata(path).map_err(|error| refuse(Cause::Io(error)))?;
    if !found.is_dir() {
        return Err(refuse(Cause::Unsupported("it is no folder".into())));
    }
    let text = path
        .to_str()
        .ok_or_else(|| refuse(Cause::Unsupported("its name is not valid text".into())))?;
    let mut settings = settings.clone();
    let folders = settings.folders_mut(kind);
    if !folders.iter().any(|known| known == text) {
        folders.push(text.to_owned());
    }
    Ok(settings)
}
