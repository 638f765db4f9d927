//! Daily readings of guest disks in the history.

use rusqlite::Connection;
use sandtray_core::bytes::Allocated;
use sandtray_core::inside::growth::Snapshot;
use sandtray_core::inside::{DiskId, Entry, HomesSummary, Kind, Usage};
use sandtray_core::time::DAY;

use super::*;

fn disk(name: &str) -> DiskId {
    DiskId(format!("guest_sessions:{name}"))
}

/// A reading of so many homes.
fn reading_of(homes: u32, at: Time) -> Snapshot {
    let entry = |inode| Entry {
        name: format!("home-{inode}").into_bytes(),
        encrypted: false,
        kind: Kind::Dir,
        allocated: Allocated(u64::from(inode) * 4_096),
        apparent: Default::default(),
        entries: 1,
        inode,
        uid: 1_000,
        mtime: at,
        first_change: at,
        last_change: at,
    };
    let usage = Usage {
        entries: (0..homes).map(entry).collect(),
        complete: true,
        ..Usage::default()
    };
    Snapshot::of(&usage, at).unwrap()
}

fn homes(name: &str, count: u64, at: Time) -> HomesSummary {
    HomesSummary {
        disk: disk(name),
        count,
        allocated: Allocated(count * 4_096),
        oldest: Some(START),
        read_at: at,
    }
}

#[test]
fn readings_and_homes_are_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    history.keep_snapshot(&disk("a"), reading_of(1_634, START), START);
    history.keep_snapshot(&disk("b"), reading_of(3, after(1)), after(1));
    history.keep_homes(homes("a", 1, START), START);
    history.keep_homes(homes("a", 1_634, after(1)), after(1));
    drop(history);
    let mut history = History::open(folder.path(), after(2));
    assert_eq!(history.snapshots(&disk("a")), [START]);
    assert_eq!(
        history.snapshot(&disk("a"), START),
        Some(reading_of(1_634, START))
    );
    assert_eq!(history.snapshot(&disk("a"), after(1)), None, "it is of b");
    assert_eq!(history.homes(), [homes("a", 1_634, after(1))]);
    assert_eq!(history.faults(), []);

    // Another process that only reads sees the same.
    let mut reader = History::read(folder.path());
    assert_eq!(reader.snapshots(&disk("b")), [after(1)]);
    assert_eq!(reader.homes(), [homes("a", 1_634, after(1))]);
    reader.keep_snapshot(&disk("b"), reading_of(4, after(9)), after(9));
    assert_eq!(
        reader.snapshots(&disk("b")),
        [after(1)],
        "it records nothing"
    );
}

#[test]
fn a_month_is_kept_of_each_disk_and_the_file_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    rounds(&mut history, "a", 0..2);
    let wrong = START.plus(1_000 * DAY);
    history.keep_snapshot(&disk("a"), reading_of(9, wrong), wrong);
    history.keep_snapshot(&disk("decoy"), reading_of(2, START), START);
    let mut size = 0;
    for day in 0..100 {
        let at = START.plus(day * DAY);
        history.keep_snapshot(&disk("a"), reading_of(1_634, at), at);
        if day == 40 {
            size = std::fs::metadata(history.path()).unwrap().len();
        }
    }
    let kept = history.snapshots(&disk("a"));
    assert_eq!(kept.len(), 35);
    assert_eq!(
        kept.last(),
        Some(&START.plus(99 * DAY)),
        "not of a wrong clock"
    );
    assert_eq!(history.snapshots(&disk("decoy")), [START]);
    let now = std::fs::metadata(history.path()).unwrap().len();
    assert_eq!(now, size, "it grows no more");

    for number in 0..40 {
        let name = number.to_string();
        let at = START.plus((200 + number) * DAY);
        history.keep_snapshot(&disk(&name), reading_of(1, at), at);
        history.keep_homes(homes(&name, 1, at), at);
    }
    assert_eq!(history.snapshots(&disk("a")), [], "read longest ago");
    assert_eq!(history.snapshots(&disk("39")).len(), 1);
    assert_eq!(history.homes().len(), 16);
    assert_eq!(history.faults(), []);
}

#[test]
fn a_history_of_the_first_layout_climbs_and_keeps_all_it_has() {
    let folder = tempfile::tempdir().unwrap();
    rounds(&mut History::open(folder.path(), START), "a", 0..9);
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.execute_batch("DROP TABLE snapshots; PRAGMA user_version = 1")
        .unwrap();
    drop(conn);
    let mut reader = History::read(folder.path());
    assert_eq!(reader.snapshots(&disk("a")), []);
    assert_eq!(reader.snapshot(&disk("a"), START), None);
    assert_eq!(reader.faults(), []);
    drop(reader);

    let mut history = History::open(folder.path(), after(9));
    history.keep_snapshot(&disk("a"), reading_of(5, after(9)), after(9));
    assert_eq!(history.snapshots(&disk("a")), [after(9)]);
    assert_eq!(stored(&mut history, "a"), expected(0..9));
    assert_eq!(history.faults(), []);
}

#[test]
fn a_damaged_reading_is_none_and_the_history_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START);
    rounds(&mut history, "a", 0..3);
    history.keep_snapshot(&disk("a"), reading_of(5, START), START);
    drop(history);
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.execute_batch("UPDATE snapshots SET children = zeroblob(length(children))")
        .unwrap();
    drop(conn);
    let mut history = History::open(folder.path(), after(3));
    assert_eq!(history.snapshot(&disk("a"), START), None);
    assert_eq!(stored(&mut history, "a"), expected(0..3));
    assert_eq!(history.faults(), []);
}

#[cfg(target_os = "linux")]
#[test]
fn with_no_byte_free_a_reading_waits_and_points_go_on() {
    use crate::store::full_volume::{fill, inside};

    let name = "with_no_byte_free_a_reading_waits_and_points_go_on";
    inside(module_path!(), name, "size=12m", |mount| {
        let dir = mount.join("data");
        let mut history = History::open(&dir, START);
        rounds(&mut history, "a", 0..2);
        let before = reading_of(1_634, START);
        history.keep_snapshot(&disk("a"), before.clone(), START);
        fill(mount);
        let waiting = reading_of(1_634, after(2));
        history.keep_snapshot(&disk("a"), waiting.clone(), after(2));
        for minute in 2_i64..400 {
            let reading = [reading("a", minute.unsigned_abs())];
            history.record_all(after(minute), &reading, &latch(minute));
            history.keep_homes(
                homes("a", minute.unsigned_abs(), after(minute)),
                after(minute),
            );
            assert_eq!(history.faults(), [], "minute {minute}");
        }
        assert_eq!(history.snapshots(&disk("a")), [START, after(2)]);
        assert_eq!(
            history.snapshot(&disk("a"), after(2)),
            Some(waiting.clone())
        );
        assert_eq!(History::read(&dir).snapshots(&disk("a")), [START]);
        for later in 0..20 {
            let at = after(400 + later);
            history.keep_snapshot(&disk("b"), reading_of(1, at), at);
        }
        assert_eq!(
            history.snapshots(&disk("b")).len(),
            8,
            "memory has its bounds"
        );
        history.keep_snapshot(&disk("a"), waiting.clone(), after(420));

        std::fs::remove_file(mount.join("filler")).unwrap();
        rounds(&mut history, "a", 420..421);
        drop(history);
        let mut history = History::open(&dir, after(430));
        assert_eq!(history.snapshot(&disk("a"), START), Some(before));
        assert_eq!(history.snapshot(&disk("a"), after(2)), Some(waiting));
        assert_eq!(history.homes(), [homes("a", 399, after(399))]);
        assert_eq!(history.latch(), latch(399));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn with_no_byte_free_an_older_history_climbs_all_the_same() {
    use crate::store::full_volume::{fill, inside};

    let name = "with_no_byte_free_an_older_history_climbs_all_the_same";
    inside(module_path!(), name, "size=8m", |mount| {
        let dir = mount.join("data");
        rounds(&mut History::open(&dir, START), "a", 0..2);
        let conn = Connection::open(dir.join(FILE)).unwrap();
        // Its log keeps the blocks it has, as it does with ours.
        let keep = rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        conn.set_db_config(keep, true).unwrap();
        conn.execute_batch("DROP TABLE snapshots; PRAGMA user_version = 1")
            .unwrap();
        drop(conn);
        fill(mount);
        let mut history = History::open(&dir, after(2));
        rounds(&mut history, "a", 2..200);
        assert_eq!(history.faults(), []);
        drop(history);
        let mut history = History::open(&dir, after(200));
        assert_eq!(stored(&mut history, "a"), expected(0..200));
        assert_eq!(history.snapshots(&disk("a")), []);
        assert_eq!(history.faults(), []);
    });
}
