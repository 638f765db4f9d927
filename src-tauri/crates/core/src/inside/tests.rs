use super::growth::{APART, Snapshot, basis, growth, is_due};
use super::*;
use crate::time::{DAY, HOUR};

fn entry(name: &str, inode: u32, allocated: u64, changed: i64) -> Entry {
    Entry {
        name: name.as_bytes().to_vec(),
        encrypted: false,
        kind: Kind::Dir,
        allocated: Allocated(allocated),
        apparent: Apparent(allocated),
        entries: 3,
        inode,
        uid: 1000,
        mtime: Time(changed),
        first_change: Time(changed - 100),
        last_change: Time(changed),
    }
}

fn usage(entries: Vec<Entry>) -> Usage {
    Usage {
        path: b"/".to_vec(),
        entries,
        complete: true,
        ..Usage::default()
    }
}

fn id(entry: &Entry) -> String {
    format!("id-{}", entry.inode)
}

#[test]
fn the_contract_of_du_has_these_fields_and_no_others() {
    let mut one = entry("fox", 12, 4096, 1000);
    one.name = b"fo\xff".to_vec();
    let json = serde_json::to_string(&UsageView::from(&usage(vec![one]))).unwrap();
    assert_eq!(
        json,
        "{\"schema\":1,\"path\":\"/\",\"entries\":[{\"path\":\"/fo\u{fffd}\",\"path_bytes\":\"L2Zv/w==\",\
         \"allocated\":4096,\"apparent\":4096,\"entries\":3,\"inode\":12,\"uid\":1000,\"mtime\":1000}],\
         \"orphans\":{\"count\":0,\"allocated\":0},\"complete\":true}"
    );
}

#[test]
fn paths_inside_a_disk_have_one_slash_between_names() {
    assert_eq!(join(b"/", b"a"), b"/a");
    assert_eq!(join(b"/a", b"b"), b"/a/b");
}

#[test]
fn the_newest_homes_are_the_last_changed_and_lost_and_found_is_no_home() {
    let mut entries: Vec<Entry> = (1..=15)
        .map(|n: u32| entry(&format!("home-{n}"), n, 4096, i64::from(n) * 10))
        .collect();
    entries.push(entry("lost+found", 99, 16384, 9999));
    let homes = super::entries(&usage(entries), true, id);
    assert_eq!(homes.len(), 15);
    let newest: Vec<&str> = homes
        .iter()
        .filter(|home| home.newest)
        .map(|home| home.name.path.as_str())
        .collect();
    assert_eq!(newest.len(), NEWEST);
    assert_eq!((newest[0], newest[9]), ("home-6", "home-15"));
}

#[test]
fn what_grew_is_told_apart_from_what_is_new_what_shrank_and_what_has_gone() {
    let before = usage(vec![
        entry("same", 1, 100, 1),
        entry("more", 2, 100, 1),
        entry("less", 3, 100, 1),
        entry("gone", 4, 70, 1),
    ]);
    let snapshot = Snapshot::of(&before, Time(1000)).unwrap();
    let snapshot = Snapshot::decode(&snapshot.encode()).unwrap();
    let now = usage(vec![
        entry("new", 5, 500, 2),
        entry("more", 2, 130, 2),
        entry("same", 1, 100, 2),
        entry("less", 3, 40, 2),
    ]);
    let growth = growth(&snapshot, &now, Time(2000), id);
    let grown: Vec<(&str, u64, bool)> = growth
        .grown
        .iter()
        .map(|grown| (grown.name.path.as_str(), grown.by.0, grown.new))
        .collect();
    assert_eq!(grown, [("new", 500, true), ("more", 30, false)]);
    assert_eq!(growth.grown[0].id, "id-5");
    assert_eq!((growth.by.0, growth.shrunk.0), (530, 60));
    assert_eq!((growth.gone.count, growth.gone.allocated.0), (1, 70));
    assert_eq!((growth.since, growth.until), (Time(1000), Time(2000)));
}

#[test]
fn an_incomplete_reading_is_not_kept_and_makes_nothing_go() {
    let whole = usage(vec![entry("a", 1, 100, 1), entry("b", 2, 100, 1)]);
    let mut half = usage(vec![entry("a", 1, 100, 1)]);
    half.complete = false;
    assert_eq!(Snapshot::of(&half, Time(5)), None);
    let snapshot = Snapshot::of(&whole, Time(5)).unwrap();
    assert_eq!(growth(&snapshot, &half, Time(6), id).gone.count, 0);
}

#[test]
fn a_snapshot_that_is_cut_or_of_another_schema_is_none() {
    let snapshot = Snapshot::of(&usage(vec![entry("a", 1, 100, 1)]), Time(5)).unwrap();
    let bytes = snapshot.encode();
    assert_eq!(bytes.len(), 29);
    for end in 0..bytes.len() {
        // The head alone is a reading of an empty folder.
        let cut = Snapshot::decode(&bytes[..end]);
        assert_eq!(cut.is_some(), end == 9, "{end}");
    }
    let mut newer = bytes;
    newer[0] = 2;
    assert_eq!(Snapshot::decode(&newer), None);
}

#[test]
fn a_reading_is_compared_with_the_one_closest_to_a_day_ago_that_is_old_enough() {
    let now = Time(100 * DAY);
    let ago = |hours: i64| now.plus(-hours * HOUR);
    assert_eq!(basis(&[], now), None);
    assert_eq!(basis(&[ago(1), ago(19)], now), None);
    assert_eq!(
        basis(&[ago(70), ago(27), ago(20), ago(3)], now),
        Some(ago(27))
    );
    assert_eq!(basis(&[ago(96), ago(200)], now), Some(ago(96)));
    assert_eq!(basis(&[ago(-24)], now), None, "of a clock that was wrong");
}

#[test]
fn a_reading_is_kept_when_the_last_one_is_old() {
    let now = Time(100 * DAY);
    assert!(is_due(&[], now, APART));
    assert!(is_due(&[now.plus(-APART), now.plus(-3 * DAY)], now, APART));
    assert!(!is_due(
        &[now.plus(1 - APART), now.plus(-3 * DAY)],
        now,
        APART
    ));
    assert!(
        is_due(&[now.plus(DAY)], now, APART),
        "a clock that was wrong"
    );
}
