//! What goes in comes out.

use sandtray_core::history::EventKind;

use super::*;

#[test]
fn rounds_are_there_after_a_restart_and_gaps_are_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    assert_eq!(history.faults(), []);
    rounds(&mut history, "a", 0..20);
    rounds(&mut history, "a", 30..40);
    drop(history);

    let mut history = History::open(folder.path(), after(40));
    let mut both = expected(0..20);
    both.extend(expected(30..40));
    assert_eq!(stored(&mut history, "a"), both);
    assert_eq!(history.points(&id("b"), Tier::Minute, START, after(99)), []);
    assert_eq!(history.faults(), []);
    assert!(history.records());
}

#[test]
fn each_tier_folds_min_max_last_and_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    for (seconds, value) in [(0, 50), (10, 90), (20, 10), (60, 40), (900, 7)] {
        history.record_all(
            START.plus(seconds),
            &[reading("a", value)],
            &Latch::default(),
        );
    }
    let point = |at, min, max, last, count| Point {
        at,
        min,
        max,
        last,
        count,
    };
    let mut of = |tier| history.points(&id("a"), tier, START, after(60));
    assert_eq!(
        of(Tier::Minute),
        [
            point(START, 10, 90, 10, 3),
            point(after(1), 40, 40, 40, 1),
            point(after(15), 7, 7, 7, 1)
        ]
    );
    assert_eq!(
        of(Tier::Quarter),
        [point(START, 10, 90, 40, 4), point(after(15), 7, 7, 7, 1)]
    );
    assert_eq!(of(Tier::SixHours), [point(START, 7, 90, 7, 5)]);
}

#[test]
fn the_minute_ring_forgets_after_48_hours_and_the_coarser_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    let values = (0..3 * 1_440).map(|minute| (after(minute), minute.unsigned_abs()));
    let meta = SeriesMeta {
        id: id("a"),
        name: "Volume a".to_owned(),
        unit: Unit::Bytes,
        limit: None,
    };
    history.import(&meta, values).unwrap();
    assert_eq!(stored(&mut history, "a"), expected(1_440..4_320));
    let quarters = history.points(&id("a"), Tier::Quarter, START, after(4_319));
    assert_eq!(quarters.len(), 3 * 96);
    assert!(quarters.iter().all(|point| point.count == 15));
    assert_eq!(
        history
            .points(&id("a"), Tier::SixHours, START, after(4_319))
            .len(),
        12
    );

    // Two days of silence: what lies in the slots is of an old lap and not shown as of this one.
    rounds(&mut history, "a", 8_000..8_001);
    let two_days = history.points(
        &id("a"),
        Tier::Minute,
        after(8_000 - 2_880 + 1),
        after(8_000),
    );
    assert_eq!(two_days.len(), 1);
}

#[test]
fn a_range_that_wraps_around_the_ring_is_in_order_and_exact() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    let meta = SeriesMeta {
        id: id("a"),
        name: String::new(),
        unit: Unit::Entries,
        limit: None,
    };
    history
        .import(
            &meta,
            (0..6_000).map(|minute| (after(minute), minute.unsigned_abs())),
        )
        .unwrap();
    for (from, to) in [
        (3_120, 5_999),
        (5_000, 5_999),
        (5_740, 5_790),
        (5_999, 5_999),
        (5_759, 5_761),
    ] {
        let points = history.points(&id("a"), Tier::Minute, after(from), after(to));
        let minutes: Vec<_> = points.iter().map(|point| point.at).collect();
        assert_eq!(minutes, (from..=to).map(after).collect::<Vec<_>>());
    }
    assert_eq!(
        history.points(&id("a"), Tier::Minute, after(10), after(5)),
        []
    );
}

#[test]
fn a_vanished_series_still_has_its_latest_name_and_limit() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    rounds(&mut history, "a", 0..1);
    let renamed = Reading {
        name: "Data".to_owned(),
        limit: Some(u64::MAX),
        ..reading("a", 1)
    };
    round(&mut history, 1, &[renamed]);
    drop(history);
    let series = History::open(folder.path(), after(2)).series();
    let meta = SeriesMeta {
        id: id("a"),
        name: "Data".to_owned(),
        unit: Unit::Bytes,
        limit: Some(u64::MAX),
    };
    assert_eq!(series, [meta]);
}

#[test]
fn the_largest_values_survive() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    round(&mut history, 0, &[reading("a", u64::MAX), reading("b", 0)]);
    drop(history);
    let mut history = History::open(folder.path(), after(1));
    assert_eq!(stored(&mut history, "a"), [(0, u64::MAX)]);
    assert_eq!(stored(&mut history, "b"), [(0, 0)]);
}

#[test]
fn events_and_latch_are_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    assert_eq!(history.latch(), Latch::default());
    history.record_all(START, &[reading("a", 1)], &latch(5));
    let event = |minute, kind| Event {
        at: after(minute),
        id: id("a"),
        kind,
    };
    history.mark(event(1, EventKind::Appeared));
    history.mark(event(9, EventKind::SteppedDown));
    history.mark(event(9, EventKind::Vanished));
    history.save_latch(&latch(6), after(10));
    drop(history);
    let mut history = History::open(folder.path(), after(20));
    assert_eq!(history.latch(), latch(6));
    assert_eq!(
        history.events(after(2), after(9)),
        [
            event(9, EventKind::SteppedDown),
            event(9, EventKind::Vanished)
        ]
    );
    for minute in 100..700 {
        history.mark(event(minute, EventKind::Appeared));
    }
    let all = history.events(START, after(10_000));
    assert_eq!(all.len(), 512, "the oldest gave way");
    assert_eq!(all.last(), Some(&event(699, EventKind::Appeared)));
}

#[test]
fn the_file_does_not_grow_once_its_series_exist() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    let size = || {
        let file = std::fs::metadata(folder.path().join(FILE)).unwrap().len();
        let log = std::fs::metadata(folder.path().join("history.sqlite-wal"))
            .unwrap()
            .len();
        (file, log)
    };
    let all: Vec<_> = (0..20)
        .map(|series| reading(&series.to_string(), 1))
        .collect();
    round(&mut history, 0, &all);
    let begun = size();
    assert!(
        begun.0 <= 3 * 8 * 300_000,
        "{} bytes for three banks",
        begun.0
    );
    for minute in 1..600 {
        history.record_all(after(minute), &all, &latch(minute));
        history.mark(Event {
            at: after(minute),
            id: id("1"),
            kind: EventKind::Appeared,
        });
    }
    assert_eq!(size(), begun);
    drop(history);
    let _history = History::open(folder.path(), after(600));
    assert_eq!(size(), begun);
}

#[test]
fn the_place_of_the_longest_silent_series_is_taken_when_there_are_too_many() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    let all: Vec<_> = (0..64)
        .map(|series| reading(&series.to_string(), 5))
        .collect();
    round(&mut history, 0, &all);
    round(&mut history, 1, &all[1..]);
    // Nobody is silent long enough yet: the new one waits in memory.
    round(&mut history, 2, &[reading("new", 7)]);
    assert_eq!(history.series().len(), 65);
    assert_eq!(stored(&mut history, "new"), [(2, 7)]);
    round(&mut history, 400, &[reading("new", 8)]);
    assert_eq!(stored(&mut history, "new"), [(400, 8)]);
    assert_eq!(stored(&mut history, "0"), []);
    assert_eq!(stored(&mut history, "1"), [(0, 5), (1, 5)]);
    drop(history);
    let mut history = History::open(folder.path(), after(401));
    assert_eq!(history.series().len(), 64);
    assert_eq!(stored(&mut history, "new"), [(400, 8)]);
    assert_eq!(
        history
            .points(&id("new"), Tier::SixHours, START, after(400))
            .len(),
        1
    );
}

#[cfg(unix)]
#[test]
fn folder_and_files_are_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("one/two");
    let mut history = History::open(&dir, START);
    rounds(&mut history, "a", 0..1);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    assert_eq!(names(&dir, "").len(), 4);
    for name in names(&dir, "") {
        assert_eq!(mode(&dir.join(&name)), 0o600, "{name}");
    }
}
