use proptest::prelude::*;

use super::*;

const GIB: f64 = 1_073_741_824.0;
const NOW: Time = Time(1_795_000_000);

/// A sessions disk as guests report it: 9.8G, no reserve to keep the numbers plain.
const LIMIT: u64 = 10_000_000_000;

/// Points each `step` seconds over `days`, ending now; `used` maps days since the start to bytes.
fn series(days: f64, step: i64, used: impl Fn(f64) -> f64) -> Vec<Point> {
    let mut points = Vec::new();
    let mut back = step * ((days * trend::SECONDS_A_DAY / ratio_part(step as u64)) as i64);
    while back >= 0 {
        let since = days - trend::days(back);
        points.push(Point::single(NOW.plus(-back), used(since).max(0.0) as u64));
        back -= step;
    }
    points
}

fn level(points: &[Point]) -> Level {
    let used = points.last().map_or(0, |point| point.last);
    Level {
        used,
        available: LIMIT.saturating_sub(used),
        limit: LIMIT,
    }
}

fn of(points: &[Point]) -> Forecast {
    forecast(points, level(points), NOW)
}

/// Days until full, or a readable complaint.
fn days_to_full(points: &[Point]) -> f64 {
    match of(points) {
        Forecast::Filling { likely, .. } => trend::days(likely.since(NOW)),
        other => panic!("not filling: {other:?}"),
    }
}

fn truth(points: &[Point], rate: f64) -> f64 {
    level(points).available as f64 / rate
}

/// Deterministic noise in -1..1.
fn noise(seed: f64) -> f64 {
    ((seed * 12.9898).sin() * 43_758.545).fract()
}

#[test]
fn sixteen_days_of_daily_samples_find_the_day_within_two() {
    // #94239: 0.54 GiB a day, weekdays more than weekends.
    let rate = 0.54 * GIB;
    for seen in 4..16 {
        let points = series(f64::from(seen), DAY, |day| {
            rate * day + 0.02 * GIB * noise(day)
        });
        let off = (days_to_full(&points) - truth(&points, rate)).abs();
        assert!(off < 2.0, "after {seen} days off by {off}");
    }
    let weekly = |day: f64| {
        let week = (day / 7.0).floor();
        rate * 1.4 * (week * 5.0 + (day - week * 7.0).min(5.0))
    };
    let points = series(12.0, DAY, weekly);
    let off = (days_to_full(&points) - truth(&points, rate)).abs();
    assert!(off < 2.0, "with weekends off by {off}");
}

#[test]
fn the_second_cycle_after_a_reset_has_the_same_slope() {
    let rate = 0.54 * GIB;
    let points = series(24.0, DAY, |day| rate * (day % 16.0));
    let off = (days_to_full(&points) - truth(&points, rate)).abs();
    assert!(off < 2.0, "off by {off}");

    // Right after it, nothing is claimed.
    let fresh = series(17.0, DAY, |day| rate * (day % 16.0));
    assert_eq!(of(&fresh), Forecast::Unknown(NoForecast::TooFew));
}

#[test]
fn slow_and_fast_fills_are_told() {
    for (name, rate, seen, step) in [
        ("#44622, hours", 12.0 * GIB, 0.25, MINUTE),
        ("public report, 1 to 3 days", 3.0 * GIB, 1.0, 15 * MINUTE),
        ("#59856, 70 days", 0.13 * GIB, 30.0, 6 * HOUR),
        ("#91680, 120 days", 0.08 * GIB, 60.0, 6 * HOUR),
    ] {
        let points = series(seen, step, |day| rate * day);
        let (told, truth) = (days_to_full(&points), truth(&points, rate));
        assert!(
            (told / truth - 1.0).abs() < 0.1,
            "{name}: {told} for {truth}"
        );
    }
}

#[test]
fn stairs_of_single_runs_are_growth() {
    // #44622: a run each 45 minutes takes 300 to 600 MB.
    let points = series(0.25, MINUTE, |day| (day * 32.0).floor() * 0.3 * GIB);
    let told = days_to_full(&points);
    let truth = truth(&points, 9.6 * GIB);
    assert!((told / truth - 1.0).abs() < 0.3, "{told} for {truth}");
}

#[test]
fn flat_is_steady_also_with_noise() {
    assert!(matches!(
        of(&series(30.0, 6 * HOUR, |_| 4e9)),
        Forecast::Steady { .. }
    ));
    let noisy = series(30.0, 6 * HOUR, |day| 4e9 + 1e8 * noise(day));
    assert!(
        matches!(of(&noisy), Forecast::Steady { .. }),
        "{:?}",
        of(&noisy)
    );
    let full = series(3.0, HOUR, |_| 1e10);
    assert!(matches!(of(&full), Forecast::Steady { .. }));
}

#[test]
fn the_sawtooth_of_the_janitor_is_not_health() {
    // Prunes at 1 GB available, by 0.7 GB, every two days.
    let points = series(30.0, HOUR, |day| 8.3e9 + 0.35e9 * (day % 2.0));
    assert!(
        matches!(
            of(&points),
            Forecast::Filling { .. } | Forecast::Unknown(NoForecast::TooNoisy)
        ),
        "{:?}",
        of(&points)
    );
}

#[test]
fn one_install_is_a_new_baseline_and_no_trend() {
    for at in [2.0, 7.0, 14.0, 19.3] {
        let points = series(20.0, 6 * HOUR, |day| if day < at { 3e9 } else { 5.5e9 });
        assert!(
            matches!(of(&points), Forecast::Steady { .. }),
            "at {at}: {:?}",
            of(&points)
        );
        let both = series(20.0, 6 * HOUR, |day| {
            1e9 + 0.1e9 * day + if day < at { 0.0 } else { 3e9 }
        });
        let (told, truth) = (days_to_full(&both), truth(&both, 0.1e9));
        assert!(
            (told / truth - 1.0).abs() < 0.15,
            "at {at}: {told} for {truth}"
        );
    }
    // A rebuild that was unpacked within minutes (A13, A14), seen with minutes.
    let rebuilt = series(2.0, MINUTE, |day| if day < 1.9 { 1e9 } else { 7e9 });
    assert!(
        !matches!(of(&rebuilt), Forecast::Filling { .. }),
        "{:?}",
        of(&rebuilt)
    );
}

#[test]
fn a_night_without_measurements_is_no_step() {
    let rate = 0.4 * GIB;
    let mut points = series(12.0, 6 * HOUR, |day| rate * day);
    points.retain(|point| {
        let day = 12.0 + trend::days(point.at.since(NOW));
        !(4.0..9.0).contains(&day)
    });
    let (told, truth) = (days_to_full(&points), truth(&points, rate));
    assert!((told / truth - 1.0).abs() < 0.1, "{told} for {truth}");
}

#[test]
fn growth_that_began_today_is_told_today() {
    // Flat for twenty days, then 0.4 GB an hour since this morning.
    let points = series(20.0, 15 * MINUTE, |day| {
        2e9 + 0.4e9 * 24.0 * (day - 19.7).max(0.0)
    });
    let (told, truth) = (days_to_full(&points), truth(&points, 9.6e9));
    assert!((told / truth - 1.0).abs() < 0.2, "{told} for {truth}");
}

#[test]
fn a_week_of_quiet_opens_the_late_end_of_the_band() {
    let points = series(30.0, 6 * HOUR, |day| 0.2e9 * day.min(22.0));
    match of(&points) {
        Forecast::Filling { latest, .. } => assert_eq!(latest, None),
        Forecast::Steady { .. } => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn emptying_is_shrinking_and_a_reset_is_not() {
    let slowly = series(20.0, 6 * HOUR, |day| 9e9 - 0.2e9 * day);
    assert!(
        matches!(of(&slowly), Forecast::Shrinking { rate } if (rate / -0.2e9 - 1.0).abs() < 0.1)
    );
    let reset = series(20.0, 6 * HOUR, |day| if day < 15.0 { 9e9 } else { 1e7 });
    assert!(
        matches!(of(&reset), Forecast::Steady { .. }),
        "{:?}",
        of(&reset)
    );
    // Cleaned over an hour, no minute of it a fifth of the disk.
    let cleaned = series(1.5, MINUTE, |day| {
        9e9 - 8e9 * ((day - 1.0) * 24.0).clamp(0.0, 1.0)
    });
    assert!(
        !matches!(of(&cleaned), Forecast::Shrinking { .. }),
        "{:?}",
        of(&cleaned)
    );
}

#[test]
fn what_cannot_be_known_is_unknown_with_its_reason() {
    let line = |days, step| series(days, step, |day| 1e9 + 0.5e9 * day);
    for (name, points, reason) in [
        ("none", Vec::new(), NoForecast::TooFew),
        ("two points", line(1.0, DAY), NoForecast::TooFew),
        ("ten minutes", line(0.007, MINUTE), NoForecast::TooShort),
        (
            "an hour cannot see two weeks ahead",
            line(0.05, MINUTE),
            NoForecast::TooShort,
        ),
        (
            "swinging by half",
            series(20.0, 6 * HOUR, |day| 5e9 + 0.95e9 * noise(day)),
            NoForecast::TooNoisy,
        ),
    ] {
        assert_eq!(of(&points), Forecast::Unknown(reason), "{name}");
    }
    let points = line(20.0, 6 * HOUR);
    let later = NOW.plus(3 * DAY);
    assert_eq!(
        forecast(&points, level(&points), later),
        Forecast::Unknown(NoForecast::Stale)
    );
    assert_eq!(
        forecast(&points, level(&points), NOW.plus(400 * DAY)),
        Forecast::Unknown(NoForecast::Stale)
    );
}

#[test]
fn mixed_tiers_agree_with_each_of_them() {
    let rate = 0.3 * GIB;
    let mut points = series(20.0, 6 * HOUR, |day| rate * day);
    points.retain(|point| NOW.since(point.at) > 2 * DAY);
    points.extend(
        series(20.0, MINUTE, |day| rate * day)
            .into_iter()
            .filter(|point| NOW.since(point.at) <= 2 * DAY),
    );
    let (told, truth) = (days_to_full(&points), truth(&points, rate));
    assert!((told / truth - 1.0).abs() < 0.05, "{told} for {truth}");
}

#[test]
fn a_clock_set_back_leaves_out_what_lies_ahead() {
    let rate = 0.5e9;
    let mut points = series(10.0, 6 * HOUR, |day| rate * day);
    let honest = of(&points);
    let used = level(&points);
    points.insert(3, Point::single(NOW.plus(90 * DAY), 9_000_000_000));
    points.push(Point::single(NOW.plus(-5 * DAY), 2_500_000_000));
    assert!(matches!(honest, Forecast::Filling { .. }));
    assert!(matches!(
        forecast(&points, used, NOW),
        Forecast::Filling { .. }
    ));
}

#[test]
fn meters_have_a_rate() {
    let points = series(5.0, HOUR, |day| 1000.0 + 4250.0 * day);
    let told = rate(&points, NOW).unwrap();
    assert!((told / 4250.0 - 1.0).abs() < 0.05, "{told}");
    assert_eq!(rate(&series(5.0, HOUR, |_| 7.0), NOW), Some(0.0));
    assert_eq!(rate(&[], NOW), None);
}

fn any_point() -> impl Strategy<Value = Point> {
    let at = prop_oneof![
        4 => (-40 * DAY..DAY).prop_map(|off| NOW.plus(off)),
        1 => any::<i64>().prop_map(Time),
    ];
    let value = prop_oneof![3 => 0..20_000_000_000_u64, 1 => any::<u64>()];
    (at, value).prop_map(|(at, value)| Point::single(at, value))
}

proptest! {
    #[test]
    fn any_history_gives_an_ordered_answer(
        mut points in prop::collection::vec(any_point(), 0..300),
        sorted in any::<bool>(),
        (used, available) in (any::<u64>(), prop_oneof![Just(0), any::<u64>(), 0..20_000_000_000_u64]),
    ) {
        if sorted {
            points.sort_by_key(|point| point.at);
        }
        let level = Level { used, available, limit: used.saturating_add(available) };
        if let Forecast::Filling { rate, earliest, likely, latest } = forecast(&points, level, NOW) {
            prop_assert!(rate > 0.0 && rate.is_finite());
            prop_assert!(NOW <= earliest && earliest <= likely);
            prop_assert!(latest.is_none_or(|latest| likely <= latest));
        }
        prop_assert!(rate(&points, NOW).is_none_or(f64::is_finite));
    }

    #[test]
    fn the_order_of_samples_does_not_matter(
        points in prop::collection::hash_map(-2000_i64..0, 0..10_000_000_000_u64, 0..80),
        turn in any::<prop::sample::Index>(),
    ) {
        let mut points: Vec<Point> = points
            .into_iter()
            .map(|(at, value)| Point::single(NOW.plus(at * 1000), value))
            .collect();
        let level = Level { used: 5, available: 5_000_000_000, limit: 10_000_000_000 };
        points.sort_by_key(|point| point.at);
        let sorted = forecast(&points, level, NOW);
        let by = if points.is_empty() { 0 } else { turn.index(points.len()) };
        points.rotate_left(by);
        prop_assert_eq!(forecast(&points, level, NOW), sorted);
    }

    #[test]
    fn straight_lines_are_found(rate in 0.02e9..3e9_f64, seen in 3.0..30.0_f64, start in 0.0..2e9_f64) {
        let points = series(seen, 6 * HOUR, |day| start + rate * day);
        let level = level(&points);
        if level.available > 0 {
            let truth = ratio_part(level.available) / rate;
            match forecast(&points, level, NOW) {
                Forecast::Filling { likely, .. } => {
                    let told = trend::days(likely.since(NOW));
                    prop_assert!((told - truth).abs() <= 0.02 * truth + 0.01, "{} for {}", told, truth);
                }
                Forecast::Unknown(NoForecast::TooShort) => prop_assert!(truth > HORIZON * 2.5),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
