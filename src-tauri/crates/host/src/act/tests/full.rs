//! The volume full to the byte from any instant on: what has begun ends, or goes back.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandtray_core::act::Scope;
use sandtray_core::act::steps::End;

use super::fake::Fake;
use super::faults::{assert_new_is_whole, effects, fill_missing, settle};
use super::world::{World, tree};
use super::{Volume, instants, ordinary};
use crate::act::hands::{Hands, Side};
use crate::act::plan::Request;
use crate::act::run::Control;

/// Soon full.
const SMALL: Volume = Volume::Memory("size=8m");

/// Takes every byte that is left.
fn fill(volume: &Path) {
    let block = [1; 4_096];
    // ext4 puts more aside for what is not on the disk yet than it takes in the end, and a file that grows may
    // need a block for its own map where a new one does not: so more than one file, until nothing is left.
    let folder = volume.join("filler");
    if std::fs::create_dir(&folder).is_err() {
        return;
    }
    for number in 0..100 {
        let Ok(mut file) = File::create(folder.join(number.to_string())) else {
            return;
        };
        while file.write_all(&block).is_ok() {}
        while file.write_all(&block[..1]).is_ok() {}
        // Full, so this may fail, and has settled all the same.
        file.sync_all().ok();
        if rustix::fs::statvfs(volume).unwrap().f_bavail == 0 {
            return;
        }
    }
    panic!("the fixture does not get full");
}

/// Hands that find the volume full from effect number `at` on.
fn hands(at: usize, volume: &Path) -> Hands {
    let (count, volume) = (AtomicUsize::new(0), volume.to_owned());
    Hands::hooked(Box::new(move |side, _| {
        if side == Side::Before && count.fetch_add(1, Ordering::Relaxed) == at {
            fill(&volume);
        }
        Ok(())
    }))
}

#[test]
fn on_a_volume_that_is_full_from_any_instant_on_a_reset_ends_or_goes_back() {
    let name = "on_a_volume_that_is_full_from_any_instant_on_a_reset_ends_or_goes_back";
    ordinary(module_path!(), name, SMALL, resets);
}

/// A reset on a volume that is full from each instant on.
pub(super) fn resets(root: &Path) {
    let world = World::new(&root.join("world"));
    let request = world.reset_request(Scope::SystemDisk);
    let effects = effects(&world, &request);
    world.again();
    let mut done = 0;
    for at in instants(effects) {
        let mut app = Fake::running();
        let act = world.plan(&mut app, &request);
        let hands = hands(at, root);
        let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
        let context = format!("effect {at}: {receipt:?}");
        assert_ne!(receipt.end, End::Interrupted, "{context}");
        assert!(app.running, "{context}");
        assert_eq!(
            world.journal().open().count(),
            0,
            "told to its end: {context}"
        );
        done += usize::from(receipt.end == End::Done);
        settle(&world, &context);
        std::fs::remove_dir_all(root.join("filler")).ok();
        world.again();
    }
    // The reserve carries every act that had begun, and most of the rest.
    let tried = instants(effects).count();
    assert!(done > tried / 2, "{done} of {tried}");
}

#[test]
fn on_a_volume_that_is_full_from_any_instant_on_an_undo_ends_or_goes_back() {
    let name = "on_a_volume_that_is_full_from_any_instant_on_an_undo_ends_or_goes_back";
    ordinary(module_path!(), name, SMALL, restores);
}

/// An undo on a volume that is full from each instant on.
pub(super) fn restores(root: &Path) {
    let world = World::new(&root.join("world"));
    let prepare = || {
        let mut app = Fake::default();
        let reset = world.act(&mut app, &world.reset_request(Scope::SystemDisk));
        fill_missing(&world);
        Request::Restore { copy: reset.id }
    };
    let effects = effects(&world, &prepare());
    world.again();
    let mut done = 0;
    for at in instants(effects) {
        let request = prepare();
        let new = tree(&world.bundle);
        let mut app = Fake::running();
        let act = world.plan(&mut app, &request);
        let hands = hands(at, root);
        let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
        let context = format!("effect {at}: {receipt:?}");
        assert_ne!(receipt.end, End::Interrupted, "{context}");
        done += usize::from(receipt.end == End::Done);
        settle(&world, &context);
        assert_new_is_whole(&world, &new, &context);
        std::fs::remove_dir_all(root.join("filler")).ok();
        world.again();
    }
    let tried = instants(effects).count();
    assert!(done > tried / 2, "{done} of {tried}");
}
