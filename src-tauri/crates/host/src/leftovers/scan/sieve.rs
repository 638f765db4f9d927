//! Names to classes.
//!
//! A folder of 185,541 names is sieved by the letters with which a pattern begins, so that all but a few
//! names are done with after one byte.

use sandtray_core::leftover::candidate::Named;
use sandtray_core::leftover::shape;

use super::folder::What;
use super::ground::Row;

/// A class that a name fits, with what the name says.
pub(super) type Hit = (Row, Named);

/// The classes that are looked for in one folder.
#[derive(Debug)]
pub(super) struct Sieve {
    lines: Vec<Line>,
    /// Lines that a name may fit, by its first byte: from where to where in `order`.
    first: Vec<(usize, usize)>,
    order: Vec<usize>,
}

#[derive(Debug)]
struct Line {
    row: Row,
    shape: &'static str,
    /// What stands before the first token.
    prefix: &'static [u8],
}

impl Sieve {
    pub(super) fn new(rows: impl IntoIterator<Item = Row>) -> Self {
        let mut rows: Vec<Row> = rows.into_iter().collect();
        rows.sort_by_key(Row::rank);
        let lines: Vec<Line> = rows
            .iter()
            .flat_map(|row| {
                row.class.shapes.iter().map(|shape| Line {
                    row: *row,
                    shape,
                    prefix: shape.split('{').next().unwrap_or_default().as_bytes(),
                })
            })
            .collect();
        let mut order = Vec::new();
        let mut first = Vec::with_capacity(256);
        for byte in 0..=u8::MAX {
            let from = order.len();
            let fits = |line: &Line| line.prefix.first().is_none_or(|first| *first == byte);
            order.extend((0..lines.len()).filter(|at| lines.get(*at).is_some_and(fits)));
            first.push((from, order.len()));
        }
        Self {
            lines,
            first,
            order,
        }
    }

    /// The classes that a name fits, the one that says most first. Whoever says that it is something else
    /// than a class's kind comes behind those whose kind it is.
    pub(super) fn hits(&self, name: &[u8], what: What) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let range = name
            .first()
            .and_then(|byte| self.first.get(usize::from(*byte)));
        let Some((from, to)) = range else {
            return hits;
        };
        let lines = self.order.get(*from..*to).unwrap_or_default();
        for line in lines.iter().filter_map(|at| self.lines.get(*at)) {
            if name.starts_with(line.prefix)
                && hits.iter().all(|(row, _)| row.class != line.row.class)
                && let Some(named) = shape::fits(line.shape, name)
            {
                hits.push((line.row, named));
            }
        }
        hits.sort_by_key(|(row, _)| !what.may_be(row.class.kind));
        hits
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}
