//! A clock that jumps.

use super::*;

#[test]
fn a_clock_that_goes_back_destroys_nothing_and_fills_what_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    // One lap and an hour: the slots of the first hour hold the newest points.
    rounds(&mut history, "a", 2_880..2_940);
    assert_eq!(history.faults(), []);

    round(&mut history, 30, &[reading("a", 77)]);
    assert_eq!(kinds(&history), [FaultKind::ClockWentBack]);
    assert_eq!(
        stored(&mut history, "a"),
        expected(2_880..2_940),
        "its slot holds a newer point"
    );

    round(&mut history, 100, &[reading("a", 78)]);
    let mut all = vec![(100, 78)];
    all.extend(expected(2_880..2_940));
    assert_eq!(stored(&mut history, "a"), all, "an empty slot takes it");

    // A time that has a point already: the new value joins it.
    round(&mut history, 2_900, &[reading("a", 5)]);
    let joined = history.points(&id("a"), Tier::Minute, after(2_900), after(2_900));
    assert_eq!(
        (joined[0].min, joined[0].max, joined[0].count),
        (5, 2_900, 2)
    );

    round(&mut history, 2_940, &[reading("a", 1)]);
    assert_eq!(history.faults(), [], "time has passed the newest point");
}

#[test]
fn a_step_back_of_a_minute_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    rounds(&mut history, "a", 0..3);
    round(&mut history, 1, &[reading("a", 1)]);
    assert_eq!(history.faults(), []);
}

#[test]
fn an_hour_in_a_wrong_future_gives_way_after_a_day_even_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    let years = 2_880 * 1_000;
    rounds(&mut history, "a", years..years + 60);
    for minute in (0..1_440).step_by(240) {
        drop(history);
        history = History::open(folder.path(), after(minute));
        round(&mut history, minute, &[reading("a", 3)]);
        assert_eq!(
            kinds(&history),
            [FaultKind::ClockWentBack],
            "minute {minute}"
        );
    }
    drop(history);
    let mut history = History::open(folder.path(), after(2_880));
    rounds(&mut history, "a", 2_880..2_940);
    assert_eq!(history.faults(), []);
    let now = history.points(&id("a"), Tier::Minute, after(2_880), after(2_999));
    assert_eq!(now.len(), 60, "the slots of the wrong hour are ours again");
}

#[test]
fn a_clock_from_before_there_was_a_sandtray_never_destroys() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    rounds(&mut history, "a", 0..60);
    let before = stored(&mut history, "a");
    // 1970, for three days: the battery is empty.
    for minute in 0..3 * 1_440 {
        history.record_all(Time(minute * 60), &[reading("a", 1)], &Latch::default());
    }
    assert_eq!(kinds(&history), [FaultKind::ClockWentBack]);
    let now = history.points(&id("a"), Tier::Minute, START, after(99));
    assert_eq!(now.len(), before.len());
    assert!(
        now.iter()
            .zip(before)
            .all(|(point, (_, value))| point.last == value)
    );
}

#[test]
fn moments_at_the_ends_of_time_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    for at in [i64::MIN, -1, 0, i64::MAX] {
        history.record_all(Time(at), &[reading("a", 1)], &Latch::default());
    }
    drop(history);
    let mut history = History::open(folder.path(), START);
    assert!(
        history
            .points(&id("a"), Tier::Minute, Time(-60), Time(0))
            .len()
            == 2
    );
}
