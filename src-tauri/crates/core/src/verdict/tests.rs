use proptest::prelude::*;

use super::*;
use crate::gauge::{GaugeId, UnknownReason};

const NOW: Time = Time(1_795_000_000);
const GB: u64 = 1_000_000_000;
const STEADY: Forecast = Forecast::Steady { rate: 0.0 };

fn gauge(kind: GaugeKind, used: u64, available: u64) -> Gauge {
    Gauge {
        id: GaugeId::new(kind, "0"),
        kind,
        thing: "/".into(),
        level: Ok(Level {
            used,
            available,
            limit: used + available,
        }),
        baseline: None,
        as_of: NOW,
        memory: false,
        live: true,
    }
}

/// A sessions disk of 1000 GB, so that a percent is ten.
fn sessions(permille: u64) -> Gauge {
    gauge(
        GaugeKind::GuestSessions,
        permille * GB,
        (1000 - permille) * GB,
    )
}

fn filling(likely: i64, latest: Option<i64>) -> Forecast {
    Forecast::Filling {
        rate: 1e9,
        earliest: NOW,
        likely: NOW.plus(likely),
        latest: latest.map(|latest| NOW.plus(latest)),
    }
}

fn once(gauge: &Gauge, forecast: &Forecast) -> (Verdict, Option<Cause>) {
    let judged = judge(gauge, forecast, None, &Thresholds::default(), NOW);
    (judged.verdict, judged.cause)
}

/// Judges one look after the other, each with the last known judgement as memory.
fn in_turn(looks: impl IntoIterator<Item = (Gauge, Forecast)>) -> Vec<Judgement> {
    let mut before = None;
    looks
        .into_iter()
        .map(|(gauge, forecast)| {
            let judged = judge(&gauge, &forecast, before, &Thresholds::default(), NOW);
            if judged.verdict != Verdict::Unknown {
                before = Some(judged);
            }
            judged
        })
        .collect()
}

fn verdicts(judged: &[Judgement]) -> Vec<Verdict> {
    judged.iter().map(|judged| judged.verdict).collect()
}

#[test]
fn the_sessions_disk_is_low_at_80_critical_at_90_and_full_at_99() {
    use Verdict::{Critical, Low, Ok};
    for (permille, verdict, full) in [
        (0, Ok, false),
        (799, Ok, false),
        (800, Low, false),
        (899, Low, false),
        (900, Critical, false),
        (989, Critical, false),
        (990, Critical, true),
        (1000, Critical, true),
    ] {
        let judged = judge(
            &sessions(permille),
            &STEADY,
            None,
            &Thresholds::default(),
            NOW,
        );
        assert_eq!((judged.verdict, judged.full), (verdict, full), "{permille}");
    }
}

#[test]
fn the_system_disk_is_judged_by_what_is_available() {
    let system = |available_mb: u64| {
        let available = available_mb * 1_000_000;
        gauge(GaugeKind::GuestSystem, 9_600_000_000 - available, available)
    };
    // #37860: 8.2G of 9.6G on its first day.
    assert_eq!(once(&system(1400), &STEADY).0, Verdict::Ok);
    assert_eq!(
        once(&system(999), &STEADY),
        (Verdict::Low, Some(Cause::Available))
    );
    assert_eq!(
        once(&system(299), &STEADY),
        (Verdict::Critical, Some(Cause::Available))
    );
    // #59856: 56M left; #95646: at its cap.
    assert_eq!(once(&system(56), &STEADY).0, Verdict::Critical);
    assert_eq!(
        once(&system(0), &STEADY),
        (Verdict::Critical, Some(Cause::Full))
    );
}

/// A system disk of 10 GB of which a fresh one of its release has `fresh` taken, all in MB.
fn fresh_system(used: u64, fresh: u64) -> Gauge {
    let mega = 1_000_000;
    Gauge {
        baseline: Some(fresh * mega),
        ..gauge(GaugeKind::GuestSystem, used * mega, (10_000 - used) * mega)
    }
}

#[test]
fn a_system_disk_as_full_as_a_fresh_one_is_no_trouble() {
    use Verdict::{Critical, Low, Ok};
    // #37860: 86 % on its first day. A person may want to hear of it earlier than by default.
    let early = Thresholds {
        system_low_available: 2 * GB,
        system_critical_available: GB,
        ..Thresholds::default()
    };
    let verdict = |gauge: &Gauge| judge(gauge, &STEADY, None, &early, NOW).verdict;
    for (used, fresh, expected) in [
        (8_600, 8_600, Ok),
        (8_600, 8_100, Ok),
        (8_600, 8_099, Low),
        (9_100, 8_600, Ok),
        (9_101, 8_600, Critical),
        // Less than fresh: emptied, or of a smaller build.
        (8_600, 9_000, Ok),
        // Truly full is critical, fresh or not (#95646).
        (9_995, 9_900, Critical),
        (10_000, 9_900, Critical),
    ] {
        let gauge = fresh_system(used, fresh);
        assert_eq!(verdict(&gauge), expected, "{used} used, {fresh} when fresh");
    }
    // A release nobody knows is judged by bytes.
    let unknown = Gauge {
        baseline: None,
        ..fresh_system(8_600, 8_600)
    };
    assert_eq!(verdict(&unknown), Low);
    // What is soon full is told all the same.
    let soon = filling(DAY / 2, Some(DAY));
    let judged = judge(&fresh_system(8_600, 8_600), &soon, None, &early, NOW);
    assert_eq!(
        (judged.verdict, judged.cause),
        (Critical, Some(Cause::Time))
    );
    // Only a system disk is ever fresh.
    let sessions = Gauge {
        baseline: Some(900 * GB),
        ..sessions(900)
    };
    assert_eq!(verdict(&sessions), Critical);
}

#[test]
fn a_system_disk_unpacked_anew_at_each_launch_is_low_only_while_it_is() {
    use Verdict::{Low, Ok};
    let looks = |used: &[u64]| {
        let looks = used.iter().map(|used| (fresh_system(*used, 8_600), STEADY));
        verdicts(&in_turn(looks.collect::<Vec<_>>()))
    };
    // #81427: it grows by a little and is fresh again at the next launch.
    assert_eq!(looks(&[8_600, 8_900, 8_600, 9_000, 8_600]), [Ok; 5]);
    assert_eq!(looks(&[8_600, 9_150, 8_600]), [Ok, Low, Ok]);
    // A number that swings around the line is not told again and again: it has to come back to three
    // points less.
    assert_eq!(
        looks(&[9_150, 9_090, 9_150, 8_810, 8_790]),
        [Low, Low, Low, Low, Ok]
    );
}

#[test]
fn host_volumes_do_not_cry_wolf() {
    use Verdict::{Critical, Low, Ok};
    for (name, total, available, memory, verdict) in [
        ("a laptop at 85 % all year", 494 * GB, 74 * GB, false, Ok),
        ("a small laptop at 85 %", 128 * GB, 19 * GB, false, Ok),
        ("a big disk at 96 %", 1000 * GB, 40 * GB, false, Ok),
        (
            "too little for a rebuild (#34602)",
            494 * GB,
            10 * GB,
            false,
            Low,
        ),
        (
            "next to nothing (#61863)",
            460 * GB,
            126_000_000,
            false,
            Critical,
        ),
        ("a VPS with a fifth left", 25 * GB, 5 * GB, false, Ok),
        (
            "a VPS with an eleventh left",
            25 * GB,
            2_200_000_000,
            false,
            Low,
        ),
        (
            "a VPS with a thirtieth left",
            25 * GB,
            800_000_000,
            false,
            Critical,
        ),
        (
            "a memory stick half full",
            64_000_000,
            32_000_000,
            false,
            Ok,
        ),
        ("memory with a third left", 16 * GB, 5 * GB, true, Ok),
        (
            "memory with a sixth left",
            16 * GB,
            2_600_000_000,
            true,
            Low,
        ),
        (
            "memory with a twentieth left",
            16 * GB,
            800_000_000,
            true,
            Critical,
        ),
        ("a full one", 64_000_000, 0, false, Critical),
    ] {
        let mut volume = gauge(GaugeKind::HostBytes, total - available, available);
        volume.memory = memory;
        assert_eq!(once(&volume, &STEADY).0, verdict, "{name}");
    }
    let nearly = gauge(GaugeKind::HostBytes, 494 * GB, 9_000_000);
    assert_eq!(once(&nearly, &STEADY).1, Some(Cause::Full));
}

#[test]
fn inodes_end_at_their_own_percent() {
    for kind in [
        GaugeKind::HostInodes,
        GaugeKind::GuestSessionsInodes,
        GaugeKind::GuestSystemInodes,
    ] {
        let inodes = |percent: u64| gauge(kind, percent * 1000, (100 - percent) * 1000);
        assert_eq!(once(&inodes(84), &STEADY).0, Verdict::Ok);
        assert_eq!(
            once(&inodes(85), &STEADY),
            (Verdict::Low, Some(Cause::Percent))
        );
        assert_eq!(once(&inodes(95), &STEADY).0, Verdict::Critical);
        assert_eq!(once(&inodes(100), &STEADY).1, Some(Cause::Full));
    }
}

#[test]
fn time_to_full_counts_for_every_kind_where_it_is_known_well() {
    for kind in [
        GaugeKind::GuestSessions,
        GaugeKind::GuestSystem,
        GaugeKind::HostBytes,
        GaugeKind::HostInodes,
        GaugeKind::GuestSessionsInodes,
        GaugeKind::GuestSystemInodes,
    ] {
        let sixty = gauge(kind, 600 * GB, 400 * GB);
        let time = Some(Cause::Time);
        for (name, forecast, expected) in [
            (
                "in a month",
                filling(30 * DAY, Some(40 * DAY)),
                (Verdict::Ok, None),
            ),
            (
                "in six days",
                filling(6 * DAY, Some(9 * DAY)),
                (Verdict::Low, time),
            ),
            (
                "in six days, perhaps never",
                filling(6 * DAY, None),
                (Verdict::Ok, None),
            ),
            (
                "in six days or sixty",
                filling(6 * DAY, Some(60 * DAY)),
                (Verdict::Ok, None),
            ),
            (
                "today",
                filling(5 * HOUR, Some(9 * HOUR)),
                (Verdict::Critical, time),
            ),
            (
                "today or in five days",
                filling(5 * HOUR, Some(5 * DAY)),
                (Verdict::Low, time),
            ),
            (
                "emptying",
                Forecast::Shrinking { rate: -1.0 },
                (Verdict::Ok, None),
            ),
            (
                "unknown",
                Forecast::Unknown(NoForecast::TooFew),
                (Verdict::Ok, None),
            ),
        ] {
            assert_eq!(once(&sixty, &forecast), expected, "{kind:?}, {name}");
        }
        // A13, A14: a disk being unpacked grows fast and is nearly empty.
        let fresh = gauge(kind, 400 * GB, 600 * GB);
        assert_eq!(
            once(&fresh, &filling(HOUR, Some(HOUR))).0,
            Verdict::Ok,
            "{kind:?}"
        );
    }
}

#[test]
fn a_number_swinging_around_a_line_does_not_flap() {
    use Verdict::{Critical, Low, Ok};
    let looks = [
        790, 801, 795, 805, 771, 769, 795, 800, 895, 901, 880, 871, 869, 990, 965, 959, 700,
    ];
    let judged = in_turn(looks.map(|permille| (sessions(permille), STEADY)));
    assert_eq!(
        verdicts(&judged),
        [
            Ok, Low, Low, Low, Low, Ok, Ok, Low, Low, Critical, Critical, Critical, Low, Critical,
            Critical, Critical, Ok
        ]
    );
    let full: Vec<bool> = judged.iter().map(|judged| judged.full).collect();
    assert!(full[13] && full[14] && !full[15]);

    let host = |available| {
        (
            gauge(GaugeKind::HostBytes, 400 * GB, available * GB),
            STEADY,
        )
    };
    let judged = in_turn([16, 14, 16, 17, 19, 16].map(host));
    assert_eq!(verdicts(&judged), [Ok, Low, Low, Low, Ok, Ok]);

    let soon = |days: i64| (sessions(600), filling(days * DAY, Some(days * DAY)));
    let judged = in_turn([8, 6, 8, 13, 15, 8].map(soon));
    assert_eq!(verdicts(&judged), [Ok, Low, Low, Low, Ok, Ok]);
}

#[test]
fn the_margin_belongs_to_the_yardstick_that_was_over() {
    let looks = [
        (sessions(780), filling(3 * DAY, Some(4 * DAY))),
        // 78 % never was low by percent, so nothing holds it once the time is long.
        (sessions(780), STEADY),
    ];
    assert_eq!(verdicts(&in_turn(looks)), [Verdict::Low, Verdict::Ok]);
}

#[test]
fn not_knowing_is_neither_recovery_nor_a_second_incident() {
    use Verdict::{Low, Ok, Unknown};
    let mut lost = sessions(0);
    lost.level = Err(UnknownReason::Busy);
    let looks = [
        (sessions(805), STEADY),
        (lost.clone(), Forecast::Unknown(NoForecast::NoLevel)),
        (sessions(785), STEADY),
        (lost, Forecast::Unknown(NoForecast::NoLevel)),
        (sessions(760), STEADY),
    ];
    assert_eq!(verdicts(&in_turn(looks)), [Low, Unknown, Low, Unknown, Ok]);

    let soon = (sessions(600), filling(3 * DAY, Some(4 * DAY)));
    for (reason, verdict) in [
        (NoForecast::Stale, Low),
        (NoForecast::TooShort, Low),
        (NoForecast::TooFew, Ok),
        (NoForecast::TooNoisy, Ok),
    ] {
        let judged = in_turn([soon.clone(), (sessions(600), Forecast::Unknown(reason))]);
        assert_eq!(verdicts(&judged), [Low, verdict], "{reason:?}");
    }
    let sizeless = gauge(GaugeKind::HostBytes, 0, 0);
    assert_eq!(once(&sizeless, &STEADY).0, Unknown);
}

#[test]
fn a_line_of_zero_is_switched_off() {
    let thresholds = Thresholds {
        sessions_low_percent: 0,
        sessions_critical_percent: 0,
        sessions_full_percent: 0,
        low_days: 0,
        critical_hours: 0,
        ..Thresholds::default()
    };
    let judged = judge(&sessions(950), &filling(0, Some(0)), None, &thresholds, NOW);
    assert_eq!(judged.verdict, Verdict::Ok);
    // Nothing left at all is told whatever the lines say.
    let judged = judge(&sessions(1000), &STEADY, None, &thresholds, NOW);
    assert!(judged.full);
}

proptest! {
    #[test]
    fn a_crossing_is_never_missed(
        path in prop::collection::vec(0..=1000_u64, 1..60),
    ) {
        let judged = in_turn(path.iter().map(|permille| (sessions(*permille), STEADY)));
        for (permille, judged) in path.iter().zip(&judged) {
            if *permille >= 800 {
                prop_assert!(judged.verdict >= Verdict::Low);
            }
            if *permille >= 900 {
                prop_assert_eq!(judged.verdict, Verdict::Critical);
            }
            prop_assert_eq!(judged.full && *permille < 960, false);
            if *permille < 770 {
                prop_assert_eq!(judged.verdict, Verdict::Ok);
            }
        }
    }

    #[test]
    fn any_level_can_be_judged(used in any::<u64>(), available in any::<u64>(), limit in any::<u64>()) {
        for kind in [GaugeKind::GuestSessions, GaugeKind::GuestSystem, GaugeKind::HostBytes, GaugeKind::HostInodes, GaugeKind::GuestSessionsInodes, GaugeKind::GuestSystemInodes] {
            let mut gauge = gauge(kind, 0, 1);
            gauge.level = Ok(Level { used, available, limit });
            let judged = judge(&gauge, &STEADY, None, &Thresholds::default(), NOW);
            prop_assert!(available > 0 || limit == 0 || judged.full);
            prop_assert_eq!(judged.cause.is_some(), judged.verdict >= Verdict::Low);
        }
    }
}
