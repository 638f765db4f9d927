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
