//! Parked copies go: to the trash, or for good; and what stands when that was cut off.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandtray_core::act::parked::CopyState;
use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::steps::End;
use sandtray_core::act::{RefusalKind, Scope};

use super::fake::Fake;
use super::world::{World, errno, write};
use super::{Volume, ordinary};
use crate::act::hands::{Effect, Hands, Side};
use crate::act::journal;
use crate::act::plan::Request;
use crate::act::run::Control;

fn discard(copy: &str, for_good: bool) -> Request {
    Request::Discard {
        copy: copy.to_owned(),
        for_good,
    }
}

/// A world with one copy, whose rebuild is verified.
fn parked(root: &std::path::Path, scope: Scope) -> (World, String) {
    let world = World::new(root);
    let mut app = Fake {
        rebuild: vec![Rebuild::Ready],
        ..Fake::default()
    };
    let reset = world.act(&mut app, &world.reset_request(scope));
    (world, reset.id)
}

#[test]
fn a_copy_is_not_discarded_before_its_rebuild_was_seen_ready_unless_it_is_forced() {
    ordinary(
        module_path!(),
        "a_copy_is_not_discarded_before_its_rebuild_was_seen_ready_unless_it_is_forced",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::default();
            let reset = world.act(&mut app, &world.reset_request(Scope::SystemDisk));
            let view = world.preview(&mut app, &discard(&reset.id, true));
            assert_eq!(view.refusals[0].kind, RefusalKind::NotVerified);
            let act = view.act.unwrap();
            assert_eq!(world.apply(&mut app, &act).end, End::Refused);
            world.assert_whole();
            assert_eq!(world.list().len(), 1);
            // The word that it is ready may come later.
            let forced = Control {
                forced: true,
                ..Control::default()
            };
            journal::rebuilt(&world.machine, &reset.id, &Rebuild::Ready).unwrap();
            assert!(world.list()[0].verified);
            assert_eq!(
                world.preview(&mut app, &discard(&reset.id, true)).refusals,
                []
            );
            let (receipt, _) = world.apply_with(&Hands::default(), &mut app, &act, &forced);
            assert_eq!(receipt.end, End::Done, "{receipt:?}");
            assert!(receipt.moved.0 >= 70_000 && receipt.available_after.is_some());
            assert_eq!((world.copies(), world.list().len()), (Vec::new(), 0));
        },
    );
}

#[test]
fn for_good_removes_the_copy_alone_and_follows_no_link_out_of_it() {
    ordinary(
        module_path!(),
        "for_good_removes_the_copy_alone_and_follows_no_link_out_of_it",
        Volume::Temp,
        |root| {
            let (world, id) = parked(root, Scope::Bundle);
            let copy = world.machine.own_data.join("parked").join(&id);
            symlink(&world.data, copy.join("claudevm.bundle/link")).unwrap();
            write(&copy.join("claudevm.bundle/.wvm-tmp-x/deep/er/file"), b"x");
            let other = world.machine.own_data.join("parked/somebody/keep");
            write(&other, b"not a copy");
            let neighbours = world.decoys.len();
            let mut app = Fake::default();
            let receipt = world.act(&mut app, &discard(&id, true));
            assert_eq!(receipt.end, End::Done, "{receipt:?}");
            assert_eq!(world.copies(), ["somebody"]);
            assert!(other.exists() && world.data.join("config.json").exists());
            assert!(
                world
                    .data
                    .join("local-agent-mode-sessions/account/org/local_1.json")
                    .exists()
            );
            assert!(neighbours > 5);
            assert_eq!(
                world
                    .preview(&mut app, &Request::Restore { copy: id })
                    .refusals[0]
                    .kind,
                RefusalKind::NoCopy
            );
        },
    );
}

#[test]
fn a_removal_that_was_cut_off_anywhere_leaves_a_whole_copy_or_goes_on() {
    ordinary(
        module_path!(),
        "a_removal_that_was_cut_off_anywhere_leaves_a_whole_copy_or_goes_on",
        Volume::Temp,
        |root| {
            let mut at = 0;
            loop {
                let (world, id) = parked(&root.join(format!("{at}")), Scope::SystemDisk);
                let mut app = Fake::default();
                let act = world.plan(&mut app, &discard(&id, true));
                let count = AtomicUsize::new(0);
                // From this effect on nothing works any more: as good as killed.
                let hands = Hands::hooked(Box::new(move |side, _| {
                    if side == Side::Before && count.fetch_add(1, Ordering::Relaxed) >= at {
                        return Err(errno(rustix::io::Errno::IO));
                    }
                    Ok(())
                }));
                let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
                let listed = world.list();
                if receipt.end == End::Done {
                    break;
                }
                for copy in &listed {
                    assert!(
                        matches!(copy.state, CopyState::Whole | CopyState::Discarding),
                        "{at}: {copy:?}"
                    );
                }
                for one in world.resolve(&mut app) {
                    assert!(one.end.is_some(), "{at}: {one:?}");
                }
                assert_eq!(world.journal().open().count(), 0, "{at}");
                if let [copy] = world.list().as_slice() {
                    assert_eq!(copy.state, CopyState::Whole, "{at}");
                    world.assert_whole();
                }
                assert_eq!(world.resolve(&mut app), [], "{at}");
                at += 1;
            }
            assert!(at > 10, "{at}");
        },
    );
}

#[test]
fn the_trash_takes_a_copy_by_one_rename_and_says_where_it_came_from() {
    ordinary(
        module_path!(),
        "the_trash_takes_a_copy_by_one_rename_and_says_where_it_came_from",
        Volume::Temp,
        |root| {
            let (world, id) = parked(root, Scope::SystemDisk);
            let mut app = Fake::default();
            let view = world.preview(&mut app, &discard(&id, false));
            assert!(
                matches!(view.refusals[0].kind, RefusalKind::NoTrash { .. }),
                "{view:?}"
            );
            let trash = world.machine.folders.local.join("Trash");
            for folder in ["files", "info"] {
                fs::create_dir_all(trash.join(folder)).unwrap();
            }
            // Where the rename fails the announcement is taken back.
            let act = world.plan(&mut app, &discard(&id, false));
            let hands = Hands::hooked(Box::new(|side, effect| match effect {
                Effect::Rename { .. } if side == Side::Before => {
                    Err(errno(rustix::io::Errno::XDEV))
                }
                _ => Ok(()),
            }));
            let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
            assert_eq!(receipt.end, End::Failed, "{receipt:?}");
            assert_eq!(fs::read_dir(trash.join("info")).unwrap().count(), 0);
            world.assert_whole();
            let receipt = world.act(&mut app, &discard(&id, false));
            assert_eq!(receipt.end, End::Done, "{receipt:?}");
            assert!(receipt.outcome.contains("emptied"));
            let name = format!("sandtray-parked-{id}");
            assert!(trash.join("files").join(&name).join("rootfs.img").exists());
            let info =
                fs::read_to_string(trash.join("info").join(format!("{name}.trashinfo"))).unwrap();
            assert!(info.contains(&format!("parked/{id}\n")), "{info}");
            assert_eq!(world.list(), []);
        },
    );
}
