//! The snapshot that every surface draws. Its JSON is the contract of `status --json` and of the window.

mod assemble;
#[cfg(test)]
pub(crate) mod sample;

pub use assemble::{GAPS_SHOWN, Judged, Parts};

use serde::{Deserialize, Serialize};

use crate::bundle::{BundleView, TempRootView};
use crate::forecast::Forecast;
use crate::gauge::{Gauge, GaugeId, GaugeKind, Meter, MeterKind, UnknownReason};
use crate::inside::HomesSummary;
use crate::leftover::view::LeftoverSummary;
use crate::measurement::Gap;
use crate::paths::PathText;
use crate::time::Time;
use crate::verdict::{Cause, Judgement, Verdict};

/// The contract's number.
pub const STATUS_SCHEMA: u32 = 1;

/// A forecast as surfaces show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ForecastView {
    /// Which of the four it is.
    pub state: ForecastState,
    /// Units per day, signed; none where unknown.
    pub rate_per_day: Option<f64>,
    /// When it is most likely full, seconds since 1970; only while filling.
    pub full_at: Option<Time>,
    /// Earliest end of the band.
    pub earliest: Option<Time>,
    /// Latest end of the band; none where the slow end never fills it.
    pub latest: Option<Time>,
    /// Why it is unknown.
    pub reason: Option<crate::forecast::NoForecast>,
}

/// The state of a forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum ForecastState {
    /// It grows and will be full.
    Filling,
    /// It stays.
    Steady,
    /// It gets emptier.
    Shrinking,
    /// Nothing can be said.
    Unknown,
}

impl From<&Forecast> for ForecastView {
    fn from(forecast: &Forecast) -> Self {
        let mut view = Self {
            state: ForecastState::Unknown,
            rate_per_day: None,
            full_at: None,
            earliest: None,
            latest: None,
            reason: None,
        };
        match *forecast {
            Forecast::Filling {
                rate,
                earliest,
                likely,
                latest,
            } => {
                view.state = ForecastState::Filling;
                view.rate_per_day = Some(rate);
                view.full_at = Some(likely);
                view.earliest = Some(earliest);
                view.latest = latest;
            }
            Forecast::Steady { rate } => {
                view.state = ForecastState::Steady;
                view.rate_per_day = Some(rate);
            }
            Forecast::Shrinking { rate } => {
                view.state = ForecastState::Shrinking;
                view.rate_per_day = Some(rate);
            }
            Forecast::Unknown(reason) => view.reason = Some(reason),
        }
        view
    }
}

/// A gauge, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct GaugeStatus {
    /// Stable name; send this back, never a path.
    pub id: GaugeId,
    /// What it measures.
    pub kind: GaugeKind,
    /// What a person calls it.
    pub name: String,
    /// The mount point or bundle path, for a tooltip.
    pub detail: String,
    /// Bytes or inodes taken; none where unknown.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub used: Option<u64>,
    /// What this user can still take.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub available: Option<u64>,
    /// The whole.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub limit: Option<u64>,
    /// `used / (used + available)` in percent.
    pub percent: Option<f64>,
    /// What a fresh system disk of this release uses; none where unknown and for other kinds.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub baseline: Option<u64>,
    /// The judged state.
    pub verdict: Verdict,
    /// What made it low or critical.
    pub cause: Option<Cause>,
    /// At or over the line where it counts as full.
    pub full: bool,
    /// Why there is no number.
    pub reason: Option<UnknownReason>,
    /// Where it leads.
    pub forecast: ForecastView,
    /// When the number was true.
    pub as_of: Time,
    /// The filesystem lives in memory.
    pub memory: bool,
    /// The live disk of the bundle in use, or a volume that holds something of ours.
    pub live: bool,
    /// No notices before this moment.
    pub snoozed_until: Option<Time>,
}

impl GaugeStatus {
    /// Puts a gauge, its forecast and its judgement into one.
    #[must_use]
    pub fn new(gauge: &Gauge, name: String, forecast: &Forecast, judged: Judgement) -> Self {
        let level = gauge.level.as_ref().ok();
        Self {
            id: gauge.id.clone(),
            kind: gauge.kind,
            name,
            detail: gauge.thing.clone(),
            used: level.map(|level| level.used),
            available: level.map(|level| level.available),
            limit: level.map(|level| level.limit),
            percent: level.map(|level| level.percent()),
            baseline: gauge.baseline,
            verdict: judged.verdict,
            cause: judged.cause,
            full: judged.full,
            reason: gauge.level.as_ref().err().copied(),
            forecast: forecast.into(),
            as_of: gauge.as_of,
            memory: gauge.memory,
            live: gauge.live,
            snoozed_until: None,
        }
    }
}

/// A meter, with its rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct MeterStatus {
    /// Stable name.
    pub id: GaugeId,
    /// What it counts.
    pub kind: MeterKind,
    /// What a person calls it.
    pub name: String,
    /// The path it belongs to.
    pub detail: String,
    /// The count; none where unknown.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub value: Option<u64>,
    /// Everything below could be read; false means "at least".
    pub complete: bool,
    /// Units per day, signed; none where unknown.
    pub rate_per_day: Option<f64>,
    /// Why there is no number.
    pub reason: Option<UnknownReason>,
    /// When it was measured.
    pub as_of: Time,
}

impl MeterStatus {
    /// Puts a meter, its name and its rate into one.
    #[must_use]
    pub fn new(meter: &Meter, name: String, rate_per_day: Option<f64>) -> Self {
        Self {
            id: meter.id.clone(),
            kind: meter.kind,
            name,
            detail: meter.thing.clone(),
            value: meter.value.ok(),
            complete: meter.complete,
            rate_per_day,
            reason: meter.value.err(),
            as_of: meter.as_of,
        }
    }
}

/// A group of siblings whose names have the same shape, such as `tmp????????`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Shape {
    /// The directory that holds them.
    #[serde(flatten)]
    pub path: PathText,
    /// The shape: letters as written, varying runs as `*`.
    pub shape: String,
    /// How many there are.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

/// How far a running full measurement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Progress {
    /// Roots and bundles done.
    pub done: u32,
    /// Roots and bundles in all.
    pub total: u32,
    /// Entries seen so far.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
    /// When it began.
    pub since: Time,
}

/// A fault that concerns Sandtray itself, told on every surface until it is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Fault {
    /// Which one.
    pub kind: FaultKind,
    /// Operation, path and cause, as one line.
    pub text: String,
}

/// What can be wrong with Sandtray itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The history was corrupt and was set aside; a new one began.
    HistorySetAside,
    /// The history cannot be written now (full disk): it goes on in memory.
    HistoryInMemory,
    /// The history is from a newer version and is left alone.
    HistoryNewer,
    /// The settings could not be read; defaults are in force and the file is left alone.
    SettingsUnreadable,
    /// The settings are from a newer version; defaults are in force and the file is left alone.
    SettingsNewer,
    /// The settings hold keys we do not know; they are kept.
    SettingsUnknownKeys,
    /// Another Sandtray owns the history; this one only reads.
    ReadOnly,
    /// The machine's clock went back.
    ClockWentBack,
    /// An action of an earlier run ended in the middle and could not be put right yet.
    ActInterrupted,
    /// No tray host on this desktop.
    NoTray,
    /// No notification server, or no session bus.
    NoNotifications,
}

/// The snapshot that surfaces draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Status {
    /// The contract's number.
    pub schema: u32,
    /// When it was made.
    pub at: Time,
    /// The worst of all gauges; unknown while nothing is known.
    pub verdict: Verdict,
    /// The one sentence: what and when.
    pub summary: String,
    /// A second sentence: why, or what to do.
    pub advice: String,
    /// The gauge the summary speaks of.
    pub worst: Option<GaugeId>,
    /// Every gauge, the one that matters most first.
    pub gauges: Vec<GaugeStatus>,
    /// Every meter.
    pub meters: Vec<MeterStatus>,
    /// Every bundle.
    pub bundles: Vec<BundleView>,
    /// Every temp root.
    pub temp_roots: Vec<TempRootView>,
    /// Largest groups of like-named siblings in temp roots.
    pub shapes: Vec<Shape>,
    /// Session homes on each sessions disk, as last read.
    pub homes: Vec<HomesSummary>,
    /// What of the leftovers could go, as last looked at; none before the first look.
    pub leftovers: Option<LeftoverSummary>,
    /// What could not be read, capped.
    pub gaps: Vec<Gap>,
    /// How many gaps there are in all.
    pub gap_count: u32,
    /// A full measurement is running.
    pub progress: Option<Progress>,
    /// When everything was last measured in full.
    pub measured_at: Option<Time>,
    /// What is wrong with Sandtray itself.
    pub faults: Vec<Fault>,
    /// Shown beside the name where this is not the real machine: "Demo".
    pub label: Option<String>,
}

/// Where in the window a click in the tray or on a notification leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case", tag = "to")]
pub enum Lead {
    /// To a gauge.
    Gauge {
        /// Which.
        id: GaugeId,
    },
    /// To the reset.
    Reset,
    /// To the leftovers.
    Leftovers,
    /// To what was done, and what stands aside.
    Activity,
}

/// The gauges that decide what the icon and the headline say: those in use, or all where none is.
pub fn relevant(gauges: &[GaugeStatus]) -> impl Iterator<Item = &GaugeStatus> {
    let any_live = gauges.iter().any(|gauge| gauge.live);
    gauges.iter().filter(move |gauge| gauge.live || !any_live)
}

/// The gauge that decides the verdict of the whole: critical, low, unknown, ok; none where there is none.
///
/// A gauge that is unknown does not hide one that is critical, nor is it hidden by fine ones. Two
/// exceptions: disks of a bundle that is not in use decide nothing, and a gauge that was not looked
/// at yet decides only while nothing else is known.
#[must_use]
pub fn worst(gauges: &[GaugeStatus]) -> Option<&GaugeStatus> {
    let pending = |gauge: &GaugeStatus| gauge.reason == Some(UnknownReason::NotMeasured);
    // `max_by_key` would return the last of equals; the order of gauges is by importance.
    let first_worst = |with_pending: bool| {
        relevant(gauges)
            .filter(|gauge| with_pending || !pending(gauge))
            .reduce(|worst, gauge| {
                if (gauge.verdict, gauge.full) > (worst.verdict, worst.full) {
                    gauge
                } else {
                    worst
                }
            })
    };
    first_worst(false).or_else(|| first_worst(true))
}
