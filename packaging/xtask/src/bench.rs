//! `cargo xtask bench`: what measuring a tree, looking into a disk and removing leftovers cost, beside the
//! tools that people use for it.
//!
//! Every installed peer and our own program measure the same two trees in turn (A B C A B C …), so
//! that a machine whose speed drifts does so for all of them. Numbers come from the system's own
//! accounting of each finished process, through GNU `time`; the table shows medians, and ratios
//! taken round by round. Totals are compared with those of `du`.
//!
//! Why not part of the tests: a ratio on a busy machine proves nothing; read it, then judge.

mod disks;
mod leftovers;
mod peers;
mod table;
mod trees;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::command::{built, cannot, cargo, found, run as run_command, scratch};
use peers::Contestant;
use table::{Cost, Row};

const USAGE: &str = "\
cargo xtask bench [--rounds N] [--only wide|mixed|disk|leftovers] [--small] [--at FOLDER] [--program FILE]

--rounds N       counted rounds after one warm-up (7)
--only WHAT      one of the two trees, the disk, or removing leftovers
--small          a twentieth of the size: shows that the bench works, not what anything costs
--at FOLDER      makes trees and disk there and not in the temp folder
--program FILE   a sandtrayctl that is built already";

/// What the arguments ask for.
struct Plan {
    rounds: usize,
    only: Option<String>,
    is_small: bool,
    at: PathBuf,
    program: Option<PathBuf>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let plan = plan(arguments)?;
    let time = gnu_time()?;
    let program = match plan.program {
        Some(program) => program,
        None => {
            run_command(cargo().args(["build", "--quiet", "--release", "-p", "sandtrayctl"]))?;
            built("release", "sandtrayctl")
        }
    };
    let (contestants, missing) = peers::contestants(program.clone());
    if !missing.is_empty() {
        println!("not installed, so not compared: {}", missing.join(", "));
    }
    let size = if plan.is_small { 20 } else { 1 };
    for tree in ["wide", "mixed"] {
        if plan.only.as_deref().is_some_and(|only| only != tree) {
            continue;
        }
        let tree = trees::make(tree, size, &plan.at)?;
        println!(
            "\n{}, in {}, warm, medians of {} rounds in turn",
            tree.described,
            plan.at.display(),
            plan.rounds
        );
        let rows = turns(&time, &contestants, tree.path(), plan.rounds, || Ok(()))?;
        table::print(&rows, "du");
        table::print_best(&rows);
        // A program of its own: the command line has no use for a second look.
        run_command(
            cargo()
                .args(["run", "--quiet", "--release", "-p", "sandtray-host"])
                .args(["--example", "measure_again", "--"])
                .arg(tree.path()),
        )?;
        println!("(removing the tree)");
    }
    if plan.only.as_deref().is_none_or(|only| only == "disk") {
        disks::bench(&time, &program, size, plan.rounds, &plan.at)?;
    }
    if plan.only.as_deref().is_none_or(|only| only == "leftovers") {
        leftovers::bench(&time, size, plan.rounds, &plan.at)?;
    }
    Ok(())
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut plan = Plan {
        rounds: 7,
        only: None,
        is_small: false,
        at: std::env::temp_dir(),
        program: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            rest.next()
                .ok_or(format!("{argument} wants a value\n\n{USAGE}"))
        };
        match argument.as_str() {
            "--small" => plan.is_small = true,
            "--rounds" => {
                plan.rounds = value()?
                    .parse()
                    .ok()
                    .filter(|rounds| (1..=100).contains(rounds))
                    .ok_or(format!("--rounds takes 1 to 100\n\n{USAGE}"))?;
            }
            "--only" => {
                let tree = value()?;
                if !["wide", "mixed", "disk", "leftovers"].contains(&tree.as_str()) {
                    return Err(format!("there is no tree {tree:?}\n\n{USAGE}"));
                }
                plan.only = Some(tree.clone());
            }
            "--at" => plan.at = PathBuf::from(value()?),
            "--program" => plan.program = Some(PathBuf::from(value()?)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(plan)
}

/// GNU `time`: the shell's own word of that name cannot say how much memory a program took.
fn gnu_time() -> Result<PathBuf, String> {
    if !cfg!(target_os = "linux") {
        return Err("skipped: bench: it needs GNU time and du, so it runs on Linux".to_owned());
    }
    found("time").ok_or_else(|| {
        "the bench needs GNU time; on Debian and Ubuntu: sudo apt-get install time".to_owned()
    })
}

/// Measures one tree or disk with everybody, round by round; `before` comes before every run.
fn turns(
    time: &Path,
    contestants: &[Contestant],
    tree: &Path,
    rounds: usize,
    before: impl Fn() -> Result<(), String>,
) -> Result<Vec<Row>, String> {
    let mut running = Vec::new();
    for contestant in contestants {
        let mut row = Row::new(&contestant.name);
        match measured(time, contestant, tree) {
            Ok((_, output)) => row.total = (contestant.total)(&output),
            // Another version with other options, perhaps; our own must run.
            Err(problem) if peers::is_peer(&contestant.name) => {
                println!("{problem}, so not compared");
                continue;
            }
            Err(problem) => return Err(problem),
        }
        running.push((contestant, row));
    }
    for _ in 0..rounds {
        for (contestant, row) in &mut running {
            before()?;
            row.costs.push(measured(time, contestant, tree)?.0);
        }
    }
    Ok(running.into_iter().map(|(_, row)| row).collect())
}

/// Runs one program to its end and asks the system what it cost.
fn measured(time: &Path, contestant: &Contestant, tree: &Path) -> Result<(Cost, String), String> {
    let report = scratch()?.join("time");
    let start = Instant::now();
    let output = Command::new(time)
        .arg("--output")
        .arg(&report)
        .args(["--quiet", "--format", "%U %S %e %M", "--"])
        .arg(&contestant.program)
        .args(&contestant.arguments)
        .arg(tree)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|cause| cannot("start", time, &cause))?;
    let wall = start.elapsed();
    if !output.status.success() {
        return Err(format!("{} failed: {}", contestant.name, output.status));
    }
    let text = std::fs::read_to_string(&report).map_err(|cause| cannot("read", &report, &cause))?;
    let mut cost = Cost::parse(&text).ok_or(format!("GNU time said {text:?}"))?;
    // Hundredths of a second are too coarse for what takes a few of them.
    cost.wall = wall.as_secs_f64();
    Ok((cost, String::from_utf8_lossy(&output.stdout).into_owned()))
}
