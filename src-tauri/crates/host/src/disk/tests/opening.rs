//! What a path may name instead of an image.

use std::fs;

use sandtray_core::gauge::UnknownReason;

use super::made;
use crate::disk::{read, reason};

#[test]
fn a_failure_says_operation_path_cause_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessiondata.img");
    let failure = read(&path).unwrap_err();
    assert_eq!(reason(&failure), UnknownReason::Missing);
    let text = failure.to_string();
    assert!(text.starts_with("cannot read the disk image "), "{text}");
    assert!(text.contains("sessiondata.img"), "{text}");
    assert!(text.lines().count() == 2, "{text}");

    fs::write(&path, vec![0; 4096]).unwrap();
    let failure = read(&path).unwrap_err();
    assert_eq!(reason(&failure), UnknownReason::Corrupt);
    assert!(failure.to_string().contains("will look again"), "{failure}");
}

#[test]
fn reading_changes_neither_a_byte_nor_a_time_of_the_image() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessiondata.img");
    let mut bytes = made::ext4("sessions");
    bytes[made::SUPERBLOCK + 0x60] = 0xc6;
    made::sign_ext4(&mut bytes);
    fs::write(&path, &bytes).unwrap();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    let image = read(&path).unwrap();
    assert!(!image.linked);
    assert!(!image.disks[0].numbers.as_ref().unwrap().clean);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn a_directory_in_place_of_an_image_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let failure = read(folder.path()).unwrap_err();
    assert_eq!(reason(&failure), UnknownReason::Unsupported);
    assert!(failure.to_string().contains("a directory"), "{failure}");
}

#[cfg(unix)]
#[test]
fn a_link_is_read_and_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elsewhere.img");
    fs::write(&path, made::ext4("sessions")).unwrap();
    let link = folder.path().join("sessiondata.img");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let image = read(&link).unwrap();
    assert!(image.linked);
    assert!(image.sessions_disk().unwrap().level().is_ok());

    let circle = folder.path().join("circle.img");
    std::os::unix::fs::symlink(&circle, &circle).unwrap();
    assert_eq!(reason(&read(&circle).unwrap_err()), UnknownReason::Failed);
}

// Linux alone: rustix makes no pipes on macOS.
#[cfg(target_os = "linux")]
#[test]
fn pipes_sockets_and_devices_are_refused_without_waiting() {
    use rustix::fs::{CWD, Mode, mkfifoat};

    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.img");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    let socket = folder.path().join("socket.img");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [&*pipe, &*socket, std::path::Path::new("/dev/null")] {
        let failure = read(path).unwrap_err();
        assert_eq!(reason(&failure), UnknownReason::Unsupported, "{failure}");
    }
    drop(listener);
}

#[cfg(unix)]
#[test]
fn an_image_that_may_not_be_read_is_denied_and_not_missing() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessiondata.img");
    fs::write(&path, made::ext4("sessions")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&path).is_ok() {
        println!(
            "skipped: an_image_that_may_not_be_read_is_denied_and_not_missing: root may read everything"
        );
        return;
    }
    assert_eq!(reason(&read(&path).unwrap_err()), UnknownReason::Denied);
}
