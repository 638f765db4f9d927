//! Volumes on which nothing fits any more (T1, T2).

use std::io::ErrorKind;

use super::*;

/// Fills a small volume, then removes a tree and an empty folder from it.
fn goes(name: &str, options: &str, fill: fn(&Path)) {
    let Some(folder) = inside() else {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("mount -t tmpfs -o {options} none \"$0\"");
        with_mounts(&script, module_path!(), name, folder.path());
        return;
    };
    let scene = Scene::given(&folder);
    for at in 0..10 {
        scene.write(&format!("tree/{at}/sealed/file"), 5_000);
        set_mode(&scene.root.join(format!("tree/{at}/sealed")), 0o500);
    }
    scene.make("empty");
    scene.write("neighbour", 1);
    let filled = folder.join("filled");
    fs::create_dir(&filled).unwrap();
    fill(&filled);
    let full = fs::write(folder.join("one-more"), vec![1; 100_000]).unwrap_err();
    assert_eq!(full.kind(), ErrorKind::StorageFull);
    let base = scene.base();
    let removed = remove(&base, &scene.seen("tree", Removal::Tree)).unwrap();
    assert_eq!(removed.inodes, 31);
    remove(&base, &scene.seen("empty", Removal::Empty)).unwrap();
    assert!(scene.exists("neighbour") && !scene.exists("tree"));
    scene.assert_nothing_outside_changed();
    fs::write(folder.join("one-more"), vec![1; 10_000]).unwrap();
}

#[test]
fn a_volume_without_a_free_byte_is_no_obstacle() {
    goes(
        "a_volume_without_a_free_byte_is_no_obstacle",
        "size=2m",
        |filled| {
            for at in 0.. {
                if fs::write(filled.join(at.to_string()), vec![1; 4096]).is_err() {
                    return;
                }
            }
        },
    );
}

#[test]
fn a_volume_without_a_free_inode_is_no_obstacle() {
    goes(
        "a_volume_without_a_free_inode_is_no_obstacle",
        "size=64m,nr_inodes=500",
        |filled| {
            for at in 0.. {
                if fs::write(filled.join(at.to_string()), "").is_err() {
                    return;
                }
            }
        },
    );
}
