//! Moving aside.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::*;

fn park(from: &Base, target: &Target<'_>, into: &Base, name: &str) -> Result<(), Skip> {
    let ask = &mut |_: &Met<'_>| Ok(());
    from.park(target, into, OsStr::new(name), &Cancel::default(), ask)
}

fn parked(scene: &Scene) -> Base {
    let place = scene.root.parent().unwrap().join("parked");
    fs::create_dir(&place).unwrap();
    set_mode(&place, 0o700);
    Base::open(&place, &scene.machine).unwrap()
}

#[test]
fn what_is_parked_is_the_same_file_elsewhere_sealed_as_it_was() {
    let scene = Scene::new();
    scene.write("tree/a/file", 10);
    scene.write("neighbour/file", 1);
    scene.write("name", 1);
    set_mode(&scene.root.join("tree"), 0o500);
    let (base, into) = (scene.base(), parked(&scene));
    let before = id(&scene.root.join("tree"));
    let mut met = 0;
    base.park(
        &scene.seen("tree", Removal::Tree),
        &into,
        OsStr::from_bytes(b"\xff-1"),
        &Cancel::default(),
        &mut |_: &Met<'_>| {
            met += 1;
            Ok(())
        },
    )
    .unwrap();
    assert_eq!(met, 3, "everything in it is asked for");
    let copy = into.path().join(OsStr::from_bytes(b"\xff-1"));
    assert_eq!(id(&copy), before);
    assert_eq!(copy.metadata().unwrap().mode() & 0o777, 0o500);
    assert!(copy.join("a/file").exists());
    park(&base, &scene.seen("name", Removal::Name), &into, "2").unwrap();
    assert!(into.path().join("2").exists());
    assert!(!scene.exists("tree") && !scene.exists("name") && scene.exists("neighbour/file"));
    set_mode(&copy, 0o700);
    scene.assert_nothing_outside_changed();
}

#[test]
fn nothing_is_replaced_and_a_refusal_moves_nothing() {
    let scene = Scene::new();
    scene.write("tree/file", 10);
    scene.write("work/.git", 10);
    let (base, into) = (scene.base(), parked(&scene));
    fs::create_dir(into.path().join("taken")).unwrap();
    let tree = scene.seen("tree", Removal::Tree);
    assert!(matches!(
        park(&base, &tree, &into, "taken"),
        Err(Skip::Failed(_))
    ));
    for name in ["", ".", "..", "../x", "a/b"] {
        assert!(
            matches!(park(&base, &tree, &into, name), Err(Skip::Failed(_))),
            "{name:?}"
        );
    }
    let refuse = &mut |met: &Met<'_>| match met.depth {
        0 => Ok(()),
        _ => Err(Skip::Asked("in use".to_owned())),
    };
    let refused = base.park(&tree, &into, OsStr::new("1"), &Cancel::default(), refuse);
    assert_eq!(refused, Err(Skip::Asked("in use".to_owned())));
    let repository = park(&base, &scene.seen("work", Removal::Tree), &into, "1");
    assert_eq!(repository, Err(Skip::Repository));
    let never = park(&base, &scene.seen("tree", Removal::Never), &into, "1");
    assert_eq!(never, Err(Skip::Never));
    assert!(scene.exists("tree/file") && scene.exists("work/.git"));
    assert_eq!(fs::read_dir(into.path()).unwrap().count(), 1);
}

#[test]
fn another_volume_is_no_place_to_park_on() {
    let scene = Scene::new();
    scene.write("tree/file", 10);
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: another_volume_is_no_place_to_park_on: no /dev/shm");
        return;
    };
    set_mode(memory.path(), 0o700);
    let into = Base::open(&memory.path().canonicalize().unwrap(), &scene.machine).unwrap();
    let parked = park(
        &scene.base(),
        &scene.seen("tree", Removal::Tree),
        &into,
        "1",
    );
    assert_eq!(parked, Err(Skip::OtherVolume));
    assert!(scene.exists("tree/file"));
}
