use proptest::prelude::*;

use super::*;
use crate::forecast::Forecast;
use crate::gauge::{Gauge, GaugeKind, UnknownReason};
use crate::settings::Thresholds;
use crate::status::sample::{NOW, gauge, one, sessions, unknown};
use crate::verdict::judge;

use NoticeLevel::{Critical, Full, Low};

/// The engine's round: judge with the latch's memory, then step.
fn round(latch: &mut Latch, gauges: &[Gauge], settings: &Settings, now: Time) -> Vec<NoticeLevel> {
    let steady = Forecast::Steady { rate: 0.0 };
    let judged: Vec<GaugeStatus> = gauges
        .iter()
        .map(|gauge| {
            let before = latch.before(&gauge.id);
            let judgement = judge(gauge, &steady, before, &Thresholds::default(), now);
            GaugeStatus::new(gauge, gauge.thing.clone(), &steady, judgement)
        })
        .collect();
    let notices = step(latch, &judged, settings, now);
    notices.into_iter().map(|notice| notice.level).collect()
}

fn told(latch: &mut Latch, permille: u64, now: Time) -> Vec<NoticeLevel> {
    round(latch, &[sessions(permille)], &Settings::default(), now)
}

/// A store and a restart between rounds.
fn restarted(latch: &Latch) -> Latch {
    serde_json::from_str(&serde_json::to_string(latch).unwrap()).unwrap()
}

#[test]
fn each_level_is_told_once_and_anew_after_recovery() {
    let mut latch = Latch::default();
    for (permille, expected) in [
        (700, vec![]),
        (805, vec![Low]),
        (806, vec![]),
        (795, vec![]),
        (805, vec![]),
        (905, vec![Critical]),
        (850, vec![]),
        (905, vec![]),
        (995, vec![Full]),
        (1000, vec![]),
        (905, vec![]),
        (995, vec![]),
        (700, vec![]),
        (805, vec![Low]),
        (100, vec![]),
        (1000, vec![Full]),
        (905, vec![]),
    ] {
        latch = restarted(&latch);
        assert_eq!(told(&mut latch, permille, NOW), expected, "{permille}");
    }
}

#[test]
fn a_look_that_failed_neither_ends_nor_repeats() {
    let mut latch = Latch::default();
    assert_eq!(told(&mut latch, 805, NOW), [Low]);
    let lost = unknown(sessions(0), UnknownReason::Busy);
    for _ in 0..3 {
        latch = restarted(&latch);
        assert_eq!(
            round(
                &mut latch,
                std::slice::from_ref(&lost),
                &Settings::default(),
                NOW
            ),
            []
        );
    }
    // Still held by the margin: memory of before the gap.
    assert_eq!(told(&mut latch, 785, NOW), []);
    assert_eq!(latch.before(&lost.id).unwrap().verdict, Verdict::Low);
}

#[test]
fn a_snooze_silences_what_was_known_and_reminds_when_it_ends() {
    let mut latch = Latch::default();
    assert_eq!(told(&mut latch, 805, NOW), [Low]);
    let shown = [one(sessions(805), Forecast::Steady { rate: 0.0 })];
    latch.snooze(Some(&shown[0].id), Snooze::Day, &shown, NOW);
    assert_eq!(latch.snoozed_until(&shown[0].id, NOW), Some(NOW.plus(DAY)));

    assert_eq!(told(&mut latch, 850, NOW.plus(HOUR)), []);
    assert_eq!(
        told(&mut restarted(&latch), 905, NOW.plus(HOUR)),
        [Critical],
        "worse passes"
    );
    assert_eq!(told(&mut latch, 850, NOW.plus(DAY)), [Low], "reminded");
    assert_eq!(told(&mut latch, 850, NOW.plus(2 * DAY)), []);
}

#[test]
fn a_snooze_survives_recovery_and_ends_in_silence() {
    let mut latch = Latch::default();
    assert_eq!(told(&mut latch, 905, NOW), [Critical]);
    let shown = [one(sessions(905), Forecast::Steady { rate: 0.0 })];
    latch.snooze(None, Snooze::Hour, &shown, NOW);
    for permille in [700, 905, 700] {
        assert_eq!(told(&mut latch, permille, NOW.plus(60)), []);
    }
    assert_eq!(told(&mut latch, 700, NOW.plus(HOUR)), []);
    assert!(latch.incidents.is_empty());
    latch.snooze(
        Some(&GaugeId("host_bytes:elsewhere".into())),
        Snooze::Day,
        &shown,
        NOW,
    );
    assert!(latch.incidents.is_empty(), "an id nobody issued");
}

#[test]
fn switching_a_snooze_off_tells_again() {
    let mut latch = Latch::default();
    assert_eq!(told(&mut latch, 905, NOW), [Critical]);
    let shown = [one(sessions(905), Forecast::Steady { rate: 0.0 })];
    latch.snooze(None, Snooze::Day, &shown, NOW);
    latch.snooze(None, Snooze::Off, &shown, NOW);
    assert_eq!(told(&mut latch, 905, NOW), [Critical]);
}

#[test]
fn the_daily_ceiling_holds_back_low_ones_only() {
    let mut latch = Latch::default();
    let settings = Settings {
        daily_notices: 2,
        ..Settings::default()
    };
    let inodes = |name: &str, used| gauge(GaugeKind::HostInodes, name, used, 1_000_000 - used);
    let mut gauges: Vec<Gauge> = ["/a", "/b", "/c", "/d"]
        .map(|name| inodes(name, 860_000))
        .into();
    gauges.push(inodes("/e", 960_000));
    // The loudest first, then as many as the day allows.
    assert_eq!(round(&mut latch, &gauges, &settings, NOW), [Critical, Low]);
    assert_eq!(round(&mut latch, &gauges, &settings, NOW.plus(60)), []);
    gauges[0] = inodes("/a", 960_000);
    assert_eq!(
        round(&mut latch, &gauges, &settings, NOW.plus(120)),
        [Critical]
    );
    // The clock goes back a day: no second allowance.
    assert_eq!(round(&mut latch, &gauges, &settings, NOW.plus(-DAY)), []);
    // Tomorrow, what is still there.
    assert_eq!(
        round(&mut latch, &gauges, &settings, NOW.plus(DAY)),
        [Low, Low]
    );
}

#[test]
fn switched_off_notifications_tell_later_what_is_still_there() {
    let mut latch = Latch::default();
    let off = Settings {
        notifications: false,
        ..Settings::default()
    };
    assert_eq!(round(&mut latch, &[sessions(905)], &off, NOW), []);
    assert_eq!(told(&mut latch, 905, NOW), [Critical]);
}

#[test]
fn a_clock_set_back_does_not_snooze_for_ever() {
    let mut latch = Latch::default();
    assert_eq!(told(&mut latch, 905, NOW), [Critical]);
    let shown = [one(sessions(905), Forecast::Steady { rate: 0.0 })];
    latch.snooze(None, Snooze::Hour, &shown, NOW);
    let past = NOW.plus(-300 * DAY);
    assert_eq!(told(&mut latch, 905, past), []);
    assert_eq!(told(&mut latch, 905, past.plus(DAY)), [Critical]);
}

#[test]
fn a_gauge_that_vanishes_is_remembered_for_a_month() {
    let mut latch = Latch::default();
    assert_eq!(told(&mut latch, 905, NOW), [Critical]);
    let settings = Settings::default();
    assert_eq!(round(&mut latch, &[], &settings, NOW.plus(20 * DAY)), []);
    assert_eq!(told(&mut restarted(&latch), 905, NOW.plus(20 * DAY)), []);
    assert_eq!(round(&mut latch, &[], &settings, NOW.plus(31 * DAY)), []);
    assert!(latch.incidents.is_empty());
}

#[test]
fn the_latch_changes_only_when_something_happened() {
    let mut latch = Latch::default();
    told(&mut latch, 905, NOW);
    let before = latch.clone();
    for minute in 1..60 {
        told(&mut latch, 905, NOW.plus(minute * 60));
    }
    assert_eq!(latch, before);
}

#[test]
fn a_disk_of_a_bundle_not_in_use_is_never_told() {
    let mut latch = Latch::default();
    let mut old = sessions(1000);
    old.live = false;
    assert_eq!(
        round(&mut latch, &[old.clone()], &Settings::default(), NOW),
        []
    );
    old.live = true;
    assert_eq!(round(&mut latch, &[old], &Settings::default(), NOW), [Full]);
}

#[test]
fn an_older_latch_without_the_newer_fields_is_read() {
    let text = r#"{"incidents":{"guest_sessions:Claude":{"since":1,"told":"low","snoozed_until":null,"verdict":"low"}},"day":0}"#;
    let latch: Latch = serde_json::from_str(text).unwrap();
    assert_eq!(latch.incidents.len(), 1);
}

#[test]
fn a_laptop_at_85_percent_is_left_in_peace_for_a_year() {
    let mut latch = Latch::default();
    for day in 0..365 {
        let used = 420_000_000_000 + (day * 7_919 % 17) * 500_000_000;
        let laptop = gauge(GaugeKind::HostBytes, "/", used, 494_000_000_000 - used);
        let now = NOW.plus(i64::try_from(day).unwrap() * DAY);
        assert_eq!(round(&mut latch, &[laptop], &Settings::default(), now), []);
    }
}

proptest! {
    #[test]
    fn nothing_is_told_twice_without_recovery(
        path in prop::collection::vec((0..=1000_u64, any::<bool>(), 0..7200_i64), 1..80),
    ) {
        let mut latch = Latch::default();
        let mut loudest: Option<NoticeLevel> = None;
        let mut now = NOW;
        for (permille, readable, pause) in path {
            now = now.plus(pause);
            let mut look = sessions(permille);
            if !readable {
                look = unknown(look, UnknownReason::Busy);
            }
            latch = restarted(&latch);
            // A ceiling out of reach, so that only the latch holds back.
            let settings = Settings { daily_notices: 255, ..Settings::default() };
            let told = round(&mut latch, &[look], &settings, now);
            for level in told {
                prop_assert!(readable && Some(level) > loudest, "{:?} after {:?}", level, loudest);
                loudest = Some(level);
            }
            // A crossing is never missed.
            if readable && permille >= 990 {
                prop_assert_eq!(loudest, Some(Full));
            } else if readable && permille >= 800 {
                prop_assert!(loudest.is_some());
            } else if readable && permille < 770 {
                loudest = None;
            }
        }
    }
}
