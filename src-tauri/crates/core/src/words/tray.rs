//! The tray: a tooltip and two lines.

use crate::bytes::decimal;
use crate::gauge::GaugeKind;
use crate::status::{FaultKind, ForecastState, GaugeStatus, Status, relevant, worst};
use crate::time::Time;
use crate::verdict::Verdict;

use super::{headline, name, number, span};

/// Windows cuts a tooltip at 127 UTF-16 units.
const TOOLTIP: usize = 120;

/// The tooltip: `Sandtray · Sessions disk 88 %, full in about 3 days`. At most 120 UTF-16 units.
#[must_use]
pub fn tooltip(status: &Status) -> String {
    let app = match &status.label {
        Some(label) => format!("Sandtray {}", name::middle(label, 16)),
        None => "Sandtray".to_owned(),
    };
    let text = match worst(&status.gauges) {
        Some(gauge) if gauge.verdict >= Verdict::Low => line(gauge, status.at),
        _ => status.summary.clone(),
    };
    fit(&format!("{app} · {text}"))
}

/// The two status lines of the menu: the gauge that matters most, then a fault of Sandtray's own or
/// the next gauge.
#[must_use]
pub fn menu_lines(status: &Status) -> [String; 2] {
    let Some(first) = worst(&status.gauges).filter(|gauge| gauge.percent.is_some()) else {
        let second = match second_line(status, None) {
            Some(second) => second,
            None => "Open the window to see why".to_owned(),
        };
        return [fit(&status.summary), second];
    };
    let second = second_line(status, Some(first)).unwrap_or_else(|| {
        if first.verdict == Verdict::Ok {
            "Nothing to do".to_owned()
        } else {
            "Open the window to see why".to_owned()
        }
    });
    [fit(&line(first, status.at)), second]
}

fn second_line(status: &Status, first: Option<&GaugeStatus>) -> Option<String> {
    // Without a tray nobody reads this.
    let fault = status
        .faults
        .iter()
        .find(|fault| fault.kind != FaultKind::NoTray);
    if let Some(fault) = fault {
        return Some(fit(super::fault(fault.kind)));
    }
    let next = relevant(&status.gauges)
        .find(|gauge| first.is_none_or(|first| first.id != gauge.id) && gauge.percent.is_some());
    next.map(|gauge| fit(&line(gauge, status.at)))
}

/// A gauge in one line: its name, how full, where it leads.
fn line(gauge: &GaugeStatus, now: Time) -> String {
    let (Some(available), true) = (gauge.available, gauge.verdict != Verdict::Unknown) else {
        return headline(gauge, now);
    };
    if gauge.full {
        return format!("{} full", gauge.name);
    }
    let amount = match gauge.kind {
        GaugeKind::GuestSessions
        | GaugeKind::HostInodes
        | GaugeKind::GuestSessionsInodes
        | GaugeKind::GuestSystemInodes => number::percent(gauge),
        // Percent says nothing of a system disk, and little of a volume.
        GaugeKind::GuestSystem | GaugeKind::HostBytes => {
            format!("{} available", decimal(available))
        }
    };
    let trend = match gauge.forecast.state {
        ForecastState::Filling => {
            span::until(&gauge.forecast, now).map(|until| format!("full {until}"))
        }
        ForecastState::Steady => Some("steady".to_owned()),
        ForecastState::Shrinking => Some("getting emptier".to_owned()),
        ForecastState::Unknown => None,
    };
    match trend {
        Some(trend) => format!("{} {amount}, {trend}", gauge.name),
        None => format!("{} {amount}", gauge.name),
    }
}

/// Cuts the end to what a tooltip holds.
fn fit(text: &str) -> String {
    if text.encode_utf16().count() <= TOOLTIP {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut units = 1_usize;
    for c in text.chars() {
        units = units.saturating_add(c.len_utf16());
        if units > TOOLTIP {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}
