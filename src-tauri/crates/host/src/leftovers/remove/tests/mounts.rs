//! Mounts in what goes. A bind mount has the device number of what it covers (T13).

use super::*;

fn a_tree(scene: &Scene) {
    for dir in ["tree/a/dir", "empty", "way/dir"] {
        scene.make(dir);
    }
    scene.write("tree/a/file", 1);
    scene.write("tree/first", 1);
    scene.write("name", 1);
    scene.write("way/dir/file", 1);
}

fn assert_everything_is_there(scene: &Scene, inside: &[&str]) {
    let there = ["tree/first", "tree/a/file", "empty", "name", "way/dir"];
    for path in there.iter().chain(inside) {
        assert!(scene.exists(path), "{path}");
    }
    scene.assert_nothing_outside_changed();
}

/// Mounts what the script says, and expects every target to stay.
fn stays(name: &str, script: &str, mounted: &[(&str, Removal)], inside_path: &[&str]) {
    if let Some(folder) = inside() {
        let (root, outside) = (folder.join("root"), folder.join("outside"));
        let scene = Scene {
            folder: None,
            machine: crate::machine::load(&folder.join("machine.toml")).unwrap(),
            before: canaries(&outside),
            root,
            outside,
        };
        for unguarded in [false, true] {
            for (path, removal) in mounted {
                let mut target = scene.seen(path, *removal);
                target.touched = target.touched.plus(60);
                let base = if unguarded {
                    scene.base().unguarded()
                } else {
                    scene.base()
                };
                let kept = remove(&base, &target);
                assert_eq!(kept, Err(Skip::Mounted), "{path} unguarded {unguarded}");
            }
        }
        assert_everything_is_there(&scene, inside_path);
        return;
    }
    let scene = Scene::new();
    a_tree(&scene);
    let folder = scene.root.parent().unwrap();
    with_mounts(script, module_path!(), name, folder);
    for path in [
        "tree/first",
        "tree/a/file",
        "tree/a/dir",
        "empty",
        "name",
        "way/dir/file",
    ] {
        assert!(scene.exists(path), "{path}");
    }
    scene.assert_nothing_outside_changed();
}

#[test]
fn a_bind_mount_in_a_tree_keeps_all_of_it_and_what_is_mounted() {
    stays(
        "a_bind_mount_in_a_tree_keeps_all_of_it_and_what_is_mounted",
        "mount --bind \"$0/outside\" \"$0/root/tree/a/dir\"",
        &[
            ("tree", Removal::Tree),
            ("tree/a", Removal::Tree),
            ("tree/a/dir", Removal::Tree),
        ],
        &["tree/a/dir/repo/.git"],
    );
}

#[test]
fn a_file_mounted_on_a_file_keeps_the_tree_and_goes_by_no_name() {
    stays(
        "a_file_mounted_on_a_file_keeps_the_tree_and_goes_by_no_name",
        "mount --bind \"$0/outside/file\" \"$0/root/tree/a/file\" \
         && mount --bind \"$0/outside/file\" \"$0/root/name\"",
        &[("tree", Removal::Tree), ("name", Removal::Name)],
        &[],
    );
}

#[test]
fn a_folder_mounted_on_itself_and_another_filesystem_stay() {
    stays(
        "a_folder_mounted_on_itself_and_another_filesystem_stay",
        "mount --bind \"$0/root/empty\" \"$0/root/empty\" \
         && mount -t tmpfs none \"$0/root/tree/a/dir\"",
        &[
            ("empty", Removal::Empty),
            ("tree", Removal::Tree),
            ("empty", Removal::Tree),
        ],
        &[],
    );
}

#[test]
fn a_mount_on_the_way_to_the_target_keeps_it() {
    stays(
        "a_mount_on_the_way_to_the_target_keeps_it",
        "mount --bind \"$0/outside\" \"$0/root/way/dir\"",
        &[
            ("way/dir/file", Removal::Name),
            ("way/dir/sealed", Removal::Tree),
        ],
        &["way/dir/sealed"],
    );
}
