//! Every reason why nothing is done, and that then nothing is.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use sandtray_core::act::steps::End;
use sandtray_core::act::{RefusalKind, Scope};

use super::fake::{Fake, holder};
use super::world::{World, write};
use super::{Volume, ordinary};
use crate::act::hands::Hands;
use crate::act::lock::Lock;
use crate::act::plan::Request;

/// The first refusal of a preview, and that applying it all the same does nothing.
fn refusal(world: &World, app: &mut Fake, request: &Request) -> RefusalKind {
    let view = world.preview(app, request);
    let kind = view.refusals.first().expect("it is refused").kind.clone();
    if let Some(act) = view.act {
        let receipt = world.apply(app, &act);
        assert_eq!(receipt.end, End::Refused, "{receipt:?}");
        assert!(!receipt.refusals.is_empty());
    }
    kind
}

#[test]
fn what_speaks_against_a_reset_is_said_before_and_then_nothing_happens() {
    ordinary(
        module_path!(),
        "what_speaks_against_a_reset_is_said_before_and_then_nothing_happens",
        Volume::Temp,
        |root| {
            let case = |name: &str,
                        spoil: &dyn Fn(&mut World, &mut Fake),
                        expected: &dyn Fn(&RefusalKind) -> bool| {
                let mut world = World::new(&root.join(name));
                let mut app = Fake::default();
                spoil(&mut world, &mut app);
                let request = world.reset_request(Scope::SystemDisk);
                let kind = refusal(&world, &mut app, &request);
                assert!(expected(&kind), "{name}: {kind:?}");
                assert!(
                    !app.asked.contains(&"quit") && !app.asked.contains(&"start"),
                    "{name}"
                );

                assert_eq!(world.copies(), [""; 0], "{name}");
                assert!(world.journal().entries.is_empty(), "{name}");
            };
            use RefusalKind as R;
            case("root", &|world, _| world.machine.uid = 0, &|kind| {
                *kind == R::Root
            });
            case("owner", &|world, _| world.machine.uid = 1001, &|kind| {
                matches!(kind, R::ForeignOwner { .. })
            });
            case(
                "image is a link",
                &|world, _| {
                    let image = world.bundle.join("rootfs.img");
                    let real = world.bundle.join("somewhere");
                    fs::rename(&image, &real).unwrap();
                    symlink(&real, &image).unwrap();
                },
                &|kind| matches!(kind, R::Link { path } if path.path.ends_with("rootfs.img")),
            );
            case(
                "read-only bundle",
                &|world, _| {
                    fs::set_permissions(&world.bundle, fs::Permissions::from_mode(0o500)).unwrap();
                },
                &|kind| matches!(kind, R::NotWritable { .. }),
            );
            case(
                "several apps",
                &|_, app| app.several = vec![1, 2],
                &|kind| *kind == R::SeveralApps { pids: vec![1, 2] },
            );
            case(
                "cannot be told",
                &|_, app| app.unknown = Some("no /proc".to_owned()),
                &|kind| matches!(kind, R::HoldersUnknown { .. }),
            );
            case(
                "held",
                &|_, app| app.holders = vec![holder(false)],
                &|kind| matches!(kind, R::Held { .. }),
            );
            case(
                "orphan",
                &|_, app| app.holders = vec![holder(true)],
                &|kind| matches!(kind, R::OrphanVm { .. }),
            );
            case(
                "parked place is a link",
                &|world, _| {
                    let elsewhere = world.machine.home.join("elsewhere");
                    fs::create_dir(&elsewhere).unwrap();
                    symlink(&elsewhere, world.machine.own_data.join("parked")).unwrap();
                },
                &|kind| matches!(kind, R::Link { .. }),
            );
            case(
                "parked place is a file",
                &|world, _| write(&world.machine.own_data.join("parked"), b"x"),
                &|kind| matches!(kind, R::NameTaken { .. }),
            );
            case(
                "newer journal",
                &|world, _| {
                    write(
                        &world.machine.own_data.join("journal.jsonl"),
                        b"{\"schema\":2,\"entry\":\"x\"}\n",
                    )
                },
                &|kind| matches!(kind, R::NoJournal { cause } if cause.contains("newer")),
            );
            case(
                "nothing there",
                &|world, _| {
                    for name in ["rootfs.img", "vmlinuz", "initrd"] {
                        fs::rename(
                            world.bundle.join(name),
                            world.bundle.join(format!("x-{name}")),
                        )
                        .unwrap();
                    }
                },
                &|kind| *kind == R::NothingToMove,
            );
        },
    );
}

#[test]
fn a_bundle_must_be_named_where_there_are_several_and_exist_where_it_is_named() {
    ordinary(
        module_path!(),
        "a_bundle_must_be_named_where_there_are_several_and_exist_where_it_is_named",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::default();
            let scope = Scope::Bundle;
            let none = Request::Reset {
                bundle: None,
                scope,
            };
            assert_eq!(
                refusal(&world, &mut app, &none),
                RefusalKind::SeveralBundles
            );
            let bundle = Some("0000".to_owned());
            let wrong = Request::Reset { bundle, scope };
            assert_eq!(refusal(&world, &mut app, &wrong), RefusalKind::NoBundle);
            let copy = "nothing".to_owned();
            assert_eq!(
                refusal(&world, &mut app, &Request::Restore { copy }),
                RefusalKind::NoCopy
            );
        },
    );
}

#[test]
fn a_bundle_behind_a_link_is_not_moved() {
    ordinary(
        module_path!(),
        "a_bundle_behind_a_link_is_not_moved",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let real = world.machine.home.join("moved");
            fs::rename(&world.data, &real).unwrap();
            symlink(&real, &world.data).unwrap();
            let mut app = Fake::default();
            let bundle = Some(world.id());
            let request = Request::Reset {
                bundle,
                scope: Scope::Bundle,
            };
            assert!(matches!(
                refusal(&world, &mut app, &request),
                RefusalKind::Link { .. }
            ));
            assert_eq!(world.copies(), [""; 0]);
        },
    );
}

#[test]
fn half_a_bundle_is_fine_where_what_is_to_move_is_there() {
    ordinary(
        module_path!(),
        "half_a_bundle_is_fine_where_what_is_to_move_is_there",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            fs::remove_file(world.bundle.join("sessiondata.img")).unwrap();
            fs::remove_file(world.bundle.join(".rootfs.img.origin")).unwrap();
            let mut app = Fake::default();
            let request = world.reset_request(Scope::SessionDisk);
            assert_eq!(
                refusal(&world, &mut app, &request),
                RefusalKind::NothingToMove
            );
            let receipt = world.act(&mut app, &world.reset_request(Scope::SystemDisk));
            assert_eq!(receipt.end, End::Done, "{receipt:?}");
        },
    );
}

#[test]
fn what_changed_since_the_preview_is_not_done() {
    ordinary(
        module_path!(),
        "what_changed_since_the_preview_is_not_done",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let request = world.reset_request(Scope::SystemDisk);
            let changed = |receipt: &sandtray_core::act::receipt::Receipt| {
                assert_eq!(receipt.end, End::Refused, "{receipt:?}");
                assert!(
                    matches!(receipt.refusals[0].kind, RefusalKind::Changed { .. }),
                    "{receipt:?}"
                );
            };
            let mut app = Fake::default();
            let act = world.plan(&mut app, &request);
            // The app was started.
            changed(&world.apply(&mut Fake::running(), &act));
            // A file is another one.
            let image = world.bundle.join("vmlinuz");
            let aside = world.bundle.join("aside");
            fs::rename(&image, &aside).unwrap();
            fs::write(&image, "another").unwrap();
            changed(&world.apply(&mut app, &act));
            fs::remove_file(&image).unwrap();
            changed(&world.apply(&mut app, &act));
            fs::rename(&aside, &image).unwrap();
            world.assert_as_it_was();
            // An image that only grew is the same.
            let file = fs::OpenOptions::new()
                .append(true)
                .open(world.bundle.join("rootfs.img"))
                .unwrap();
            file.set_len(400_000).unwrap();
            let receipt = world.apply(&mut app, &act);
            assert_eq!(receipt.end, End::Done, "{receipt:?}");
            // And once is once.
            assert_eq!(world.apply(&mut app, &act).end, End::Refused);
            assert_eq!(world.copies().len(), 1);
        },
    );
}

#[test]
fn two_acts_at_once_are_one_and_a_refusal() {
    ordinary(
        module_path!(),
        "two_acts_at_once_are_one_and_a_refusal",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::default();
            let act = world.plan(&mut app, &world.reset_request(Scope::SessionDisk));
            let held = Lock::take(&world.machine, &Hands::default()).unwrap();
            let receipt = world.apply(&mut app, &act);
            assert_eq!(receipt.refusals[0].kind, RefusalKind::Busy);
            world.assert_as_it_was();
            drop(held);
            assert_eq!(world.apply(&mut app, &act).end, End::Done);
        },
    );
}

#[test]
fn an_act_that_was_cut_off_stops_the_next_one_until_it_is_resolved() {
    ordinary(
        module_path!(),
        "an_act_that_was_cut_off_stops_the_next_one_until_it_is_resolved",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::default();
            let request = world.reset_request(Scope::SessionDisk);
            let act = world.plan(&mut app, &request);
            let line = serde_json::json!({"schema": 1, "entry": act.id, "at": 5, "line": "begun", "act": act});
            write(
                &world.machine.own_data.join("journal.jsonl"),
                format!("{line}\n{{\"sch").as_bytes(),
            );
            let kind = refusal(&world, &mut app, &request);
            assert_eq!(
                kind,
                RefusalKind::Unresolved {
                    entry: act.id.clone()
                }
            );
            let found = crate::act::resolve::found(&world.machine).unwrap();
            assert_eq!((found.len(), found[0].id.as_str()), (1, act.id.as_str()));
            // Root looks, and does not touch.
            let mut as_root = World::found(root);
            as_root.machine.uid = 0;
            let resolved = as_root.resolve(&mut app);
            assert_eq!(
                resolved[0].refusal.as_ref().unwrap().kind,
                RefusalKind::Root
            );
            assert_eq!(world.resolve(&mut app)[0].end, Some(End::Interrupted));
            let journal = world.journal();
            assert_eq!(
                (journal.odd, journal.open().count()),
                (1, 0),
                "a torn line stays"
            );
            assert_eq!(world.act(&mut app, &request).end, End::Done);
        },
    );
}

#[test]
fn a_damaged_copy_is_left_alone() {
    ordinary(
        module_path!(),
        "a_damaged_copy_is_left_alone",
        Volume::Temp,
        |root| {
            let world = World::new(root);
            let mut app = Fake::default();
            let reset = world.act(&mut app, &world.reset_request(Scope::SessionDisk));
            let copy = world.machine.own_data.join("parked").join(&reset.id);
            let image = copy.join("sessiondata.img");
            let mut bytes = fs::read(&image).unwrap();
            bytes[39_999] ^= 1;
            fs::write(&image, &bytes).unwrap();
            let request = Request::Restore {
                copy: reset.id.clone(),
            };
            let changed = |app: &mut Fake| {
                matches!(
                    refusal(&world, app, &request),
                    RefusalKind::CopyChanged { .. }
                )
            };
            assert!(changed(&mut app), "its end differs");
            bytes[39_999] ^= 1;
            fs::write(&image, &bytes).unwrap();
            fs::OpenOptions::new()
                .append(true)
                .open(&image)
                .unwrap()
                .set_len(39_000)
                .unwrap();
            assert!(changed(&mut app), "its length differs");
            fs::rename(&image, copy.join("x")).unwrap();
            fs::write(&image, &bytes).unwrap();
            assert!(changed(&mut app), "it is another file");
            // Its volume is gone.
            let root = world.machine.own_data.join("parked");
            fs::rename(&root, world.root.join("unplugged")).unwrap();
            assert!(matches!(
                refusal(&world, &mut app, &request),
                RefusalKind::CopyAbsent { .. }
            ));
            let listed = world.list();
            assert_eq!(
                listed[0].state,
                sandtray_core::act::parked::CopyState::Absent
            );
        },
    );
}
