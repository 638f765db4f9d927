//! An error at every effect: before it took place and after.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use sandtray_core::act::Scope;
use sandtray_core::act::journal::EntryState;
use sandtray_core::act::steps::End;

use super::fake::Fake;
use super::world::{OLD, World, errno, fill};
use super::{ROOMY, instants, ordinary};
use crate::act::hands::{Hands, Side};
use crate::act::plan::Request;
use crate::act::run::Control;

/// Hands whose effect number `at` fails on one side.
fn failing(at: usize, side: Side, error: Errno) -> Hands {
    let count = AtomicUsize::new(0);
    Hands::hooked(Box::new(move |now, _| {
        if now != side {
            return Ok(());
        }
        if count.fetch_add(1, Ordering::Relaxed) == at {
            return Err(errno(error));
        }
        Ok(())
    }))
}

/// How many effects an act has when all goes well.
pub(super) fn effects(world: &World, request: &Request) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let hands = Hands::hooked(Box::new(move |side, _| {
        if side == Side::Before {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }));
    let mut app = Fake::running();
    let act = world.plan(&mut app, request);
    let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
    assert_eq!(receipt.end, End::Done, "{receipt:?}");
    count.load(Ordering::Relaxed)
}

/// The invariant after whatever happened: resolved once, everything is whole and the journal says so; resolved
/// again, nothing changes.
pub(super) fn settle(world: &World, context: &str) {
    let mut app = Fake::default();
    let resolved = world.resolve(&mut app);
    for one in &resolved {
        assert!(one.end.is_some(), "{context}: {one:?}");
    }
    let now = world.now();
    world.assert_whole_in(&now);
    let parked = world.parked_names_in(&now);
    let parked: Vec<&String> = parked
        .iter()
        .filter(|name| *name != ".auto_reinstall_attempted")
        .collect();
    let journal = world.journal();
    assert_eq!(journal.open().count(), 0, "{context}");
    if let Some(entry) = journal.entries.last() {
        let moved = entry.act.moves.iter().any(|step| {
            let name = step.from.path.rsplit('/').next().unwrap();
            parked.iter().any(|parked| *parked == name) || (step.folder && !parked.is_empty())
        });
        match (entry.act.kind, entry.state) {
            (sandtray_core::act::ActKind::Reset, EntryState::Done) => {
                assert!(moved, "{context}: done, and nothing is parked");
            }
            (sandtray_core::act::ActKind::Reset, state) => {
                assert!(!moved, "{context}: {state:?}, and {parked:?} is parked");
            }
            _ => {}
        }
    } else {
        assert!(parked.is_empty(), "{context}: {parked:?} and no journal");
    }
    // All of a scope or nothing of it.
    let whole = [0, 1, 6, world.original.len() - 1];
    assert!(whole.contains(&parked.len()), "{context}: {parked:?}");
    let text = std::fs::read(world.machine.own_data.join("journal.jsonl")).ok();
    assert_eq!(world.resolve(&mut app), [], "{context}: once more");
    assert!(
        world.places() == world.places_in(&now),
        "{context}: a second resolve moved something"
    );
    let now = std::fs::read(world.machine.own_data.join("journal.jsonl")).ok();
    assert!(now == text, "{context}: a second resolve wrote something");
}

#[test]
fn an_error_at_any_effect_of_a_reset_leaves_everything_parked_or_everything_in_place() {
    let name = "an_error_at_any_effect_of_a_reset_leaves_everything_parked_or_everything_in_place";
    ordinary(module_path!(), name, ROOMY, resets);
}

/// An error at each instant of a reset.
pub(super) fn resets(root: &Path) {
    for scope in Scope::ALL {
        let world = World::new(&root.join(format!("{scope:?}")));
        let request = world.reset_request(scope);
        let effects = effects(&world, &request);
        assert!(effects > 20, "{effects}");
        world.again();
        for (error, side) in [
            (Errno::IO, Side::Before),
            (Errno::IO, Side::After),
            (Errno::NOSPC, Side::Before),
        ] {
            for at in instants(effects) {
                let context = format!("{scope:?} {error:?} {side:?} effect {at}");
                let mut app = Fake::running();
                let act = world.plan(&mut app, &request);
                let hands = failing(at, side, error);
                let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
                // One error is never the end of an app that ran.
                assert!(app.running, "{context}: {receipt:?}");
                assert_ne!(receipt.end, End::Interrupted, "{context}: {receipt:?}");
                settle(&world, &context);
                world.again();
            }
        }
    }
}

#[test]
fn an_error_at_any_effect_of_a_restore_leaves_both_disks_whole() {
    let name = "an_error_at_any_effect_of_a_restore_leaves_both_disks_whole";
    ordinary(module_path!(), name, ROOMY, restores);
}

/// An error at each instant of a restore.
pub(super) fn restores(root: &Path) {
    for scope in [Scope::SystemDisk, Scope::Bundle] {
        let world = World::new(&root.join(format!("{scope:?}")));
        let prepare = || {
            let mut app = Fake::default();
            let reset = world.act(&mut app, &world.reset_request(scope));
            fill_missing(&world);
            Request::Restore { copy: reset.id }
        };
        let effects = effects(&world, &prepare());
        world.again();
        for side in [Side::Before, Side::After] {
            for at in instants(effects) {
                let request = prepare();
                let new = super::world::tree(&world.bundle);
                let mut app = Fake::running();
                let act = world.plan(&mut app, &request);
                let hands = failing(at, side, Errno::IO);
                let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
                let context = format!("{scope:?} {side:?} effect {at}: {receipt:?}");
                settle(&world, &context);
                assert_new_is_whole(&world, &new, &context);
                world.again();
            }
        }
    }
}

/// What the app builds where something is missing.
pub(super) fn fill_missing(world: &World) {
    let built = world.root.join("built");
    fill(&built, OLD, b"new");
    super::world::write(&built.join("keep-new"), b"new");
    let taken = super::world::tree(&world.bundle);
    for (name, (_, content)) in super::world::tree(&built) {
        if !taken.contains_key(&name) {
            super::world::write(&world.bundle.join(name), &content);
        }
    }
    std::fs::remove_dir_all(&built).unwrap();
}

/// The disks that the app had built since are somewhere, each once.
pub(super) fn assert_new_is_whole(world: &World, new: &super::world::Tree, context: &str) {
    let now = super::world::tree(&world.root);
    for (name, (inode, content)) in new {
        let found: Vec<_> = now.values().filter(|(other, _)| other == inode).collect();
        assert_eq!(found.len(), 1, "{context}: {name:?}");
        assert!(&found[0].1 == content, "{context}: {name:?}");
    }
}
