//! `cargo xtask test`: the whole suite, step by step.
//!
//! The order lets later steps use what earlier ones built: lints and documentation share checked
//! crates; tests, the window's journeys and the run as an ordinary user share one build. For the
//! same reason every step builds the whole workspace with the same features ([`WORKSPACE`]).
//!
//! A step or a test that cannot run here says `skipped: <name>: <reason>`. Where `CI=true` such a
//! line must stand in `tests/allowed-skips.toml`, or the run fails.

mod counts;
mod cross;
mod hermetic;
mod ordinary;
mod skips;
mod steps;
mod window;

use std::path::PathBuf;
use std::process::Command;

use crate::bindings;
use crate::command::{cargo, command, in_ci, output, workspace};
use crate::packages::{self, Need};
use crate::ui::{self, To};
use hermetic::Scratch;
use steps::{Outcome, Suite};

/// What every step builds, so that no crate is built twice with other features.
const WORKSPACE: [&str; 3] = [
    "--workspace",
    "--features",
    "sandtray/custom-protocol,sandtray-tests/desktop",
];

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut suite = Suite::new(arguments)?;
    suite.step("packages", |_| {
        packages::ensure(&[Need::Compiler, Need::Window, Need::Tests]).map(|()| Outcome::done())
    });
    suite.step("format", |log| {
        log.run(cargo().args(["fmt", "--all", "--check"]))?;
        // `cargo fmt` follows `mod` lines from the crate roots; a file reached by none of them, or
        // by one hidden in a macro, would escape it.
        let files = rust_files()?;
        log.run(
            command("rustfmt")
                .args(["--check", "--edition", "2024"])
                .args(&files),
        )?;
        Ok(Outcome::checked(1))
    });
    suite.step("window-build", |log| {
        ui::build(&mut To::Log(log))?;
        Ok(Outcome::done())
    });
    suite.step("window-check", |log| {
        log.run(&mut npm_script("check"))?;
        Ok(Outcome::checked(1))
    });
    suite.step("window-units", |log| {
        let (well, text) = log.try_run(npm_script("test").env("NO_COLOR", "1"))?;
        Outcome::of_tests(well, counts::vitest(&text), &text)
    });
    suite.step("window-pictures", window::pictures);
    suite.step("bindings", |log| {
        bindings::fresh(log).map(|_| Outcome::checked(1))
    });
    suite.step("clippy", |log| {
        let deny = ["--all-targets", "--", "-D", "warnings"];
        log.run(cargo().arg("clippy").args(WORKSPACE).args(deny))?;
        Ok(Outcome::checked(1))
    });
    suite.step("docs", |log| {
        let mut doc = cargo();
        doc.arg("doc")
            .args(WORKSPACE)
            // The private parts too: the stories of the modules are for those who change them.
            .args(["--no-deps", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-Dwarnings");
        log.run(&mut doc)?;
        Ok(Outcome::checked(1))
    });
    suite.step("build", |log| {
        // In one go: asked for by themselves, programs would be built without what only tests add
        // to the crates below, and then a second time with it.
        let all = ["--lib", "--bins", "--tests"];
        log.run(cargo().arg("build").args(WORKSPACE).args(all))?;
        Ok(Outcome::done())
    });

    // From here on programs of ours run: in a home and a temp folder of their own.
    let before = hermetic::state()?;
    let scratch = Scratch::create()?;
    suite.step("tests", |log| {
        let (well, text) = log.try_run(scratch.confine(&mut tests()))?;
        Outcome::of_tests(well, counts::rust(&text), &text)
    });
    suite.step("doc-tests", |log| {
        let mut run = cargo();
        run.arg("test").args(WORKSPACE).arg("--doc");
        let (well, text) = log.try_run(scratch.confine(&mut run))?;
        Outcome::of_tests(well, counts::rust(&text), &text)
    });
    suite.step("desktop", |log| window::journeys(log, &scratch));
    suite.step("ordinary-user", ordinary::run);
    suite.step("hermetic", |_| {
        hermetic::unchanged(&before, &scratch).map(|()| Outcome::checked(1))
    });
    drop(scratch);

    for target in cross::TARGETS {
        suite.step(&format!("clippy-{}", target.system), |log| {
            cross::lint(log, target)
        });
    }
    suite.close(in_ci())
}

/// Unit tests and journeys; what passing tests print is kept, for the skips among it.
fn tests() -> Command {
    let mut run = cargo();
    // Loops over every instant of an act; the everyday run tries a few of them.
    run.env("SANDTRAY_EVERY_INSTANT", "1");
    if output(cargo().args(["nextest", "--version"])).is_ok() {
        run.args(["nextest", "run"])
            .args(WORKSPACE)
            .args([
                "--no-fail-fast",
                "--success-output",
                "immediate",
                "--no-tests",
                "pass",
            ])
            .args(["--color", "never"]);
    } else {
        run.arg("test").args(WORKSPACE).args([
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
            "--",
            "--show-output",
        ]);
    }
    run
}

fn npm_script(name: &str) -> Command {
    let mut npm = crate::command::npm();
    npm.args(["run", name]);
    npm
}

/// Every Rust file that is part of the repository.
fn rust_files() -> Result<Vec<PathBuf>, String> {
    let listed = output(command("git").args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        "*.rs",
    ]))?;
    let files: Vec<PathBuf> = listed
        .lines()
        .map(|name| workspace().join(name))
        .filter(|file| file.is_file())
        .collect();
    if files.is_empty() {
        return Err("git lists no Rust file: is this a clone?".to_owned());
    }
    Ok(files)
}
