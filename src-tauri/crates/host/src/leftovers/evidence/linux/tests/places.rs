//! A path of the host as mount tables name it.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use sandtray_core::leftover::evidence::Evidence;

use super::Place;
use crate::leftovers::evidence::{OwnMounts, inside};

#[test]
fn a_place_is_the_same_through_links_and_whether_or_not_it_is_there() {
    let place = Place::new();
    let folder = place.folder("real");
    symlink(&folder, place.path().join("link")).unwrap();
    let mounts = OwnMounts::read();
    let there = inside(&mounts, &folder.join("claude-empty-Ab3xY9")).unwrap();
    assert_eq!(
        inside(&mounts, &place.path().join("link/claude-empty-Ab3xY9")),
        Some(there.clone())
    );
    assert!(
        there.path.ends_with(b"/real/claude-empty-Ab3xY9"),
        "{there:?}"
    );
    // The name itself is not followed: it is the link that is asked about.
    let link = inside(&mounts, &place.path().join("link")).unwrap();
    assert!(link.path.ends_with(b"/link"));
    assert_eq!(inside(&mounts, &place.path().join("gone/x")), None);
    assert_eq!(inside(&mounts, &folder.join("..")), None);
    assert_eq!(inside(&mounts, Path::new("relative")), None);
    assert_eq!(inside(&mounts, Path::new("/")).unwrap().path, b"/");
}

#[test]
fn what_is_mounted_here_is_seen_as_mounted_and_its_neighbour_is_not() {
    let name = "what_is_mounted_here_is_seen_as_mounted_and_its_neighbour_is_not";
    let place = Place::new();
    let (root, source) = (place.folder("root"), place.folder("source"));
    for below in ["root/on", "root/beside"] {
        place.folder(below);
    }
    // In a namespace of its own, so that a test that is killed leaves nothing mounted.
    let script = format!(
        "mount --bind '{}' '{}' && echo ready && sleep 60",
        source.display(),
        root.join("on").display()
    );
    let alone = if super::is_root() { "-m" } else { "-rm" };
    let _namespace =
        match super::Group::ready(Command::new("unshare").args([alone, "sh", "-c", &script])) {
            Ok(group) => group,
            Err(reason) => {
                println!("skipped: {name}: {reason}");
                return;
            }
        };
    let (mounts, seen) = (OwnMounts::read(), place.seen());
    let of = |path: &Path| inside(&mounts, path).unwrap();
    let is_point = |path: &Path| Evidence::is_mounted(&seen.mount_points, &of(path));
    assert!(is_point(&root) && is_point(&root.join("on")));
    assert!(!is_point(&root.join("beside")) && !is_point(&source));
    assert!(Evidence::is_mounted(&seen.mount_sources, &of(&source)));
    assert!(!Evidence::is_mounted(
        &seen.mount_sources,
        &of(&root.join("beside"))
    ));
}
