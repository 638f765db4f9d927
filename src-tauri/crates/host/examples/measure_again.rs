//! What a second look at a tree costs when nothing changed, beside a first one: `cargo xtask bench`
//! runs it. Takes the tree and prints one line.

#![allow(clippy::print_stdout, reason = "it prints its result")]

use std::path::Path;
use std::time::{Duration, Instant};

use sandtray_host::error::Failure;
use sandtray_host::walk::{Cache, Options, measure, measure_again};

const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args_os().nth(1).ok_or("which tree?")?;
    let root = Path::new(&root);
    let options = Options::default();
    let mut cache = Cache::default();
    // Warms up, and fills the cache.
    measure_again(root, &options, &mut cache)?;
    let mut ratios = Vec::new();
    let mut reused = 0;
    for _ in 0..ROUNDS {
        let (full, sums) = timed(|| measure(root, &options))?;
        let (again, seen) = timed(|| measure_again(root, &options, &mut cache))?;
        if sums.usage != seen.usage {
            return Err("the tree changed".into());
        }
        reused = seen.reused;
        ratios.push(again.as_secs_f64() / full.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ROUNDS / 2];
    println!(
        "again, unchanged: {ratio:.2} of the CPU of a full look, {reused} folders not read, {} held",
        held().unwrap_or_else(|| "unknown memory".to_owned())
    );
    Ok(())
}

fn timed<T>(look: impl FnOnce() -> Result<T, Failure>) -> Result<(Duration, T), Failure> {
    let (began, before) = (Instant::now(), cpu());
    let seen = look()?;
    let spent = match (before, cpu()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => began.elapsed(),
    };
    Ok((spent, seen))
}

/// Processor time of this thread, the only one, where the system tells it to the nanosecond.
fn cpu() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let spent = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(spent))
}

/// Memory of the whole process that belongs to nothing else.
fn held() -> Option<String> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.trim().to_owned())
}
