//! What the state says of the past: charts, and the last numbers of meters.

use sandtray_core::gauge::{Gauge, GaugeId, GaugeKind, Level, Meter};
use sandtray_core::history::{History, Range, Series, Tier, Unit};
use sandtray_core::time::{MINUTE, Time};
use sandtray_core::words;

use super::state::State;
use super::targets::targets;
use crate::store::{Reading, SeriesMeta};
use crate::volume::{Mounted, Prober};

/// The contract's number.
const HISTORY_SCHEMA: u32 = 1;

impl State {
    /// The chart of a range: a line for every series that has a point in it or exists now.
    pub(super) fn chart(&mut self, range: Range) -> History {
        let to = self.now();
        let from = to.plus(-range.seconds());
        let tier = range.tier();
        let mut series = Vec::new();
        for SeriesMeta {
            id,
            name,
            unit,
            limit,
        } in self.history.series()
        {
            // A point stands at the start of its span, which may lie just before the range.
            let points =
                self.history
                    .points(&id, tier, from.plus(-tier.step()), to.plus(tier.step()));
            if !points.is_empty() || self.exists(&id) {
                series.push(Series {
                    id,
                    name,
                    unit,
                    limit,
                    points,
                });
            }
        }
        History {
            schema: HISTORY_SCHEMA,
            range,
            from,
            to,
            step: tier.step(),
            series,
            events: self.history.events(from, to.plus(MINUTE)),
        }
    }

    /// Takes the meters' last numbers from the history, with their age: for a quick look.
    pub(super) fn recall_meters(&mut self) {
        let now = self.now();
        let mut recalled = Vec::new();
        let targets = targets(&self.located);
        let meters = targets.iter().flat_map(|target| {
            target
                .meters()
                .map(move |(id, kind)| (id, kind, &target.thing))
        });
        for (id, kind, thing) in meters {
            let last = Tier::ALL.into_iter().find_map(|tier| {
                self.history
                    .points(&id, tier, now.plus(-tier.step() * tier.slots()), now)
                    .pop()
            });
            if let Some(point) = last {
                let (value, thing) = (Ok(point.last), thing.display().to_string());
                recalled.push(Meter {
                    id,
                    kind,
                    thing,
                    value,
                    complete: true,
                    as_of: point.at,
                });
            }
        }
        self.set_meters(recalled);
    }
}

/// The gauges of a volume: bytes, and inodes where it has a fixed number of them.
pub(super) fn volume_gauges(mounted: &Mounted, prober: &mut Prober, now: Time) -> Vec<Gauge> {
    let volume = &mounted.volume;
    let gauge = |kind, level| Gauge {
        id: GaugeId::new(kind, &volume.id),
        kind,
        thing: volume.mount_point.display().to_string(),
        level,
        baseline: None,
        as_of: now,
        memory: volume.memory,
        live: true,
    };
    match prober.probe(mounted) {
        Err(reason) => vec![gauge(GaugeKind::HostBytes, Err(reason))],
        Ok(fill) => {
            let bytes = Level {
                used: fill.total.saturating_sub(fill.free),
                available: fill.available,
                limit: fill.total,
            };
            let inodes = fill.inodes.map(|inodes| Level {
                used: inodes.total.saturating_sub(inodes.available),
                available: inodes.available,
                limit: inodes.total,
            });
            let mut gauges = vec![gauge(GaugeKind::HostBytes, Ok(bytes))];
            gauges.extend(inodes.map(|level| gauge(GaugeKind::HostInodes, Ok(level))));
            gauges
        }
    }
}

/// What the history keeps of a gauge; nothing where it is unknown: a gap.
pub(super) fn gauge_reading(gauge: &Gauge) -> Option<Reading> {
    let level = gauge.level.ok()?;
    Some(Reading {
        id: gauge.id.clone(),
        name: words::gauge_name(gauge.kind, &gauge.thing, gauge.memory),
        unit: if gauge.kind.in_bytes() {
            Unit::Bytes
        } else {
            Unit::Entries
        },
        limit: Some(level.limit),
        value: level.used,
    })
}

/// What the history keeps of a meter; nothing where it is unknown. One that is only "at least" is kept:
/// a temp folder with a corner nobody may read is like that for ever, and still grows.
pub(super) fn meter_reading(meter: &Meter) -> Option<Reading> {
    Some(Reading {
        id: meter.id.clone(),
        name: words::meter_name(meter.kind, &meter.thing),
        unit: if meter.kind.in_bytes() {
            Unit::Bytes
        } else {
            Unit::Entries
        },
        limit: None,
        value: meter.value.ok()?,
    })
}
