//! What did not run, and whether that was foreseen.

use std::fs;

use crate::command::{cannot, workspace};

/// A `skipped: <test>: <reason>` line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Skip {
    pub(crate) test: String,
    pub(crate) reason: String,
}

/// The skips among the lines that tests printed.
pub(crate) fn said(text: &str) -> Vec<Skip> {
    let mut skips: Vec<Skip> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("skipped: "))
        .filter_map(|rest| rest.split_once(": "))
        .map(|(test, reason)| Skip {
            test: test.to_owned(),
            reason: reason.to_owned(),
        })
        .collect();
    skips.sort();
    skips.dedup();
    skips
}

/// An entry of the checked-in list. The reason is a part of the printed one: the rest may
/// name what only that machine knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Allowed {
    test: String,
    reason: String,
    system: String,
}

/// The skips that nobody has allowed on this system.
pub(crate) fn unforeseen(skips: &[Skip]) -> Result<Vec<Skip>, String> {
    let file = workspace().join("tests/allowed-skips.toml");
    let text = fs::read_to_string(&file).map_err(|cause| cannot("read", &file, &cause))?;
    let allowed = parse(&text)?;
    Ok(skips
        .iter()
        .filter(|skip| {
            !allowed.iter().any(|entry| {
                entry.test == skip.test
                    && skip.reason.contains(&entry.reason)
                    && entry.system == std::env::consts::OS
            })
        })
        .cloned()
        .collect())
}

/// Reads `[[skip]]` tables of three strings: all of TOML that the list uses.
fn parse(text: &str) -> Result<Vec<Allowed>, String> {
    let mut entries: Vec<Allowed> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = || {
            format!(
                "tests/allowed-skips.toml, line {}: {line:?} is not understood",
                number + 1
            )
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "[[skip]]" {
            entries.push(Allowed::default());
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(wrong)?;
        let value = value
            .trim()
            .strip_prefix('"')
            .and_then(|value| value.strip_suffix('"'))
            .ok_or_else(wrong)?
            .to_owned();
        let entry = entries.last_mut().ok_or_else(wrong)?;
        match key.trim() {
            "test" => entry.test = value,
            "reason" => entry.reason = value,
            "system" => entry.system = value,
            _ => return Err(wrong()),
        }
    }
    match entries
        .iter()
        .find(|entry| entry.test.is_empty() || entry.reason.is_empty() || entry.system.is_empty())
    {
        Some(entry) => Err(format!(
            "tests/allowed-skips.toml: {entry:?} needs test, reason and system"
        )),
        None => Ok(entries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_are_found_among_other_output_once_each() {
        let text = "ok\n    skipped: a::b: no loop devices: EPERM\nskipped: a::b: no loop devices: EPERM\nskipped 3\n";
        assert_eq!(
            said(text),
            [Skip {
                test: "a::b".to_owned(),
                reason: "no loop devices: EPERM".to_owned()
            }]
        );
    }

    #[test]
    fn the_list_holds_complete_entries_or_is_refused() {
        let good = "# why\n[[skip]]\ntest = \"a\"\nreason = \"b\"\nsystem = \"linux\"\n";
        assert_eq!(parse(good).unwrap().len(), 1);
        assert_eq!(parse("").unwrap(), []);
        for bad in [
            "test = \"a\"\n",
            "[[skip]]\ntest = \"a\"\n",
            "[[skip]]\ntest = a\n",
            "[[skip]]\nwhy = \"a\"\n",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
