//! Full volumes, and volumes without inodes.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::Write;

use super::*;

use crate::store::full_volume::{fill, inside};

#[test]
fn with_no_byte_free_it_goes_on_and_all_is_there_after_a_restart() {
    let name = "with_no_byte_free_it_goes_on_and_all_is_there_after_a_restart";
    inside(module_path!(), name, "size=8m", |mount| {
        let dir = mount.join("data");
        let mut history = History::open(&dir, START);
        rounds(&mut history, "a", 0..2);
        fill(mount);
        // Through two checkpoints of the log and more, with latch and events, and a new series in a
        // place that its bank has left.
        for minute in 2_i64..400 {
            let both = [reading("a", minute.unsigned_abs()), reading("b", 1)];
            history.record_all(after(minute), &both, &latch(minute));
            history.mark(Event {
                at: after(minute),
                id: id("a"),
                kind: sandtray_core::history::EventKind::SteppedDown,
            });
            assert_eq!(history.faults(), [], "minute {minute}");
        }
        drop(history);
        for start in 0..5 {
            let mut history = History::open(&dir, after(400));
            assert_eq!(history.faults(), []);
            assert_eq!(stored(&mut history, "a"), expected(0..400 + start));
            assert_eq!(history.events(START, after(1_000)).len(), 398);
            assert_eq!(history.latch(), latch(399));
            rounds(&mut history, "a", 400 + start..401 + start);
            assert_eq!(history.faults(), []);
        }
    });
}

#[test]
fn killed_with_no_byte_free_it_opens_again_and_goes_on() {
    let name = "killed_with_no_byte_free_it_opens_again_and_goes_on";
    inside(module_path!(), name, "size=8m", |mount| {
        let dir = mount.join("data");
        rounds(&mut History::open(&dir, START), "a", 0..2);
        fill(mount);
        for start in [2, 12, 22] {
            let mut history = History::open(&dir, after(start));
            rounds(&mut history, "a", start..start + 10);
            assert_eq!(history.faults(), []);
            // No checkpoint, no unlocking by the database: what a kill leaves, but for the lock.
            let History { lock, base, .. } = history;
            std::mem::forget(base);
            drop(lock);
            let mut history = History::open(&dir, after(start + 10));
            assert_eq!(history.faults(), []);
            assert_eq!(stored(&mut history, "a"), expected(0..start + 10));
        }
    });
}

#[test]
fn more_series_than_fit_wait_in_memory_and_the_others_are_stored() {
    let name = "more_series_than_fit_wait_in_memory_and_the_others_are_stored";
    inside(module_path!(), name, "size=8m", |mount| {
        let dir = mount.join("data");
        let mut history = History::open(&dir, START);
        let eight: Vec<_> = (0..8)
            .map(|series| reading(&series.to_string(), 1))
            .collect();
        round(&mut history, 0, &eight);
        fill(mount);
        for minute in 1_i64..100 {
            round(
                &mut history,
                minute,
                &[reading("0", 2), reading("ninth", minute.unsigned_abs())],
            );
        }
        assert_eq!(kinds(&history), [FaultKind::HistoryInMemory]);
        assert_eq!(stored(&mut history, "ninth"), expected(1..100));
        assert_eq!(stored(&mut History::read(&dir), "0").len(), 100);
        assert_eq!(stored(&mut History::read(&dir), "ninth"), []);

        std::fs::remove_file(mount.join("filler")).unwrap();
        round(&mut history, 100, &[reading("ninth", 100)]);
        assert_eq!(history.faults(), []);
        drop(history);
        assert_eq!(
            stored(&mut History::open(&dir, after(101)), "ninth"),
            expected(1..101)
        );
    });
}

#[test]
fn full_before_the_start_it_is_in_memory_until_there_is_room() {
    let name = "full_before_the_start_it_is_in_memory_until_there_is_room";
    inside(module_path!(), name, "size=8m", |mount| {
        let dir = mount.join("data");
        fill(mount);
        let mut history = History::open(&dir, START);
        assert_eq!(kinds(&history), [FaultKind::HistoryInMemory]);
        assert!(history.faults()[0].text.contains("0 B are available"));
        history.record_all(after(0), &[reading("a", 0)], &latch(1));
        rounds(&mut history, "a", 1..150);
        assert_eq!(stored(&mut history, "a"), expected(0..150));
        assert_eq!(
            names(&dir, "history"),
            Vec::<String>::new(),
            "not even an empty file"
        );

        std::fs::remove_file(mount.join("filler")).unwrap();
        rounds(&mut history, "a", 150..151);
        assert_eq!(history.faults(), []);
        drop(history);
        let mut history = History::open(&dir, after(200));
        assert_eq!(stored(&mut history, "a"), expected(0..151));
        assert_eq!(history.latch(), latch(1));
    });
}

#[test]
fn a_corrupt_file_on_a_full_volume_is_kept_and_recording_goes_on_in_memory() {
    let name = "a_corrupt_file_on_a_full_volume_is_kept_and_recording_goes_on_in_memory";
    inside(module_path!(), name, "size=8m", |mount| {
        let dir = mount.join("data");
        rounds(&mut History::open(&dir, START), "a", 0..2);
        let mut file = File::options().write(true).open(dir.join(FILE)).unwrap();
        file.write_all(&[7; 4_096]).unwrap();
        drop(file);
        fill(mount);
        let mut history = History::open(&dir, after(5));
        let both = [FaultKind::HistorySetAside, FaultKind::HistoryInMemory];
        assert_eq!(kinds(&history), both);
        rounds(&mut history, "a", 5..9);
        assert_eq!(stored(&mut history, "a"), expected(5..9));
        assert_eq!(kinds(&history), both);
        let aside = dir.join(format!("history.sqlite.corrupt-{}", after(5).0));
        assert!(std::fs::read(aside).unwrap().starts_with(&[7; 4_096]));
    });
}

#[test]
fn with_no_inode_free_it_goes_on_and_opens_again() {
    let name = "with_no_inode_free_it_goes_on_and_opens_again";
    inside(module_path!(), name, "size=32m,nr_inodes=40", |mount| {
        let dir = mount.join("data");
        rounds(&mut History::open(&dir, START), "a", 0..2);
        let mut number = 0;
        while File::create(mount.join(number.to_string())).is_ok() {
            number += 1;
        }
        let mut history = History::open(&dir, after(2));
        rounds(&mut history, "a", 2..300);
        assert_eq!(history.faults(), []);
        drop(history);
        assert_eq!(
            stored(&mut History::open(&dir, after(300)), "a"),
            expected(0..300)
        );

        let other = mount.join("other");
        let mut history = History::open(&other, START);
        assert_eq!(kinds(&history), [FaultKind::HistoryInMemory]);
        rounds(&mut history, "a", 0..5);
        assert_eq!(stored(&mut history, "a"), expected(0..5));
        std::fs::remove_file(mount.join("0")).unwrap();
        round(&mut history, 5, &[reading("a", 5)]);
        assert_eq!(
            kinds(&history),
            [FaultKind::HistoryInMemory],
            "one is for the folder alone"
        );
        for number in 1..6 {
            std::fs::remove_file(mount.join(number.to_string())).unwrap();
        }
        round(&mut history, 6, &[reading("a", 6)]);
        assert_eq!(history.faults(), []);
        assert_eq!(stored(&mut history, "a"), expected(0..7));
    });
}
