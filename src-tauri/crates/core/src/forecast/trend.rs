//! The robust slope of a piece of history.

use crate::bytes::ratio_part;
use crate::history::Point;
use crate::time::{MINUTE, Time};

/// Seconds in a day, as a divisor.
pub(super) const SECONDS_A_DAY: f64 = 86_400.0;
/// Most samples a slope is made of: about two thousand pairs.
const MOST: u32 = 96;
/// A drop that restarts the history, as part of the limit; the same as the mark on the chart.
const DROP: f64 = 0.2;
/// A drop or rise that counts at all, as part of the limit.
const NOTABLE: f64 = 0.02;

/// A value at a time, in days relative to now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) day: f64,
    pub(super) value: f64,
}

/// A slope with its band, in units per day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trend {
    pub(super) lo: f64,
    pub(super) mid: f64,
    pub(super) hi: f64,
    /// Days it was seen.
    pub(super) span: f64,
    /// Largest less smallest value.
    pub(super) swing: f64,
    /// It falls notably again and again and grows between.
    pub(super) teeth: bool,
    /// Its last quarter still grows as the whole does.
    pub(super) goes_on: bool,
}

/// Seconds in days.
pub(super) fn days(seconds: i64) -> f64 {
    let size = ratio_part(seconds.unsigned_abs()) / SECONDS_A_DAY;
    if seconds < 0 { -size } else { size }
}

/// The points of the last `window` seconds in order of time, one a moment.
pub(super) fn samples(points: &[Point], now: Time, window: i64) -> Vec<Sample> {
    let mut kept: Vec<(Time, u64)> = points
        .iter()
        .map(|point| (point.at, point.last))
        .filter(|(at, _)| *at <= now.plus(MINUTE) && now.since(*at) <= window)
        .collect();
    kept.sort_by_key(|(at, _)| *at);
    // Of several values of one moment the one given last is the newest.
    kept.reverse();
    kept.dedup_by_key(|(at, _)| *at);
    kept.reverse();
    kept.into_iter()
        .map(|(at, value)| Sample {
            day: days(at.since(now)),
            value: ratio_part(value),
        })
        .collect()
}

/// Days from the first to the last sample.
pub(super) fn span(samples: &[Sample]) -> f64 {
    match (samples.first(), samples.last()) {
        (Some(first), Some(last)) => last.day - first.day,
        _ => 0.0,
    }
}

/// The median distance of neighbours, in days.
pub(super) fn usual_step(samples: &[Sample]) -> f64 {
    let steps = pairs(samples).map(|(from, to)| to.day - from.day);
    let mut steps: Vec<f64> = steps.collect();
    quantile(&mut steps, 50)
}

/// The samples since the last big drop.
///
/// Looks at neighbours, and at what is left after thinning too: a clean-up takes minutes, and no
/// single minute of it needs to be big.
pub(super) fn since_last_drop(samples: &[Sample], limit: u64) -> Vec<Sample> {
    let line = ratio_part(limit) * DROP;
    let mut rest = samples;
    loop {
        let coarse = thin(rest);
        let from = [rest, coarse.as_slice()]
            .into_iter()
            .filter_map(|samples| {
                let drops = pairs(samples).filter(|(from, to)| from.value - to.value > line);
                drops.map(|(_, to)| to.day).last()
            })
            .reduce(f64::max);
        let Some(from) = from else {
            return rest.to_vec();
        };
        let start = rest.partition_point(|sample| sample.day < from);
        // At least the sample before the drop goes, so this ends.
        rest = rest.get(start.max(1)..).unwrap_or_default();
    }
}

/// Keeps at most [`MOST`] samples, evenly in time, always the first and the last.
pub(super) fn thin(samples: &[Sample]) -> Vec<Sample> {
    let most = f64::from(MOST);
    let (Some(first), false) = (samples.first(), ratio_part_len(samples) <= most) else {
        return samples.to_vec();
    };
    let width = span(samples) / (most - 2.0);
    let mut kept = vec![*first];
    let mut bucket = first.day + width;
    for (sample, next) in pairs(samples).skip(1) {
        // The last sample of a bucket stands for it.
        if next.day > bucket {
            kept.push(sample);
            while width > 0.0 && bucket < next.day {
                bucket += width;
            }
        }
    }
    kept.extend(samples.last().copied());
    kept
}

impl Trend {
    /// The trend of samples; none where there are fewer than three moments.
    pub(super) fn of(samples: &[Sample], limit: u64) -> Option<Self> {
        let mut samples = thin(samples);
        let span = span(&samples);
        if samples.len() < super::FEWEST || span <= 0.0 {
            return None;
        }
        let teeth = has_teeth(&samples, limit);
        flatten_lone_rise(&mut samples, limit);

        let mut slopes = Vec::new();
        for (at, from) in samples.iter().enumerate() {
            for to in samples.iter().skip(at) {
                // Short pairs see stairs and noise; long ones see where it leads.
                let apart = to.day - from.day;
                if apart > 0.0 && apart >= span / 3.0 {
                    slopes.push((to.value - from.value) / apart);
                }
            }
        }
        let mid = quantile(&mut slopes, 50);
        // Few samples agree by chance.
        let doubt = mid.abs() / ratio_part_len(&samples);
        let smallest = samples.iter().map(|s| s.value).fold(f64::MAX, f64::min);
        let largest = samples.iter().map(|s| s.value).fold(0.0, f64::max);
        Some(Self {
            lo: quantile(&mut slopes, 10).min(mid) - doubt,
            mid,
            hi: quantile(&mut slopes, 90).max(mid) + doubt,
            span,
            swing: (largest - smallest).max(0.0),
            teeth,
            goes_on: goes_on(&samples, span, mid),
        })
    }

    /// Whether the slopes point both ways with like force.
    pub(super) fn contradicts(&self) -> bool {
        let (down, up) = (-self.lo, self.hi);
        down > 0.0 && up > 0.0 && down.min(up) > down.max(up) / 4.0
    }
}

/// Whether it falls notably at least twice and regains at least half of what it lost.
fn has_teeth(samples: &[Sample], limit: u64) -> bool {
    let line = ratio_part(limit) * NOTABLE;
    let (mut falls, mut lost, mut gained) = (0_u8, 0.0, 0.0);
    for (from, to) in pairs(samples) {
        let change = to.value - from.value;
        if change > 0.0 {
            gained += change;
        } else if -change > line {
            falls = falls.saturating_add(1);
            lost -= change;
        }
    }
    falls >= 2 && gained * 2.0 >= lost
}

/// Takes out one rise that is notable and stands alone: more than three times any other and
/// faster than usual.
///
/// It may be spread over three steps, an install takes its time. A rise that repeats is growth and
/// stays; so does a big one at the usual rate, over a night without measurements.
fn flatten_lone_rise(samples: &mut [Sample], limit: u64) {
    let rises: Vec<(f64, f64)> = pairs(samples)
        .map(|(from, to)| (to.value - from.value, to.day - from.day))
        .collect();
    let peak = rises
        .iter()
        .enumerate()
        .max_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b))
        .map(|(at, (rise, _))| (at, *rise));
    let Some((peak, largest)) = peak else {
        return;
    };
    let in_step =
        |at: usize, rise: f64| at == peak || (at.abs_diff(peak) == 1 && rise >= largest / 5.0);
    let (mut total, mut time, mut parts) = (0.0, 0.0, 0.0);
    let mut other: f64 = 0.0;
    let mut rates = Vec::new();
    for (at, (rise, apart)) in rises.iter().copied().enumerate() {
        if in_step(at, rise) {
            total += rise;
            time += apart;
            parts += 1.0;
        } else {
            other = other.max(rise);
            rates.push(rise / apart);
        }
    }
    let usual = quantile(&mut rates, 50).max(0.0);
    let alone = ratio_part_len(&rates) >= parts && total / parts > 3.0 * other;
    if !alone || total <= ratio_part(limit) * NOTABLE || total / time <= 2.0 * usual {
        return;
    }
    // What grows there as everywhere else is kept, so the slope has no dent.
    let mut lower = 0.0;
    for ((at, (rise, apart)), sample) in rises.iter().enumerate().zip(samples.iter_mut().skip(1)) {
        if in_step(at, *rise) {
            lower += (rise - usual * apart).max(0.0);
        }
        sample.value -= lower;
    }
}

/// Whether the last quarter grows at least a quarter as fast as the whole.
fn goes_on(samples: &[Sample], span: f64, mid: f64) -> bool {
    let Some(last) = samples.last() else {
        return false;
    };
    let start = samples.partition_point(|sample| sample.day < last.day - span / 4.0);
    // With few samples the quarter holds one; take its predecessor to have a slope.
    let start = start.min(samples.len().saturating_sub(2));
    samples.get(start).is_some_and(|first| {
        let apart = last.day - first.day;
        apart > 0.0 && (last.value - first.value) / apart >= mid / 4.0
    })
}

/// Neighbours.
fn pairs(samples: &[Sample]) -> impl Iterator<Item = (Sample, Sample)> + '_ {
    samples.iter().copied().zip(samples.iter().copied().skip(1))
}

/// The value below which `percent` of the values lie; 0 where there are none.
fn quantile(values: &mut [f64], percent: usize) -> f64 {
    let last = values.len().saturating_sub(1);
    let at = last.saturating_mul(percent).saturating_add(50) / 100;
    if at > last || values.is_empty() {
        return 0.0;
    }
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

fn ratio_part_len<T>(items: &[T]) -> f64 {
    ratio_part(u64::try_from(items.len()).unwrap_or(u64::MAX))
}
