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

/// The counts of `cargo test` (one line for every binary) or of nextest (one line at the end, after
/// which the output of failed tests may hold lines of the other kind).
pub(crate) fn rust(text: &str) -> Option<Counts> {
    let nextest = lines_after(text, "Summary [").filter_map(|rest| rest.split_once("] "));
    if let Some((_, rest)) = nextest.last() {
        return Some(of(rest));
    }
    // A test may run tests itself; of each program only the last line speaks of all of it.
    let mut sum = None;
    for program in text
        .split("     Running ")
        .flat_map(|part| part.split("   Doc-tests "))
    {
        if let Some(rest) = lines_after(program, "test result: ").last() {
            sum.get_or_insert_with(Counts::default).add(of(rest));
        }
    }
    sum
}

fn lines_after<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines()
        .filter_map(move |line| line.trim().strip_prefix(start))
}

fn of(rest: &str) -> Counts {
    Counts {
        passed: before(rest, "passed"),
        failed: before(rest, "failed") + before(rest, "timed out"),
    }
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
        let cargo = "     Running unittests a\n\ntest result: ok. 3 passed; 0 failed; 1 ignored\n\
                     \x20    Running tests/b\n---- runs one inside ----\ntest result: ok. 1 passed\n\
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
        let nested = format!("{nextest}\n    test result: FAILED. 0 passed; 1 failed\n");
        assert_eq!(rust(&nested), rust(nextest));
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
