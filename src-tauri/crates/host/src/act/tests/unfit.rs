//! Where an act could not be what it promises: writes that go elsewhere, renames that may replace.

use std::path::Path;

use rustix::io::Errno;
use sandtray_core::act::steps::End;
use sandtray_core::act::{RefusalKind, Scope};

use super::fake::Fake;
use super::world::{World, errno};
use super::{Volume, ordinary};
use crate::act::hands::{Effect, Hands, Side};
use crate::act::run::Control;

#[test]
fn inside_a_windows_package_nothing_is_begun_nothing_put_right_and_no_file_is_made() {
    let name = "inside_a_windows_package_nothing_is_begun_nothing_put_right_and_no_file_is_made";
    ordinary(module_path!(), name, Volume::Temp, |root| {
        let world = World::new(root);
        let mut app = Fake::running();
        let request = world.reset_request(Scope::SessionDisk);
        let act = world.plan(&mut app, &request);
        app.packaged = true;
        let view = world.preview(&mut app, &request);
        assert_eq!(view.refusals[0].kind, RefusalKind::Packaged);
        let receipt = world.apply(&mut app, &act);
        assert_eq!(receipt.end, End::Refused, "{receipt:?}");
        assert_eq!(receipt.refusals[0].kind, RefusalKind::Packaged);
        assert!(app.running && app.asked.is_empty(), "{:?}", app.asked);
        let own = std::fs::read_dir(&world.machine.own_data).unwrap();
        assert_eq!(own.count(), 1, "the history alone, not even a lock");
        world.assert_as_it_was();

        // What another Sandtray of this user left in the middle is left to one that may act.
        app.packaged = false;
        let hands = Hands::hooked(Box::new(|_, effect| match effect {
            Effect::Rename { .. } => Err(errno(Errno::IO)),
            Effect::Append(_, line) if line.windows(7).any(|word| word == b"\"ended\"") => {
                Err(errno(Errno::IO))
            }
            _ => Ok(()),
        }));
        let act = world.plan(&mut app, &request);
        world.apply_with(&hands, &mut app, &act, &Control::default());
        assert_eq!(world.journal().open().count(), 1);
        app.packaged = true;
        let resolved = world.resolve(&mut app);
        let refusal = resolved[0].refusal.as_ref().unwrap();
        assert_eq!(refusal.kind, RefusalKind::Packaged);
        assert_eq!(world.journal().open().count(), 1);
        app.packaged = false;
        assert_eq!(world.resolve(&mut app)[0].end, Some(End::Interrupted));
        world.assert_as_it_was();
    });
}

/// A reset that finds at its first rename that the filesystem may replace.
fn refused(world: &World, hands: &Hands) {
    let mut app = Fake::running();
    let act = world.plan(&mut app, &world.reset_request(Scope::SystemDisk));
    let (receipt, _) = world.apply_with(hands, &mut app, &act, &Control::default());
    assert_eq!(receipt.end, End::Failed, "{receipt:?}");
    assert!(
        matches!(&receipt.refusals[0].kind, RefusalKind::NoSafeRename { path } if path.path.ends_with("initrd")),
        "{receipt:?}"
    );
    assert!(app.running && receipt.relaunched);
    assert_eq!(world.resolve(&mut Fake::default()), []);
}

#[test]
fn a_rename_that_the_system_cannot_do_without_replacing_is_not_done_at_all() {
    let name = "a_rename_that_the_system_cannot_do_without_replacing_is_not_done_at_all";
    ordinary(module_path!(), name, Volume::Temp, |root| {
        for error in [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP] {
            let world = World::new(&root.join(format!("{error:?}")));
            let hands = Hands::hooked(Box::new(move |side, effect| match effect {
                Effect::Rename { .. } if side == Side::Before => Err(errno(error)),
                _ => Ok(()),
            }));
            refused(&world, &hands);
            world.assert_as_it_was();
        }
    });
}

#[test]
fn on_a_filesystem_whose_renames_may_replace_nothing_moves() {
    let name = "on_a_filesystem_whose_renames_may_replace_nothing_moves";
    ordinary(module_path!(), name, Volume::Exfat("64M"), |root| {
        let world = World::new(&root.join("world"));
        let before = contents(&world.bundle);
        refused(&world, &Hands::default());
        // Numbers of files are made up anew there, so their content tells.
        assert_eq!(contents(&world.bundle), before);
        assert_eq!(world.copies(), [""; 0]);
    });
}

fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect();
    all.sort();
    all
}
