use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

/// Makes a disk with `mkfs.ext4`; false, with the reason printed, where it cannot.
fn made(test: &str, path: &Path, size: &str, content: Option<&Path>) -> bool {
    let program = ["/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.exists())
        .unwrap_or_else(|| "mkfs.ext4".into());
    let mut command = Command::new(program);
    command.args(["-q", "-F", "-L", "sessions"]);
    if let Some(content) = content {
        command.arg("-d").arg(content);
    }
    match command.arg(path).arg(size).output() {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            println!("skipped: {test}: mkfs.ext4: {}", said.trim());
            false
        }
        Err(error) => {
            println!("skipped: {test}: no mkfs.ext4 ({error})");
            false
        }
    }
}

fn write_at(path: &Path, offset: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn both_guest_disks_are_asked_and_one_that_is_not_there_is_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let content = dir.path().join("content");
    fs::create_dir(&content).unwrap();
    fs::write(content.join("file"), vec![7; 3_000_000]).unwrap();
    let bundle = dir.path().join("claudevm.bundle");
    assert_eq!(
        fills(Os::Linux, &bundle),
        [
            (GaugeKind::GuestSessions, None),
            (GaugeKind::GuestSystem, None)
        ],
        "no bundle is unknown, not empty"
    );
    fs::create_dir(&bundle).unwrap();
    // A dead disk of another system, and a packed one, are not the disk.
    fs::write(bundle.join("sessiondata.vhdx"), "x").unwrap();
    fs::write(bundle.join("rootfs.img.zst"), "x").unwrap();
    let test = "both_guest_disks_are_asked_and_one_that_is_not_there_is_unknown";
    let image = bundle.join("sessiondata.img");
    if !made(test, &image, "32M", Some(&content)) {
        return;
    }
    let found = fills(Os::Linux, &bundle);
    let used = found[0].1.unwrap().0;
    assert!((3_000_000..8_000_000).contains(&used), "{used}");
    assert_eq!(found[1], (GaugeKind::GuestSystem, None));
}

#[test]
fn available_is_asked_of_the_nearest_folder_that_is_there() {
    let dir = tempfile::tempdir().unwrap();
    assert!(available(dir.path()).is_some());
    assert!(available(&dir.path().join("moved/away")).is_some());
    assert_eq!(available(Path::new("")), None);
}

#[test]
fn ends_are_of_the_first_and_last_64_kib_and_of_nothing_between() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("disk");
    // SHA-256 of nothing: a hash that other tools give too.
    fs::write(&path, "").unwrap();
    assert_eq!(
        ends(&path).unwrap(),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    fs::write(&path, "abc").unwrap();
    assert_eq!(
        ends(&path).unwrap(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    for (length, middle) in [(300_000, 150_000), (131_073, 65_536)] {
        fs::write(&path, vec![1; length]).unwrap();
        let before = ends(&path).unwrap();
        write_at(&path, middle, b"x");
        assert_eq!(ends(&path).unwrap(), before, "the middle is not looked at");
        write_at(&path, 65_535, b"x");
        let head = ends(&path).unwrap();
        assert_ne!(head, before);
        write_at(&path, length as u64 - 65_536, b"x");
        assert_ne!(ends(&path).unwrap(), head);
    }
    fs::write(&path, vec![1; 131_072]).unwrap();
    let before = ends(&path).unwrap();
    write_at(&path, 65_536, b"x");
    assert_ne!(ends(&path).unwrap(), before, "two ends are all of it");
}

#[test]
fn ends_of_what_is_no_plain_file_are_refused_and_a_pipe_does_not_block() {
    let dir = tempfile::tempdir().unwrap();
    assert!(ends(dir.path()).is_err());
    let gone = ends(&dir.path().join("gone")).unwrap_err();
    assert!(gone.to_string().starts_with("cannot read both ends of "));
    #[cfg(unix)]
    {
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        std::os::unix::fs::symlink(&file, dir.path().join("link")).unwrap();
        assert!(ends(&dir.path().join("link")).is_err());
        let pipe = dir.path().join("pipe");
        if Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .is_ok_and(|status| status.success())
        {
            assert!(ends(&pipe).is_err());
        }
    }
}

#[test]
fn a_disk_that_stayed_is_told_from_one_written_formatted_replaced_or_gone() {
    let test = "a_disk_that_stayed_is_told_from_one_written_formatted_replaced_or_gone";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessiondata.img");
    if !made(test, &path, "16M", None) {
        return;
    }
    let before = remember(&path).unwrap();
    assert_eq!(stayed(&path, &before), Stayed::Untouched);
    let renamed = dir.path().join("parked.img");
    fs::rename(&path, &renamed).unwrap();
    assert_eq!(stayed(&path, &before), Stayed::Missing);
    assert_eq!(stayed(&renamed, &before), Stayed::Untouched);
    fs::copy(&renamed, &path).unwrap();
    assert_eq!(stayed(&path, &before), Stayed::Replaced);
    fs::rename(&renamed, &path).unwrap();
    // The boot block is nobody's: the guest may write there, and it is still the same filesystem.
    write_at(&path, 0, b"boot");
    assert_eq!(stayed(&path, &before), Stayed::Written);
    assert!(made(test, &path, "16M", None));
    assert_eq!(stayed(&path, &before), Stayed::Formatted);
    write_at(&path, 0, &[0; 65_536]);
    assert!(
        matches!(stayed(&path, &before), Stayed::Unknown(cause) if !cause.is_empty()),
        "a disk that makes no sense may be in the middle of a write"
    );
}
