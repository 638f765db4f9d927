//! Carries an act out: state, journal, effect, journal, next state.
//!
//! * `state`: the loop. `quitting`, `moving`, `after`: the effects of its states.
//! * `record`: the manifest and what is remembered. `discard`: the acts without a state machine.
//! * `receipt`: what it did, in numbers and a sentence. `broken`: the same where we broke off ourselves.

mod after;
mod broken;
mod discard;
mod moving;
mod quitting;
pub(super) mod receipt;
mod record;
mod state;

use std::time::Duration;

use sandtray_core::act::receipt::{ActProgress, Receipt};
use sandtray_core::act::{Act, ActKind, Refusal, RefusalKind};
use sandtray_core::bundle::Bundle;
use sandtray_core::inside::HomesSummary;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Settings;

use self::state::Run;
use super::hands::Hands;
use super::journal::Writer;
use super::lock::Lock;
use super::means::{Means, Real};
use super::plan::{Plan, Request, difference};
use crate::walk::Cancel;
use crate::{locate, machine};

pub(crate) use broken::broken;
pub(super) use moving::{all_free, put_back};
pub(super) use record::{forget, prune, remembered, sweep, tidy};

/// What a person decides about the carrying out.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// How long the rebuild is watched at most.
    pub wait: Duration,
    /// Stops the act where nothing has moved, and the watching afterwards.
    pub cancel: Cancel,
    /// A second, explicit consent: discards a copy whose rebuild was never verified.
    pub forced: bool,
    /// What the sessions disk held, where it was looked into: goes into the manifest.
    pub homes: Option<HomesSummary>,
    /// The app's version, where it is known: likewise.
    pub app_version: Option<String>,
}

/// Carries out an act that was previewed and confirmed: takes the action lock, makes the preview once more,
/// and goes on only where it is still the same. `progress` is called at every step, and about once a second
/// while something is waited for.
pub fn apply(
    machine: &Machine,
    settings: &Settings,
    act: &Act,
    control: &Control,
    progress: &mut dyn FnMut(&ActProgress),
) -> Receipt {
    let bundles = locate::unmarked(machine);
    let mut means = Real::new(machine, &settings.claude);
    Tools {
        machine,
        settings,
        bundles: &bundles,
        hands: &Hands::default(),
        means: &mut means,
    }
    .apply(act, control, progress)
}

/// What an act is carried out with.
pub(super) struct Tools<'a> {
    pub(super) machine: &'a Machine,
    pub(super) settings: &'a Settings,
    pub(super) bundles: &'a [Bundle],
    pub(super) hands: &'a Hands,
    pub(super) means: &'a mut dyn Means,
}

impl Tools<'_> {
    /// See [`apply`].
    pub(super) fn apply(
        self,
        confirmed: &Act,
        control: &Control,
        progress: &mut dyn FnMut(&ActProgress),
    ) -> Receipt {
        let now = machine::now(self.machine);
        let refused = |refusals: Vec<Refusal>| receipt::refused(confirmed, now, refusals);
        // Root leaves no file of its own in this user's folders, not even a lock.
        if cfg!(unix) && self.machine.uid == 0 {
            return refused(vec![RefusalKind::Root.into()]);
        }
        // Nor does who writes elsewhere than it seems.
        if self.means.packaged() {
            return refused(vec![RefusalKind::Packaged.into()]);
        }
        let lock = match Lock::take(self.machine, self.hands) {
            Ok(lock) => lock,
            Err(kind) => return refused(vec![kind.into()]),
        };
        let mut plan = Plan {
            machine: self.machine,
            bundles: self.bundles,
            means: &mut *self.means,
            id: confirmed.id.clone(),
            now: confirmed.planned_at,
            resolving: None,
        };
        let mut view = plan.make(&Request::of(confirmed));
        if control.forced {
            view.refusals
                .retain(|refusal| refusal.kind != RefusalKind::NotVerified);
        }
        if !view.refusals.is_empty() {
            return refused(view.refusals);
        }
        let changed = |what: String| vec![Refusal::from(RefusalKind::Changed { what })];
        let Some(mut act) = view.act else {
            return refused(changed("there is nothing to do any more".to_owned()));
        };
        if let Some(what) = difference(confirmed, &act) {
            return refused(changed(what));
        }
        // Who was told that the app will be started again, is; even where it has quit since.
        if confirmed.running && !act.running {
            act.running = true;
            act.launch.clone_from(&confirmed.launch);
        }
        let (journal, lines) = match Writer::open(self.machine, self.hands, &lock) {
            Ok(opened) => opened,
            Err(kind) => return refused(vec![kind.into()]),
        };
        if lines.entry(&act.id).is_some() {
            return refused(changed("it was done already".to_owned()));
        }
        let tools = Tools {
            means: &mut *self.means,
            ..self
        };
        let mut run = Run::new(tools, &journal, act, control, progress);
        run.receipt.moved = view.moved;
        run.receipt.notes = view.notes;
        if let Err(error) = run.begin() {
            let cause = error.to_string();
            return refused(vec![RefusalKind::NoJournal { cause }.into()]);
        }
        match run.act.kind {
            ActKind::Reset | ActKind::Restore => run.moves(),
            ActKind::Trash | ActKind::Remove => run.discards(),
        }
        let receipt = run.end();
        journal.keep_reserve();
        drop(lock);
        receipt
    }
}
