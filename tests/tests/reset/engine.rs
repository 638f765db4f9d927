//! The same through the engine, as the window asks for it: by the id of a preview, reported as events.

use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::steps::{End, Step};
use sandtray_core::act::{RefusalKind, Scope};
use sandtray_core::inside::DiskId;
use sandtray_host::engine::{Engine, Event};
use sandtray_tests::stand_in::Misbehaviour;
use std::sync::mpsc::Receiver;

use crate::ordinary::{ROOMY, ordinary};
use crate::waiting::{ended, engine, until};
use crate::world::World;

/// Waits until the engine knows the machine.
fn knows(reported: &Receiver<Event>) {
    until("a measurement", reported, |event| match event {
        Event::Status(status) => status.measured_at.map(|_| ()),
        _ => None,
    });
}

/// The id of the plan of a scope, as the window has it.
fn plan(engine: &Engine, scope: Scope) -> String {
    let view = engine.reset_view(None).unwrap();
    assert_eq!(view.plans.len(), 3);
    let plan = view.plans.iter().find(|plan| plan.scope == scope).unwrap();
    assert!(plan.refusals.is_empty(), "{:?}", plan.refusals);
    plan.id.clone()
}

#[test]
fn a_reset_and_its_undo_are_applied_by_id_and_told_step_by_step() {
    ordinary(
        module_path!(),
        "a_reset_and_its_undo_are_applied_by_id_and_told_step_by_step",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| builder);
            let disks = world.app.disks_identity().unwrap();
            let (engine, reported) = engine(&world);
            engine.resolve();
            knows(&reported);
            let view = engine.reset_view(None).unwrap();
            assert_eq!(view.running, Some(true));
            assert!(view.homes.is_some() || !view.newest.is_empty(), "{view:?}");
            let id = plan(&engine, Scope::SessionDisk);
            engine.apply_plan(&id).unwrap();
            let mut steps: Vec<Step> = Vec::new();
            let receipt = until("the reset's end", &reported, |event| match event {
                Event::Acts(acts) => {
                    steps.extend(acts.running.iter().map(|told| told.step));
                    None
                }
                Event::ActEnded(receipt) => Some(receipt),
                _ => None,
            });
            steps.dedup();
            assert_eq!((receipt.id.as_str(), receipt.end), (id.as_str(), End::Done));
            assert_eq!(receipt.rebuild, Some(Rebuild::Ready), "{receipt:?}");
            for step in [Step::Quit, Step::Prove, Step::Move, Step::Watch] {
                assert!(steps.contains(&step), "{step:?}: {steps:?}");
            }
            world.app.until_state("ready");
            let acts = engine.acts().unwrap();
            assert!(acts.running.is_empty());
            assert_eq!(acts.last.as_ref(), Some(&*receipt));
            assert_eq!(acts.parked.len(), 1);
            // What stands aside can be looked into, by an id of its own.
            let aside = DiskId(format!("parked_sessions:{}", acts.parked[0].id));
            let inside = engine.inside(&aside, None, |_| {}).unwrap();
            assert!(inside.sessions && inside.complete, "{inside:?}");
            let homes = usize::try_from(view.homes.as_ref().unwrap().count).unwrap();
            assert_eq!(inside.entries.len(), homes);
            engine
                .check_rescue(&aside, &[inside.entries[0].id.clone()])
                .unwrap();
            let elsewhere = DiskId("parked_sessions:no-such-copy".to_owned());
            assert!(engine.inside(&elsewhere, None, |_| {}).is_err());
            // An id is good for once.
            assert!(engine.apply_plan(&id).is_err());
            let back = engine.restore_view(&acts.parked[0].id).unwrap();
            assert!(back.refusals.is_empty(), "{back:?}");
            engine.apply_plan(&back.id).unwrap();
            let undone = ended(&reported);
            assert_eq!(
                (undone.id.as_str(), undone.end),
                (back.id.as_str(), End::Done)
            );
            world.app.until_state("ready");
            let now = world.app.disks_identity().unwrap();
            assert!(now["sessiondata.img"].same_file(&disks["sessiondata.img"]));
            world.assert_kept(&disks);
            assert_eq!(engine.activity().unwrap().len(), 2);
        },
    );
}

#[test]
fn stopped_while_the_app_asks_back_everything_is_as_it_was() {
    ordinary(
        module_path!(),
        "stopped_while_the_app_asks_back_everything_is_as_it_was",
        ROOMY,
        |root| {
            let world = World::running(root, |builder| {
                builder.misbehaves(Misbehaviour::AsksBeforeQuit)
            });
            let disks = world.app.disks_identity().unwrap();
            let app = world.app.pid();
            let (engine, reported) = engine(&world);
            knows(&reported);
            let id = plan(&engine, Scope::Bundle);
            engine.apply_plan(&id).unwrap();
            until("the app to be asked", &reported, |event| match event {
                Event::Acts(acts) => {
                    let last = acts.running.last()?;
                    let asks = last.step == Step::Quit && last.can_cancel;
                    (asks && !last.waiting_for.is_empty()).then_some(())
                }
                _ => None,
            });
            // One at a time.
            let busy = engine.reset_view(None).unwrap();
            assert!(engine.apply_plan(&busy.plans[0].id).is_err());
            engine.cancel_act();
            let receipt = ended(&reported);
            assert_eq!(receipt.end, End::Refused);
            assert_eq!(receipt.refusals[0].kind, RefusalKind::Cancelled);
            assert_eq!(world.app.pid(), app);
            assert_eq!(world.app.ask("dialog stay").unwrap(), "stays");
            let now = world.app.disks_identity().unwrap();
            assert!(disks.iter().all(|(name, disk)| now[name].same_file(disk)));
            assert!(engine.acts().unwrap().parked.is_empty());
            assert_eq!(world.journal()[0]["state"], "refused");
        },
    );
}
