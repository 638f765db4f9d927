//! What to tell, once: a step with memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::gauge::GaugeId;
use crate::settings::Settings;
use crate::status::GaugeStatus;
use crate::time::Time;
use crate::verdict::Verdict;

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// It will get tight.
    Low,
    /// Work fails soon.
    Critical,
    /// Told once more: full.
    Full,
}

/// What we decide to tell. The OS notification shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Notice {
    /// The gauge it speaks of; a click leads there.
    pub gauge: GaugeId,
    /// How loud.
    pub level: NoticeLevel,
    /// What and when, in one sentence.
    pub title: String,
    /// The remedy, in one sentence.
    pub body: String,
}

/// What is remembered of one gauge between rounds and across restarts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// When it left Ok; none while it is fine.
    pub since: Option<Time>,
    /// The loudest level told in this incident.
    pub told: Option<NoticeLevel>,
    /// No notices before this moment.
    pub snoozed_until: Option<Time>,
    /// The last judged state, for hysteresis across restarts.
    pub verdict: Option<Verdict>,
}

/// The latch: memory of all gauges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Latch {
    /// By gauge.
    pub incidents: BTreeMap<GaugeId, Incident>,
    /// Start of the day (UTC) that `told_today` counts.
    pub day: Time,
    /// Notices told on that day.
    pub told_today: u8,
}

/// One round: updates the latch, returns what to tell now.
pub fn step(
    _latch: &mut Latch,
    _gauges: &[GaugeStatus],
    _settings: &Settings,
    _now: Time,
) -> Vec<Notice> {
    Vec::new()
}
