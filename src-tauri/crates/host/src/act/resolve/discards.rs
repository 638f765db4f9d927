//! A discard that was cut off: taken back, or carried to its end.

use std::path::Path;

use sandtray_core::act::journal::Entry;
use sandtray_core::act::steps::End;
use sandtray_core::act::{ActKind, RefusalKind};
use sandtray_core::paths::PathText;

use super::{Resolved, Resolving, still_open};
use crate::act::journal::Writer;
use crate::act::parked::trash;
use crate::act::path;
use crate::act::run::receipt;

impl Resolving<'_> {
    pub(super) fn discard(&mut self, entry: &Entry, writer: &Writer<'_>) -> Resolved {
        let act = &entry.act;
        let (from, to) = match act.moves.first() {
            Some(step) => (path::exact(&step.from), path::exact(&step.to)),
            None => (None, act.parked.as_ref().and_then(path::exact)),
        };
        let there = |path: Option<&Path>| path.is_some_and(|path| path.symlink_metadata().is_ok());
        let (end, text) = match (there(from.as_deref()), there(to.as_deref()), &to, act.kind) {
            (true, _, Some(to), ActKind::Trash) => {
                if let Err(error) = trash::retract(self.hands, to) {
                    return still_open(&act.id, cannot_write(to, &error));
                }
                (
                    End::Interrupted,
                    "Nothing was discarded; the copy is where it was.",
                )
            }
            (true, ..) => (
                End::Interrupted,
                "Nothing was discarded; the copy is where it was.",
            ),
            (false, true, _, ActKind::Trash) => (End::Done, "The copy is in the trash."),
            (false, true, Some(to), _) => {
                let manifest = sandtray_core::act::parked::MANIFEST;
                if let Err(error) = self.hands.remove_tree(to, manifest) {
                    return still_open(&act.id, cannot_write(to, &error));
                }
                (End::Done, "Removing the copy went on to its end.")
            }
            _ => (End::Done, "The copy is gone."),
        };
        let receipt = receipt::empty(act, entry.begun_at);
        self.ended(writer, act, end, text.to_owned(), receipt)
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> RefusalKind {
    RefusalKind::NotWritable {
        path: PathText::new(path),
        cause: error.to_string(),
    }
}
