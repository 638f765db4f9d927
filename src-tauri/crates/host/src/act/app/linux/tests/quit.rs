//! One signal, to one process, and patience.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::super::super::{App, Quit, Running};
use super::super::{find, quit};
use super::{Group, Place, STAY, until};
use crate::walk::Cancel;

const LONG: Duration = Duration::from_secs(60);

/// Ignores the request, as an app does that is asking a person.
const DEAF: &str = "trap '' TERM; echo ready; while :; do sleep 0.1; done";

fn app(place: &Place) -> App {
    match find(&place.machine(), &place.claude(), &place.bundle()) {
        Running::Yes(app) => app,
        other => panic!("{other:?}"),
    }
}

fn ask(app: &App, limit: Duration) -> Quit {
    quit(app, limit, &Cancel::default(), &mut |_| {})
}

fn number(file: &Path) -> Pid {
    let text = fs::read_to_string(file).unwrap();
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

#[test]
fn the_app_ends_and_its_vm_is_sent_no_signal() {
    let place = Place::new();
    let (marks, vm) = (place.path(), place.program("/bin/sh", "qemu-system-x86_64"));
    // Each signal leaves a mark. It outlives the app, as orphaned VMs do.
    let script = format!(
        "'{vm}' -c 'for s in TERM HUP INT QUIT CONT; do trap \": > {marks}/$s\" $s; done; \
           trap \": > {marks}/asked\" USR1; echo $$ > {marks}/pid; echo ready; while :; do sleep 0.05; done' & wait",
        vm = vm.display(),
        marks = marks.display(),
    );
    let _main = place.run(&place.app(), &script);
    assert_eq!(ask(&app(&place), LONG), Quit::Gone);
    assert_eq!(
        find(&place.machine(), &place.claude(), &place.bundle()),
        Running::No
    );
    // It answers a signal of our own, so any that was sent before would have been seen by now.
    kill_process(number(&marks.join("pid")), Signal::USR1).unwrap();
    until("the VM's answer", || {
        marks.join("asked").exists().then_some(())
    });
    for signal in ["TERM", "HUP", "INT", "QUIT", "CONT"] {
        assert!(!marks.join(signal).exists(), "the VM was sent {signal}");
    }
}

#[test]
fn an_app_that_does_not_quit_is_left_running() {
    let place = Place::new();
    let mut main = place.run(&place.app(), DEAF);
    let mut told = Vec::new();
    let answer = quit(
        &app(&place),
        Duration::from_millis(1300),
        &Cancel::default(),
        &mut |text| told.push(text.to_owned()),
    );
    assert_eq!(answer, Quit::TimedOut);
    assert!(main.runs());
    assert!(
        told.len() >= 2 && told[1].contains("running sessions"),
        "{told:?}"
    );
}

#[test]
fn the_waiting_can_be_stopped_and_the_app_is_not_asked_once_somebody_has() {
    let place = Place::new();
    let mut deaf = place.run(&place.app(), DEAF);
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let answer = quit(&app(&place), LONG, &cancel, &mut |_| stop.cancel());
    assert_eq!(answer, Quit::Stopped);
    assert!(deaf.runs());
    drop(deaf);

    let mut main = place.run(&place.app(), STAY);
    let answer = quit(&app(&place), LONG, &cancel, &mut |_| panic!("asked"));
    assert_eq!(answer, Quit::Stopped);
    assert!(main.runs());
}

#[test]
fn a_number_that_belongs_to_another_process_by_now_is_not_signalled() {
    let place = Place::new();
    let mut main = place.run(&place.app(), STAY);
    let mut later = app(&place);
    later.started += 1;
    assert_eq!(ask(&later, LONG), Quit::Gone);
    let mut other = app(&place);
    other.executable = place.path().join("app/another");
    assert!(matches!(ask(&other, LONG), Quit::CannotAsk(_)));
    // A signal would have ended it: it had none before this one.
    assert!(main.runs());
    assert_eq!(ask(&app(&place), LONG), Quit::Gone);
}

#[test]
fn an_app_that_has_ended_already_is_gone() {
    let place = Place::new();
    let main = place.run(&place.app(), STAY);
    let known = app(&place);
    drop(main);
    assert_eq!(ask(&known, LONG), Quit::Gone);
    let nonsense = App {
        pid: 0,
        ..known.clone()
    };
    assert!(matches!(ask(&nonsense, LONG), Quit::CannotAsk(_)));
    // Not the app's own start: within a tick of the clock both may have started.
    let own = App {
        pid: std::process::id(),
        started: known.started.saturating_add(1_000_000),
        ..known
    };
    assert_eq!(ask(&own, LONG), Quit::Gone, "and we are still here");
}

#[test]
fn an_app_that_nobody_waited_for_has_ended_all_the_same() {
    let place = Place::new();
    let main: Group = place.run(&place.app(), STAY);
    // Not reaped until the end of the test: a zombie from here on.
    assert_eq!(ask(&app(&place), LONG), Quit::Gone);
    assert_eq!(
        find(&place.machine(), &place.claude(), &place.bundle()),
        Running::No
    );
    drop(main);
}
