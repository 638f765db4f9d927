//! A rebuild that begins only when somebody opens a task (facts §5): the command ends, the app follows.

use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use sandtray_core::act::receipt::{Rebuild, Receipt};
use sandtray_core::act::steps::End;
use sandtray_host::engine::{Engine, Event};

use crate::ordinary::{ROOMY, ordinary};
use crate::world::{World, names};

/// A test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(90);

/// The engine as the app starts it.
pub(crate) fn engine(world: &World) -> (Engine, Receiver<Event>) {
    let machine = sandtray_host::machine::load(&world.machine.file()).unwrap();
    let (events, reported) = mpsc::channel();
    let engine = Engine::start(machine, move |event| {
        events.send(event).ok();
    });
    (engine.unwrap(), reported)
}

/// Waits for an event that `which` takes something from.
pub(crate) fn until<T>(
    what: &str,
    reported: &Receiver<Event>,
    mut which: impl FnMut(Event) -> Option<T>,
) -> T {
    loop {
        match reported.recv_timeout(PATIENCE) {
            Ok(event) => {
                if let Some(found) = which(event) {
                    return found;
                }
            }
            Err(problem) => panic!("waited for {what}: {problem}"),
        }
    }
}

/// Waits for the end of an act or of its rebuild.
pub(crate) fn ended(reported: &Receiver<Event>) -> Receipt {
    until("an act's end", reported, |event| match event {
        Event::ActEnded(receipt) => Some(*receipt),
        _ => None,
    })
}

#[test]
fn a_rebuild_that_waits_for_a_task_is_followed_across_restarts_until_it_is_ready() {
    ordinary(
        module_path!(),
        "a_rebuild_that_waits_for_a_task_is_followed_across_restarts_until_it_is_ready",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder.begins_with_a_task());
            let disks = world.app.disks_identity().unwrap();
            let first = world.app.pid().unwrap();
            let told = world.reset("session-disk", "2");
            assert_eq!(told.done()["rebuild"], "waiting");
            let second = world.app.until_back(first);
            assert_eq!(world.app.pid(), Some(second));
            let copy = told.parked();
            assert_eq!(world.copies()[0]["verified"], false);
            let discard = world.act(&["parked", "discard", &copy, "--for-good", "--yes"]);
            assert_eq!(discard.refused(), ["not_verified"]);

            // The app of ours starts, and is ended before anything happens.
            let (engine_, reported) = engine(&world);
            engine_.resolve();
            until("what it knows of acts", &reported, |event| {
                matches!(event, Event::Acts(_)).then_some(())
            });
            drop(engine_);

            let (engine_, reported) = engine(&world);
            engine_.resolve();
            let _state = world.app.ask("open-task").unwrap();
            world.app.until_state("ready");
            let receipt = ended(&reported);
            assert_eq!(
                (receipt.id.as_str(), receipt.end),
                (copy.as_str(), End::Done)
            );
            assert_eq!(receipt.rebuild, Some(Rebuild::Ready));
            drop(engine_);

            let entry = world.journal().remove(0);
            assert_eq!(entry["receipt"]["rebuild"]["state"], "ready");
            assert_eq!(world.copies()[0]["verified"], true);
            world.assert_kept(&disks);
            world
                .act(&["parked", "discard", &copy, "--for-good", "--yes"])
                .done();
            assert!(world.copies().is_empty());
        },
    );
}

#[test]
fn a_rebuild_that_an_undo_has_overtaken_is_followed_no_more() {
    ordinary(
        module_path!(),
        "a_rebuild_that_an_undo_has_overtaken_is_followed_no_more",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder.begins_with_a_task());
            let told = world.reset("session-disk", "1");
            assert_eq!(told.done()["rebuild"], "waiting");
            let first = told.parked();
            let kept = || names(&world.own().join("rebuilds")).len();
            assert_eq!(kept(), 1);
            // Undone before a task was opened, and then one is: the old disk is in place and works.
            let words = ["parked", "restore", &first, "--yes", "--wait", "60"];
            let mut opened = false;
            let before = world.app.until_back(0);
            let undone = world.act_with(&words, |event| {
                if !opened && event["step"] == "watch" && event["rebuild"].is_object() {
                    opened = true;
                    let _new = world.app.until_back(before);
                    let _state = world.app.ask("open-task").unwrap();
                }
            });
            assert_eq!(undone.done()["rebuild"], "ready", "{:#}", undone.last);
            world.app.until_state("ready");
            // Nothing is left of the first watch: no new disk was ever built by that reset.
            assert_eq!(kept(), 0);
            let (engine_, reported) = engine(&world);
            engine_.resolve();
            until("what it knows of acts", &reported, |event| {
                matches!(event, Event::Acts(_)).then_some(())
            });
            drop(engine_);
            let entries = world.journal();
            assert_ne!(
                entries[0]["receipt"]["rebuild"]["state"], "ready",
                "{entries:#?}"
            );
        },
    );
}

#[test]
fn a_rebuild_that_the_command_line_left_is_followed_by_an_app_that_ran_before() {
    ordinary(
        module_path!(),
        "a_rebuild_that_the_command_line_left_is_followed_by_an_app_that_ran_before",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder.begins_with_a_task());
            let (engine, reported) = engine(&world);
            engine.resolve();
            until("what it knows of acts", &reported, |event| {
                matches!(event, Event::Acts(_)).then_some(())
            });
            let told = world.reset("session-disk", "1");
            assert_eq!(told.done()["rebuild"], "waiting");
            let _state = world.app.ask("open-task").unwrap();
            world.app.until_state("ready");
            let receipt = ended(&reported);
            assert_eq!(receipt.id, told.parked());
            assert_eq!(receipt.rebuild, Some(Rebuild::Ready));
            drop(engine);
            assert_eq!(world.copies()[0]["verified"], true);
        },
    );
}
