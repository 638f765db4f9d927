use super::recommend::{Why, recommend};
use super::sessions::{Report, Seen, Sessions};
use super::space::needed;
use super::*;
use crate::bundle::{BundleFile, Role};
use crate::bytes::{Allocated, Apparent, Bytes};
use crate::verdict::Verdict;

fn files(names: &[&str]) -> Vec<BundleFile> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
        .into_iter()
        .map(|name| BundleFile {
            name: name.to_owned(),
            role: Role::of(name),
            apparent: Apparent(1),
            allocated: Allocated(1),
        })
        .collect()
}

#[test]
fn an_image_leaves_before_its_origin_and_archives_and_identity_stay() {
    let files = files(&[
        ".auto_reinstall_attempted",
        ".initrd.origin",
        ".rootfs.img.origin",
        ".rootfs.img.zst.origin",
        ".vmlinuz.origin",
        "efivars.fd",
        "initrd",
        "rootfs.img",
        "rootfs.img.zst",
        "sessiondata.img",
        "vmlinuz",
    ]);
    assert_eq!(
        Scope::SystemDisk.names(&files),
        [
            "initrd",
            ".initrd.origin",
            "rootfs.img",
            ".rootfs.img.origin",
            "vmlinuz",
            ".vmlinuz.origin"
        ]
    );
    assert_eq!(Scope::SessionDisk.names(&files), ["sessiondata.img"]);
    assert!(Scope::Bundle.names(&files).is_empty());
}

#[test]
fn the_scope_that_is_recommended_follows_from_what_is_full() {
    use Verdict::{Critical, Low, Ok, Unknown};
    for (sessions, system, expected) in [
        (
            Some(Critical),
            Some(Ok),
            (Some(Scope::SessionDisk), Why::SessionsFull),
        ),
        (
            Some(Ok),
            Some(Low),
            (Some(Scope::SystemDisk), Why::SystemFull),
        ),
        (
            Some(Critical),
            Some(Critical),
            (Some(Scope::Bundle), Why::BothFull),
        ),
        (
            Some(Critical),
            Some(Unknown),
            (Some(Scope::SessionDisk), Why::SessionsFull),
        ),
        (
            Some(Unknown),
            Some(Ok),
            (Some(Scope::Bundle), Why::Unreadable),
        ),
        (Some(Ok), Some(Ok), (None, Why::NeitherFull)),
        (None, None, (None, Why::NeitherFull)),
    ] {
        assert_eq!(recommend(sessions, system), expected);
    }
}

#[test]
fn a_rebuild_needs_a_tenth_more_than_what_is_parked_and_a_download_where_no_archive_stays() {
    let parked = Bytes(10_000_000_000);
    assert_eq!(
        needed(Scope::SessionDisk, parked, false),
        Bytes(300_000_000)
    );
    assert_eq!(
        needed(Scope::SystemDisk, parked, true),
        Bytes(11_000_000_000)
    );
    assert_eq!(needed(Scope::Bundle, parked, false), Bytes(12_300_000_000));
}

fn sessions(entries: &[(&str, u64)]) -> Sessions {
    Sessions {
        seen: entries
            .iter()
            .map(|(path, size)| {
                let seen = Seen {
                    size: *size,
                    inode: 1,
                    modified: 5,
                    content: Some("x".to_owned()),
                };
                (PathText::from_bytes(path.as_bytes()), seen)
            })
            .collect(),
        unreadable: Vec::new(),
    }
}

#[test]
fn sessions_are_untouched_only_where_nothing_differs_and_everything_could_be_read() {
    let before = sessions(&[("a", 1), ("b", 2)]);
    assert!(Report::exact(&before, &before).untouched);
    for now in [
        sessions(&[("a", 1)]),
        sessions(&[("a", 1), ("b", 3)]),
        sessions(&[("a", 1), ("b", 2), ("c", 1)]),
    ] {
        let report = Report::exact(&before, &now);
        assert!(!report.untouched);
        assert_eq!(report.differing.len(), 1);
    }
    let mut hidden = before.clone();
    hidden.unreadable.push(PathText::from_bytes(b"z"));
    assert!(!Report::exact(&before, &hidden).untouched);
}

#[test]
fn afterwards_what_the_app_changed_is_counted_and_what_is_missing_is_named() {
    let before = sessions(&[("a", 1), ("b", 2)]);
    let now = sessions(&[("a", 9), ("c", 1)]);
    let report = Report::exact(&before, &before).afterwards(&before, &now);
    assert_eq!(report.changed_by_app, 2);
    assert_eq!(report.missing, [PathText::from_bytes(b"b")]);
    assert!(report.untouched, "what the app does later is its own");
}

#[test]
fn remembered_sessions_outlive_the_process_as_json() {
    let before = sessions(&[("a", 1), ("b\u{fffd}", 2)]);
    let text = serde_json::to_string(&before).unwrap();
    assert_eq!(serde_json::from_str::<Sessions>(&text).unwrap(), before);
}

#[test]
fn an_identity_is_device_and_inode_or_after_a_restart_inode_and_length() {
    let one = Identity {
        device: 1,
        inode: 2,
        size: 3,
    };
    assert!(one.is(Identity { size: 9, ..one }), "it grew");
    assert!(
        one.is(Identity { device: 7, ..one }),
        "another number for the volume"
    );
    assert!(!one.is(Identity { inode: 3, ..one }));
    let other = Identity {
        device: 7,
        size: 9,
        ..one
    };
    assert!(!one.is(other));
}
