//! A copy, as its list and the disk say.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::view::{LEFTOVERS_SCHEMA, ParkedLeftovers, ParkedState, ReasonCount};
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;

use super::{LIST, Line};
use crate::act::hands::Hands;
use crate::act::path::exact;
use crate::error::{Cause, Failure};

/// A list longer than this is not ours.
const LONGEST: u64 = 512 * 1024 * 1024;

/// A copy, as its list and the disk say.
#[derive(Debug, Default)]
pub(super) struct Copy {
    own: PathBuf,
    lines: Vec<Line>,
}

impl Copy {
    pub(super) fn read(own: PathBuf) -> Result<Self, Failure> {
        let list = own.join(LIST);
        let failed = |error| Failure::io("read the list of what was moved aside", &list, error);
        let found = fs::metadata(&list).map_err(failed)?;
        if found.len() > LONGEST {
            let cause = Cause::Unsupported(format!("it is {} bytes long", found.len()));
            return Err(Failure::new(
                "read the list of what was moved aside",
                &list,
                cause,
            ));
        }
        let text = fs::read(&list).map_err(failed)?;
        let lines: Vec<Line> = text
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        if let Some(newer) = lines.iter().find(|line| line.schema > LEFTOVERS_SCHEMA) {
            let cause = Cause::Newer(newer.schema.into());
            return Err(Failure::new(
                "read the list of what was moved aside",
                &list,
                cause,
            ));
        }
        Ok(Self { own, lines })
    }

    /// What stands in it now, with its place.
    pub(super) fn standing(&self) -> impl Iterator<Item = (&Line, PathBuf)> {
        self.lines.iter().filter_map(|line| {
            let path = exact(&line.folder)?.join(&line.name);
            path.symlink_metadata().is_ok().then_some((line, path))
        })
    }

    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in self.lines.iter().filter_map(|line| exact(&line.folder)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    pub(super) fn view(&self, id: &str) -> ParkedLeftovers {
        let mut classes: BTreeMap<String, u64> = BTreeMap::new();
        let (mut count, mut allocated) = (0_u64, Allocated::ZERO);
        for (line, _) in self.standing() {
            count = count.saturating_add(1);
            allocated += line.allocated;
            let counted = classes.entry(line.title.clone()).or_default();
            *counted = counted.saturating_add(1);
        }
        let there = self.folders().iter().any(|folder| folder.is_dir());
        ParkedLeftovers {
            id: id.to_owned(),
            path: self
                .folders()
                .first()
                .map_or_else(|| PathText::new(&self.own), PathText::from),
            parked_at: self.lines.first().map_or(Time(0), |line| line.at),
            count,
            allocated,
            classes: classes
                .into_iter()
                .map(|(reason, count)| ReasonCount { reason, count })
                .collect(),
            state: if there {
                ParkedState::There
            } else {
                ParkedState::Absent
            },
        }
    }

    /// Takes away what is left of a copy that is empty.
    pub(super) fn tidy(&self) {
        if self.standing().next().is_some() {
            return;
        }
        let hands = Hands::default();
        for folder in self.folders() {
            // Not empty, or gone: then it stays, or is.
            hands.remove_dir(&folder).ok();
            if let Some(parent) = folder.parent().filter(|parent| *parent != self.own) {
                hands.remove_dir(parent).ok();
            }
        }
        hands.remove_file(&self.own.join(LIST)).ok();
        hands.remove_dir(&self.own).ok();
    }
}
