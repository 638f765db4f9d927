//! Trees: everything in them is looked at and asked for before the first of it goes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, Mode, OFlags};

use super::*;

fn a_tree(scene: &Scene) {
    scene.write("tree/a/b/file", 10_000);
    scene.write("tree/a/second", 1);
    scene.write("tree/first", 1);
    scene.make("tree/empty/emptier");
    scene.write("neighbour/file", 1);
    scene.write("tree-2/file", 1);
}

fn assert_only_the_tree_went(scene: &Scene) {
    assert!(!scene.exists("tree"));
    assert!(scene.exists("neighbour/file") && scene.exists("tree-2/file"));
    scene.assert_nothing_outside_changed();
}

#[test]
fn a_tree_goes_whole_and_is_asked_for_twice_children_before_parents() {
    for unguarded in [false, true] {
        let scene = Scene::new();
        a_tree(&scene);
        let base = if unguarded {
            scene.base().unguarded()
        } else {
            scene.base()
        };
        let mut met = Vec::new();
        let removed = base
            .remove(
                &scene.seen("tree", Removal::Tree),
                &Cancel::default(),
                &mut |one: &Met<'_>| {
                    met.push((
                        one.name.to_owned(),
                        one.depth,
                        one.id,
                        scene.exists("tree/first"),
                    ));
                    Ok(())
                },
            )
            .unwrap();
        assert_eq!((removed.inodes, removed.linked), (8, 0));
        assert_eq!(met.len(), 16);
        let (looked, went) = met.split_at(8);
        assert!(
            looked.iter().all(|(.., there)| *there),
            "nothing goes while it is looked at"
        );
        let ids =
            |part: &[(_, _, FileId, _)]| part.iter().map(|one| one.2).collect::<BTreeSet<_>>();
        assert_eq!(ids(looked), ids(went));
        assert_eq!(looked[0].0, "tree");
        assert_eq!((went[7].0.as_os_str(), went[7].1), (OsStr::new("tree"), 0));
        let at = |name: &str| went.iter().position(|one| one.0 == name).unwrap();
        assert!(at("file") < at("b") && at("b") < at("a"));
        assert_eq!(went[at("file")].1, 3);
        assert_only_the_tree_went(&scene);
    }
}

#[test]
fn a_refusal_while_looking_leaves_everything_and_one_while_removing_stops_there() {
    let scene = Scene::new();
    a_tree(&scene);
    let base = scene.base();
    let tree = scene.seen("tree", Removal::Tree);
    let mut refuse = |one: &Met<'_>| match one.name.to_str() {
        Some("second") => Err(Skip::Asked("in use".to_owned())),
        _ => Ok(()),
    };
    let refused = base.remove(&tree, &Cancel::default(), &mut refuse);
    assert_eq!(refused, Err(Skip::Asked("in use".to_owned())));
    assert!(scene.exists("tree/a/b/file") && scene.exists("tree/first"));
    assert!(scene.exists("tree/empty/emptier"));

    let mut asked = 0;
    let mut late = |_: &Met<'_>| {
        asked += 1;
        if asked > 11 {
            Err(Skip::Asked("in use".to_owned()))
        } else {
            Ok(())
        }
    };
    let stopped = base
        .remove(&tree, &Cancel::default(), &mut late)
        .unwrap_err();
    assert_eq!(stopped.removed().inodes, 3);
    let Skip::Partly(partly) = &stopped else {
        panic!("{stopped:?}");
    };
    assert_eq!(partly.why, Skip::Asked("in use".to_owned()));
    assert!(partly.failed.is_empty());
    // What is left is a tree like any other, once it was looked at anew.
    let rest = remove(&base, &scene.seen("tree", Removal::Tree)).unwrap();
    assert_eq!(rest.inodes, 5);
    assert_only_the_tree_went(&scene);
}

#[test]
fn a_stop_between_two_entries_leaves_a_tree_that_can_be_removed_later() {
    let scene = Scene::new();
    a_tree(&scene);
    let base = scene.base();
    let cancel = Cancel::default();
    let mut asked = 0;
    let stopped = base.remove(
        &scene.seen("tree", Removal::Tree),
        &cancel,
        &mut |_: &Met<'_>| {
            asked += 1;
            if asked == 10 {
                cancel.cancel();
            }
            Ok(())
        },
    );
    let Err(Skip::Partly(partly)) = stopped else {
        panic!("{stopped:?}");
    };
    assert_eq!((partly.why, partly.removed.inodes), (Skip::Cancelled, 2));
    let rest = remove(&base, &scene.seen("tree", Removal::Tree)).unwrap();
    assert_eq!(rest.inodes, 6);
    assert_only_the_tree_went(&scene);
}

#[test]
fn links_go_as_links_and_what_they_lead_to_stays() {
    let scene = Scene::new();
    a_tree(&scene);
    symlink(&scene.outside, scene.root.join("tree/a/out")).unwrap();
    symlink(scene.outside.join("file"), scene.root.join("tree/a/file")).unwrap();
    symlink("../../outside/sealed", scene.root.join("tree/up")).unwrap();
    symlink("nowhere", scene.root.join("tree/dangling")).unwrap();
    let removed = remove(&scene.base(), &scene.seen("tree", Removal::Tree)).unwrap();
    assert_eq!(removed.inodes, 12);
    assert_only_the_tree_went(&scene);
}

#[test]
fn other_names_of_a_file_stay_with_it_and_only_the_last_one_counts() {
    let scene = Scene::new();
    a_tree(&scene);
    let shared = scene.write("shared", 20_000);
    fs::hard_link(&shared, scene.root.join("tree/a/shared")).unwrap();
    let inner = scene.root.join("tree/inner");
    fs::write(&inner, vec![1; 20_000]).unwrap();
    for name in ["tree/a/inner", "tree/a/b/inner"] {
        fs::hard_link(&inner, scene.root.join(name)).unwrap();
    }
    let removed = remove(&scene.base(), &scene.seen("tree", Removal::Tree)).unwrap();
    assert_eq!((removed.inodes, removed.linked), (9, 3));
    assert_eq!(shared.metadata().unwrap().len(), 20_000);
    assert_only_the_tree_went(&scene);
}

#[test]
fn a_repository_a_worktree_and_a_bare_repository_keep_the_whole_tree() {
    for inside in ["a/b/.git/config", "a/.git", "empty/.GIT/x"] {
        let scene = Scene::new();
        a_tree(&scene);
        scene.write(&format!("tree/{inside}"), 1);
        let mut tree = scene.seen("tree", Removal::Tree);
        assert_eq!(
            remove(&scene.base(), &tree),
            Err(Skip::Repository),
            "{inside}"
        );
        assert!(scene.exists("tree/first") && scene.exists("tree/a/b/file"));
        tree.own_repository = true;
        remove(&scene.base(), &tree).unwrap();
        assert_only_the_tree_went(&scene);
    }
    let scene = Scene::new();
    a_tree(&scene);
    scene.write("tree/a/HEAD", 1);
    scene.make("tree/a/refs");
    scene.make("tree/objects");
    let tree = scene.seen("tree", Removal::Tree);
    scene.make("tree/a/objects");
    let tree_with = scene.seen("tree", Removal::Tree);
    assert_eq!(remove(&scene.base(), &tree_with), Err(Skip::Repository));
    fs::remove_dir(scene.root.join("tree/a/objects")).unwrap();
    remove(
        &scene.base(),
        &Target {
            touched: tree_with.touched.plus(2),
            ..tree
        },
    )
    .unwrap();
    assert_only_the_tree_went(&scene);
}

#[test]
fn sealed_folders_go_and_a_sealed_one_outside_stays_sealed() {
    for sealed in [0o500, 0o555] {
        let scene = Scene::new();
        a_tree(&scene);
        symlink(
            scene.outside.join("sealed"),
            scene.root.join("tree/a/sealed"),
        )
        .unwrap();
        for dir in ["tree/a/b", "tree/a", "tree/empty/emptier", "tree"] {
            set_mode(&scene.root.join(dir), sealed);
        }
        remove(&scene.base(), &scene.seen("tree", Removal::Tree)).unwrap();
        assert_only_the_tree_went(&scene);
    }
}

#[test]
fn a_sealed_folder_that_stays_is_sealed_again_and_looking_opens_none() {
    let scene = Scene::new();
    a_tree(&scene);
    for dir in ["tree/a/b", "tree/a", "tree"] {
        set_mode(&scene.root.join(dir), 0o500);
    }
    let base = scene.base();
    let modes = || {
        ["tree/a/b", "tree/a", "tree"].map(|dir| {
            let found = scene.root.join(dir).symlink_metadata();
            found.map_or(0, |found| found.mode() & 0o777)
        })
    };
    let tree = scene.seen("tree", Removal::Tree);
    let mut asked = 0;
    let stopped = base.remove(&tree, &Cancel::default(), &mut |one: &Met<'_>| {
        asked += 1;
        if asked <= 8 {
            assert_eq!(
                modes(),
                [0o500; 3],
                "nothing is opened for writing while it is looked at"
            );
        }
        if asked > 8 && one.name == "file" {
            Err(Skip::Asked("in use".to_owned()))
        } else {
            Ok(())
        }
    });
    assert!(stopped.is_err());
    assert!(scene.exists("tree/a/b/file"));
    assert_eq!(modes(), [0o500; 3]);
    remove(&base, &scene.seen("tree", Removal::Tree)).unwrap();
    assert_only_the_tree_went(&scene);
}

#[test]
fn names_that_are_not_text_go_and_are_named_as_they_are() {
    let scene = Scene::new();
    let names: [&[u8]; 4] = [b"new\nline", b"\xff\xfe", b" ", &[b'x'; 255]];
    for name in names {
        let dir = scene.make("tree").join(OsStr::from_bytes(name));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join(OsStr::from_bytes(name)), "x").unwrap();
    }
    let mut met = BTreeSet::new();
    let tree = scene.seen("tree", Removal::Tree);
    scene
        .base()
        .remove(&tree, &Cancel::default(), &mut |one: &Met<'_>| {
            met.insert(one.name.as_bytes().to_owned());
            Ok(())
        })
        .unwrap();
    assert!(names.iter().all(|name| met.contains(*name)));
    assert!(!scene.exists("tree"));
    scene.assert_nothing_outside_changed();
}

/// As deep as 2,000 names of 200 bytes: no path reaches the end of it.
fn bottomless(root: &Path, levels: usize, length: usize) {
    let name = "d".repeat(length);
    let mut at = rustix::fs::openat(CWD, root, OFlags::DIRECTORY, Mode::empty()).unwrap();
    for level in 0..levels {
        rustix::fs::mkdirat(&at, name.as_str(), Mode::RWXU).unwrap();
        let file = format!("file-{level}");
        let flags = OFlags::CREATE | OFlags::WRONLY;
        drop(rustix::fs::openat(&at, file, flags, Mode::RUSR).unwrap());
        at = rustix::fs::openat(&at, name.as_str(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    rustix::fs::symlinkat("/", &at, "end").unwrap();
}

#[test]
fn a_tree_that_no_path_reaches_the_end_of_goes_with_few_open_folders() {
    for (length, unguarded) in [(200, false), (3, false), (3, true)] {
        let scene = Scene::in_memory();
        bottomless(&scene.make("tree"), 2_000, length);
        scene.write("neighbour/file", 1);
        scene.write("tree-2/file", 1);
        let base = if unguarded {
            scene.base().unguarded()
        } else {
            scene.base()
        };
        let mut target = scene.seen("neighbour", Removal::Tree);
        (target.path, target.id) = (Path::new("tree"), id(&scene.root.join("tree")));
        target.touched = target.touched.plus(60);
        let open = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let (before, mut most) = (open(), 0);
        let mut asked = 0_u32;
        let removed = base
            .remove(&target, &Cancel::default(), &mut |_: &Met<'_>| {
                asked += 1;
                if asked.is_multiple_of(100) {
                    most = most.max(open());
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(removed.inodes, 4_002);
        // Other tests of this process open some too.
        assert!(most < before + 400, "{before} before, {most} during");
        assert_only_the_tree_went(&scene);
    }
}

#[test]
fn a_wide_folder_goes_whole_whatever_its_listing_does_meanwhile() {
    let scene = Scene::in_memory();
    for at in 0..5_000 {
        scene.write(&format!("tree/wide/file-with-a-rather-long-name-{at}"), 0);
        scene.make(&format!("tree/wide/folder-{at}"));
    }
    scene.write("neighbour/file", 1);
    scene.write("tree-2/file", 1);
    let removed = remove(&scene.base(), &scene.seen("tree", Removal::Tree)).unwrap();
    assert_eq!(removed.inodes, 10_002);
    assert_only_the_tree_went(&scene);
}

#[test]
fn what_is_put_into_a_tree_while_it_goes_stays_with_the_folders_above_it() {
    let scene = Scene::new();
    a_tree(&scene);
    let mut tree = scene.seen("tree", Removal::Tree);
    // As if it had been idle for a while.
    let newest = tree.touched;
    tree.touched = newest.plus(-1);
    assert!(matches!(
        remove(&scene.base(), &tree),
        Err(Skip::Changed(_))
    ));
    tree.touched = newest;
    let mut asked = 0;
    let stopped = scene
        .base()
        .remove(&tree, &Cancel::default(), &mut |_: &Met<'_>| {
            asked += 1;
            if asked == 16 {
                // Right before the top itself goes.
                fs::write(scene.root.join("tree/new"), "x").unwrap();
            }
            Ok(())
        });
    // Within the same second the times cannot tell, and then it is one of the tree's.
    if stopped.is_err() {
        assert!(scene.exists("tree/new"));
    }
    scene.assert_nothing_outside_changed();
}

#[test]
fn a_folder_that_is_carried_off_while_it_is_emptied_keeps_nearly_all_it_holds() {
    let scene = Scene::new();
    for at in 0..1_000 {
        scene.write(&format!("tree/labour/{at}"), 1);
    }
    let saved = scene.outside.parent().unwrap().join("saved");
    let tree = scene.seen("tree", Removal::Tree);
    let mut asked = 0;
    let stopped = scene
        .base()
        .remove(&tree, &Cancel::default(), &mut |_: &Met<'_>| {
            asked += 1;
            if asked == 1_100 {
                fs::rename(scene.root.join("tree/labour"), &saved).unwrap();
            }
            Ok(())
        });
    let Err(Skip::Partly(partly)) = stopped else {
        panic!("{stopped:?}");
    };
    assert!(matches!(partly.why, Skip::Changed(_)), "{partly:?}");
    let kept = fs::read_dir(&saved).unwrap().count();
    assert!(kept >= 1_000 - 100 - 64, "{kept}");
}

#[test]
fn a_locked_folder_says_that_somebody_wants_to_keep_it() {
    let scene = Scene::new();
    a_tree(&scene);
    let lock = fs::File::open(scene.root.join("tree/a/b")).unwrap();
    lock.lock_shared().unwrap();
    let tree = scene.seen("tree", Removal::Tree);
    assert!(matches!(remove(&scene.base(), &tree), Err(Skip::Held(_))));
    assert!(scene.exists("tree/first") && scene.exists("tree/a/b/file"));
    drop(lock);
    remove(&scene.base(), &tree).unwrap();
    assert_only_the_tree_went(&scene);
}

#[test]
fn what_cannot_be_seen_keeps_the_tree() {
    let scene = Scene::new();
    a_tree(&scene);
    set_mode(&scene.root.join("tree/a"), 0o000);
    if is_root() {
        // The step `ordinary-user` runs this as somebody who may not.
        println!("skipped: what_cannot_be_seen_keeps_the_tree: root can read everything");
        return;
    }
    let mut tree = scene.seen("tree", Removal::Tree);
    tree.touched = tree.touched.plus(60);
    let unreadable = remove(&scene.base(), &tree);
    assert!(
        matches!(unreadable, Err(Skip::Unreadable(_))),
        "{unreadable:?}"
    );
    assert!(scene.exists("tree/first"));
    set_mode(&scene.root.join("tree/a"), 0o700);
    assert!(scene.exists("tree/a/b/file"));
    scene.assert_nothing_outside_changed();
}
