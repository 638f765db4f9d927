//! Who holds a file, whatever it is called by now.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sandtray_core::act::refusal::Holder;

use super::super::super::Held;
use super::super::holders;
use super::{Group, Place, is_root};
use crate::act::path::exact;

/// Those that do hold something. Suspects may be other tests', or this machine's own.
fn held(place: &Place, files: &[PathBuf]) -> Vec<Holder> {
    match holders(&place.machine(), &place.claude(), files) {
        Held::No => Vec::new(),
        Held::By(mut holders) => {
            holders.retain(|holder| holder.file.is_some());
            holders
        }
        Held::Unknown(cause) => panic!("{cause}"),
    }
}

/// A process that has the file open, and nothing else to do with it.
fn holder(program: &Path, file: File) -> Group {
    Group::start(Command::new(program).arg("60").stdin(Stdio::from(file)))
}

/// Lies where an ordinary user's `PATH` does not lead.
fn losetup() -> Command {
    let mut losetup = Command::new("losetup");
    losetup.env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin");
    losetup
}

fn open(path: &Path) -> File {
    File::open(path).unwrap()
}

#[test]
fn an_open_file_is_held_and_its_neighbour_is_not() {
    let place = Place::new();
    let (file, beside) = (place.file("rootfs.img"), place.file("sessiondata.img"));
    let process = holder(Path::new("/bin/sleep"), open(&file));
    let found = held(&place, &[file.clone(), beside.clone()]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].pid, found[0].vm), (process.pid(), false));
    assert_eq!(exact(found[0].file.as_ref().unwrap()), Some(file.clone()));
    assert_eq!(held(&place, &[beside]), []);
    drop(process);
    assert_eq!(held(&place, &[file]), []);
}

#[test]
fn a_file_that_was_renamed_or_replaced_under_its_holder_is_still_held() {
    let place = Place::new();
    let file = place.file("sessiondata.img");
    let process = holder(Path::new("/bin/sleep"), open(&file));
    let parked = place.path().join("parked.img");
    fs::rename(&file, &parked).unwrap();
    let found = held(&place, std::slice::from_ref(&parked));
    assert_eq!(found[0].pid, process.pid());
    assert_eq!(exact(found[0].file.as_ref().unwrap()), Some(parked));
    // A new file at the old place has nothing to do with it.
    assert_eq!(held(&place, &[place.file("sessiondata.img")]), []);
}

#[test]
fn a_descriptor_that_cannot_even_read_counts() {
    let place = Place::new();
    let file = place.file("sessiondata.img");
    let path_only = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_PATH)
        .open(&file)
        .unwrap();
    let process = holder(Path::new("/bin/sleep"), path_only);
    assert_eq!(held(&place, &[file])[0].pid, process.pid());
}

#[test]
fn a_file_in_memory_with_no_descriptor_left_is_held() {
    let place = Place::new();
    // What a process runs is mapped, and no descriptor of it is open.
    let file = place.program(
        "/bin/sleep",
        "home/.config/Claude/vm_bundles/claudevm.bundle/rootfs.img",
    );
    let process = Group::start(Command::new(&file).arg("60"));
    let found = held(&place, std::slice::from_ref(&file));
    assert_eq!((found.len(), found[0].pid), (1, process.pid()));
    let parked = place.path().join("parked.img");
    fs::rename(&file, &parked).unwrap();
    assert_eq!(held(&place, &[parked])[0].pid, process.pid());
    assert_eq!(held(&place, &[place.file("rootfs.img")]), []);
}

#[test]
fn a_folder_stands_for_everything_in_it() {
    let place = Place::new();
    let bundle = place.bundle().path;
    fs::create_dir(bundle.join(".wvm-tmp-a")).unwrap();
    let deep = place.file(".wvm-tmp-a/rootfs.img.zst");
    let process = holder(Path::new("/bin/sleep"), open(&deep));
    assert_eq!(
        held(&place, std::slice::from_ref(&bundle))[0].pid,
        process.pid()
    );
    drop(process);
    // Not through a link that leads out of it.
    let outside = place.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x"), "").unwrap();
    std::os::unix::fs::symlink(&outside, bundle.join("link")).unwrap();
    let process = holder(Path::new("/bin/sleep"), open(&outside.join("x")));
    assert_eq!(held(&place, std::slice::from_ref(&bundle)), []);
    drop(process);
    let folder = holder(Path::new("/bin/sleep"), open(&bundle));
    assert_eq!(held(&place, &[bundle])[0].pid, folder.pid());
}

#[test]
fn our_own_look_at_a_disk_does_not_count_and_what_is_not_there_is_held_by_nobody() {
    let place = Place::new();
    let file = place.file("sessiondata.img");
    let _reading = open(&file);
    let _writing = OpenOptions::new().append(true).open(&file).unwrap();
    assert_eq!(held(&place, &[file, place.path().join("gone")]), []);
    assert_eq!(held(&place, &[]), []);
}

#[test]
fn the_vm_its_companions_and_what_the_app_started_are_told_from_strangers() {
    let place = Place::new();
    let file = place.file("sessiondata.img");
    for (name, vm) in [
        ("qemu-system-x86_64", true),
        ("virtiofsd", true),
        ("cowork-linux-helper", true),
        ("qemu-nbd", false),
        ("claude", false),
    ] {
        let process = holder(&place.program("/bin/sleep", name), open(&file));
        let found = held(&place, std::slice::from_ref(&file));
        let seen = (
            found.len(),
            found[0].pid,
            found[0].name.as_str(),
            found[0].vm,
        );
        assert_eq!(seen, (1, process.pid(), name, vm));
    }
    // The shell that is the app starts something; only the child has the file.
    let script = format!("(exec sleep 60 < '{}') & echo ready; wait", file.display());
    let app = place.run(&place.app(), &script);
    let found = super::until("the child", || {
        Some(held(&place, std::slice::from_ref(&file)))
            .filter(|found| found.first().is_some_and(|found| found.name == "sleep"))
    });
    assert!(found[0].vm && found[0].pid != app.pid(), "{found:?}");
}

#[test]
fn the_app_itself_is_no_vm_and_its_children_of_the_same_executable_are() {
    let place = Place::new();
    let file = place.file("sessiondata.img");
    let app = place.program("/bin/sleep", "app/claude-desktop");
    let main = holder(&app, open(&file));
    let found = held(&place, std::slice::from_ref(&file));
    assert_eq!((found[0].pid, found[0].vm), (main.pid(), false));
    drop(main);
    // Its parent is gone; its type tells.
    let sh = place.program("/bin/sh", "app/claude-desktop");
    let child = Group::start(
        Command::new(sh)
            .args(["-c", "while :; do sleep 0.1; done <&-", "--type=utility"])
            .stdin(Stdio::from(open(&file))),
    );
    let found = held(&place, &[file]);
    assert!(
        found
            .iter()
            .any(|found| found.pid == child.pid() && found.vm),
        "{found:?}"
    );
}

#[test]
fn a_loop_device_holds_its_file_and_no_process_does() {
    let name = "a_loop_device_holds_its_file_and_no_process_does";
    let place = Place::new();
    let file = place.file("sessiondata.img");
    fs::write(&file, vec![0_u8; 1 << 20]).unwrap();
    let set_up = losetup().arg("--show").arg("-f").arg(&file).output();
    let device = match set_up {
        Ok(output) if output.status.success() => String::from_utf8(output.stdout).unwrap(),
        Ok(output) => {
            println!(
                "skipped: {name}: losetup: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
            return;
        }
        Err(error) => {
            println!("skipped: {name}: losetup: {error}");
            return;
        }
    };
    let parked = place.path().join("parked.img");
    let found = held(&place, std::slice::from_ref(&file));
    fs::rename(&file, &parked).unwrap();
    let renamed = held(&place, &[parked]);
    let stranger = held(&place, &[place.file("sessiondata.img")]);
    assert!(
        losetup()
            .arg("-d")
            .arg(device.trim())
            .status()
            .unwrap()
            .success()
    );
    for found in [&found, &renamed] {
        let whole = format!("loop device {}", device.trim().trim_start_matches("/dev/"));
        assert_eq!((found.len(), found[0].pid, &found[0].name), (1, 0, &whole));
        assert!(!found[0].vm);
    }
    assert_eq!(stranger, []);
    assert!(is_root());
}
