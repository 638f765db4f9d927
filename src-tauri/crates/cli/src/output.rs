//! What is printed: JSON or text to standard output, errors to standard error.

use std::env;
use std::fmt::{self, Display};
use std::io::{self, IsTerminal, Write};

use sandtray_core::measurement::Gap;
use sandtray_core::verdict::Verdict;
use sandtray_host::error::Failure;
use serde::Serialize;

/// How a command ended, short of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// All of it.
    Well,
    /// Some of it; what failed was said.
    Partly,
    /// Nothing, because it would have done harm; the reason was said.
    Refused,
}

/// Why a command could not go on.
#[derive(Debug)]
pub(crate) enum Error {
    /// Something on the machine.
    Failure(Failure),
    /// Standard output.
    Output(io::Error),
}

impl Error {
    /// The reader of our output has gone (`| head`): no fault of anybody's.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(failure) => failure.fmt(f),
            Self::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The one writer.
#[derive(Debug)]
pub(crate) struct Output {
    /// Print JSON.
    pub(crate) json: bool,
    colours: bool,
}

impl Output {
    /// Colours are off when piped and where `NO_COLOR` is set.
    pub(crate) fn new(json: bool) -> Self {
        let colours = io::stdout().is_terminal()
            && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { json, colours }
    }

    /// Prints one JSON value on one line.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_string(value).map_err(io::Error::other)?;
        self.line(&text)
    }

    /// Prints one line and hands it on at once, so that a watcher in a pipe sees it.
    pub(crate) fn line(&self, text: &str) -> Result<(), Error> {
        let mut out = io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()?;
        Ok(())
    }

    /// Prints rows in columns; the first is left-aligned, `right` names those that are not.
    pub(crate) fn table(&self, rows: &[Vec<String>], right: &[usize]) -> Result<(), Error> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| visible(cell))
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let mut text = String::new();
            for (column, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[column].saturating_sub(visible(cell)));
                let gap = if column == 0 { "" } else { "  " };
                text += gap;
                if right.contains(&column) {
                    text += &pad;
                    text += cell;
                } else {
                    text += cell;
                    text += &pad;
                }
            }
            self.line(text.trim_end())?;
        }
        Ok(())
    }

    /// Says what went wrong, on standard error.
    pub(crate) fn error(&self, text: &str) {
        // Nothing is left to do where even that is closed.
        writeln!(io::stderr(), "sandtrayctl: {text}").ok();
    }

    /// A verdict as a word, coloured on a terminal.
    pub(crate) fn verdict(&self, verdict: Verdict) -> String {
        let (word, colour) = match verdict {
            Verdict::Ok => ("ok", 32),
            Verdict::Low => ("low", 33),
            Verdict::Critical => ("critical", 31),
            Verdict::Unknown => ("unknown", 35),
        };
        if self.colours {
            format!("\x1b[{colour}m{word}\x1b[0m")
        } else {
            word.to_owned()
        }
    }

    /// Text that is to be read first.
    pub(crate) fn strong(&self, text: &str) -> String {
        if self.colours {
            format!("\x1b[1m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Characters of a cell that take a place on the screen: colour sequences take none.
fn visible(cell: &str) -> usize {
    let mut count = 0;
    let mut in_sequence = false;
    for character in cell.chars() {
        match character {
            '\x1b' => in_sequence = true,
            'm' if in_sequence => in_sequence = false,
            _ if !in_sequence => count += 1,
            _ => {}
        }
    }
    count
}

/// A path or name for a terminal: what could move the cursor or break the line is escaped.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let odd = character.is_control();
            let escaped = odd.then(|| character.escape_default());
            escaped
                .into_iter()
                .flatten()
                .chain((!odd).then_some(character))
        })
        .collect()
}

/// Something that could not be read, as `open /tmp/x: Permission denied`.
pub(crate) fn gap(gap: &Gap) -> String {
    format!(
        "{} {}: {}",
        gap.operation,
        printable(&gap.path.path),
        gap.cause
    )
}

/// The fixed token of an enum as words: `session data`.
pub(crate) fn token(value: &impl Serialize) -> Result<String, Error> {
    let json = serde_json::to_value(value).map_err(io::Error::other)?;
    Ok(json.as_str().unwrap_or_default().replace('_', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_place_in_a_column() {
        assert_eq!(visible("\x1b[31mcritical\x1b[0m"), 8);
        assert_eq!(visible("häuser"), 6);
    }

    #[test]
    fn names_cannot_move_the_cursor() {
        assert_eq!(printable("a\nb\x1b[2Jc é"), "a\\nb\\u{1b}[2Jc é");
    }
}
