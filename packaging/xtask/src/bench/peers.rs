//! Who takes part: how each is told to print one total in bytes, and how that is read.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::command::found;

/// A program that measures a tree; the tree is its last argument.
pub(super) struct Contestant {
    pub(super) name: String,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// Reads the total out of what it printed.
    pub(super) total: fn(&str) -> Option<u64>,
}

type Peer = (
    &'static str,
    &'static [&'static str],
    fn(&str) -> Option<u64>,
);

/// The peers and their arguments for allocated sizes.
const PEERS: [Peer; 7] = [
    ("du", &["-s", "--block-size=1", "--"], first_number),
    // Its export is the only way to run it without a screen, and holds no total.
    ("ncdu", &["-0", "-o", "/dev/null"], no_total),
    (
        "gdu",
        &[
            "--non-interactive",
            "--no-progress",
            "--summarize",
            "--no-prefix",
        ],
        first_number,
    ),
    // It lists the children and their sum, the root's own size left out.
    ("dua", &["--format", "bytes", "aggregate"], last_line),
    (
        "pdu",
        &[
            "--quantity=block-size",
            "--deduplicate-hardlinks",
            "--max-depth=1",
            "--json-output",
        ],
        json_size,
    ),
    ("diskus", &[], first_number),
    (
        "dust",
        &[
            "--no-progress",
            "--no-colors",
            "--depth=0",
            "--output-format=b",
        ],
        first_number,
    ),
];

/// Us, with one thread and with two, and every peer that is installed; and the names of the others.
pub(super) fn contestants(program: PathBuf) -> (Vec<Contestant>, Vec<&'static str>) {
    let us = |name: &str, more: &[&str]| Contestant {
        name: name.to_owned(),
        program: program.clone(),
        arguments: ["measure", "--json"]
            .iter()
            .chain(more)
            .map(|&word| word.into())
            .collect(),
        total: json_allocated,
    };
    let mut contestants = vec![
        us("sandtrayctl", &[]),
        us("… --threads 2", &["--threads", "2"]),
    ];
    let mut missing = Vec::new();
    for (name, arguments, total) in PEERS {
        match found(name) {
            Some(program) => contestants.push(Contestant {
                name: name.to_owned(),
                program,
                arguments: arguments.iter().map(|&word| word.into()).collect(),
                total,
            }),
            None => missing.push(name),
        }
    }
    (contestants, missing)
}

/// Whether a row is somebody else's.
pub(super) fn is_peer(name: &str) -> bool {
    PEERS.iter().any(|(peer, ..)| *peer == name)
}

fn first_number(text: &str) -> Option<u64> {
    number_at(text.get(text.find(|letter: char| letter.is_ascii_digit())?..)?)
}

pub(super) fn last_line(text: &str) -> Option<u64> {
    first_number(text.lines().rfind(|line| !line.trim().is_empty())?)
}

fn json_allocated(text: &str) -> Option<u64> {
    json_number(text, "\"allocated\"")
}

pub(super) fn json_used(text: &str) -> Option<u64> {
    json_number(text, "\"used\"")
}

/// What the children of a folder take in all, as `disk du` says it.
pub(super) fn json_sum(text: &str) -> Option<u64> {
    let numbers = text.split("\"allocated\"").skip(1);
    numbers
        .map(|after| number_at(after.trim_start_matches([' ', '\n', ':'])))
        .sum()
}

/// The same as `du --max-depth=1` says it, whose last line is the folder itself.
pub(super) fn lines_sum(text: &str) -> Option<u64> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.pop()?;
    lines.into_iter().map(first_number).sum()
}

fn json_size(text: &str) -> Option<u64> {
    json_number(text, "\"size\"")
}

pub(super) fn no_total(_: &str) -> Option<u64> {
    None
}

fn json_number(text: &str, field: &str) -> Option<u64> {
    let (_, after) = text.split_once(field)?;
    number_at(after.trim_start_matches([' ', '\n', ':']))
}

fn number_at(text: &str) -> Option<u64> {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_out_of_what_each_prints() {
        assert_eq!(first_number("827297792\t/tmp/wide\n"), Some(827_297_792));
        assert_eq!(first_number("  4096 b /tmp/9\n"), Some(4096));
        assert_eq!(first_number("nothing"), None);
        assert_eq!(last_line("4096 b a\n 8192 b total\n\n"), Some(8192));
        let ours = "{\"schema\":1,\"roots\":[{\"path\":\"/1\",\"apparent\": 7,\"allocated\": 42}]}";
        assert_eq!(json_allocated(ours), Some(42));
        let inside = "[{\"allocated\":5,\"apparent\":9},{\"allocated\": 7}]";
        assert_eq!(json_sum(inside), Some(12));
        assert_eq!(lines_sum("5\t/m/a\n7\t/m/b\n16\t/m\n"), Some(12));
        assert_eq!(json_size("{\"tree\":{\"name\":\"a\",\"size\":9}}"), Some(9));
    }
}
