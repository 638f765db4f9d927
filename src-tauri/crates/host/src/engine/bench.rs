//! What the window may do and what it did: the plans it was shown, the act that runs, the end of the last.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sandtray_core::act::parked::ParkedCopy;
use sandtray_core::act::preview::{Acts, Preview};
use sandtray_core::act::receipt::{ActProgress, Receipt};
use sandtray_core::act::{Act, RefusalKind};
use sandtray_core::machine::Machine;

use crate::act::parked;
use crate::act::run::broken;
use crate::walk::Cancel;

/// Plans that are remembered; an older one is out of date anyway.
const PLANS: usize = 32;

/// Plans, and what became of them.
#[derive(Debug, Default)]
pub(super) struct Bench {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    plans: VecDeque<Act>,
    cancel: Option<Cancel>,
    acts: Acts,
}

impl Bench {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What surfaces show.
    pub(super) fn acts(&self) -> Acts {
        self.inner().acts.clone()
    }

    /// The same, with the copies as they are now.
    pub(super) fn acts_with(&self, parked: Vec<ParkedCopy>) -> Acts {
        let mut inner = self.inner();
        inner.acts.parked = parked;
        inner.acts.clone()
    }

    pub(super) fn remember(&self, preview: &Preview) {
        let mut inner = self.inner();
        inner.plans.extend(preview.act.clone());
        while inner.plans.len() > PLANS {
            inner.plans.pop_front();
        }
    }

    /// Takes a plan out, to run it; none where it is not known or another runs.
    pub(super) fn begin(&self, plan: &str) -> Result<(Act, Cancel), RefusalKind> {
        let mut inner = self.inner();
        if inner.cancel.is_some() {
            return Err(RefusalKind::Busy);
        }
        let Some(at) = inner.plans.iter().position(|act| act.id == plan) else {
            let what = "the preview is out of date".to_owned();
            return Err(RefusalKind::Changed { what });
        };
        let Some(act) = inner.plans.remove(at) else {
            return Err(RefusalKind::Busy);
        };
        let cancel = Cancel::default();
        inner.cancel = Some(cancel.clone());
        inner.acts.running.clear();
        Ok((act, cancel))
    }

    /// Takes a report of the running act: one line a step, the latest word of it.
    pub(super) fn tell(&self, progress: &ActProgress) {
        let running = &mut self.inner().acts.running;
        match running.last_mut() {
            Some(last) if last.step == progress.step => *last = progress.clone(),
            _ => running.push(progress.clone()),
        }
    }

    /// The running act is over.
    fn end(&self, receipt: Receipt, machine: &Machine) {
        {
            let mut inner = self.inner();
            inner.cancel = None;
            inner.acts.running.clear();
            inner.acts.last = Some(receipt);
            // Every plan was made before it.
            inner.plans.clear();
        }
        let parked = parked::list(machine).parked;
        self.inner().acts.parked = parked;
    }

    /// Carries the running act out to its end. A fault of our own in it ends it as well: what it left is read
    /// from the journal, and the next act is not kept waiting for it until a restart.
    pub(super) fn carry_out(
        &self,
        machine: &Machine,
        act: &Act,
        run: impl FnOnce() -> Receipt,
    ) -> Receipt {
        // What it worked on was its own, and its lock is gone with it.
        let receipt = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let cause = said(&*panic);
            tracing::error!("the act {} met a fault of our own: {cause}", act.id);
            broken(machine, act, cause)
        });
        self.end(receipt.clone(), machine);
        receipt
    }

    /// It could not even begin.
    pub(super) fn give_up(&self) {
        self.inner().cancel = None;
    }

    /// Asks the running act to stop where it still may.
    pub(super) fn cancel(&self) {
        if let Some(cancel) = &self.inner().cancel {
            cancel.cancel();
        }
    }
}

/// The words of a panic, where it has any.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no cause was given")
}

#[cfg(test)]
mod tests;
