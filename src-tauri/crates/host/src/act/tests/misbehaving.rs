//! An app that does not quit, comes back, or is quicker than we are; a person who says stop.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use sandtray_core::act::steps::End;
use sandtray_core::act::{RefusalKind, Scope};

use super::fake::{Fake, holder};
use super::world::{World, errno};
use super::{Volume, ordinary};
use crate::act::app::Quit;
use crate::act::hands::{Effect, Hands, Side};
use crate::act::plan::Request;
use crate::act::run::{Control, broken};
use crate::walk::Cancel;

#[test]
fn whatever_the_app_does_while_it_is_to_quit_everything_stays_where_it_was() {
    ordinary(
        module_path!(),
        "whatever_the_app_does_while_it_is_to_quit_everything_stays_where_it_was",
        Volume::Temp,
        |root| {
            let case = |name: &str,
                        act_up: &dyn Fn(&mut Fake),
                        end: End,
                        running: bool,
                        starts: usize,
                        expected: &dyn Fn(&RefusalKind) -> bool| {
                let world = World::new(&root.join(name));
                let mut app = Fake::running();
                let act = world.plan(&mut app, &world.reset_request(Scope::SystemDisk));
                act_up(&mut app);
                app.looks = 0;
                let receipt = world.apply(&mut app, &act);
                assert_eq!(receipt.end, end, "{name}: {receipt:?}");
                assert!(expected(&receipt.refusals[0].kind), "{name}: {receipt:?}");
                assert_eq!(app.running, running, "{name}");
                let started = app.asked.iter().filter(|asked| **asked == "start").count();
                assert_eq!(started, starts, "{name}");
                world.assert_as_it_was();
                assert_eq!(world.resolve(&mut Fake::default()), [], "{name}");
            };
            use RefusalKind as R;
            case(
                "does not quit",
                &|app| app.quits = Some(Quit::TimedOut),
                End::Refused,
                true,
                0,
                &|kind| *kind == R::DidNotQuit { waited: 90 },
            );
            case(
                "stopped",
                &|app| app.quits = Some(Quit::Stopped),
                End::Refused,
                true,
                0,
                &|kind| *kind == R::Cancelled,
            );
            case(
                "cannot be asked",
                &|app| app.quits = Some(Quit::CannotAsk("no".into())),
                End::Refused,
                true,
                0,
                &|kind| matches!(kind, R::CannotQuit { .. }),
            );
            case(
                "its VM stays",
                &|app| app.holders = vec![holder(true)],
                End::Refused,
                false,
                0,
                &|kind| matches!(kind, R::OrphanVm { .. }),
            );
            case(
                "a stranger holds on",
                &|app| app.holders = vec![holder(false)],
                End::Refused,
                true,
                1,
                &|kind| matches!(kind, R::Held { .. }),
            );
            case(
                "it comes back at once",
                &|app| app.at_holders = Some(Box::new(|app| app.running = true)),
                End::Refused,
                true,
                0,
                &|kind| *kind == R::CameBack,
            );
            case(
                "it comes back inside the window",
                &|app| {
                    app.at_holders = Some(Box::new(|app| {
                        if app.looks == 2 {
                            app.running = true;
                            app.holders = vec![holder(true)];
                        }
                    }))
                },
                End::RolledBack,
                true,
                0,
                &|kind| *kind == R::CameBack,
            );
            case(
                "somebody opens a disk inside the window",
                &|app| {
                    app.at_holders = Some(Box::new(|app| {
                        if app.looks == 2 {
                            app.holders = vec![holder(false)];
                        }
                    }))
                },
                End::RolledBack,
                false,
                0,
                &|kind| matches!(kind, R::Held { .. }),
            );
        },
    );
}

#[test]
fn a_vm_that_takes_its_time_is_waited_for() {
    ordinary(
        module_path!(),
        "a_vm_that_takes_its_time_is_waited_for",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::running();
            let act = world.plan(&mut app, &world.reset_request(Scope::SessionDisk));
            app.looks = 0;
            app.holders = vec![holder(true)];
            app.at_holders = Some(Box::new(|app| {
                if app.looks == 60 {
                    app.holders.clear();
                }
            }));
            let (receipt, told) =
                world.apply_with(&Hands::default(), &mut app, &act, &Control::default());
            assert_eq!(receipt.end, End::Done, "{receipt:?}");
            assert!(
                told.iter()
                    .any(|told| told.waiting_for.contains("virtual machine") && told.can_cancel)
            );
        },
    );
}

#[test]
fn where_the_app_began_a_new_disk_inside_the_window_nothing_is_put_back_onto_it() {
    ordinary(
        module_path!(),
        "where_the_app_began_a_new_disk_inside_the_window_nothing_is_put_back_onto_it",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::running();
            let act = world.plan(&mut app, &world.reset_request(Scope::SystemDisk));
            app.looks = 0;
            let image = world.bundle.join("rootfs.img");
            let made = image.clone();
            app.at_holders = Some(Box::new(move |app| {
                if app.looks == 2 {
                    fs::write(&made, "the app's own").unwrap();
                    app.running = true;
                }
            }));
            let receipt = world.apply(&mut app, &act);
            // What was to move has moved, and stays aside.
            assert_eq!(receipt.end, End::Done, "{receipt:?}");
            assert_eq!(receipt.parked.as_ref(), Some(&act.id));
            assert_eq!(receipt.refusals[0].kind, RefusalKind::CameBack);
            assert!(!receipt.relaunched && receipt.sessions.is_some());
            assert!(app.asked.contains(&"watch") && !app.asked.contains(&"start"));
            assert!(
                receipt.notes.iter().any(|note| note.contains("rootfs.img")),
                "{receipt:?}"
            );
            assert_eq!(fs::read(&image).unwrap(), b"the app's own");
            world.assert_whole();
            // Not half of it: the old system disk is one whole copy.
            assert_eq!(world.parked_names().len(), 6);
            assert_eq!(world.journal().open().count(), 0);
            assert_eq!(world.resolve(&mut Fake::default()), []);
            assert_eq!(fs::read(&image).unwrap(), b"the app's own");
            world.assert_whole();
            let undone = world.act(&mut Fake::default(), &Request::Restore { copy: act.id });
            assert_eq!(undone.end, End::Done, "{undone:?}");
            assert_eq!(
                world
                    .parked_names()
                    .iter()
                    .filter(|name| !name.starts_with(".auto"))
                    .count(),
                0
            );
        },
    );
}

#[test]
fn what_cannot_go_back_and_is_held_aside_is_open_until_it_is_free_and_done_then() {
    let name = "what_cannot_go_back_and_is_held_aside_is_open_until_it_is_free_and_done_then";
    ordinary(module_path!(), name, Volume::Temp, |root| {
        let world = World::new(root);
        let mut app = Fake::running();
        let act = world.plan(&mut app, &world.reset_request(Scope::SystemDisk));
        app.looks = 0;
        let made = world.bundle.join("rootfs.img");
        app.at_holders = Some(Box::new(move |app| {
            if app.looks == 2 {
                fs::write(&made, "the app's own").unwrap();
                app.running = true;
                app.holders = vec![holder(true)];
            }
        }));
        let receipt = world.apply(&mut app, &act);
        assert_eq!(receipt.end, End::Interrupted, "{receipt:?}");
        assert_eq!(world.journal().open().count(), 1);
        app.at_holders = None;
        let resolved = world.resolve(&mut app);
        assert_eq!(resolved[0].end, None, "{resolved:?}");
        app.holders.clear();
        let resolved = world.resolve(&mut app);
        assert_eq!(resolved[0].end, Some(End::Done), "{resolved:?}");
        world.assert_whole();
        assert_eq!(world.parked_names().len(), 6);
    });
}

#[test]
fn a_stop_before_anything_moved_leaves_everything_and_starts_the_app_again() {
    ordinary(
        module_path!(),
        "a_stop_before_anything_moved_leaves_everything_and_starts_the_app_again",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::running();
            let act = world.plan(&mut app, &world.reset_request(Scope::SessionDisk));
            let cancel = Cancel::default();
            let control = Control {
                cancel: cancel.clone(),
                ..Control::default()
            };
            app.at_holders = Some(Box::new(move |_| cancel.cancel()));
            let (receipt, _) = world.apply_with(&Hands::default(), &mut app, &act, &control);
            assert_eq!(
                (receipt.end, &receipt.refusals[0].kind),
                (End::Refused, &RefusalKind::Cancelled)
            );
            assert!(receipt.quit && receipt.relaunched && app.running);
            world.assert_as_it_was();
        },
    );
}

#[test]
fn a_fault_of_our_own_in_the_middle_says_so_and_is_put_right_like_a_crash() {
    let name = "a_fault_of_our_own_in_the_middle_says_so_and_is_put_right_like_a_crash";
    ordinary(module_path!(), name, Volume::Temp, |root| {
        let world = World::new(root);
        let mut app = Fake::running();
        let act = world.plan(&mut app, &world.reset_request(Scope::SystemDisk));
        let renames = AtomicUsize::new(0);
        let hands = Hands::hooked(Box::new(move |side, effect| {
            let rename = side == Side::After && matches!(effect, Effect::Rename { .. });
            let before = renames.fetch_add(usize::from(rename), Ordering::Relaxed);
            assert!(!rename || before < 2, "the third rename is one too many");
            Ok(())
        }));
        let done = catch_unwind(AssertUnwindSafe(|| {
            world.apply_with(&hands, &mut app, &act, &Control::default())
        }));
        assert!(done.is_err());
        let receipt = broken(&world.machine, &act, "one too many");
        assert_eq!(receipt.end, End::Interrupted, "{receipt:?}");
        assert_eq!(receipt.parked.as_ref(), Some(&act.id));
        assert!(receipt.outcome.contains("one too many"), "{receipt:?}");
        assert!(receipt.outcome.contains("goes back"), "{receipt:?}");
        assert_eq!(world.journal().open().count(), 1);
        world.assert_whole();
        let resolved = world.resolve(&mut Fake::default());
        assert_eq!(resolved[0].end, Some(End::RolledBack), "{resolved:?}");
        world.assert_as_it_was();
        // Once it is over, its own receipt is what is known of it.
        let after = broken(&world.machine, &act, "late");
        assert_eq!(after.end, End::RolledBack);
        assert!(after.notes.last().is_some_and(|note| note.contains("late")));
    });
}

#[test]
fn a_move_cut_off_in_the_middle_is_left_where_the_app_has_begun_a_new_disk_since() {
    let name = "a_move_cut_off_in_the_middle_is_left_where_the_app_has_begun_a_new_disk_since";
    ordinary(module_path!(), name, Volume::Temp, |root| {
        for taken in [true, false] {
            let world = World::new(&root.join(format!("{taken}")));
            let mut app = Fake::default();
            let act = world.plan(&mut app, &world.reset_request(Scope::SystemDisk));
            // From the third rename on nothing works any more: as good as killed.
            let renames = AtomicUsize::new(0);
            let hands = Hands::hooked(Box::new(move |side, effect| {
                let rename = side == Side::Before && matches!(effect, Effect::Rename { .. });
                let before = renames.fetch_add(usize::from(rename), Ordering::Relaxed);
                if before + usize::from(rename) >= 3 {
                    return Err(errno(rustix::io::Errno::IO));
                }
                Ok(())
            }));
            let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
            assert_eq!(receipt.end, End::Interrupted, "{receipt:?}");
            assert_eq!(world.parked_names(), [".initrd.origin", "initrd"]);
            let found = crate::act::resolve::found(&world.machine).unwrap();
            assert_eq!(found.len(), 1);
            // As long as somebody holds a file nothing moves.
            app.holders = vec![holder(true)];
            assert!(world.resolve(&mut app)[0].refusal.is_some());
            app.holders.clear();
            let new = world.bundle.join("initrd");
            if taken {
                fs::write(&new, "the app's own").unwrap();
            }
            let resolved = world.resolve(&mut app);
            assert_eq!(world.resolve(&mut app), []);
            if taken {
                assert_eq!(resolved[0].end, Some(End::Interrupted), "{resolved:?}");
                assert_eq!(fs::read(&new).unwrap(), b"the app's own");
                world.assert_whole();
                // The copy says what it holds, and can be given back.
                let listed = world.list();
                assert_eq!(
                    listed[0].state,
                    sandtray_core::act::parked::CopyState::Whole
                );
                assert_eq!(listed[0].files.len(), 2);
                let view = world.preview(&mut app, &Request::Restore { copy: act.id });
                assert_eq!(view.refusals, []);
            } else {
                assert_eq!(resolved[0].end, Some(End::RolledBack), "{resolved:?}");
                world.assert_as_it_was();
            }
        }
    });
}
