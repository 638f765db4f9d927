//! How many tests ran, read from what the runners print.

/// Tests of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// The counts of `cargo test` (one line for every binary) and of nextest (one line at the end).
pub(crate) fn rust(text: &str) -> Option<Counts> {
    let mut sum: Option<Counts> = None;
    for line in text.lines().map(str::trim) {
        let rest = if let Some((_, rest)) = line.split_once("test result: ") {
            rest
        } else if line.starts_with("Summary [") {
            line.split_once("] ").map_or("", |(_, rest)| rest)
        } else {
            continue;
        };
        sum.get_or_insert_default().add(Counts {
            passed: before(rest, "passed"),
            failed: before(rest, "failed") + before(rest, "timed out"),
        });
    }
    sum
}

/// The counts of vitest: ` Tests  3 failed | 12 passed (15)`.
pub(crate) fn vitest(text: &str) -> Option<Counts> {
    text.lines()
        .map(str::trim)
        .filter_map(|line| line.strip_prefix("Tests "))
        .map(|rest| Counts {
            passed: before(rest, "passed"),
            failed: before(rest, "failed"),
        })
        .next_back()
}

/// The number that stands before a word; 0 where the word is not there.
fn before(text: &str, word: &str) -> u32 {
    text.split_once(word)
        .and_then(|(head, _)| {
            head.split(|c: char| !c.is_ascii_digit())
                .rfind(|part| !part.is_empty())
        })
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runner_is_understood() {
        let cargo = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\n\
                     test result: FAILED. 1 passed; 2 failed; 0 ignored";
        assert_eq!(
            rust(cargo),
            Some(Counts {
                passed: 4,
                failed: 2
            })
        );
        let nextest = "     Summary [   0.021s] 12 tests run: 10 passed (1 slow), 1 failed, 1 timed out, 2 skipped";
        assert_eq!(
            rust(nextest),
            Some(Counts {
                passed: 10,
                failed: 2
            })
        );
        assert_eq!(rust("error: could not compile"), None);
        assert_eq!(
            vitest(" Test Files  4 passed (4)\n      Tests  1 failed | 12 passed (13)\n"),
            Some(Counts {
                passed: 12,
                failed: 1
            })
        );
    }
}
