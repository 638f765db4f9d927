//! The engine's state and its rounds, without a thread: what happens at a tick, given the time.
//!
//! * [`State::look`] every tick: volumes and guest disks, judged and told. Microseconds.
//! * [`State::place`] every minute: which bundles and roots there are.
//! * [`State::record`] every minute: the history takes a point of every number, the forecasts follow.
//! * [`State::absorb`] when a full measurement ends: meters of bundles and roots.

use std::collections::BTreeMap;
use std::sync::Arc;

use sandtray_core::forecast::{Forecast, NoForecast, forecast, rate};
use sandtray_core::gauge::{Gauge, GaugeId, Meter};
use sandtray_core::history::{Event, EventKind, Point, Tier};
use sandtray_core::leftover::view::LeftoverSummary;
use sandtray_core::machine::Machine;
use sandtray_core::measurement::Gap;
use sandtray_core::notice::{self, Latch, Notice};
use sandtray_core::settings::{Settings, Snooze};
use sandtray_core::status::{Fault, FaultKind, Judged, Parts, Shape, Status};
use sandtray_core::time::{DAY, HOUR, MINUTE, Time};
use sandtray_core::verdict::{Verdict, judge};

use super::chart::{gauge_reading, meter_reading, volume_gauges};
use super::cut_off::CutOff;
use super::disks::Disks;
use super::full::{Full, Pace};
use super::inside::Rest;
use super::targets::targets;
use crate::locate::Located;
use crate::machine;
use crate::store::{History, Reading, SettingsFile};
use crate::volume::{self, Mounted, Prober};

/// Forecasts are computed anew this often: a slope over days does not change within a tick.
const FORECAST_EVERY: i64 = 5 * MINUTE;
/// A fall of more than a fifth of the limit between two records is a step: a reset, a clean-up.
const STEP_PART: u64 = 5;

/// Everything the engine knows.
pub(super) struct State {
    given: Machine,
    machine: Machine,
    pub(super) settings: Settings,
    pub(super) settings_file: SettingsFile,
    pub(super) history: History,
    pub(super) located: Located,
    volumes: Vec<Mounted>,
    prober: Prober,
    disks: Disks,
    gauges: Vec<Judged>,
    meters: Vec<(Meter, Option<f64>)>,
    shapes: Vec<Shape>,
    /// What of the leftovers could go, as last looked at.
    pub(super) leftovers: Option<LeftoverSummary>,
    /// Guest disks that are not read of our own accord for a while.
    pub(super) resting: Rest,
    look_gaps: Vec<Gap>,
    full_gaps: Vec<Gap>,
    /// Used of each gauge at the last record, to notice steps.
    recorded: BTreeMap<GaugeId, u64>,
    latch: Latch,
    own_faults: Vec<Fault>,
    surface_faults: BTreeMap<FaultKind, Fault>,
    pub(super) pace: Option<Arc<Pace>>,
    measured_at: Option<Time>,
    recorded_at: Option<Time>,
    forecast_at: Option<Time>,
    newest: Option<Time>,
}

impl State {
    /// Loads settings and history. Neither can fail: what is wrong with them becomes a fault.
    pub(super) fn open(given: Machine) -> Self {
        let now = machine::now(&given);
        let (settings_file, settings, own_faults) = SettingsFile::load(&given.own_config);
        let history = History::open(&given.own_data, now);
        let latch = history.latch();
        Self {
            machine: machine::with_settings(&given, &settings),
            given,
            settings,
            settings_file,
            history,
            located: Located::default(),
            volumes: Vec::new(),
            prober: Prober::default(),
            disks: Disks::default(),
            gauges: Vec::new(),
            meters: Vec::new(),
            shapes: Vec::new(),
            leftovers: None,
            resting: Rest::new(),
            look_gaps: Vec::new(),
            full_gaps: Vec::new(),
            recorded: BTreeMap::new(),
            latch,
            own_faults,
            surface_faults: BTreeMap::new(),
            pace: None,
            measured_at: None,
            recorded_at: None,
            forecast_at: None,
            newest: None,
        }
    }

    /// The machine with what the settings add.
    pub(super) const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Whether everything was measured in full since the start.
    pub(super) const fn is_measured(&self) -> bool {
        self.measured_at.is_some()
    }

    /// Whether a gauge or meter exists now.
    pub(super) fn exists(&self, id: &GaugeId) -> bool {
        self.gauges.iter().any(|judged| judged.gauge.id == *id)
            || self.meters.iter().any(|(meter, _)| meter.id == *id)
    }

    /// Puts meters in place of all that were known.
    pub(super) fn set_meters(&mut self, meters: Vec<Meter>) {
        self.meters = meters.into_iter().map(|meter| (meter, None)).collect();
        self.forecast_at = None;
    }

    /// The time now, as this machine has it.
    pub(super) fn now(&self) -> Time {
        machine::now(&self.given)
    }

    /// Takes what was located, and finds the volumes under it.
    pub(super) fn place(&mut self, located: Located) {
        let bundles = located.bundles.iter().map(|bundle| bundle.path.as_path());
        let roots = located.temp_roots.iter().map(|root| root.path.as_path());
        self.volumes = volume::of_paths(
            bundles
                .chain(roots)
                .chain([self.machine.own_data.as_path()]),
        );
        let targets = targets(&located);
        let known: Vec<GaugeId> = targets
            .iter()
            .flat_map(|target| target.meters().map(|(id, _)| id))
            .collect();
        self.meters.retain(|(meter, _)| known.contains(&meter.id));
        self.located = located;
    }

    /// One quick round: volumes and guest disks, judged; returns what to tell now.
    pub(super) fn look(&mut self, now: Time) -> Vec<Notice> {
        self.look_quietly(now);
        // Where another Sandtray records, that one tells.
        if !self.history.records() {
            return Vec::new();
        }
        let gauges = self.status(now).gauges;
        let before = self.latch.clone();
        let notices = notice::step(&mut self.latch, &gauges, &self.settings, now);
        if self.latch != before {
            self.history.save_latch(&self.latch, now);
        }
        notices
    }

    /// The same round for somebody who asked: nothing is told and the latch stays as it is.
    pub(super) fn look_quietly(&mut self, now: Time) {
        self.look_gaps.clear();
        self.look_gaps.extend(self.located.gaps.iter().cloned());
        let bundles = &self.located.bundles;
        let (history, gaps) = (&mut self.history, &mut self.look_gaps);
        let mut gauges = self
            .disks
            .gauges(&self.machine, bundles, history, now, gaps);
        for mounted in &self.volumes {
            gauges.extend(volume_gauges(mounted, &mut self.prober, now));
        }
        let fresh = self
            .forecast_at
            .is_some_and(|at| (0..FORECAST_EVERY).contains(&now.since(at)));
        let last = std::mem::take(&mut self.gauges);
        for gauge in gauges {
            let known = last.iter().find(|judged| judged.gauge.id == gauge.id);
            let forecast = match known {
                Some(judged) if fresh => judged.forecast,
                _ => self.forecast(&gauge, now),
            };
            // The last look that knew something: an unknown one between two low ones ends nothing.
            let before = known
                .map(|judged| judged.judgement)
                .filter(|judgement| judgement.verdict != Verdict::Unknown)
                .or_else(|| self.latch.before(&gauge.id));
            let judgement = judge(&gauge, &forecast, before, &self.settings.thresholds, now);
            self.gauges.push(Judged {
                gauge,
                forecast,
                judgement,
            });
        }
        if !fresh {
            self.rate_meters(now);
            self.forecast_at = Some(now);
        }
    }

    /// Whether a minute has passed since the history took its last points.
    pub(super) fn record_due(&self, now: Time) -> bool {
        self.recorded_at
            .is_none_or(|at| Tier::Minute.start(at) != Tier::Minute.start(now))
    }

    /// Gives the history a point of every gauge that is known now, and marks steps.
    pub(super) fn record(&mut self, now: Time) {
        // Inodes of a guest disk come, go and fall with its bytes, whose mark says it.
        let (marking, other): (Vec<_>, Vec<_>) = self
            .gauges
            .iter()
            .map(|judged| &judged.gauge)
            .partition(|gauge| gauge.kind.in_bytes() || !gauge.kind.is_guest());
        let mut round: Vec<_> = marking.into_iter().filter_map(gauge_reading).collect();
        let other: Vec<_> = other.into_iter().filter_map(gauge_reading).collect();
        self.mark_changes(&round, now);
        round.extend(other);
        self.history.record_all(now, &round, &self.latch);
        self.recorded_at = Some(now);
    }

    /// Marks what changed by itself since the last record of this session: a gauge that fell by a
    /// step, came up or is gone. The first record has nothing to compare with.
    fn mark_changes(&mut self, round: &[Reading], now: Time) {
        let first = self.recorded_at.is_none();
        let mut marks = Vec::new();
        for reading in round {
            let step = reading.limit.unwrap_or(u64::MAX) / STEP_PART;
            match self.recorded.insert(reading.id.clone(), reading.value) {
                None if !first => marks.push((reading.id.clone(), EventKind::Appeared)),
                Some(last) if last.saturating_sub(reading.value) > step => {
                    marks.push((reading.id.clone(), EventKind::SteppedDown));
                }
                _ => {}
            }
        }
        // A gauge that is only unknown now still exists.
        let gone: Vec<GaugeId> = self
            .recorded
            .keys()
            .filter(|id| !self.exists(id))
            .cloned()
            .collect();
        for id in gone {
            self.recorded.remove(&id);
            marks.push((id, EventKind::Vanished));
        }
        for (id, kind) in marks {
            self.history.mark(Event { at: now, id, kind });
            self.forecast_at = None;
        }
    }

    /// Where the history of a gauge leads.
    fn forecast(&mut self, gauge: &Gauge, now: Time) -> Forecast {
        match gauge.level {
            Ok(level) => forecast(&self.trend_points(&gauge.id, now), level, now),
            Err(_) => Forecast::Unknown(NoForecast::NoLevel),
        }
    }

    /// Computes the rates of all meters from the history.
    fn rate_meters(&mut self, now: Time) {
        let mut meters = std::mem::take(&mut self.meters);
        for (meter, per_day) in &mut meters {
            *per_day = rate(&self.trend_points(&meter.id, now), now);
        }
        self.meters = meters;
    }

    /// Points a slope is drawn through: 30 days in quarters of an hour, the last two hours in minutes.
    fn trend_points(&mut self, id: &GaugeId, now: Time) -> Vec<Point> {
        let recent = now.plus(-2 * HOUR);
        let mut points = self
            .history
            .points(id, Tier::Quarter, now.plus(-30 * DAY), recent);
        points.extend(
            self.history
                .points(id, Tier::Minute, recent.plus(1), now.plus(MINUTE)),
        );
        points
    }

    /// Takes the result of a full measurement into meters and history.
    pub(super) fn absorb(&mut self, full: Full, now: Time) {
        self.pace = None;
        // A cancelled round knows less than the last whole one: keep what was not reached.
        for meter in full.meters {
            if full.cancelled && !meter.complete {
                continue;
            }
            self.meters.retain(|(known, _)| known.id != meter.id);
            self.meters.push((meter, None));
        }
        self.forecast_at = None;
        if full.cancelled {
            return;
        }
        self.shapes = full.shapes;
        self.full_gaps = full.gaps;
        self.measured_at = Some(now);
        let round: Vec<_> = self
            .meters
            .iter()
            .filter_map(|(meter, _)| meter_reading(meter))
            .collect();
        self.history.record_all(now, &round, &self.latch);
    }

    /// Takes the result of a count into meters and history.
    pub(super) fn absorb_counts(&mut self, meters: Vec<Meter>, now: Time) {
        let round: Vec<_> = meters.iter().filter_map(meter_reading).collect();
        for meter in meters {
            // What a count does not know yet comes first from a full measurement.
            if let Some((known, _)) = self
                .meters
                .iter_mut()
                .find(|(known, _)| known.id == meter.id)
            {
                *known = meter;
            }
        }
        self.history.record_all(now, &round, &self.latch);
    }

    /// Is quiet about one gauge, or all.
    pub(super) fn snooze(&mut self, gauge: Option<&GaugeId>, span: Snooze, now: Time) {
        let gauges = self.status(now).gauges;
        self.latch.snooze(gauge, span, &gauges, now);
        self.history.save_latch(&self.latch, now);
    }

    /// Puts new settings in force; the caller has stored them.
    pub(super) fn apply(&mut self, settings: Settings) {
        self.machine = machine::with_settings(&self.given, &settings);
        self.settings = settings;
    }

    /// A surface has a fault of its own, or has it no more.
    pub(super) fn set_fault(&mut self, fault: Fault, present: bool) {
        if present {
            self.surface_faults.insert(fault.kind, fault);
        } else {
            self.surface_faults.remove(&fault.kind);
        }
    }

    /// An act that is neither here nor there is told until it is resolved.
    pub(super) fn tell_cut_off(&mut self, cut_off: &mut CutOff) {
        if let Some(fault) = cut_off.look(&self.machine) {
            let present = !fault.text.is_empty();
            self.set_fault(fault, present);
        }
    }

    /// Notices a clock that went back: spans are then wrong until it has caught up.
    pub(super) fn watch_clock(&mut self, now: Time) {
        let newest = self.newest.unwrap_or(now);
        let back = newest.since(now);
        let fault = Fault {
            kind: FaultKind::ClockWentBack,
            text: format!(
                "The clock went back by {back} s; the history goes on when it has caught up."
            ),
        };
        // A second or two is what time synchronisation does.
        self.set_fault(fault, back > 2 * MINUTE);
        self.newest = Some(newest.max(now));
    }

    /// The snapshot.
    pub(super) fn status(&self, now: Time) -> Status {
        let gaps: Vec<Gap> = self
            .look_gaps
            .iter()
            .chain(&self.full_gaps)
            .cloned()
            .collect();
        Status::assemble(&Parts {
            at: now,
            gauges: &self.gauges,
            meters: &self.meters,
            latch: &self.latch,
            bundles: &self.located.bundles,
            disks: self.disks.shown(),
            temp_roots: &self.located.temp_roots,
            shapes: &self.shapes,
            homes: &self.homes(),
            leftovers: self.leftovers,
            gaps: &gaps,
            progress: self.pace.as_ref().map(|pace| pace.progress()),
            measured_at: self.measured_at,
            faults: &self.faults(),
            label: self.machine.label.as_deref(),
        })
    }

    fn faults(&self) -> Vec<Fault> {
        let mut faults = self.own_faults.clone();
        faults.extend(self.history.faults());
        faults.extend(self.surface_faults.values().cloned());
        faults
    }
}
