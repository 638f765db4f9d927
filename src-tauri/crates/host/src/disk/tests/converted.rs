//! VHDX files that qemu made, compared with the disks they were made of, byte for byte.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use sandtray_core::disk::Format;

use super::bench::{Bench, numbers};
use super::hyperv::{self, Write as Logged, seen};
use super::made;
use crate::disk::file::ImageFile;
use crate::disk::{Volume, read};

fn qemu(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("qemu-img")
        .args(arguments)
        .output()
        .map_err(|error| format!("no qemu-img ({error})"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

const FORMS: &[&str] = &[
    "subformat=dynamic",
    "subformat=dynamic,block_size=1M",
    "subformat=dynamic,block_size=8M,log_size=4M",
    "subformat=dynamic,block_size=256M",
    "subformat=dynamic,block_size=2M,block_state_zero=off",
    "subformat=fixed",
    "subformat=fixed,block_size=32M",
];

#[test]
fn every_form_of_vhdx_reads_as_the_disk_it_was_made_of() {
    let name = "every_form_of_vhdx_reads_as_the_disk_it_was_made_of";
    let bench = Bench::new();
    if let Err(why) = bench.make("61M", "") {
        println!("skipped: {name}: {why}");
        return;
    }
    let filesystem = fs::read(&bench.image).unwrap();
    let parts = [
        (14, vec![0; 4 << 20]),
        (15, made::vfat(2 << 20)),
        (1, filesystem.clone()),
    ];
    let cloud = made::gpt(512, &parts);
    for disk in [filesystem, cloud] {
        fs::write(&bench.image, &disk).unwrap();
        let raw = read(&bench.image).unwrap();
        for form in FORMS {
            let path = bench.folder.path().join("rootfs.vhdx");
            let arguments = ["convert", "-q", "-f", "raw", "-O", "vhdx", "-o", form];
            let files = [text(&bench.image), text(&path)];
            if let Err(why) = qemu(&[&arguments[..], &files].concat()) {
                println!("skipped: {name}: {form}: {why}");
                continue;
            }
            let image = read(&path).unwrap();
            assert_eq!(image.format, Format::Vhdx);
            assert_eq!(image.disks, raw.disks, "{form}");
            let file = ImageFile::open(&path).unwrap();
            assert!(seen(&file).unwrap() == disk, "{form}");
        }
    }
}

/// Checks that a file with a log reads as if qemu had replayed it, and stays as it is; how many bytes of the
/// disk are not zero.
fn replayed_alike(image: &Path) -> usize {
    let before = fs::read(image).unwrap();
    let ours = seen(&ImageFile::open(image).unwrap()).unwrap();
    assert!(fs::read(image).unwrap() == before, "it was written to");
    let (replayed, raw) = (
        image.with_extension("replayed"),
        image.with_extension("raw"),
    );
    fs::copy(image, &replayed).unwrap();
    // It tells what it repaired by its exit code; what counts is the disk.
    drop(qemu(&[
        "check",
        "-q",
        "-f",
        "vhdx",
        "-r",
        "all",
        text(&replayed),
    ]));
    let arguments = ["convert", "-q", "-f", "vhdx", "-O", "raw"];
    qemu(&[&arguments[..], &[text(&replayed), text(&raw)]].concat()).unwrap();
    let theirs = fs::read(&raw).unwrap();
    assert_eq!(ours.len(), theirs.len());
    let differing: Vec<_> = (0..)
        .zip(ours.chunks(65_536).zip(theirs.chunks(65_536)))
        .filter_map(|(at, (ours, theirs))| (ours != theirs).then_some(at))
        .collect();
    assert!(differing.is_empty(), "{differing:?}");
    ours.iter().filter(|byte| **byte != 0).count()
}

#[test]
fn a_log_of_qemu_reads_as_if_it_had_been_replayed() {
    let name = "a_log_of_qemu_reads_as_if_it_had_been_replayed";
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("sessiondata.vhdx");
    let arguments = ["create", "-q", "-f", "vhdx", "-o", "block_size=1M"];
    if let Err(why) = qemu(&[&arguments[..], &[text(&image), "300M"]].concat()) {
        println!("skipped: {name}: {why}");
        return;
    }
    let empty = fs::read(&image).unwrap();
    let child = Command::new("qemu-io")
        .args(["-f", "vhdx", text(&image)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(why) => {
            println!("skipped: {name}: no qemu-io ({why})");
            return;
        }
    };
    // It kills itself once all is written, so that it cannot close the image.
    let mut orders = child.stdin.take().unwrap();
    for n in 0..40_u32 {
        writeln!(orders, "write -P {} {}M 300k", n + 1, n * 7).unwrap();
    }
    writeln!(orders, "flush\nsigraise 9").unwrap();
    drop(orders);
    assert!(!child.wait_with_output().unwrap().status.success());

    // qemu gives each entry a log of its own and clears its id once the table of blocks is written. As it
    // was before that: the id of the last entry in the header, and the table without any block.
    let mut dirty = fs::read(&image).unwrap();
    let number = |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let log = number(&dirty, 0x1_0048) as usize;
    let entry = (log..log + (1 << 20))
        .step_by(4096)
        .filter(|at| dirty[*at..].starts_with(b"loge"))
        .max_by_key(|at| number(&dirty, at + 16))
        .unwrap();
    let id = dirty[entry + 32..entry + 48].to_vec();
    for header in [0x1_0000, 0x2_0000] {
        made::put(&mut dirty, header + 0x30, &id);
        hyperv::sign(&mut dirty, header, 4096);
    }
    let table = number(&dirty, 0x3_0020) as usize;
    made::put(&mut dirty, table, &empty[table..table + 4096]);
    fs::write(&image, &dirty).unwrap();
    assert_eq!(replayed_alike(&image), (40 * 300) << 10);
}

#[test]
fn logs_of_our_own_making_mean_the_same_to_qemu() {
    let name = "logs_of_our_own_making_mean_the_same_to_qemu";
    if let Err(why) = qemu(&["--version"]) {
        println!("skipped: {name}: {why}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("sessiondata.vhdx");
    let mut disk = vec![0; 9 << 20];
    for (at, byte) in disk.iter_mut().enumerate() {
        *byte = if at >> 20 == 3 { 0 } else { (at >> 12) as u8 };
    }
    let whole = hyperv::vhdx(&disk);
    let table = whole[hyperv::BAT..hyperv::BAT + 4096].to_vec();
    // Not around the end of the ring: qemu takes the entry with the highest first number for the tail then.
    for start in [0, 12_288, hyperv::MIB - 5 * 16_384] {
        let entries: Vec<_> = (0..5_u64)
            .map(|round| {
                let mut table = table.clone();
                made::put(&mut table, round as usize * 8, &[0; 8]);
                let target = hyperv::BLOCKS as u64 + (round << 20);
                vec![
                    Logged::Zeroes(target + 4096 * round, 8192),
                    Logged::Sector(target + 65_536, vec![0xa0 + round as u8; 4096]),
                    Logged::Sector(hyperv::BAT as u64, table),
                ]
            })
            .collect();
        let mut file = whole.clone();
        made::put(&mut file, hyperv::BAT, &[0xff; 4096]);
        hyperv::log(&mut file, start, 77, &entries);
        fs::write(&image, &file).unwrap();
        assert!(replayed_alike(&image) > 1 << 20);
    }
}

#[test]
fn a_crashed_guest_inside_a_vhdx_has_the_numbers_of_its_last_commit() {
    let name = "a_crashed_guest_inside_a_vhdx_has_the_numbers_of_its_last_commit";
    let bench = Bench::new();
    let script = "mount -t ext4 -o loop,noinit_itable \"$1\" \"$2\"
        mkdir \"$2/new\"; head -c 5000000 /dev/zero > \"$2/new/file\"; sync \"$2/new/file\"
        cp --sparse=always \"$1\" \"$3\"";
    let crashed = bench.folder.path().join("crashed.img");
    let done = bench.make("64M", "").and_then(|()| {
        let output = bench.script(script).arg(&crashed).output();
        let output = output.map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
    });
    let vhdx = bench.folder.path().join("sessiondata.vhdx");
    let done = done.and_then(|()| {
        qemu(&[
            "convert",
            "-q",
            "-f",
            "raw",
            "-O",
            "vhdx",
            text(&crashed),
            text(&vhdx),
        ])
    });
    if let Err(why) = done {
        println!("skipped: {name}: {why}");
        return;
    }
    assert_eq!(numbers(&vhdx), numbers(&crashed));
    assert!(!numbers(&vhdx).clean);
    let volume = Volume::open(&vhdx, 0).unwrap();
    assert_eq!(volume.format(), Format::Vhdx);
    assert!(volume.committed().is_some());
    assert!(!volume.has_changed(&vhdx, 0).unwrap());
}

#[test]
fn formats_that_qemu_makes_and_we_do_not_read_are_unsupported_by_name() {
    let name = "formats_that_qemu_makes_and_we_do_not_read_are_unsupported_by_name";
    let folder = tempfile::tempdir().unwrap();
    for (format, word) in [("qcow2", "qcow2"), ("vmdk", "VMDK"), ("vpc", "VHD")] {
        let path = folder.path().join(format);
        if let Err(why) = qemu(&["create", "-q", "-f", format, text(&path), "10M"]) {
            println!("skipped: {name}: {why}");
            return;
        }
        let failure = read(&path).unwrap_err();
        assert!(failure.to_string().contains(word), "{failure}");
        let reason = crate::disk::reason(&failure);
        assert_eq!(reason, sandtray_core::gauge::UnknownReason::Unsupported);
    }
}
