//! Who holds a file, in every way in which one can be held.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sandtray_core::leftover::evidence::How;

use super::super::{deleted_open, hold};
use super::{Group, Place, id, until};

const SLEEP: &str = "/bin/sleep";

fn with_stdin(file: File) -> Group {
    Group::start(Command::new(SLEEP).arg("60").stdin(Stdio::from(file)))
}

/// A library that this very program has mapped: one that any program can load.
fn library() -> PathBuf {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps
        .lines()
        .find(|line| line.contains("/libgcc_s"))
        .unwrap();
    Path::new(line.split_whitespace().last().unwrap()).to_owned()
}

#[test]
fn an_open_file_is_held_for_reading_or_writing_and_its_neighbour_is_not() {
    let place = Place::new();
    let read = place.file("read", "x");
    let written = place.file("written", "x");
    let beside = place.file("beside", "x");
    let reader = with_stdin(File::open(&read).unwrap());
    let writer = with_stdin(OpenOptions::new().append(true).open(&written).unwrap());
    let second = with_stdin(File::open(&written).unwrap());
    let seen = place.seen();
    let hold = &seen.held[&id(&read)];
    assert_eq!(
        (hold.pid, hold.how, hold.name.as_str()),
        (reader.pid(), How::Read, "sleep")
    );
    let hold = &seen.held[&id(&written)];
    assert_eq!((hold.pid, hold.how), (writer.pid(), How::Write));
    assert!(!seen.held.contains_key(&id(&beside)));
    drop((reader, writer));
    let seen = place.seen();
    assert!(!seen.held.contains_key(&id(&read)));
    assert_eq!(seen.held[&id(&written)].pid, second.pid());
    assert_eq!(seen.held[&id(&written)].how, How::Read);
}

#[test]
fn a_file_is_held_whatever_it_is_called_by_now_and_its_replacement_is_not() {
    let place = Place::new();
    let file = place.file("a", "x");
    let holder = with_stdin(File::open(&file).unwrap());
    let renamed = place.path().join("b");
    fs::rename(&file, &renamed).unwrap();
    let replacement = place.file("a", "x");
    let seen = place.seen();
    assert_eq!(seen.held[&id(&renamed)].pid, holder.pid());
    assert!(!seen.held.contains_key(&id(&replacement)));
    fs::hard_link(&renamed, place.path().join("c")).unwrap();
    fs::remove_file(&renamed).unwrap();
    assert_eq!(
        place.held(&place.path().join("c")).unwrap().pid,
        holder.pid()
    );
}

#[test]
fn a_descriptor_that_can_neither_read_nor_write_counts_as_reading() {
    let place = Place::new();
    let folder = place.folder("tree");
    let open = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_PATH)
        .open(&folder)
        .unwrap();
    let holder = with_stdin(open);
    let hold = place.held(&folder).unwrap();
    assert_eq!((hold.pid, hold.how), (holder.pid(), How::Read));
}

#[test]
fn a_folder_is_held_by_whoever_works_in_it_with_nothing_open() {
    let place = Place::new();
    let (folder, beside) = (place.folder("idle"), place.folder("beside"));
    let worker = Group::start(Command::new(SLEEP).arg("60").current_dir(&folder));
    let hold = place.held(&folder).unwrap();
    assert_eq!((hold.pid, hold.how), (worker.pid(), How::Folder));
    assert_eq!(place.held(&beside), None);
}

#[test]
fn the_program_that_runs_is_held_also_before_it_is_mapped() {
    let place = Place::new();
    let program = place.copy(Path::new(SLEEP), "versions/2.1.258");
    let runs = Group::start(Command::new(&program).arg("60"));
    let hold = until("the program", || place.held(&program));
    assert_eq!(hold.pid, runs.pid());
    assert!(matches!(hold.how, How::Program | How::Mapped), "{hold:?}");
}

#[test]
fn a_file_in_memory_with_no_descriptor_left_is_held() {
    let place = Place::new();
    let addon = place.copy(&library(), ".0123456789abcdef-00000001.node");
    let decoy = place.copy(&library(), ".0123456789abcdef-00000002.node");
    let runs = Group::start(Command::new(SLEEP).arg("60").env("LD_PRELOAD", &addon));
    let hold = until("the mapping", || {
        place.held(&addon).filter(|hold| hold.how == How::Mapped)
    });
    assert_eq!(hold.pid, runs.pid());
    assert_eq!(place.held(&decoy), None);
    drop(runs);
    assert_eq!(place.held(&addon), None);
}

#[test]
fn what_we_hold_ourselves_does_not_count() {
    let place = Place::new();
    let file = place.file("ours", "x");
    let _open = OpenOptions::new().append(true).open(&file).unwrap();
    assert_eq!(place.held(&file), None);
}

#[test]
fn a_file_that_was_removed_while_open_is_told_with_its_size_and_its_holder() {
    let place = Place::new();
    let (root, elsewhere) = (place.folder("root"), place.folder("elsewhere"));
    let mut holders = Vec::new();
    for (path, size) in [
        (root.join("b1.output"), 3_000_000),
        (root.join("small.output"), 900_000),
        (elsewhere.join("b2.output"), 3_000_000),
    ] {
        fs::write(&path, vec![1_u8; size]).unwrap();
        holders.push(with_stdin(
            OpenOptions::new().append(true).open(&path).unwrap(),
        ));
        fs::remove_file(&path).unwrap();
    }
    // A name that only looks like one.
    let alive = root.join("alive (deleted)");
    fs::write(&alive, vec![1_u8; 3_000_000]).unwrap();
    holders.push(with_stdin(File::open(&alive).unwrap()));
    let told = deleted_open(&place.machine(), std::slice::from_ref(&root));
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].path.path, root.join("b1.output").to_str().unwrap());
    assert_eq!(
        (told[0].pid, told[0].apparent.0),
        (holders[0].pid(), 3_000_000)
    );
    assert!(told[0].allocated.0 > 0 && told[0].process == "sleep");
    drop(holders);
    assert_eq!(deleted_open(&place.machine(), &[root]), []);
}

#[test]
fn writing_counts_before_every_other_hold() {
    let mut holds = hold::Holds::default();
    let file = id(Path::new("/"));
    let holder = hold::Holder { pid: 7, name: "x" };
    for (how, strongest) in [
        (How::Read, How::Read),
        (How::Mapped, How::Mapped),
        (How::Program, How::Mapped),
        (How::Write, How::Write),
        (How::Mapped, How::Write),
    ] {
        holds.add(file, holder, how);
        assert_eq!(holds.held[&file].how, strongest);
    }
}

#[test]
fn device_and_inode_are_those_of_the_standard_library() {
    let place = Place::new();
    let file = place.file("x", "x");
    let seen = fs::metadata(&file).unwrap();
    let id = hold::id_of(&file).unwrap();
    assert_eq!((id.device, id.inode), (seen.dev(), seen.ino()));
}
