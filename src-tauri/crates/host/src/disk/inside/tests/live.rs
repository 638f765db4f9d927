//! A disk in use: what was deleted and is still open.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::content::Bench;
use crate::disk::inside::{Options, usage};

#[test]
fn files_deleted_while_open_are_counted_apart() {
    let test = "files_deleted_while_open_are_counted_apart";
    for features in ["", "-O orphan_file", "-O ^has_journal"] {
        let bench = Bench::new();
        bench.fill();
        if let Err(why) = bench.make("200M", features) {
            println!("skipped: {test}: {features}: {why}");
            continue;
        }
        let before = usage(&bench.image(), b"/", &Options::default()).unwrap();
        assert_eq!(before.orphans.count, 0);
        // Freezing writes everything to its place, as a checkpoint of the journal does.
        let script = "mount -t ext4 -o loop,noinit_itable \"$1\" \"$2\"; cd \"$2\"
            head -c 3000000 /dev/zero > gone; head -c 5000000 /dev/zero > home-01/gone
            exec 3< gone 4< home-01/gone; sync; rm gone home-01/gone
            sync; fsfreeze -f .; fsfreeze -u .; echo ready; read end";
        let mut child = bench
            .script(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let during =
            (!line.is_empty()).then(|| usage(&bench.image(), b"/", &Options::default()).unwrap());
        drop(child.stdin.take().map(|mut stdin| stdin.write_all(b"\n")));
        let output = child.wait_with_output().unwrap();
        let Some(during) = during else {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            println!("skipped: {test}: {features}: {why}");
            continue;
        };
        assert!(during.complete, "{features}: {:?}", during.gaps);
        assert_eq!(during.orphans.count, 2, "{features}");
        assert_eq!(during.unreached.count, 0, "{features}");
        let blocks = 3_000_000_u64.div_ceil(4096) + 5_000_000_u64.div_ceil(4096);
        assert!(during.orphans.allocated.0 >= blocks * 4096, "{features}");
        assert_eq!(during.allocated, before.allocated, "{features}");
        let after = usage(&bench.image(), b"/", &Options::default()).unwrap();
        assert_eq!(
            (after.orphans.count, after.allocated),
            (0, before.allocated)
        );
    }
}

#[test]
fn a_disk_in_use_is_read_as_of_its_last_commit_and_copied_out_of() {
    let test = "a_disk_in_use_is_read_as_of_its_last_commit_and_copied_out_of";
    let bench = Bench::new();
    bench.fill();
    if let Err(why) = bench.make("200M", "") {
        println!("skipped: {test}: {why}");
        return;
    }
    // Synced, so that it is committed; not checkpointed, so that it is in the journal alone.
    let script = "mount -t ext4 -o loop,noinit_itable \"$1\" \"$2\"; cd \"$2\"
        mkdir new new/sub; for n in 1 2 3 4 5; do head -c ${n}00000 /dev/urandom > new/sub/$n; done
        rm -r home-03; mv home-04 new/moved; sync
        du -s -B1 new home-05 | tr '\\n\\t' '  '; cat new/sub/* | sha256sum; read end";
    let mut child = bench
        .script(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let target = bench.path("out");
    let during = (!line.is_empty()).then(|| {
        let usage = usage(&bench.image(), b"/", &Options::default()).unwrap();
        let paths = [b"/new".to_vec()];
        let options = crate::rescue::Options::default();
        let outcome = crate::rescue::copy(&bench.image(), &paths, &target, &options).unwrap();
        (usage, outcome)
    });
    drop(child.stdin.take().map(|mut stdin| stdin.write_all(b"\n")));
    let output = child.wait_with_output().unwrap();
    let Some((during, outcome)) = during else {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        println!("skipped: {test}: {why}");
        return;
    };
    assert!(during.complete, "{:?}", during.gaps);
    let allocated = |name: &str| {
        let mut entries = during.entries.iter();
        let entry = entries.find(|entry| entry.name == name.as_bytes());
        entry.map(|entry| entry.allocated.0)
    };
    let said: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(allocated("new").unwrap().to_string(), said[0]);
    assert_eq!(allocated("home-05").unwrap().to_string(), said[2]);
    assert_eq!((allocated("home-03"), allocated("home-04")), (None, None));
    let crate::rescue::Outcome::Done(receipt) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(receipt.complete, "{receipt:?}");
    let sum = std::process::Command::new("sh")
        .args(["-c", "cat \"$1\"/new/sub/* | sha256sum", "sh"])
        .arg(&target)
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert_eq!(sum.split_whitespace().next(), Some(said[4]));
    assert!(target.join("new/moved/file-5000").exists());
}
