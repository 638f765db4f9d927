//! Killed at any instant.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::*;

const FOLDER: &str = "SANDTRAY_TEST_FOLDER";
const FROM: &str = "SANDTRAY_TEST_FROM";

#[test]
fn killed_at_any_instant_every_round_that_was_done_is_there() {
    let name = "killed_at_any_instant_every_round_that_was_done_is_there";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let from = std::env::var(FROM).unwrap().parse().unwrap();
        record_for_ever(Path::new(&folder), from);
    }
    let folder = tempfile::tempdir().unwrap();
    let module = module_path!().split_once("::").unwrap().1;
    let mut done = 0;
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for life in 0..25 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("{module}::{name}"), "--nocapture"])
            .env(FOLDER, folder.path())
            .env(FROM, done.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Some lives end while the file is being made, others after a random number of rounds and a
        // random bit of work into the next.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        let rounds = if life < 5 { 0 } else { random % 90 };
        let mut last = None;
        if rounds > 0 {
            for line in said.by_ref() {
                if let Some(number) = line.unwrap().strip_prefix("round ") {
                    last = Some(number.parse::<i64>().unwrap());
                    if last == Some(done + i64::try_from(rounds).unwrap()) {
                        break;
                    }
                }
            }
        }
        for _ in 0..random % 200_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for line in said {
            if let Some(number) = line.unwrap().strip_prefix("round ") {
                last = number.parse().ok().or(last);
            }
        }

        let mut history = History::open(folder.path(), after(done));
        assert_eq!(history.faults(), [], "life {life}");
        let a = stored(&mut history, "a");
        assert_eq!(a, stored(&mut history, "b"), "a round is whole");
        let count = i64::try_from(a.len()).unwrap();
        assert_eq!(a, expected(0..count), "life {life}: no gap and no double");
        assert!(
            last.is_none_or(|last| count > last),
            "{last:?} was done, {count} are there"
        );
        let told = u8::try_from(count.rem_euclid(100)).unwrap();
        assert_eq!(
            history.latch().told_today,
            told,
            "the latch belongs to the last round"
        );
        let quarters = history.points(&id("a"), Tier::Quarter, START, after(count));
        let all: u32 = quarters.iter().map(|point| point.count).sum();
        assert_eq!(i64::from(all), count);
        done = count;
    }
    assert!(done > 100, "only {done} rounds in all");
    assert_eq!(
        names(folder.path(), "history.sqlite.corrupt"),
        Vec::<String>::new()
    );
}

fn record_for_ever(folder: &Path, from: i64) -> ! {
    let mut history = History::open(folder, after(from));
    for minute in from.. {
        let value = minute.unsigned_abs();
        let latch = Latch {
            told_today: u8::try_from((minute + 1).rem_euclid(100)).unwrap(),
            ..Latch::default()
        };
        history.record_all(
            after(minute),
            &[reading("a", value), reading("b", value)],
            &latch,
        );
        println!("round {minute}");
    }
    unreachable!("until it is killed")
}
