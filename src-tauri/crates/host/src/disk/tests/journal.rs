//! Journals that a mount would replay: what is laid over the disk in memory has to be what replaying
//! writes, byte for byte, and the numbers those of a mount of a copy.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use super::bench::{Bench, Statfs, numbers, tool};
use crate::disk::source::ReadAt;
use crate::disk::{Volume, read};

/// A shell with the image mounted, which says a line after each order.
struct Guest {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<std::process::ChildStdout>,
}

impl Guest {
    /// Mounts the image of `bench`; says why not where it cannot.
    fn start(bench: &Bench, options: &str) -> Result<Self, String> {
        let script = format!(
            "mount -t ext4 -o loop,noinit_itable{options} \"$1\" \"$2\"; cd \"$2\"; echo up
            while read -r order; do eval \"$order\" >&2; echo done; done"
        );
        let mut child = bench
            .script(&script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (orders, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut guest = Self {
            child,
            orders,
            answers: BufReader::new(answers),
        };
        if guest.answer() == "up" {
            return Ok(guest);
        }
        drop(guest.orders);
        let output = guest.child.wait_with_output().unwrap();
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{}", order.replace('\n', " ")).unwrap();
        assert_eq!(self.answer(), "done", "{order}");
    }

    fn stop(mut self) {
        drop(self.orders);
        self.child.wait().unwrap();
    }
}

/// A copy of the image as a crash now would leave it.
fn crash(bench: &Bench) -> PathBuf {
    copy(bench, &bench.image, "crashed.img")
}

/// A copy beside the image, as sparse as that.
fn copy(bench: &Bench, image: &Path, name: &str) -> PathBuf {
    let copy = bench.folder.path().join(name);
    let mut command = Command::new("cp");
    let status = command.arg("--sparse=always").args([image, &copy]).status();
    assert!(status.unwrap().success());
    copy
}

/// What the kernel says of a copy once it has replayed its journal.
fn replayed(bench: &Bench, crashed: &Path) -> Statfs {
    let copy = copy(bench, crashed, "replayed.img");
    let script =
        "mount -t ext4 -o loop,noinit_itable \"$3\" \"$2\"; stat -f -c '%S %b %f %a %c %d' \"$2\"";
    let output = bench.script(script).arg(&copy).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Statfs::parse(&String::from_utf8_lossy(&output.stdout))
}

/// Blocks that differ between what is seen of `crashed` and what replaying makes of it: other than the two
/// that say whether there is anything to replay, and copies of descriptors that e2fsck renews on its way.
fn differing(bench: &Bench, crashed: &Path) -> Vec<u64> {
    const PIECE: usize = 65_536;
    let copy = copy(bench, crashed, "written.img");
    let output = tool("e2fsck")
        .args(["-p", "-E", "journal_only"])
        .arg(&copy)
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let written = fs::read(&copy).unwrap();
    let volume = Volume::open(crashed, 0).unwrap();
    assert_eq!(volume.lag(), None);
    assert!(volume.committed().is_some());
    let mut differing = Vec::new();
    for (piece, expected) in (0..).zip(written.chunks(PIECE)) {
        let mut seen = vec![0; expected.len()];
        volume.read_at(&mut seen, piece * PIECE as u64).unwrap();
        if seen == expected {
            continue;
        }
        let blocks = seen.chunks(1024).zip(expected.chunks(1024));
        for (block, (seen, expected)) in (piece * 64..).zip(blocks) {
            let is_journals_own = seen.starts_with(&[0xc0, 0x3b, 0x39, 0x98, 0, 0, 0, 4]);
            let is_copied = expected == &written[2048..3072];
            if seen != expected && block != 1 && !is_journals_own && !is_copied {
                differing.push(block);
            }
        }
    }
    differing
}

/// Work that leaves every kind of block in the journal: directories made and removed, their blocks used
/// again for files, and nothing but the journal on the disk.
const WORK: &str = "for n in 1 2 3; do
    mkdir -p a$n/b a$n/c; for f in $(seq 1 300); do echo $f > a$n/b/f$f; done; sync a$n/b/f1;
    head -c 300000 /dev/urandom > a$n/c/big; sync a$n/c/big; rm -r a$n/b; sync a$n/c;
    for f in $(seq 1 30); do head -c 9000 /dev/urandom > a$n/c/g$f; done; sync a$n/c/g1; done;
    for f in 1 2 3 4 5 6 7 8; do printf '\\300\\073\\071\\230'; head -c 4092 /dev/zero; done > magic; sync magic;
    rm -r session-1*; mv session-2 session-2-with-a-longer-name; sync a1/c";

const VARIANTS: &[(&str, &str, &str)] = &[
    ("100M", "", ""),
    ("100M", "-b 1024", ""),
    ("100M", "-O ^64bit", ""),
    ("100M", "-O ^metadata_csum", ""),
    ("100M", "-O ^metadata_csum,^64bit -b 1024 -J size=4", ""),
    ("100M", "-O ^metadata_csum", ",journal_checksum"),
    ("100M", "", ",journal_async_commit,data=writeback"),
    (
        "100M",
        "-O ^extents,^64bit,^metadata_csum,^flex_bg -b 1024",
        "",
    ),
    ("200M", "-O meta_bg,^resize_inode -b 1024", ""),
    ("100M", "-O bigalloc -C 16384", ""),
    ("100M", "-O metadata_csum_seed,inline_data", ""),
    ("100M", "-J size=4 -b 1024", ",data=journal"),
    ("100M", "", ",data=journal"),
];

#[test]
fn a_crashed_disk_reads_as_if_its_journal_had_been_replayed() {
    let name = "a_crashed_disk_reads_as_if_its_journal_had_been_replayed";
    for (size, options, mount) in VARIANTS {
        let bench = Bench::new();
        let started = bench
            .make(size, options)
            .and_then(|()| Guest::start(&bench, mount));
        let mut guest = match started {
            Ok(guest) => guest,
            Err(why) => {
                println!("skipped: {name}: {size} {options}{mount}: {why}");
                continue;
            }
        };
        let before = numbers(&bench.image);
        guest.order(WORK);
        let crashed = crash(&bench);
        let during = numbers(&bench.image);
        guest.stop();

        let ours = numbers(&crashed);
        assert!(!ours.stale && !ours.clean, "{options}{mount}: {ours:?}");
        assert_eq!(ours, during, "{options}{mount}");
        assert!(
            ours.used > before.used,
            "{options}{mount}: {ours:?} {before:?}"
        );
        assert!(ours.as_of >= before.as_of, "{options}{mount}");
        assert_eq!(
            Statfs::of(&ours),
            replayed(&bench, &crashed),
            "{options}{mount}"
        );
        let differing = differing(&bench, &crashed);
        assert!(differing.is_empty(), "{options}{mount}: {differing:?}");
    }
}

#[test]
fn journals_of_every_kind_of_checksum_are_laid_over_the_disk_too() {
    let name = "journals_of_every_kind_of_checksum_are_laid_over_the_disk_too";
    // A block that begins like one of the journal's own has to be told from one.
    let escaped = [&[0xc0, 0x3b, 0x39, 0x98][..], &[9; 4092]].concat();
    let plain = [vec![5; 4096], vec![6; 4096]].concat();
    for (options, open) in [
        ("-O 64bit,metadata_csum", "jo -c -v 3"),
        ("-O 64bit,metadata_csum", "jo -c -v 2"),
        ("-O ^64bit,metadata_csum", "jo -c -v 3"),
        ("-O ^64bit,metadata_csum", "jo -c -v 2"),
        ("-O 64bit,^metadata_csum", "jo"),
        ("-O ^64bit,^metadata_csum", "jo"),
    ] {
        let bench = Bench::new();
        if let Err(why) = bench.make("64M", &format!("-b 4096 {options}")) {
            println!("skipped: {name}: {why}");
            return;
        }
        let folder = bench.folder.path();
        fs::write(folder.join("escaped"), &escaped).unwrap();
        fs::write(folder.join("plain"), &plain).unwrap();
        let orders = format!(
            "{open}\njw -b 3000 escaped\njw -b 3001,3002 plain\njw -b 3003 plain\n\
             jw -r 3001\njw -b 3003 escaped\njw -r 3003 -c\njw -b 3002 -c escaped\njc\n"
        );
        fs::write(folder.join("orders"), orders).unwrap();
        let output = tool("debugfs")
            .args(["-w", "-f", "orders", "sessiondata.img"])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let volume = Volume::open(&bench.image, 0).unwrap();
        assert_eq!(volume.lag(), None, "{options} {open}");
        for (block, expected) in [
            (3000, &escaped[..]),
            (3001, &[0; 4096]),
            (3002, &[6; 4096]),
            (3003, &escaped[..]),
        ] {
            let mut seen = vec![1; 4096];
            volume.read_at(&mut seen, block * 4096).unwrap();
            assert!(seen == expected, "{options} {open}: block {block}");
        }
        assert!(
            differing(&bench, &bench.image).is_empty(),
            "{options} {open}"
        );
    }
}

#[test]
fn fast_commits_are_not_followed_and_said_to_be_newer() {
    let name = "fast_commits_are_not_followed_and_said_to_be_newer";
    let bench = Bench::new();
    let started = bench
        .make("200M", "-O fast_commit")
        .and_then(|()| Guest::start(&bench, ""));
    let mut guest = match started {
        Ok(guest) => guest,
        Err(why) => {
            println!("skipped: {name}: {why}");
            return;
        }
    };
    guest.order("for n in 1 2 3 4 5 6 7 8 9; do echo $n > fast$n; sync fast$n; done");
    let crashed = crash(&bench);
    guest.order("sync -f fast1");
    let synced = read(&bench.image).unwrap();
    guest.stop();
    let crashed = read(&crashed).unwrap();
    assert!(crashed.disks[0].numbers.as_ref().unwrap().stale);
    let problem = crashed.disks[0].problem.as_ref().unwrap();
    assert!(problem.text.contains("fast commits"), "{}", problem.text);
    assert!(!synced.disks[0].numbers.as_ref().unwrap().stale);
}

#[test]
fn a_disk_in_use_has_the_numbers_of_a_single_moment() {
    let name = "a_disk_in_use_has_the_numbers_of_a_single_moment";
    let bench = Bench::new();
    let started = bench
        .make("300M", "")
        .and_then(|()| Guest::start(&bench, ",commit=1"));
    let mut guest = match started {
        Ok(guest) => guest,
        Err(why) => {
            println!("skipped: {name}: {why}");
            return;
        }
    };
    // Every transaction moves as much: what is used is one of few numbers, whenever it is looked at.
    guest.order(
        "mkdir work; (while [ -d work ]; do
            for n in 1 2 3 4; do head -c 400000 /dev/zero > work/$n; mkdir work/d$n; sync work/$n; done;
            rm -r work/1 work/2 work/3 work/4 work/d*; sync work; done) & writer=$!",
    );
    let mut settled = 0;
    for _ in 0..200 {
        let image = match read(&bench.image) {
            Ok(image) => image,
            Err(failure) => panic!("{failure}"),
        };
        let disk = &image.disks[0];
        let numbers = disk.numbers.as_ref().unwrap();
        assert!(!numbers.clean);
        assert_eq!(numbers.stale, disk.problem.is_some(), "{disk:?}");
        settled += u32::from(!numbers.stale);
    }
    guest.order("mv work done; kill $writer || true; wait $writer || true; sync .");
    let crashed = crash(&bench);
    guest.stop();
    assert!(settled > 100, "{settled} of 200");
    assert_eq!(Statfs::of(&numbers(&crashed)), replayed(&bench, &crashed));
}
