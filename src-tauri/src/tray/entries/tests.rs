use sandtray_core::bundle::{BundleView, Profile};
use sandtray_core::forecast::{Forecast, NoForecast};
use sandtray_core::gauge::{Gauge, GaugeId, GaugeKind, Level};
use sandtray_core::paths::PathText;
use sandtray_core::status::{GaugeStatus, STATUS_SCHEMA};
use sandtray_core::time::{HOUR, Time};
use sandtray_core::verdict::{Judgement, Verdict};

use super::*;
use crate::icon::Face;
use crate::tray::View;

const NOW: Time = Time(1_795_000_000);

fn gauge(token: &str, used: u64, verdict: Verdict) -> GaugeStatus {
    let gauge = Gauge {
        id: GaugeId::new(GaugeKind::GuestSessions, token),
        kind: GaugeKind::GuestSessions,
        thing: "/home/me/claudevm.bundle".into(),
        level: Ok(Level {
            used,
            available: 100 - used,
            limit: 100,
        }),
        baseline: None,
        as_of: NOW,
        memory: false,
        live: true,
    };
    let judged = Judgement {
        verdict,
        cause: None,
        full: false,
    };
    let forecast = Forecast::Unknown(NoForecast::TooFew);
    GaugeStatus::new(&gauge, "Sessions disk".into(), &forecast, judged)
}

fn status(gauges: Vec<GaugeStatus>) -> Status {
    let worst = sandtray_core::status::worst(&gauges);
    Status {
        schema: STATUS_SCHEMA,
        at: NOW,
        verdict: worst.map_or(Verdict::Unknown, |gauge| gauge.verdict),
        summary: String::new(),
        advice: String::new(),
        worst: worst.map(|gauge| gauge.id.clone()),
        gauges,
        meters: vec![],
        bundles: vec![],
        temp_roots: vec![],
        homes: Vec::new(),
        leftovers: None,
        shapes: vec![],
        gaps: vec![],
        gap_count: 0,
        progress: None,
        measured_at: None,
        faults: vec![],
        label: None,
    }
}

/// Everything but the words.
fn shape(entries: &[Entry]) -> Vec<String> {
    entries
        .iter()
        .flat_map(|entry| match entry {
            Entry::Line(_) => vec!["line".to_owned()],
            Entry::Rule => vec!["rule".to_owned()],
            Entry::Act { act, .. } => vec![act.token().to_owned()],
            Entry::Group { entries, .. } => shape(entries),
        })
        .collect()
}

#[test]
fn the_menu_is_two_lines_then_the_acts_then_quit_whatever_the_status() {
    let wanted = [
        "line",
        "line",
        "rule",
        "open",
        "reset",
        "clean",
        "measure",
        "snooze-hour",
        "snooze-day",
        "snooze-off",
        "rule",
        "quit",
    ];
    for gauges in [
        vec![],
        vec![gauge("a", 40, Verdict::Ok)],
        vec![
            gauge("a", 95, Verdict::Critical),
            gauge("b", 50, Verdict::Unknown),
        ],
    ] {
        assert_eq!(shape(&entries(&status(gauges))), wanted);
    }
}

#[test]
fn notices_can_be_switched_on_again_only_while_some_are_snoozed() {
    let off_enabled = |status: &Status| match &entries(status)[7] {
        Entry::Group { entries, .. } => matches!(entries[2], Entry::Act { enabled: true, .. }),
        _ => panic!("the eighth entry is the group"),
    };
    let mut status = status(vec![gauge("a", 90, Verdict::Critical)]);
    assert!(!off_enabled(&status));
    status.gauges[0].snoozed_until = Some(NOW.plus(HOUR));
    assert!(off_enabled(&status));
    status.gauges[0].snoozed_until = Some(NOW.plus(-1));
    assert!(!off_enabled(&status));
}

#[test]
fn acts_are_found_again_by_their_token() {
    for act in Act::ALL {
        assert_eq!(Act::from_token(act.token()), Some(act));
    }
    assert_eq!(Act::from_token("sweep"), None);
}

#[test]
fn the_icon_shows_the_verdict_and_the_level_of_the_worst_gauge() {
    let view = View::of(&status(vec![
        gauge("a", 40, Verdict::Ok),
        gauge("b", 88, Verdict::Low),
    ]));
    assert_eq!(view.face, Face::new(Verdict::Low, Some(88.0)));
    assert_eq!(
        View::of(&status(vec![])).face,
        Face::new(Verdict::Unknown, None)
    );
}

#[test]
fn a_machine_that_is_not_real_is_labelled() {
    let mut status = status(vec![]);
    assert_eq!(View::of(&status).title, "Sandtray");
    status.label = Some("Demo".into());
    assert_eq!(View::of(&status).title, "Sandtray (Demo)");
}

#[test]
fn a_reset_is_offered_where_there_is_something_to_reset() {
    let offered = |status: &Status| {
        entries(status).into_iter().any(|entry| {
            matches!(
                entry,
                Entry::Act {
                    act: Act::Reset,
                    enabled: true,
                    ..
                }
            )
        })
    };
    let mut status = status(vec![]);
    assert!(!offered(&status));
    status.bundles.push(BundleView {
        id: "a".into(),
        path: PathText::default(),
        profile: Profile::Claude,
        live: true,
        detour: None,
        files: vec![],
        disks: vec![],
    });
    assert!(offered(&status));
}
