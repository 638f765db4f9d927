//! Every scope, its undo, and the undo of that.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use sandtray_core::act::parked::CopyState;
use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::steps::{End, Step};
use sandtray_core::act::{RefusalKind, Scope, journal::EntryState};

use super::fake::Fake;
use super::world::{NEW, OLD, World, fill, tree, write};
use super::{ROOMY, Volume, ordinary};
use crate::act::hands::Hands;
use crate::act::plan::Request;
use crate::act::run::Control;

const LATCH: &str = ".auto_reinstall_attempted";
const SYSTEM: [&str; 6] = [
    ".initrd.origin",
    ".rootfs.img.origin",
    ".vmlinuz.origin",
    "initrd",
    "rootfs.img",
    "vmlinuz",
];

fn restore(copy: &str) -> Request {
    Request::Restore {
        copy: copy.to_owned(),
    }
}

#[test]
fn each_scope_moves_its_own_files_and_nothing_else_and_undo_brings_the_very_same_back() {
    ordinary(
        module_path!(),
        "each_scope_moves_its_own_files_and_nothing_else_and_undo_brings_the_very_same_back",
        Volume::Temp,
        |root| {
            for scope in Scope::ALL {
                let root = root.join(format!("{scope:?}"));
                let world = World::new(&root);
                let mut app = Fake::running();
                app.rebuild = vec![Rebuild::Waiting, Rebuild::Booting, Rebuild::Ready];
                let act = world.plan(&mut app, &world.reset_request(scope));
                let control = Control {
                    wait: Duration::from_secs(5),
                    ..Control::default()
                };
                let (receipt, told) = world.apply_with(&Hands::default(), &mut app, &act, &control);
                assert_eq!(
                    (receipt.end, receipt.refusals.as_slice()),
                    (End::Done, [].as_slice()),
                    "{receipt:?}"
                );
                assert!(receipt.quit && receipt.relaunched, "{receipt:?}");
                assert_eq!(receipt.rebuild, Some(Rebuild::Ready));
                assert!(receipt.sessions.as_ref().unwrap().untouched);
                assert_eq!(receipt.sessions.as_ref().unwrap().count, 4);
                assert_eq!(receipt.parked.as_ref(), Some(&act.id));
                assert_eq!(
                    app.asked.iter().filter(|asked| **asked == "start").count(),
                    1
                );
                assert_eq!(told.first().unwrap().step, Step::Quit);
                assert_eq!(told.last().unwrap().step, Step::Verify);
                world.assert_whole();
                let expected: Vec<&str> = match scope {
                    Scope::SessionDisk => vec![LATCH, "sessiondata.img"],
                    Scope::SystemDisk => [&[LATCH], SYSTEM.as_slice()].concat(),
                    Scope::Bundle => world
                        .original
                        .keys()
                        .map(|name| name.to_str().unwrap())
                        .collect(),
                };
                let mut expected = expected;
                expected.sort_unstable();
                assert_eq!(world.parked_names(), expected);
                let copies = world.list();
                assert_eq!(copies.len(), 1);
                let copy = &copies[0];
                assert_eq!(
                    (copy.state, copy.verified, copy.scope),
                    (CopyState::Whole, true, scope)
                );
                if scope != Scope::SessionDisk {
                    let system = copy
                        .files
                        .iter()
                        .find(|file| file.name.path.ends_with("rootfs.img"))
                        .unwrap();
                    assert_eq!(system.release.as_deref(), Some(OLD));
                }
                let journal = world.journal();
                assert_eq!((journal.odd, journal.entries.len()), (0, 1));
                assert_eq!(journal.entries[0].state, EntryState::Done);
                assert_eq!(journal.entries[0].receipt.as_ref(), Some(&receipt));
                assert!(!world.machine.own_data.join("acts").join(&act.id).exists());

                // The app builds new disks, of the same release.
                let taken: Vec<_> = tree(&world.bundle).into_keys().collect();
                let built = root.join("built");
                fill(&built, OLD, b"new");
                for name in tree(&built)
                    .into_keys()
                    .filter(|name| !taken.contains(name))
                {
                    write(
                        &world.bundle.join(&name),
                        &fs::read(built.join(&name)).unwrap(),
                    );
                }
                fs::remove_dir_all(&built).unwrap();
                let new = tree(&world.bundle);

                let undone = world.act(&mut app, &restore(&act.id));
                assert_eq!(undone.end, End::Done, "{undone:?}");
                world.assert_whole();
                let latch = if scope == Scope::Bundle || world.copies().len() == 1 {
                    vec![LATCH]
                } else {
                    vec![]
                };
                let still = world.parked_names();
                // The latch alone does not come back: it would stop every repair (U7).
                assert!(still.is_empty() || still == latch, "{still:?}");
                let aside = world.list();
                assert_eq!(aside.len(), 1, "{aside:?}");
                assert_eq!(
                    (aside[0].id.as_str(), aside[0].state),
                    (undone.id.as_str(), CopyState::Whole)
                );

                // Undo of undo: what the app had built is back, the same files.
                let again = world.act(&mut app, &restore(&undone.id));
                assert_eq!(again.end, End::Done, "{again:?}");
                let mut now = tree(&world.bundle);
                now.remove(Path::new(LATCH));
                assert!(
                    now == new,
                    "the disks that the app had built are in place again"
                );
                world.assert_whole();
                let third = world.list();
                assert_eq!(third.len(), 1);
                let back = world.act(&mut app, &restore(&third[0].id));
                assert_eq!(back.end, End::Done);
                world.assert_whole();
                let still = world.parked_names();
                assert!(still.is_empty() || still == [LATCH], "{still:?}");
            }
        },
    );
}

#[test]
fn an_undo_where_nothing_was_built_since_moves_nothing_aside_and_leaves_no_copy() {
    ordinary(
        module_path!(),
        "an_undo_where_nothing_was_built_since_moves_nothing_aside_and_leaves_no_copy",
        Volume::Temp,
        |root| {
            for scope in Scope::ALL {
                let world = World::new(&root.join(format!("{scope:?}")));
                fs::remove_file(world.bundle.join(LATCH)).unwrap();
                let world = World {
                    original: tree(&world.bundle),
                    ..world
                };
                let mut app = Fake::default();
                let reset = world.act(&mut app, &world.reset_request(scope));
                assert_eq!(reset.end, End::Done, "{reset:?}");
                assert!(!reset.quit && !reset.relaunched);
                let undone = world.act(&mut app, &restore(&reset.id));
                assert_eq!(
                    (undone.end, undone.parked),
                    (End::Done, None),
                    "{:?}",
                    undone.outcome
                );
                assert!(!app.asked.contains(&"start"), "it did not run before");
                world.assert_as_it_was();
            }
        },
    );
}

#[test]
fn over_a_newer_release_only_the_sessions_come_back_and_the_old_system_disk_stays_parked() {
    ordinary(
        module_path!(),
        "over_a_newer_release_only_the_sessions_come_back_and_the_old_system_disk_stays_parked",
        Volume::Temp,
        |root| {
            let world = World::new(&root.join("bundle"));
            let mut app = Fake::default();
            let reset = world.act(&mut app, &world.reset_request(Scope::Bundle));
            fill(&world.bundle, NEW, b"new");
            let view = world.preview(&mut app, &restore(&reset.id));
            assert_eq!(view.scope, Scope::SessionDisk);
            assert!(
                view.notes.iter().any(|note| note.contains("2a762adf")),
                "{:?}",
                view.notes
            );
            let undone = world.apply(&mut app, &view.act.unwrap());
            assert_eq!(undone.end, End::Done, "{undone:?}");
            world.assert_whole();
            assert!(!world.parked_names().contains(&"sessiondata.img".to_owned()));
            assert!(world.parked_names().contains(&"rootfs.img".to_owned()));
            // What is left of the old copy says what it is, and can be discarded or looked into.
            let copies = world.list();
            assert_eq!(copies.len(), 2);
            assert!(
                copies.iter().all(|copy| copy.state == CopyState::Whole),
                "{copies:?}"
            );
            let old = copies.iter().find(|copy| copy.id == reset.id).unwrap();
            assert!(
                old.files
                    .iter()
                    .all(|file| !file.name.path.ends_with("sessiondata.img"))
            );

            // A parked system disk alone cannot come back.
            let world = World::new(&root.join("system"));
            let reset = world.act(&mut app, &world.reset_request(Scope::SystemDisk));
            write(&world.bundle.join(".rootfs.img.origin"), NEW.as_bytes());
            let view = world.preview(&mut app, &restore(&reset.id));
            assert!(
                view.refusals[0].text.contains("88251839"),
                "{:?}",
                view.refusals
            );
            world.assert_whole();
        },
    );
}

#[test]
fn where_our_own_data_lies_on_another_volume_copies_stand_beside_the_apps_data_folder() {
    let name = "where_our_own_data_lies_on_another_volume_copies_stand_beside_the_apps_data_folder";
    ordinary(module_path!(), name, ROOMY, |root| {
        let mut world = World::new(&root.join("world"));
        let elsewhere = tempfile::tempdir().unwrap();
        world.machine.own_data = elsewhere.path().join("sandtray");
        let mut app = Fake::default();
        let reset = world.act(&mut app, &world.reset_request(Scope::SystemDisk));
        assert_eq!(reset.end, End::Done, "{reset:?}");
        let beside = world.data.parent().unwrap().join(".sandtray-parked");
        assert!(beside.join(&reset.id).join("rootfs.img").exists());
        let mode = fs::metadata(&beside).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(world.list().len(), 1);
        let undone = world.act(&mut app, &restore(&reset.id));
        assert_eq!(undone.end, End::Done, "{undone:?}");
        // Somebody's link in its place is not followed.
        fs::remove_dir(&beside).unwrap();
        symlink(elsewhere.path(), &beside).unwrap();
        let view = world.preview(&mut app, &world.reset_request(Scope::SystemDisk));
        assert!(
            matches!(&view.refusals[0].kind, RefusalKind::Link { path } if path.path.ends_with("parked")),
            "{:?}",
            view.refusals
        );
    });
}

#[test]
fn where_no_place_is_on_the_bundles_volume_nothing_is_moved() {
    let name = "where_no_place_is_on_the_bundles_volume_nothing_is_moved";
    ordinary(module_path!(), name, ROOMY, |root| {
        // The data folder itself is a mount point.
        let elsewhere = tempfile::tempdir().unwrap();
        let mut world = World::new(elsewhere.path());
        let bundle = root.join("vm_bundles/claudevm.bundle");
        fill(&bundle, OLD, b"old");
        world.machine.user_data = vec![root.to_owned()];
        let mut app = Fake::default();
        let request = Request::Reset {
            bundle: Some(sandtray_core::paths::token(&bundle)),
            scope: Scope::SessionDisk,
        };
        let view = world.preview(&mut app, &request);
        assert!(
            matches!(view.refusals[0].kind, RefusalKind::OtherVolume { .. }),
            "{:?}",
            view.refusals
        );
        assert!(bundle.join("sessiondata.img").exists());
    });
}
