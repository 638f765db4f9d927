//! Removing leftovers beside `rm -rf` and `find -delete`: 185,541 empty folders side by side (#85576), one by
//! one, and a tree of 100,000 files as a whole.
//!
//! Ours looks at everything twice and asks for every entry, which the others do not. Each run has a tree of
//! its own, made right before.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::peers::{self, Contestant};
use super::table::{self, Row};
use super::{measured, trees};
use crate::command::{built, cannot, cargo, found, run};

const EMPTY: u32 = 185_541;
const FILES: u32 = 100_000;

/// Compares everybody on both kinds of leftovers.
pub(super) fn bench(time: &Path, size: u32, rounds: usize, at: &Path) -> Result<(), String> {
    run(cargo()
        .args(["build", "--quiet", "--release", "-p", "sandtray-host"])
        .args(["--example", "remove"]))?;
    let program = built("release", "examples/remove");
    let folder = trees::Tree::empty("leftovers", at)?;
    let place = folder.path().join("leftovers");
    for (how, described) in [
        (
            "empty",
            format!("{} empty folders side by side", EMPTY / size),
        ),
        ("tree", format!("a tree of {} files", FILES / size)),
    ] {
        println!(
            "\n{described}, in {}, medians of {rounds} rounds in turn",
            at.display()
        );
        let mut running: Vec<_> = contestants(&program, how)
            .into_iter()
            .map(|one| (Row::new(&one.name), one))
            .collect();
        for _ in 0..rounds {
            for (row, contestant) in &mut running {
                make(&place, how, size)?;
                row.costs.push(measured(time, contestant, &place)?.0);
                let left = fs::read_dir(&place).map_or(0, Iterator::count);
                if left > 0 {
                    return Err(format!("{} left {left} entries", contestant.name));
                }
            }
        }
        let rows: Vec<Row> = running.into_iter().map(|(row, _)| row).collect();
        table::print(&rows, "rm -rf");
    }
    Ok(())
}

fn contestants(program: &Path, how: &str) -> Vec<Contestant> {
    let mut all = vec![contestant("sandtray", program.to_owned(), &[how])];
    if let Some(rm) = found("rm") {
        all.push(contestant("rm -rf", rm, &["-rf", "--"]));
    }
    if let Some(shell) = found("sh") {
        // The folder comes last, and `find` wants it first.
        let script = "exec find \"$1\" -mindepth 1 -delete";
        all.push(contestant("find -delete", shell, &["-c", script, "sh"]));
    }
    all
}

fn contestant(name: &str, program: PathBuf, arguments: &[&str]) -> Contestant {
    Contestant {
        name: name.to_owned(),
        program,
        arguments: arguments.iter().map(|&word| word.into()).collect(),
        total: peers::no_total,
    }
}

/// Makes what is to go, and lets the disk come to rest.
fn make(place: &Path, how: &str, size: u32) -> Result<(), String> {
    let create =
        |path: &Path| fs::create_dir_all(path).map_err(|cause| cannot("create", path, &cause));
    create(place)?;
    if how == "empty" {
        for number in 0..EMPTY / size {
            create(&place.join(format!("tmp{number:08x}")))?;
        }
    } else {
        // A hundred files to a folder, ten folders to one above.
        for folder in 0..FILES / size / 100 {
            let folder = place.join(format!("{}/{folder}", folder / 10));
            create(&folder)?;
            for file in 0..100 {
                let path = folder.join(file.to_string());
                fs::write(&path, "x").map_err(|cause| cannot("write", &path, &cause))?;
            }
        }
    }
    run(&mut Command::new("sync"))
}
