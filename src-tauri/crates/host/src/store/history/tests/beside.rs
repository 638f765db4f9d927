//! Two at once, and folders that cannot be written.

use super::*;

#[test]
fn the_second_only_reads_and_takes_over_when_the_first_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = History::open(folder.path(), START);
    first.record_all(after(0), &[reading("a", 0)], &latch(1));
    let mut second = History::open(folder.path(), START);
    assert_eq!(kinds(&second), [FaultKind::ReadOnly]);
    assert!(!second.records() && first.records());
    assert_eq!(second.latch(), latch(1));

    // What the first records is seen, a new series and a whole new bank too; what the second is given
    // is not recorded, or each round would count twice.
    rounds(&mut first, "a", 1..5);
    let many: Vec<_> = (0..12)
        .map(|series| reading(&format!("m{series}"), 4))
        .collect();
    round(&mut first, 5, &many);
    round(&mut second, 6, &[reading("a", 99), reading("mine", 1)]);
    assert_eq!(stored(&mut second, "a"), expected(0..5));
    assert_eq!(stored(&mut second, "m11"), [(5, 4)]);
    assert_eq!(second.series(), first.series());
    assert_eq!(stored(&mut first, "a"), expected(0..5));

    drop(first);
    rounds(&mut second, "a", 7..9);
    assert_eq!(second.faults(), []);
    assert!(second.records());
    let mut all = expected(0..5);
    all.extend(expected(7..9));
    assert_eq!(stored(&mut second, "a"), all);
    assert_eq!(second.latch(), latch(1));
}

#[test]
fn reading_creates_nothing_and_sees_what_is_recorded_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let mut reader = History::read(folder.path());
    assert_eq!(reader.faults(), []);
    assert_eq!(reader.series(), []);
    assert_eq!(names(folder.path(), ""), Vec::<String>::new());

    let mut writer = History::open(folder.path(), START);
    assert_eq!(writer.faults(), []);
    rounds(&mut writer, "a", 0..5);
    assert_eq!(stored(&mut reader, "a"), expected(0..5));
    rounds(&mut writer, "b", 5..7);
    assert_eq!(stored(&mut reader, "b"), expected(5..7));
    round(&mut reader, 9, &[reading("a", 1)]);
    drop(writer);
    assert_eq!(stored(&mut reader, "a"), expected(0..5));
    assert_eq!(reader.faults(), []);
    drop(reader);
    // The one who reads last does not take the log with it.
    assert_eq!(names(folder.path(), "history.sqlite-wal").len(), 1);
}

#[test]
fn where_the_folder_cannot_be_made_the_history_is_in_memory_until_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("data");
    std::fs::write(&dir, "a file where the folder should be").unwrap();
    let mut history = History::open(&dir, START);
    assert_eq!(kinds(&history), [FaultKind::HistoryInMemory]);
    history.record_all(after(0), &[reading("a", 0)], &latch(2));
    rounds(&mut history, "a", 1..200);
    assert_eq!(stored(&mut history, "a"), expected(0..200));
    assert_eq!(
        history
            .points(&id("a"), Tier::Quarter, START, after(29))
            .len(),
        2
    );
    std::fs::remove_file(&dir).unwrap();
    round(&mut history, 200, &[reading("a", 200)]);
    assert_eq!(history.faults(), []);
    drop(history);
    let mut history = History::open(&dir, after(201));
    assert_eq!(stored(&mut history, "a"), expected(0..201));
    assert_eq!(history.latch(), latch(2));
}

#[test]
fn without_a_data_folder_it_is_in_memory_for_good() {
    let cause = std::io::Error::from(std::io::ErrorKind::NotFound);
    let why = Failure::io("find the data folder", Path::new("~"), cause);
    let mut history = History::in_memory(why);
    history.record_all(after(0), &[reading("a", 0)], &latch(2));
    assert_eq!(kinds(&history), [FaultKind::HistoryInMemory]);
    assert_eq!(stored(&mut history, "a"), expected(0..1));
    assert_eq!(history.latch(), latch(2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_volume_is_read_and_recording_goes_on_in_memory() {
    use crate::store::full_volume::inside;

    let name = "a_read_only_volume_is_read_and_recording_goes_on_in_memory";
    inside(module_path!(), name, "size=16m", |mount| {
        rounds(&mut History::open(mount, START), "a", 0..5);
        let remount = |how: &str| {
            let done = std::process::Command::new("mount")
                .args(["-o", &format!("remount,bind,{how}")])
                .arg(mount)
                .status();
            assert!(done.unwrap().success());
        };
        remount("ro");
        let mut history = History::open(mount, after(5));
        assert_eq!(kinds(&history), [FaultKind::HistoryInMemory]);
        rounds(&mut history, "a", 5..7);
        assert_eq!(stored(&mut history, "a"), expected(0..7));
        assert_eq!(stored(&mut History::read(mount), "a"), expected(0..5));
        remount("rw");
        rounds(&mut history, "a", 7..8);
        assert_eq!(history.faults(), []);
        drop(history);
        assert_eq!(
            stored(&mut History::open(mount, after(9)), "a"),
            expected(0..8)
        );
    });
}
