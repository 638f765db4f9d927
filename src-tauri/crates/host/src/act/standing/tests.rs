use std::path::Path;

use sandtray_core::act::journal::{EntryState, Line};
use sandtray_core::act::steps::End;
use sandtray_core::act::{Act, ActKind, Scope};
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;

use super::*;
use crate::act::hands::Hands;
use crate::act::journal::Writer;
use crate::act::lock::Lock;

fn described(folder: &Path) -> Machine {
    let file = folder.join("machine.toml");
    std::fs::write(&file, "home = 'home'\n").unwrap();
    crate::machine::load(&file).unwrap()
}

fn begun(id: &str) -> Line {
    let act = Act {
        id: id.to_owned(),
        kind: ActKind::Reset,
        scope: Scope::SessionDisk,
        bundle: "b".to_owned(),
        bundle_path: PathText::from_bytes(b"/b"),
        copy: None,
        parked: None,
        moves: Vec::new(),
        running: false,
        launch: None,
        boot: None,
        planned_at: Time(1),
    };
    Line::Begun { act: Box::new(act) }
}

fn ended() -> Line {
    Line::Ended {
        end: End::Done,
        outcome: "done".to_owned(),
        receipt: None,
    }
}

fn append(machine: &Machine, lock: &Lock, id: &str, line: Line) {
    let hands = Hands::default();
    let (writer, _) = Writer::open(machine, &hands, lock).unwrap();
    writer.append(id, line).unwrap();
}

fn states(standing: &Standing) -> Vec<(String, EntryState)> {
    standing
        .entries()
        .map(|entry| (entry.id, entry.state))
        .collect()
}

#[test]
fn an_open_entry_is_under_way_as_long_as_somebody_has_the_lock_and_cut_off_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    assert_eq!(standing(&machine).unwrap(), Standing::default());
    assert!(!machine.own_data.exists(), "reading makes nothing");
    let lock = Lock::take(&machine, &Hands::default()).unwrap();
    append(&machine, &lock, "a", begun("a"));
    let now = standing(&machine).unwrap();
    assert_eq!(states(&now), [("a".to_owned(), EntryState::Begun)]);
    assert_eq!(now.cut_off().count(), 0);
    drop(lock);
    let now = standing(&machine).unwrap();
    assert_eq!(states(&now), [("a".to_owned(), EntryState::Interrupted)]);
    assert_eq!(now.cut_off().count(), 1);
    assert!(now.entries().all(|entry| entry.ended_at.is_none()));
}

#[test]
fn an_act_that_ends_while_it_is_read_or_one_that_begins_then_was_not_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let lock = Lock::take(&machine, &Hands::default()).unwrap();
    append(&machine, &lock, "a", begun("a"));
    let now = read(&machine, || {
        append(&machine, &lock, "a", ended());
        append(&machine, &lock, "b", begun("b"));
        false
    });
    let expected = [
        ("a".to_owned(), EntryState::Done),
        ("b".to_owned(), EntryState::Begun),
    ];
    assert_eq!(states(&now.unwrap()), expected);
}
