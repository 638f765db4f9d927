use super::*;
use crate::act::Move;
use crate::paths::PathText;

fn act(id: &str) -> Act {
    Act {
        id: id.to_owned(),
        kind: ActKind::Reset,
        scope: Scope::SessionDisk,
        bundle: "b".to_owned(),
        bundle_path: PathText::from_bytes(b"/b"),
        copy: None,
        parked: Some(PathText::from_bytes(b"/p")),
        moves: vec![Move {
            from: PathText::from_bytes(b"/b/\xff"),
            to: PathText::from_bytes(b"/p/\xff"),
            identity: crate::act::Identity {
                device: u64::MAX,
                inode: 2,
                size: 3,
            },
            folder: false,
        }],
        running: true,
        launch: None,
        boot: None,
        planned_at: Time(1),
    }
}

fn line(entry: &str, at: i64, line: Line) -> String {
    let record = Record {
        schema: ACT_SCHEMA,
        entry: entry.to_owned(),
        at: Time(at),
        line,
    };
    serde_json::to_string(&record).unwrap() + "\n"
}

fn begun(id: &str, at: i64) -> String {
    let act = Box::new(act(id));
    line(id, at, Line::Begun { act })
}

#[test]
fn lines_fold_into_entries_and_paths_keep_every_byte() {
    let text = begun("one", 10)
        + &line(
            "one",
            11,
            Line::Before {
                step: Step::Move,
                index: Some(0),
            },
        )
        + &line(
            "one",
            12,
            Line::After {
                step: Step::Move,
                index: Some(0),
                well: true,
                note: String::new(),
            },
        )
        + &line(
            "one",
            13,
            Line::Ended {
                end: End::Done,
                outcome: "moved".into(),
                receipt: None,
            },
        )
        + &line(
            "one",
            14,
            Line::Rebuilt {
                rebuild: Rebuild::Ready,
            },
        )
        + &begun("two", 20)
        + &line(
            "two",
            21,
            Line::Before {
                step: Step::Move,
                index: Some(0),
            },
        );
    let journal = read(text.as_bytes());
    assert_eq!((journal.odd, journal.newer), (0, None));
    let one = journal.entry("one").unwrap();
    assert_eq!(
        (one.state, one.ended_at),
        (EntryState::Done, Some(Time(13)))
    );
    assert_eq!(one.rebuild, Some(Rebuild::Ready));
    assert_eq!(one.act, act("one"));
    let open: Vec<_> = journal.open().map(|entry| entry.act.id.as_str()).collect();
    assert_eq!(open, ["two"]);
    let two = journal.entry("two").unwrap();
    assert_eq!((two.step, two.stepped), (Some((Step::Move, Some(0))), None));
}

#[test]
fn a_torn_line_is_counted_and_changes_nothing_and_a_newer_one_is_told() {
    let whole = begun("one", 10);
    for end in 1..whole.len() - 1 {
        let journal = read(&[begun("zero", 1).as_bytes(), &whole.as_bytes()[..end]].concat());
        assert_eq!((journal.entries.len(), journal.odd), (1, 1), "{end}");
    }
    let newer = whole.replacen("\"schema\":1", "\"schema\":2", 1);
    let journal = read(newer.as_bytes());
    assert_eq!((journal.entries.len(), journal.newer), (0, Some(2)));
}

#[test]
fn a_line_of_an_act_that_never_began_is_odd() {
    let text = line(
        "ghost",
        1,
        Line::Before {
            step: Step::Move,
            index: None,
        },
    );
    assert_eq!(read(text.as_bytes()).odd, 1);
}

#[test]
fn a_line_that_was_written_twice_is_one_fact() {
    let text = begun("one", 10) + &begun("one", 10);
    let journal = read(text.as_bytes());
    assert_eq!((journal.entries.len(), journal.odd), (1, 0));
}
