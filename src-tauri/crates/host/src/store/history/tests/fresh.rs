//! What fresh system disks used: kept across restarts, kills of the file and full disks.

use sandtray_core::baseline::Release;
use sandtray_core::gauge::Level;

use super::*;

fn release(digit: char) -> Release {
    Release::parse(digit.to_string().repeat(40).as_bytes()).unwrap()
}

fn level(used: u64) -> Level {
    Level {
        used,
        available: 1_000 - used,
        limit: 1_000,
    }
}

fn of(history: &History, digit: char) -> Option<u64> {
    history.baselines().of(&release(digit), level(800))
}

#[test]
fn what_was_seen_of_a_fresh_disk_is_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::open(dir.path(), START);
    history.observe_fresh(&release('a'), level(820), START);
    assert_eq!(of(&history, 'a'), Some(820), "at once");
    rounds(&mut history, "x", 0..1);
    drop(history);
    let mut history = History::open(dir.path(), after(1));
    assert_eq!((of(&history, 'a'), of(&history, 'b')), (Some(820), None));

    // Another Sandtray reads it and adds nothing; what is read stays what the owner has.
    let mut beside = History::open(dir.path(), after(1));
    beside.observe_fresh(&release('a'), level(100), after(1));
    assert_eq!(of(&beside, 'a'), Some(820));
    history.observe_fresh(&release('a'), level(810), after(2));
    rounds(&mut history, "x", 2..3);
    beside.series();
    assert_eq!(of(&beside, 'a'), Some(810));
    assert_eq!(of(&History::read(dir.path()), 'a'), Some(810));
}

#[test]
fn a_row_that_makes_no_sense_begins_anew_and_a_lost_file_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::open(dir.path(), START);
    history.observe_fresh(&release('a'), level(820), START);
    rounds(&mut history, "x", 0..1);
    let base = history.base.as_ref().unwrap();
    base.conn
        .execute("UPDATE state SET value = '{' WHERE name = 'baselines'", [])
        .unwrap();
    drop(history);
    let mut history = History::open(dir.path(), after(1));
    assert_eq!((of(&history, 'a'), kinds(&history)), (None, vec![]));

    history.observe_fresh(&release('b'), level(830), after(1));
    rounds(&mut history, "x", 1..2);
    for name in names(dir.path(), FILE) {
        std::fs::remove_file(dir.path().join(name)).unwrap();
    }
    rounds(&mut history, "x", 2..3);
    drop(history);
    assert_eq!(of(&History::open(dir.path(), after(3)), 'b'), Some(830));
}

#[test]
#[cfg(target_os = "linux")]
fn with_no_byte_free_a_fresh_disk_is_remembered() {
    use crate::store::full_volume::{fill, inside};

    let name = "with_no_byte_free_a_fresh_disk_is_remembered";
    inside(module_path!(), name, "size=8m", |mount| {
        let dir = mount.join("data");
        let mut history = History::open(&dir, START);
        rounds(&mut history, "x", 0..2);
        fill(mount);
        // As many as are kept at all, one round after the other.
        for (minute, digit) in (2..).zip("0123456789abcdef".chars()) {
            history.observe_fresh(&release(digit), level(800), after(minute));
            rounds(&mut history, "x", minute..minute + 1);
            assert_eq!(history.faults(), [], "{digit}");
        }
        drop(history);
        let history = History::open(&dir, after(60));
        assert_eq!(
            (of(&history, '0'), of(&history, 'f')),
            (Some(800), Some(800))
        );
    });
}
