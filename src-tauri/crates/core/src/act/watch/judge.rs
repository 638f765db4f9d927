//! What follows from all that is remembered: which state the rebuild is in.

use super::disks::Disks;
use super::files::Motion;
use super::line::Fault;
use super::{Fold, GROWS, Observation, SETTLED};
use crate::act::receipt::Rebuild;
use crate::time::{MINUTE, Time};

/// So long a download that the log spoke of is shown, though nothing moves (#32197).
const STALLED: i64 = 10 * MINUTE;
/// So long the start of a VM may take; its own limit is 60 to 120 seconds.
const BOOTS: i64 = 150;
/// So long a fault must stand before it is the end: the next attempt begins within a second or two.
const STANDS: i64 = 5;
/// So long there may be nothing where the app says there is something.
const EMPTY: i64 = 20;
/// Deletions without a whole bundle between them that make a loop.
const CYCLES: u32 = 2;
/// Times the same fault is met in a row that make a loop.
const REPEATS: u32 = 3;

impl Fold {
    pub(super) fn judge(&mut self, look: &Observation, motion: Motion, now: Time) -> Rebuild {
        if let Some(cause) = self.looping() {
            return Rebuild::Looping {
                cause: cause.sentence().to_owned(),
            };
        }
        let within = |at: Option<Time>, limit: i64| at.is_some_and(|at| now.since(at) < limit);
        let comes_in = !self.files_ready && within(self.downloaded_at, STALLED);
        let fetches = !self.files_ready && within(self.downloaded_at, GROWS);
        let state = self.wanted.judge(&look.files, self.mounted);
        self.whole_at = if state.whole && !motion.progress && !fetches {
            self.whole_at.or(Some(now))
        } else {
            None
        };
        if let Some(fault) = self.fault(state, now) {
            return Rebuild::Failed {
                cause: fault.sentence().to_owned(),
            };
        }
        if self.is_ready(state, look.runs, now) {
            return Rebuild::Ready;
        }
        if look.runs == Some(false) {
            return Rebuild::Waiting;
        }
        if motion.unpacking && motion.progress {
            self.unpacked_at = Some(now);
        }
        // Once all is there it lasts no longer than what was seen of it.
        let lasts = if self.files_ready { SETTLED } else { GROWS };
        let unpacking = within(self.unpacked_at, lasts);
        let downloading = motion.downloading && !self.files_ready;
        let percent = self.percent.filter(|_| comes_in);
        // Downloads beside an image that is being unpacked are of smaller files.
        let boots = within(self.booting_at, BOOTS) || self.started_at.is_some();
        if boots && self.booting_at >= self.unpacked_at {
            Rebuild::Booting
        } else if unpacking && percent.is_none_or(|percent| percent >= 99) {
            Rebuild::Unpacking
        } else if downloading || comes_in {
            Rebuild::Downloading { percent }
        } else if unpacking {
            Rebuild::Unpacking
        } else if boots {
            Rebuild::Booting
        } else {
            Rebuild::Waiting
        }
    }

    fn looping(&self) -> Option<Fault> {
        if self.deletions.max(self.vanishings) >= CYCLES {
            return Some(if self.gate {
                Fault::Gate
            } else {
                Fault::Deletes
            });
        }
        self.repeats
            .iter()
            .find(|(fault, times)| {
                matches!(
                    fault,
                    Fault::Checksum | Fault::CrossDevice | Fault::NoAnswer
                ) && **times >= REPEATS
            })
            .map(|(fault, _)| *fault)
    }

    fn fault(&self, state: Disks, now: Time) -> Option<Fault> {
        let long = |at: Option<Time>, limit: i64| at.is_some_and(|at| now.since(at) >= limit);
        if let Some(met) = self.met {
            let fetching = matches!(
                met.fault,
                Fault::Download | Fault::Checksum | Fault::CrossDevice | Fault::NoSpace
            );
            let overtaken = fetching && state.whole;
            let stands = met.final_ || met.fault == Fault::Latched || long(Some(met.at), STANDS);
            if stands && !overtaken {
                return Some(met.fault);
            }
        }
        if !state.system && long(self.prepared_at, EMPTY) && self.started_at.is_none() {
            return Some(Fault::NothingMade);
        }
        let no_sessions = self.wanted.needs_sessions() && !state.sessions;
        (no_sessions && long(self.started_at, EMPTY)).then_some(Fault::NoSessions)
    }

    fn is_ready(&self, state: Disks, runs: Option<bool>, now: Time) -> bool {
        let Some(whole_at) = self.whole_at else {
            // The guest runs: it knows better than a list of names what it needs.
            let enough = state.system && (state.sessions || !self.wanted.needs_sessions());
            let settled = self
                .started_at
                .is_some_and(|at| now.since(at) >= SETTLED && self.files_ready);
            return enough && settled;
        };
        if self.started_at.is_some() {
            return true;
        }
        let since = now.since(whole_at);
        if self.booting_at.is_some() {
            // It was said that the VM starts, so a word is waited for as long as that may take.
            return since >= BOOTS;
        }
        match state.readable {
            // Put back by a restore: whole from the first look, so the app is given time to say more.
            true if self.restored && runs != Some(false) => {
                since >= SETTLED && now.since(self.began_at) >= EMPTY
            }
            true => since >= SETTLED,
            // Locked, so somebody runs it; the log may have stopped long ago (#85199).
            false => since >= BOOTS,
        }
    }
}
