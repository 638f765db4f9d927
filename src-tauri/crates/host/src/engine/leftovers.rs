//! Leftovers as the window asks for them: a look, pages of candidates, a preview, and the clean-up.
//!
//! The window gets groups, candidates and plans by id and sends ids back; only what was handed out is
//! taken. Looks run on the thread of whoever asks. A clean-up runs on a thread of its own, one at a time,
//! and the engine's thread carries its progress to the surfaces.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::tally::group_id;
use sandtray_core::leftover::view::{
    CandidatePage, CandidateView, ClassView, CleanChoice, CleanPreview, CleanProgress,
    CleanReceipt, CleanedBy, Cleaning, LeftoversView, ParkedLeftovers,
};
use sandtray_core::leftover::{Class, Tier};
use sandtray_core::machine::Machine;
use sandtray_core::words;

use super::{Ask, Engine};
use crate::error::{Cause, Failure};
use crate::leftovers::clean::apply;
use crate::leftovers::look::{self, Found};
use crate::leftovers::parked::{self, Moved};
use crate::leftovers::plan::{Plan, Wish, plan};
use crate::leftovers::receipts;
use crate::leftovers::scan::Scene;
use crate::walk::Cancel;

/// Plans that are remembered; an older one is out of date anyway.
const PLANS: usize = 4;
/// Most candidates of one page.
const PAGE: usize = 5_000;

/// What was found, what was planned, and what became of it.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    found: Found,
    /// Candidates that were handed out, with their groups.
    issued: BTreeMap<String, String>,
    plans: VecDeque<Plan>,
    cancel: Option<Cancel>,
    running: Option<CleanProgress>,
    last: Option<CleanReceipt>,
    /// What stands aside, as last listed: each of its files is looked at for that, which progress that is told
    /// several times a second must not do.
    parked: Option<Vec<ParkedLeftovers>>,
}

/// Lets go of the running clean-up, however its thread ends.
struct Ended(Arc<Sweep>);

impl Drop for Ended {
    fn drop(&mut self) {
        let mut inner = self.0.inner();
        inner.cancel = None;
        inner.running = None;
    }
}

impl Sweep {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What surfaces show.
    pub(super) fn cleaning(&self, machine: &Machine) -> Cleaning {
        let (running, last, listed) = {
            let inner = self.inner();
            let listed = inner.running.is_some().then(|| inner.parked.clone());
            (inner.running.clone(), inner.last.clone(), listed.flatten())
        };
        let parked = listed.unwrap_or_else(|| {
            let listed = parked::list(machine);
            self.inner().parked = Some(listed.clone());
            listed
        });
        Cleaning {
            running,
            last,
            parked,
        }
    }

    /// Asks the running clean-up to stop.
    pub(super) fn stop(&self) {
        if let Some(cancel) = &self.inner().cancel {
            cancel.cancel();
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.inner().cancel.is_some()
    }

    fn absorb(&self, found: &Found) {
        let mut inner = self.inner();
        let handed = found
            .largest
            .iter()
            .flat_map(|(group, list)| list.iter().map(move |one| (one.id.clone(), group.clone())));
        inner.issued = handed.collect();
        inner.found = found.clone();
    }

    /// Begins a clean-up; none while another runs.
    fn begin(&self) -> Option<Cancel> {
        let mut inner = self.inner();
        if inner.cancel.is_some() {
            return None;
        }
        let cancel = Cancel::default();
        inner.cancel = Some(cancel.clone());
        Some(cancel)
    }
}

/// What a choice of the window means, once every id in it was found to be one of ours.
struct Chosen {
    groups: BTreeSet<String>,
    candidates: BTreeSet<String>,
    classes: BTreeSet<String>,
}

impl Chosen {
    fn new(choice: &CleanChoice, inner: &Inner) -> Result<Self, Failure> {
        let outdated = || refused("this list is out of date, look again");
        let mut chosen = Self {
            groups: BTreeSet::new(),
            candidates: BTreeSet::new(),
            classes: BTreeSet::new(),
        };
        let mut shown = 0_usize;
        for id in &choice.groups {
            let known = |view: &&ClassView| view.id == *id;
            let view = inner.found.view.classes.iter().find(known);
            let view = view.ok_or_else(outdated)?;
            shown = shown.saturating_add(usize::from(view.tier == Tier::Report));
            chosen.classes.insert(view.class.clone());
            chosen.groups.insert(id.clone());
        }
        if shown > 1 {
            let text = "what may be somebody's work is chosen one group at a time";
            return Err(refused(text));
        }
        for id in &choice.candidates {
            let group = inner.issued.get(id).ok_or_else(outdated)?;
            let class = group
                .split_once(':')
                .map_or(group.as_str(), |(class, _)| class);
            chosen.classes.insert(class.to_owned());
            chosen.candidates.insert(id.clone());
        }
        Ok(chosen)
    }

    fn takes(&self, candidate: &Candidate) -> bool {
        self.groups
            .contains(&group_id(candidate.class, &candidate.root))
            || (!self.candidates.is_empty() && self.candidates.contains(&look::handle(candidate)))
    }

    fn wants(&self, row: &Class) -> bool {
        self.classes.contains(row.name)
    }
}

/// Runs the clean-up of a plan; the engine's thread is told of every step.
pub(super) fn run(
    sweep: &Arc<Sweep>,
    scene: &Scene,
    plan: &Plan,
    by: CleanedBy,
    cancel: &Cancel,
    tell: &dyn Fn(Ask),
) {
    let receipt = apply(scene, plan, by, cancel, &mut |progress| {
        sweep.inner().running = Some(progress.clone());
        tell(Ask::CleanTold);
    });
    sweep.inner().last = Some(receipt.clone());
    tell(Ask::Cleaned(Box::new(receipt)));
}

/// Cleans the automatic tier of its own accord: the schedule, on a thread of its own.
pub(super) fn scheduled(sweep: &Arc<Sweep>, scene: &Scene, tell: &dyn Fn(Ask)) {
    let Some(cancel) = sweep.begin() else {
        return;
    };
    let ended = Ended(Arc::clone(sweep));
    let wish = Wish {
        wants: &|class| class.tier == Tier::Automatic,
        takes: &|_| true,
        for_good: false,
    };
    let evidence = scene.evidence();
    let planned = plan(scene, &wish, &evidence, &cancel, &mut |_| {});
    run(sweep, scene, &planned, CleanedBy::Schedule, &cancel, tell);
    drop(ended);
    tell(Ask::CleanTold);
}

impl Engine {
    /// Looks for leftovers and judges them: seconds on the caller's thread. `tell` hears how many were seen.
    ///
    /// # Errors
    /// Where the engine has stopped.
    pub fn leftovers(&self, mut tell: impl FnMut(u64)) -> Result<LeftoversView, Failure> {
        let scene = self.sweep_scene()?;
        let found = look::look(&scene, &Cancel::default(), &mut tell);
        self.sweep.absorb(&found);
        self.tell(Ask::Leftovers((&found.view).into()));
        Ok(found.view)
    }

    /// Candidates of a group, largest first; those whose path holds `search`.
    ///
    /// # Errors
    /// Where there is no such group, or the engine has stopped.
    pub fn leftover_candidates(
        &self,
        wanted: &str,
        search: &str,
        offset: usize,
        limit: usize,
    ) -> Result<CandidatePage, Failure> {
        let limit = limit.min(PAGE);
        let search = search.to_lowercase();
        let (known, total) = {
            let inner = self.sweep.inner();
            let view = inner
                .found
                .view
                .classes
                .iter()
                .find(|view| view.id == wanted);
            let total = view.map(|view| view.count);
            (inner.found.largest.get(wanted).cloned(), total)
        };
        let total = total.ok_or_else(|| refused("this list is out of date, look again"))?;
        let known: Vec<CandidateView> = known.unwrap_or_default();
        let kept = u64::try_from(known.len()).unwrap_or(u64::MAX);
        let page =
            if total <= kept || (search.is_empty() && offset.saturating_add(limit) <= look::KEPT) {
                let fits = |one: &&CandidateView| one.path.path.to_lowercase().contains(&search);
                let found: Vec<&CandidateView> = known.iter().filter(fits).collect();
                CandidatePage {
                    group: wanted.to_owned(),
                    total: if search.is_empty() {
                        total
                    } else {
                        u64::try_from(found.len()).unwrap_or(u64::MAX)
                    },
                    candidates: found
                        .into_iter()
                        .skip(offset)
                        .take(limit)
                        .cloned()
                        .collect(),
                }
            } else {
                let scene = self.sweep_scene()?;
                look::page(&scene, wanted, &search, (offset, limit), &Cancel::default())
            };
        let mut inner = self.sweep.inner();
        for candidate in &page.candidates {
            inner.issued.insert(candidate.id.clone(), wanted.to_owned());
        }
        Ok(page)
    }

    /// What cleaning a choice would do.
    ///
    /// # Errors
    /// Where something in it was never shown, or the engine has stopped.
    pub fn clean_view(&self, choice: &CleanChoice) -> Result<CleanPreview, Failure> {
        let chosen = Chosen::new(choice, &self.sweep.inner())?;
        let scene = self.sweep_scene()?;
        let evidence = scene.evidence();
        let wish = Wish {
            wants: &|class| chosen.wants(class),
            takes: &|candidate| chosen.takes(candidate),
            for_good: choice.for_good,
        };
        let planned = plan(&scene, &wish, &evidence, &Cancel::default(), &mut |_| {});
        let preview = planned.preview();
        let mut inner = self.sweep.inner();
        inner.plans.push_back(planned);
        while inner.plans.len() > PLANS {
            inner.plans.pop_front();
        }
        Ok(preview)
    }

    /// Does what a preview showed. Returns at once; [`Event::Cleaning`](super::Event::Cleaning) tells the rest.
    ///
    /// # Errors
    /// Where the preview is out of date, or another clean-up runs.
    pub fn apply_clean(&self, id: &str) -> Result<(), Failure> {
        let scene = self.sweep_scene()?;
        let planned = {
            let mut inner = self.sweep.inner();
            let at = inner.plans.iter().position(|plan| plan.id == id);
            at.and_then(|at| inner.plans.remove(at))
        };
        let planned = planned.ok_or_else(|| refused("the preview is out of date"))?;
        let cancel = self
            .sweep
            .begin()
            .ok_or_else(|| refused("another clean-up is running"))?;
        let (sweep, inbox) = (Arc::clone(&self.sweep), self.inbox.clone());
        let ended = Ended(Arc::clone(&sweep));
        let work = move || {
            // The engine may have stopped; the clean-up goes on to its end all the same.
            let tell = |ask| drop(inbox.send(ask));
            run(&sweep, &scene, &planned, CleanedBy::Person, &cancel, &tell);
            drop(ended);
            tell(Ask::CleanTold);
        };
        let thread = thread::Builder::new().name("sandtray-clean".into());
        thread
            .spawn(work)
            .map(drop)
            .map_err(|error| Failure::io("begin", Path::new("sandtray-clean"), error))
    }

    /// The window is gone: what it was shown is not kept for nobody.
    pub fn forget_leftovers(&self) {
        let mut inner = self.sweep.inner();
        inner.found = Found::default();
        inner.issued = BTreeMap::new();
        inner.plans = VecDeque::new();
    }

    /// Asks the running clean-up to stop; what is gone by then is gone.
    pub fn cancel_clean(&self) {
        self.sweep.stop();
    }

    /// What runs, what ended last, and what stands aside.
    ///
    /// # Errors
    /// Where the engine has stopped.
    pub fn cleaning(&self) -> Result<Cleaning, Failure> {
        Ok(self.sweep.cleaning(&self.sweep_scene()?.machine))
    }

    /// Receipts of every clean-up, newest first.
    ///
    /// # Errors
    /// Where they cannot be read, or the engine has stopped.
    pub fn clean_receipts(&self) -> Result<Vec<CleanReceipt>, Failure> {
        let mut receipts = receipts::read(&self.sweep_scene()?.machine)?;
        receipts.reverse();
        Ok(receipts)
    }

    /// Moves leftovers back that were moved aside.
    ///
    /// # Errors
    /// Where there is no such copy, or the engine has stopped.
    pub fn restore_leftovers(&self, id: &str) -> Result<String, Failure> {
        let moved = parked::restore(&self.sweep_scene()?.machine, id)?;
        self.tell(Ask::CleanTold);
        Ok(words::leftovers::restored(moved.done, stayed(&moved)))
    }

    /// Removes leftovers for good that were moved aside.
    ///
    /// # Errors
    /// As [`restore_leftovers`](Self::restore_leftovers).
    pub fn discard_leftovers(&self, id: &str) -> Result<String, Failure> {
        let machine = self.sweep_scene()?.machine;
        let moved = parked::discard(&machine, id, &Cancel::default())?;
        self.tell(Ask::CleanTold);
        Ok(words::leftovers::discarded(
            moved.done,
            moved.freed_measured,
            stayed(&moved),
        ))
    }

    fn sweep_scene(&self) -> Result<Scene, Failure> {
        self.ask(Ask::SweepScene).ok_or_else(|| {
            let stopped = io::Error::other("the engine has stopped");
            Failure::io("look for leftovers", Path::new("sandtray-engine"), stopped)
                .hint("Start Sandtray again.")
        })
    }
}

fn stayed(moved: &Moved) -> u64 {
    moved.stayed.values().copied().fold(0, u64::saturating_add)
}

fn refused(text: &str) -> Failure {
    let cause = Cause::Io(io::Error::other(text.to_owned()));
    Failure::new("clean", Path::new("leftovers"), cause)
}
