//! Files that are not what they should be: each is kept, and said so.

use rusqlite::Connection;

use super::*;

/// A folder with a history of ten minutes.
fn ten_minutes() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    rounds(&mut History::open(folder.path(), START), "a", 0..10);
    folder
}

/// Opens a damaged history: what was there is set aside as it is, and the new one works.
fn is_set_aside(folder: &Path, what: &str) {
    let damaged = std::fs::read(folder.join(FILE)).unwrap();
    let before = names(folder, "history.sqlite.corrupt").len();
    let now = after(100);
    let mut history = History::open(folder, now);
    assert_eq!(kinds(&history), [FaultKind::HistorySetAside], "{what}");
    let text = history.faults()[0].text.clone();
    let aside = names(folder, "history.sqlite.corrupt");
    let aside: Vec<_> = aside
        .iter()
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect();
    assert!(aside.len() > before / 3, "{what}");
    assert!(
        aside
            .iter()
            .any(|name| std::fs::read(folder.join(name)).unwrap() == damaged
                && text.contains(name.as_str())),
        "{what}: kept as it was, and named: {text}"
    );
    assert!(!text.contains('\n'));
    assert_eq!(stored(&mut history, "a"), []);
    rounds(&mut history, "a", 200..210);
    drop(history);
    let mut history = History::open(folder, after(300));
    assert_eq!(history.faults(), [], "{what}");
    assert_eq!(stored(&mut history, "a"), expected(200..210), "{what}");
}

#[test]
fn garbage_truncation_and_flipped_bits_are_set_aside_and_never_overwritten() {
    let folder = ten_minutes();
    let file = folder.path().join(FILE);
    let good = std::fs::read(&file).unwrap();

    std::fs::write(&file, b"not a database at all").unwrap();
    is_set_aside(folder.path(), "garbage");
    std::fs::write(&file, vec![0xAA; 100_000]).unwrap();
    is_set_aside(folder.path(), "more garbage");
    std::fs::write(&file, &good[..good.len() / 2]).unwrap();
    is_set_aside(folder.path(), "half of it");
    std::fs::write(&file, &good[..50]).unwrap();
    is_set_aside(folder.path(), "half a header");
    std::fs::write(&file, vec![0; good.len()]).unwrap();
    is_set_aside(folder.path(), "zeros");

    let names = names(folder.path(), "history.sqlite.corrupt");
    let files = names
        .iter()
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert_eq!(files.count(), 5, "one each: {names:?}");
}

#[test]
fn a_flipped_bit_anywhere_in_a_point_is_found() {
    let folder = ten_minutes();
    let file = folder.path().join(FILE);
    let good = std::fs::read(&file).unwrap();
    // What is in the log too would be taken from there, and be right.
    let log = folder.path().join("history.sqlite-wal");
    std::fs::remove_file(&log).unwrap();
    // The last of ten minutes: min, max and last are 9.
    let nine: Vec<u8> = [9_u64; 3]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let place = good.windows(24).position(|bytes| bytes == nine).unwrap();
    for bit in [0_usize, 40, 63, 190] {
        let mut bad = good.clone();
        bad[place + bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&file, &bad).unwrap();
        is_set_aside(folder.path(), &format!("bit {bit}"));
        for name in names(folder.path(), "history.sqlite") {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
}

#[test]
fn blocks_of_zeros_anywhere_never_bring_down_the_history() {
    let folder = ten_minutes();
    let file = folder.path().join(FILE);
    let good = std::fs::read(&file).unwrap();
    std::fs::remove_file(folder.path().join("history.sqlite-wal")).unwrap();
    for page in (0..good.len() / 4_096).step_by(37) {
        let mut bad = good.clone();
        bad[page * 4_096..(page + 1) * 4_096].fill(0);
        std::fs::write(&file, &bad).unwrap();
        let mut history = History::open(folder.path(), after(20));
        let aside = kinds(&history) == [FaultKind::HistorySetAside];
        // A free page may be lost unseen; what is drawn may not.
        assert!(
            aside || stored(&mut history, "a") == expected(0..10),
            "page {page}"
        );
        rounds(&mut history, "a", 20..22);
        assert!(stored(&mut history, "a").ends_with(&expected(20..22)));
        drop(history);
        for name in names(folder.path(), "history.sqlite") {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
}

#[test]
fn damage_found_while_running_is_set_aside_then() {
    let folder = ten_minutes();
    let mut history = History::open(folder.path(), after(10));
    assert_eq!(history.faults(), []);
    // The page of the minutes to come, through SQLite itself: the structure stays sound.
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    other
        .execute("UPDATE ring SET points = zeroblob(3848)", [])
        .unwrap();
    drop(other);
    history.record_all(after(11), &[reading("a", 11)], &latch(3));
    assert_eq!(kinds(&history), [FaultKind::HistorySetAside]);
    assert_eq!(
        stored(&mut history, "a"),
        [(11, 11)],
        "the round itself is not lost"
    );
    drop(history);
    let mut history = History::open(folder.path(), after(12));
    assert_eq!(history.faults(), []);
    assert_eq!(stored(&mut history, "a"), [(11, 11)]);
    assert_eq!(history.latch(), latch(3), "nor the latch");
}

#[test]
fn damage_found_by_reading_is_set_aside_and_recording_goes_on() {
    let folder = ten_minutes();
    let mut history = History::open(folder.path(), after(10));
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    other
        .execute("UPDATE ring SET points = zeroblob(3848)", [])
        .unwrap();
    drop(other);
    assert_eq!(stored(&mut history, "a"), []);
    assert_eq!(kinds(&history), [FaultKind::HistorySetAside]);
    rounds(&mut history, "a", 11..13);
    assert_eq!(stored(&mut history, "a"), expected(11..13));
}

#[test]
fn a_history_removed_while_running_is_begun_anew() {
    let folder = ten_minutes();
    let mut history = History::open(folder.path(), after(10));
    std::fs::remove_dir_all(folder.path()).unwrap();
    history.record_all(after(11), &[reading("a", 11)], &latch(4));
    assert_eq!(history.faults(), []);
    drop(history);
    let mut history = History::open(folder.path(), after(12));
    assert_eq!(stored(&mut history, "a"), [(11, 11)]);
    assert_eq!(history.latch(), latch(4));
}

/// Opens a history that is not ours to touch: in memory, and the file stays as it is.
fn is_left_alone(folder: &Path, kind: FaultKind) {
    let file = folder.join(FILE);
    let before = std::fs::read(&file).unwrap();
    let mut history = History::open(folder, after(10));
    assert_eq!(kinds(&history), [kind]);
    history.record_all(after(11), &[reading("a", 11)], &latch(1));
    assert_eq!(
        stored(&mut history, "a"),
        [(11, 11)],
        "it goes on in memory"
    );
    assert_eq!(history.latch(), latch(1));
    drop(history);
    assert!(std::fs::read(&file).unwrap() == before);
    assert_eq!(
        names(folder, "history.sqlite.corrupt"),
        Vec::<String>::new()
    );
}

#[test]
fn a_newer_history_is_left_alone_and_its_own_version_can_lock_it() {
    let folder = ten_minutes();
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.execute_batch("PRAGMA user_version = 9; CREATE TABLE new (x)")
        .unwrap();
    drop(conn);
    is_left_alone(folder.path(), FaultKind::HistoryNewer);

    let _closed = History::open(folder.path(), after(10));
    assert!(Lock::take(&folder.path().join(LOCK)).unwrap().is_some());
    let mut reader = History::read(folder.path());
    assert_eq!(kinds(&reader), [FaultKind::HistoryNewer]);
    assert_eq!(stored(&mut reader, "a"), []);
}

#[test]
fn a_newer_number_that_is_only_in_the_log_is_seen_too() {
    let folder = ten_minutes();
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.set_db_config(
        rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
        true,
    )
    .unwrap();
    conn.execute_batch("PRAGMA user_version = 9").unwrap();
    drop(conn);
    is_left_alone(folder.path(), FaultKind::HistoryNewer);
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
        .unwrap();
    drop(conn);
    is_left_alone(folder.path(), FaultKind::HistoryInMemory);

    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.execute_batch("PRAGMA application_id = 77").unwrap();
    drop(conn);
    is_left_alone(folder.path(), FaultKind::HistoryInMemory);
}

#[test]
fn an_unfinished_creation_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        .unwrap();
    drop(conn);
    let mut history = History::open(folder.path(), START);
    assert_eq!(history.faults(), []);
    rounds(&mut history, "a", 0..3);
    assert_eq!(stored(&mut history, "a"), expected(0..3));
}

#[test]
fn a_lost_log_costs_nothing_but_what_it_held() {
    let folder = ten_minutes();
    std::fs::remove_file(folder.path().join("history.sqlite-wal")).unwrap();
    std::fs::remove_file(folder.path().join("history.sqlite-shm")).unwrap();
    let mut history = History::open(folder.path(), after(10));
    assert_eq!(history.faults(), []);
    assert_eq!(stored(&mut history, "a"), expected(0..10));
}
