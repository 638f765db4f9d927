//! The frame of the suite: headings, durations, the end of a failed step's output, one table.

use std::time::{Duration, Instant};

use super::counts::Counts;
use super::skips::{self, Skip};
use crate::command::Log;

/// What a step has to say when it went well, or when tests in it failed.
pub(crate) struct Outcome {
    counts: Counts,
    skips: Vec<Skip>,
    failure: Option<String>,
}

impl Outcome {
    /// Work was done that is no check by itself.
    pub(crate) fn done() -> Self {
        Self::checked(0)
    }

    /// So many checks passed.
    pub(crate) fn checked(passed: u32) -> Self {
        Self {
            counts: Counts { passed, failed: 0 },
            skips: Vec::new(),
            failure: None,
        }
    }

    /// The step cannot run here.
    pub(crate) fn skipped(test: &str, reason: impl Into<String>) -> Self {
        let mut outcome = Self::done();
        outcome.skips.push(Skip {
            test: test.to_owned(),
            reason: reason.into().replace('\n', " "),
        });
        outcome
    }

    /// Tests ran. None at all is a failure: a filter that matches nothing must not look well.
    pub(crate) fn of_tests(well: bool, counts: Option<Counts>, text: &str) -> Result<Self, String> {
        let counts = counts.unwrap_or_default();
        let failure = match (well, counts.passed + counts.failed) {
            (true, 0) => Some("no test ran".to_owned()),
            (true, _) => None,
            (false, _) if counts.failed > 0 => Some(format!("{} failed", counts.failed)),
            (false, _) => Some("the tests could not be built or run".to_owned()),
        };
        Ok(Self {
            counts,
            skips: skips::said(text),
            failure,
        })
    }

    /// Adds another outcome of the same step.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.counts.add(other.counts);
        self.skips.extend(other.skips);
        self.failure = self.failure.or(other.failure);
        self
    }
}

struct Row {
    name: String,
    counts: Counts,
    took: Duration,
    failure: Option<String>,
}

/// The steps so far.
pub(crate) struct Suite {
    only: Option<Vec<String>>,
    list: bool,
    rows: Vec<Row>,
    skips: Vec<Skip>,
    began: Instant,
}

impl Suite {
    pub(crate) fn new(arguments: &[String]) -> Result<Self, String> {
        let mut suite = Self {
            only: None,
            list: false,
            rows: Vec::new(),
            skips: Vec::new(),
            began: Instant::now(),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match (word.as_str(), words.as_slice().first()) {
                ("--list", _) => suite.list = true,
                ("--only", Some(names)) => {
                    suite.only = Some(names.split(',').map(str::to_owned).collect());
                    words.next();
                }
                _ => {
                    return Err(format!(
                        "`test` knows --list and --only STEP,…, not {word:?}"
                    ));
                }
            }
        }
        Ok(suite)
    }

    /// Whether a step of this name will run.
    pub(crate) fn wants(&self, name: &str) -> bool {
        !self.list
            && self
                .only
                .as_ref()
                .is_none_or(|only| only.iter().any(|wanted| wanted == name))
    }

    /// Runs one step. A failed step does not stop the suite: the others may fail for other reasons.
    pub(crate) fn step(
        &mut self,
        name: &str,
        work: impl FnOnce(&mut Log) -> Result<Outcome, String>,
    ) {
        if self.list {
            println!("{name}");
        }
        if !self.wants(name) {
            return;
        }
        println!("── {name}");
        let began = Instant::now();
        let mut log = match Log::create(name) {
            Ok(log) => log,
            Err(problem) => {
                self.add(
                    name,
                    Counts {
                        passed: 0,
                        failed: 1,
                    },
                    began.elapsed(),
                    Some(problem),
                );
                return;
            }
        };
        let outcome = work(&mut log).unwrap_or_else(|problem| Outcome {
            counts: Counts {
                passed: 0,
                failed: 1,
            },
            skips: Vec::new(),
            failure: Some(problem),
        });
        if outcome.failure.is_some() {
            println!(
                "{}\n   (all of it: {})",
                log.tail(400),
                log.path().display()
            );
        }
        for skip in &outcome.skips {
            println!("   skipped: {}: {}", skip.test, skip.reason);
        }
        self.skips.extend(outcome.skips);
        self.add(name, outcome.counts, began.elapsed(), outcome.failure);
    }

    fn add(&mut self, name: &str, mut counts: Counts, took: Duration, failure: Option<String>) {
        match &failure {
            None => println!("   well, {}", shown(took)),
            Some(problem) => println!("   FAILED after {}: {problem}", shown(took)),
        }
        if failure.is_some() && counts.failed == 0 {
            counts.failed = 1;
        }
        self.rows.push(Row {
            name: name.to_owned(),
            counts,
            took,
            failure,
        });
    }

    /// Prints the table and the sum. `strict` fails on every skip that is not on the list.
    pub(crate) fn close(mut self, strict: bool) -> Result<(), String> {
        if self.list {
            return Ok(());
        }
        if self.rows.is_empty() {
            return Err("no step has that name; `cargo xtask test --list` names them".to_owned());
        }
        let began = Instant::now();
        self.skips.sort();
        self.skips.dedup();
        if strict {
            println!("── skips");
            let (counts, failure) = match skips::unforeseen(&self.skips) {
                Ok(skips) if skips.is_empty() => (
                    Counts {
                        passed: 1,
                        failed: 0,
                    },
                    None,
                ),
                Ok(skips) => {
                    for skip in &skips {
                        println!("   not on the list: {}: {}", skip.test, skip.reason);
                    }
                    let problem = format!(
                        "{} skipped without being on tests/allowed-skips.toml",
                        skips.len()
                    );
                    (
                        Counts {
                            passed: 0,
                            failed: 1,
                        },
                        Some(problem),
                    )
                }
                Err(problem) => (
                    Counts {
                        passed: 0,
                        failed: 1,
                    },
                    Some(problem),
                ),
            };
            self.add("skips", counts, began.elapsed(), failure);
        }
        let mut sum = Counts::default();
        println!(
            "\n{:<24} {:>7} {:>7} {:>9}",
            "step", "passed", "failed", "time"
        );
        for row in &self.rows {
            sum.add(row.counts);
            println!(
                "{:<24} {:>7} {:>7} {:>9}  {}",
                row.name,
                row.counts.passed,
                row.counts.failed,
                shown(row.took),
                row.failure.as_deref().unwrap_or(""),
            );
        }
        println!(
            "{:<24} {:>7} {:>7} {:>9}",
            "all",
            "",
            "",
            shown(self.began.elapsed())
        );
        println!(
            "\n{} passed, {} failed, {} skipped",
            sum.passed,
            sum.failed,
            self.skips.len()
        );
        let failed: Vec<&str> = self
            .rows
            .iter()
            .filter(|row| row.failure.is_some())
            .map(|row| row.name.as_str())
            .collect();
        if failed.is_empty() {
            Ok(())
        } else {
            Err(format!("failed: {}", failed.join(", ")))
        }
    }
}

fn shown(took: Duration) -> String {
    let seconds = took.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", took.as_secs_f64()),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}
