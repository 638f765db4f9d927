//! One name: an empty folder, a file, a socket; and the folder they lie in.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::super::MetKind;
use super::*;

#[test]
fn an_empty_folder_goes_and_one_that_is_not_stays_as_it_is() {
    let scene = Scene::new();
    scene.make("claude-empty-Ab3xY9");
    scene.write("claude-empty-Full01/inside", 1);
    let base = scene.base();
    let removed = remove(&base, &scene.seen("claude-empty-Ab3xY9", Removal::Empty)).unwrap();
    assert_eq!((removed.inodes, removed.linked), (1, 0));
    let full = scene.seen("claude-empty-Full01", Removal::Empty);
    assert_eq!(remove(&base, &full), Err(Skip::NotEmpty));
    assert!(!scene.exists("claude-empty-Ab3xY9"));
    assert!(scene.exists("claude-empty-Full01/inside"));
}

#[test]
fn a_file_and_a_socket_go_with_their_blocks_and_a_neighbour_stays() {
    let scene = Scene::new();
    scene.write("a/b/file", 10_000);
    scene.write("a/b/neighbour", 10);
    drop(UnixListener::bind(scene.root.join("s.sock")).unwrap());
    let base = scene.base();
    let mut met = Vec::new();
    let removed = base
        .remove(
            &scene.seen("a/b/file", Removal::Name),
            &Cancel::default(),
            &mut |one: &Met<'_>| {
                met.push((one.name.to_owned(), one.kind, one.depth));
                Ok(())
            },
        )
        .unwrap();
    assert_eq!(met, [("file".into(), MetKind::File, 0)]);
    assert_eq!(removed.inodes, 1);
    assert!(removed.allocated.0 >= 10_000, "{removed:?}");
    remove(&base, &scene.seen("s.sock", Removal::Name)).unwrap();
    assert!(!scene.exists("a/b/file") && !scene.exists("s.sock") && scene.exists("a/b/neighbour"));
}

#[test]
fn what_is_gone_already_is_said_to_be_gone() {
    let scene = Scene::new();
    scene.write("dir/file", 1);
    let (file, dir) = (
        scene.seen("dir/file", Removal::Name),
        scene.seen("dir", Removal::Tree),
    );
    let base = scene.base();
    fs::remove_dir_all(scene.root.join("dir")).unwrap();
    assert_eq!(remove(&base, &file), Err(Skip::Gone));
    assert_eq!(remove(&base, &dir), Err(Skip::Gone));
}

#[test]
fn another_file_of_that_name_another_kind_and_a_later_change_stay() {
    let scene = Scene::new();
    scene.write("one", 1);
    scene.write("two", 1);
    scene.make("dir");
    let base = scene.base();
    let mut one = scene.seen("one", Removal::Name);
    one.id = scene.seen("two", Removal::Name).id;
    assert!(matches!(remove(&base, &one), Err(Skip::Changed(_))));
    let mut late = scene.seen("one", Removal::Name);
    late.touched = late.touched.plus(-1);
    assert!(matches!(remove(&base, &late), Err(Skip::Changed(_))));
    let mut dir = scene.seen("dir", Removal::Name);
    dir.kind = Kind::File;
    assert!(matches!(remove(&base, &dir), Err(Skip::Changed(_))));
    dir.kind = Kind::Directory;
    assert_eq!(remove(&base, &dir), Err(Skip::Never));
    dir.removal = Removal::Never;
    assert_eq!(remove(&base, &dir), Err(Skip::Never));
    assert!(scene.exists("one") && scene.exists("two") && scene.exists("dir"));
}

#[test]
fn a_link_in_the_place_of_the_target_or_on_the_way_to_it_is_not_followed() {
    let scene = Scene::new();
    scene.write("dir/file", 1);
    scene.make("empty");
    let file = scene.seen("dir/file", Removal::Name);
    let empty = scene.seen("empty", Removal::Empty);
    for unguarded in [false, true] {
        let base = if unguarded {
            scene.base().unguarded()
        } else {
            scene.base()
        };
        fs::rename(scene.root.join("dir"), scene.root.join("was")).unwrap();
        symlink(scene.root.join("was"), scene.root.join("dir")).unwrap();
        fs::remove_dir(scene.root.join("empty")).unwrap();
        symlink(&scene.outside, scene.root.join("empty")).unwrap();
        assert!(
            matches!(remove(&base, &file), Err(Skip::Changed(_))),
            "{unguarded}"
        );
        assert!(
            matches!(remove(&base, &empty), Err(Skip::Changed(_))),
            "{unguarded}"
        );
        assert!(scene.exists("was/file"));
        for link in ["dir", "empty"] {
            fs::remove_file(scene.root.join(link)).unwrap();
        }
        fs::rename(scene.root.join("was"), scene.root.join("dir")).unwrap();
        fs::create_dir(scene.root.join("empty")).unwrap();
    }
    scene.assert_nothing_outside_changed();
}

#[test]
fn a_path_that_leaves_the_base_is_refused() {
    let scene = Scene::new();
    let base = scene.base();
    let mut target = target(&scene.outside, Path::new("file"), Removal::Name);
    let absolute = scene.outside.join("file");
    for path in [
        Path::new("../outside/file"),
        &absolute,
        Path::new(""),
        Path::new("."),
    ] {
        target.path = path;
        assert!(
            matches!(remove(&base, &target), Err(Skip::Failed(_))),
            "{path:?}"
        );
    }
    scene.assert_nothing_outside_changed();
}

#[test]
fn whoever_is_asked_last_decides_and_a_change_while_asking_is_seen() {
    let scene = Scene::new();
    let file = scene.write("file", 1);
    scene.write("other", 1);
    let base = scene.base();
    let target = scene.seen("file", Removal::Name);
    let refuse = &mut |_: &Met<'_>| Err(Skip::Asked("a process has it open".to_owned()));
    let refused = base.remove(&target, &Cancel::default(), refuse);
    assert_eq!(refused.unwrap_err().to_string(), "a process has it open");
    let swap = &mut |_: &Met<'_>| {
        fs::rename(scene.root.join("other"), &file).unwrap();
        Ok(())
    };
    let swapped = base.remove(&target, &Cancel::default(), swap);
    assert!(matches!(swapped, Err(Skip::Changed(_))), "{swapped:?}");
    let stop = Cancel::default();
    stop.cancel();
    let mut again = scene.seen("file", Removal::Name);
    assert_eq!(
        base.remove(&again, &stop, &mut |_| panic!("asked after a stop")),
        Err(Skip::Cancelled)
    );
    again.removal = Removal::Tree;
    assert!(
        remove(&base, &again).is_ok(),
        "a file that goes as a tree is a name"
    );
}

#[test]
fn one_of_two_names_frees_nothing_and_the_last_one_does() {
    let scene = Scene::new();
    scene.write("one", 10_000);
    fs::hard_link(scene.root.join("one"), scene.root.join("two")).unwrap();
    let (one, two) = (
        scene.seen("one", Removal::Name),
        scene.seen("two", Removal::Name),
    );
    let base = scene.base();
    let first = remove(&base, &one).unwrap();
    assert_eq!((first.inodes, first.allocated.0, first.linked), (0, 0, 1));
    let second = remove(&base, &two).unwrap();
    assert_eq!((second.inodes, second.linked), (1, 0));
    assert!(second.allocated.0 >= 10_000);
}

#[test]
fn a_base_that_others_may_write_is_measured_and_never_cleaned() {
    let scene = Scene::new();
    let root = fs::metadata(&scene.root).unwrap();
    // A group of the user's own number is the user alone.
    let private = root.uid() != 0 && root.gid() == root.uid();
    for (mode, opens) in [
        (0o700, true),
        (0o755, true),
        (0o1777, true),
        (0o777, false),
        (0o770, private),
    ] {
        set_mode(&scene.root, mode);
        let opened = Base::open(&scene.root, &scene.machine);
        assert_eq!(opened.is_ok(), opens, "{mode:o} {opened:?}");
        if let Err(skip) = opened {
            assert!(matches!(skip, Skip::Hostile(_)), "{skip:?}");
        }
    }
    set_mode(&scene.root, 0o700);
    let mut other = scene.machine.clone();
    other.uid += 1;
    assert!(matches!(
        Base::open(&scene.root, &other),
        Err(Skip::Hostile(_))
    ));
    let link = scene.outside.parent().unwrap().join("link");
    symlink(&scene.root, &link).unwrap();
    assert!(matches!(
        Base::open(&link, &scene.machine),
        Err(Skip::Hostile(_))
    ));
    assert_eq!(
        Base::open(&scene.root.join("missing"), &scene.machine).unwrap_err(),
        Skip::Gone
    );
    assert!(matches!(
        Base::open(&scene.outside.join("file"), &scene.machine),
        Err(Skip::Hostile(_))
    ));
}

#[test]
fn what_is_another_users_stays() {
    let scene = Scene::new();
    scene.write("tree/deep/file", 1);
    scene.write("tree/alone", 1);
    let base = scene.base();
    let mut other = scene.machine.clone();
    other.uid += 1;
    set_mode(&scene.root, 0o1777);
    // Root's sticky folder is anybody's base; as an ordinary user there is none to try it with here.
    if is_root() {
        let theirs = Base::open(&scene.root, &other).unwrap();
        for (path, removal) in [("tree", Removal::Tree), ("tree/alone", Removal::Name)] {
            assert_eq!(
                remove(&theirs, &scene.seen(path, removal)),
                Err(Skip::Foreign)
            );
        }
        std::os::unix::fs::chown(scene.root.join("tree/deep/file"), Some(65534), None).unwrap();
        let foreign = remove(&base, &scene.seen("tree", Removal::Tree));
        assert_eq!(
            foreign,
            Err(Skip::Foreign),
            "one file of another user in it"
        );
        assert!(scene.exists("tree/alone"));
    }
}

#[test]
fn what_was_emptied_before_it_goes_though_its_times_are_newer() {
    let scene = Scene::new();
    scene.write("project/session/file", 1);
    let mut file = scene.seen("project/session/file", Removal::Name);
    let mut session = scene.seen("project/session", Removal::Empty);
    let mut project = scene.seen("project", Removal::Empty);
    let base = scene.base();
    remove(&base, &file).unwrap();
    remove(&base, &session).unwrap();
    remove(&base, &project).unwrap();
    // The decoy: somebody else emptied it.
    scene.write("project/session/file", 1);
    file = scene.seen("project/session/file", Removal::Name);
    session = scene.seen("project/session", Removal::Empty);
    project = scene.seen("project", Removal::Empty);
    fs::remove_file(scene.root.join(file.path)).unwrap();
    session.touched = session.touched.plus(-1);
    project.touched = project.touched.plus(-1);
    for emptied in [session, project] {
        assert!(matches!(remove(&base, &emptied), Err(Skip::Changed(_))));
    }
}

#[test]
fn siblings_are_reached_through_one_open_folder_also_when_it_is_moved_meanwhile() {
    let scene = Scene::new();
    scene.write("jobs/one", 1);
    scene.write("jobs/two", 1);
    let (one, two) = (
        scene.seen("jobs/one", Removal::Name),
        scene.seen("jobs/two", Removal::Name),
    );
    let base = scene.base();
    remove(&base, &one).unwrap();
    fs::rename(scene.root.join("jobs"), scene.root.join("moved")).unwrap();
    scene.write("jobs/two", 1);
    remove(&base, &two).unwrap();
    assert!(!scene.exists("moved/two"), "the file that was judged");
    assert!(scene.exists("jobs/two"), "another one of that name");
}
