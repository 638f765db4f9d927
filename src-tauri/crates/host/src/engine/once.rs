//! One round without a thread: what a command line asks for.

use std::sync::Arc;

use sandtray_core::gauge::GaugeId;
use sandtray_core::history::{History, Range};
use sandtray_core::machine::Machine;
use sandtray_core::status::Status;

use super::cut_off::CutOff;
use super::full;
use super::inside::{Place, read_daily};
use super::state::State;
use crate::locate::locate;
use crate::walk;

/// Looks at everything once and records it, where no other Sandtray owns the history.
///
/// With `full`, bundles and temp roots are measured too, and `entries` counts along; without it their
/// last numbers come from the history, with their age. Notices are not told here, and the latch is
/// left as it is: a person who asks needs no notification, and must not use up the one to come.
#[must_use]
pub fn once(machine: Machine, full: bool, entries: &walk::Progress) -> Status {
    let mut state = State::open(machine);
    state.place(locate(state.machine()));
    if full {
        let (plan, _) = full::plan(&state.located, state.now(), entries);
        let clock = state.machine().clone();
        let measured = plan.run(|| crate::machine::now(&clock));
        let now = state.now();
        state.absorb(measured, now);
        look_inside(&mut state, entries);
    } else {
        state.recall_meters();
    }
    let now = state.now();
    state.look_quietly(now);
    state.tell_cut_off(&mut CutOff::default());
    state.record(now);
    state.status(now)
}

/// Counts the homes on every sessions disk, and keeps the reading where one is due. A disk that cannot be
/// read has a gauge that says so.
fn look_inside(state: &mut State, entries: &walk::Progress) {
    let places: Vec<Place> = state.guest_disks().filter(Place::has_homes).collect();
    let machine = state.machine().clone();
    let now = || crate::machine::now(&machine);
    for (top, took) in read_daily(&Arc::default(), &places, entries, now) {
        state.absorb_top(top, took);
    }
}

/// The chart of a range, as the window would draw it; of one gauge or meter where one is named.
#[must_use]
pub fn history(machine: Machine, range: Range, only: Option<&GaugeId>) -> History {
    let mut history = State::open(machine).chart(range);
    history
        .series
        .retain(|series| only.is_none_or(|id| *id == series.id));
    history
}
