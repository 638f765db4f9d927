//! Medians and ratios, and the table of them.

use crate::bench::peers;

/// What one run cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// Seconds of processor, user and system.
    pub(super) cpu: f64,
    /// Seconds on the clock.
    pub(super) wall: f64,
    /// Kilobytes (of 1024) of memory at the highest.
    pub(super) peak: f64,
}

impl Cost {
    /// Reads `user system elapsed kilobytes`; GNU `time` tells hundredths of a second.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<f64> = text
            .split_ascii_whitespace()
            .map(|word| word.parse().ok())
            .collect::<Option<_>>()?;
        let &[user, system, wall, peak] = numbers.as_slice() else {
            return None;
        };
        Some(Self {
            cpu: user + system,
            wall,
            peak,
        })
    }
}

/// What one program cost, round by round.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) costs: Vec<Cost>,
    pub(super) total: Option<u64>,
}

impl Row {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            costs: Vec::new(),
            total: None,
        }
    }

    fn median(&self, of: fn(&Cost) -> f64) -> f64 {
        median(self.costs.iter().map(of).collect())
    }

    /// Megabytes of memory at the highest.
    pub(super) fn megabytes(&self) -> f64 {
        self.median(peak) * 1024.0 / 1e6
    }

    /// The median of the ratios to `other`, each within one round.
    pub(super) fn ratio(&self, other: &Self, of: fn(&Cost) -> f64) -> f64 {
        let pairs = self.costs.iter().zip(&other.costs);
        median(
            pairs
                .map(|(mine, other)| of(mine) / of(other).max(0.001))
                .collect(),
        )
    }
}

pub(super) fn cpu(cost: &Cost) -> f64 {
    cost.cpu
}

pub(super) fn wall(cost: &Cost) -> f64 {
    cost.wall
}

fn peak(cost: &Cost) -> f64 {
    cost.peak
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match (numbers.get(middle.wrapping_sub(1)), numbers.get(middle)) {
        (Some(low), Some(high)) if numbers.len().is_multiple_of(2) => (low + high) / 2.0,
        (_, Some(middle)) => *middle,
        _ => f64::NAN,
    }
}

/// Prints the rows; the first is ours and what the others are compared with. Totals are compared with
/// that of `truth`.
pub(super) fn print(rows: &[Row], truth: &str) {
    let Some(ours) = rows.first() else {
        return;
    };
    let total = rows
        .iter()
        .find(|row| row.name == truth)
        .and_then(|row| row.total);
    println!(
        "{:<14} {:>8} {:>6}  {:>8} {:>6}  {:>9}  total",
        "", "CPU", "", "wall", "", "peak"
    );
    for row in rows {
        println!(
            "{:<14} {:>6.2} s {:>5.2}×  {:>6.2} s {:>5.2}×  {:>6.1} MB  {}",
            row.name,
            row.median(cpu),
            row.ratio(ours, cpu),
            row.median(wall),
            row.ratio(ours, wall),
            row.megabytes(),
            compared(row.total, total, truth),
        );
    }
}

/// Prints how we do beside the best of the peers.
pub(super) fn print_best(rows: &[Row]) {
    let Some((ours, others)) = rows.split_first() else {
        return;
    };
    let peers: Vec<&Row> = others
        .iter()
        .filter(|row| peers::is_peer(&row.name))
        .collect();
    let least = |of: fn(&Cost) -> f64| {
        peers
            .iter()
            .min_by(|a, b| a.median(of).total_cmp(&b.median(of)))
            .copied()
    };
    if let (Some(cpu_peer), Some(wall_peer)) = (least(cpu), least(wall)) {
        let threads = others
            .iter()
            .find(|row| !peers::is_peer(&row.name))
            .unwrap_or(ours);
        println!(
            "one thread takes {:.2} of the CPU of {}, the best peer; two take {:.2} of the time of {}",
            ours.ratio(cpu_peer, cpu),
            cpu_peer.name,
            threads.ratio(wall_peer, wall),
            wall_peer.name,
        );
    }
}

fn compared(total: Option<u64>, truth: Option<u64>, name: &str) -> String {
    match (total, truth) {
        (None, _) => "not printed".to_owned(),
        (Some(total), Some(truth)) if total == truth => format!("{total} = {name}"),
        (Some(total), Some(truth)) => {
            let difference = i128::from(total) - i128::from(truth);
            format!("{total} DIFFERS by {difference:+}")
        }
        (Some(total), None) => total.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_what_gnu_time_says() {
        let cost = Cost::parse("0.10 0.85 1.02 3400\n").unwrap();
        assert!((cost.cpu - 0.95).abs() < 1e-9);
        assert_eq!((cost.wall, cost.peak), (1.02, 3400.0));
        assert_eq!(Cost::parse("Command exited with non-zero status 1"), None);
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }
}
