//! Cleaning unasked, once a person has switched it on.

use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use sandtray_core::leftover::view::CleanedBy;
use sandtray_host::engine::{Engine, Event};

use super::*;

/// An engine as the app has it: it may act.
fn engine(machine: &TestMachine, settings: &str) -> (Engine, Receiver<Event>) {
    file(
        machine.home().join(".config/sandtray/settings.toml"),
        settings.as_bytes(),
    );
    let (events, reported) = mpsc::channel();
    let machine = sandtray_host::machine::load(&machine.file()).unwrap();
    let engine = Engine::start(machine, move |event| drop(events.send(event))).unwrap();
    engine.resolve();
    (engine, reported)
}

#[test]
fn the_schedule_takes_what_is_proven_and_leaves_what_may_be_wanted() {
    let mut machine = later();
    machine.now_offset = 4 * 24 * 3_600;
    machine.save().unwrap();
    let root = session_root(&mut machine);
    let wanted = file(
        root.join("-home-you-webshop/0b5c1f8e-1111-4222-8333-123456789abc/scratchpad/plan.md"),
        b"plan",
    );
    let empty = folder(machine.tmp().join("claude-empty-aB3xY9"));
    let (engine, reported) = engine(&machine, "[leftovers]\nschedule = true\n");
    let receipt = loop {
        match reported.recv_timeout(Duration::from_secs(120)).unwrap() {
            Event::Cleaned(receipt) => break receipt,
            _ => continue,
        }
    };
    assert_eq!(receipt.by, CleanedBy::Schedule);
    assert_eq!(receipt.removed, 1, "{receipt:?}");
    assert!(!there(&empty) && there(&wanted));
    assert_eq!(engine.clean_receipts().unwrap().len(), 1);
    // The window cleans by ids alone, and only by those that it was given.
    let view = engine.leftovers(|_| {}).unwrap();
    let group = view
        .classes
        .iter()
        .find(|class| class.class == "scratchpad");
    let mut choice = sandtray_core::leftover::view::CleanChoice {
        groups: vec![group.unwrap().id.clone()],
        ..Default::default()
    };
    let preview = engine.clean_view(&choice).unwrap();
    assert_eq!(
        (preview.count, preview.parts[0].parks),
        (1, true),
        "{preview:?}"
    );
    assert!(engine.apply_clean("leftovers-of-nobody").is_err());
    engine.apply_clean(&preview.id).unwrap();
    let receipt = loop {
        match reported.recv_timeout(Duration::from_secs(120)).unwrap() {
            Event::Cleaned(receipt) => break receipt,
            _ => continue,
        }
    };
    assert_eq!((receipt.by, receipt.removed), (CleanedBy::Person, 1));
    assert!(!there(&wanted));
    assert!(
        engine.apply_clean(&preview.id).is_err(),
        "an id is good for once"
    );
    let parked = engine.cleaning().unwrap().parked;
    engine.restore_leftovers(&parked[0].id).unwrap();
    assert!(there(&wanted));
    choice.groups = vec!["scratchpad:/etc".to_owned()];
    assert!(engine.clean_view(&choice).is_err());
    choice.groups.clear();
    choice.candidates = vec!["0123456789abcdef".to_owned()];
    assert!(engine.clean_view(&choice).is_err());
}
