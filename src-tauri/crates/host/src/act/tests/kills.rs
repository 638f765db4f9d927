//! A kill before and after every effect, for real: a process of its own that gets SIGKILL.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandtray_core::act::Scope;

use super::fake::Fake;
use super::faults::{assert_new_is_whole, effects, fill_missing, settle};
use super::world::{World, tree};
use super::{ROOMY, instants, ordinary};
use crate::act::hands::{Hands, Side};
use crate::act::plan::Request;
use crate::act::run::Control;

/// `<scope or copy> <side> <number>`: what the process that is to be killed does.
const VICTIM: &str = "SANDTRAY_TEST_VICTIM";

fn scope_of(text: &str) -> Option<Scope> {
    Scope::ALL
        .into_iter()
        .find(|scope| format!("{scope:?}") == text)
}

/// Does what it is told until it is killed.
fn victim(world: &World, told: &str) {
    let words: Vec<&str> = told.split(' ').collect();
    let request = match scope_of(words[0]) {
        Some(scope) => world.reset_request(scope),
        None => Request::Restore {
            copy: words[0].to_owned(),
        },
    };
    let side = if words[1] == "before" {
        Side::Before
    } else {
        Side::After
    };
    let at: usize = words[2].parse().unwrap();
    let count = AtomicUsize::new(0);
    let hands = Hands::hooked(Box::new(move |now, _| {
        if now == side && count.fetch_add(1, Ordering::Relaxed) == at {
            let me = rustix::process::getpid();
            rustix::process::kill_process(me, rustix::process::Signal::KILL)?;
        }
        Ok(())
    }));
    let mut app = Fake::running();
    let act = world.plan(&mut app, &request);
    world.apply_with(&hands, &mut app, &act, &Control::default());
    panic!("nobody killed it");
}

fn kill(world: &World, test: &str, what: &str, side: Side, at: usize) {
    let side = if side == Side::Before {
        "before"
    } else {
        "after"
    };
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(VICTIM, format!("{what} {side} {at}"))
        .env("SANDTRAY_TEST_VICTIM_ROOT", &world.root)
        .output()
        .unwrap();
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(
        output.status.signal(),
        Some(9),
        "{what} {side} {at}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Every instant between two effects: after one is before the next.
fn between(effects: usize) -> impl Iterator<Item = (Side, usize)> {
    let last = effects - 1;
    instants(effects)
        .map(|at| (Side::Before, at))
        .chain([(Side::After, last)])
}

/// The world of a process that is to be killed.
pub(super) fn is_victim() -> bool {
    let (Some(told), Some(root)) = (
        std::env::var_os(VICTIM),
        std::env::var_os("SANDTRAY_TEST_VICTIM_ROOT"),
    ) else {
        return false;
    };
    victim(&World::found(Path::new(&root)), told.to_str().unwrap());
    true
}

#[test]
fn a_kill_at_any_instant_of_a_reset_leaves_everything_parked_or_everything_in_place() {
    if is_victim() {
        return;
    }
    let name = "a_kill_at_any_instant_of_a_reset_leaves_everything_parked_or_everything_in_place";
    ordinary(module_path!(), name, ROOMY, |root| {
        resets(root, &format!("act::tests::kills::{name}"));
    });
}

/// A kill at each instant of a reset; `test` is who starts the process that is killed.
pub(super) fn resets(root: &Path, test: &str) {
    for scope in Scope::ALL {
        let world = World::new(&root.join(format!("{scope:?}")));
        let effects = effects(&world, &world.reset_request(scope));
        world.again();
        for (side, at) in between(effects) {
            let what = format!("{scope:?}");
            kill(&world, test, &what, side, at);
            settle(&world, &format!("{what} {side:?} {at}"));
            world.again();
        }
    }
}

#[test]
fn a_kill_at_any_instant_of_a_restore_leaves_both_disks_whole() {
    if is_victim() {
        return;
    }
    let name = "a_kill_at_any_instant_of_a_restore_leaves_both_disks_whole";
    ordinary(module_path!(), name, ROOMY, |root| {
        restores(root, &format!("act::tests::kills::{name}"));
    });
}

/// A kill at each instant of a restore.
pub(super) fn restores(root: &Path, test: &str) {
    let world = World::new(&root.join("world"));
    let prepare = || {
        let mut app = Fake::default();
        let reset = world.act(&mut app, &world.reset_request(Scope::SystemDisk));
        fill_missing(&world);
        reset.id
    };
    let effects = effects(&world, &Request::Restore { copy: prepare() });
    world.again();
    for (side, at) in between(effects) {
        let copy = prepare();
        let new = tree(&world.bundle);
        kill(&world, test, &copy, side, at);
        let context = format!("restore {side:?} {at}");
        settle(&world, &context);
        assert_new_is_whole(&world, &new, &context);
        world.again();
    }
}
