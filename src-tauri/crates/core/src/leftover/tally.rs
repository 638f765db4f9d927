//! Candidates counted as they come, into what surfaces show.
//!
//! Why streaming: there are scans of 185,541 candidates (#85576); what is kept of them is a few numbers a
//! group, and of reasons and origins only so many different ones.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

use super::candidate::Candidate;
use super::judge::Judged;
use super::view::{ClassView, ReasonCount};
use super::{Class, Removal};
use crate::bytes::{Allocated, Apparent, ratio_part};
use crate::paths::PathText;
use crate::time::{HOUR, Time};
use crate::words;

/// So many different reasons or origins are told apart in a group.
const APART: usize = 256;

/// So many of them are shown.
const SHOWN: usize = 8;

/// The id of a group: the handle by which surfaces name it.
#[must_use]
pub fn group_id(class: &Class, root: &str) -> String {
    format!("{}:{root}", class.name)
}

/// The sum of a scan.
#[derive(Debug, Default)]
pub struct Tally {
    groups: BTreeMap<(&'static str, Arc<str>), Group>,
}

/// Candidates of one class in one root.
#[derive(Debug)]
struct Group {
    class: &'static Class,
    base: PathText,
    count: u64,
    dead: u64,
    live: u64,
    unknown: u64,
    apparent: Apparent,
    allocated: Allocated,
    inodes: u64,
    dead_allocated: Allocated,
    dead_inodes: u64,
    oldest: Option<Time>,
    last_hour: u64,
    kept: Counts,
    from: Counts,
}

/// How often different texts were met, of the first so many different ones.
#[derive(Debug, Default)]
struct Counts {
    counts: BTreeMap<String, u64>,
    others: u64,
}

impl Counts {
    fn add(&mut self, text: &str) {
        if let Some(count) = self.counts.get_mut(text) {
            *count = count.saturating_add(1);
        } else if self.counts.len() < APART {
            self.counts.insert(text.to_owned(), 1);
        } else {
            self.others = self.others.saturating_add(1);
        }
    }

    /// The most frequent first, the rest in one.
    fn shown(self, rest: &str) -> Vec<ReasonCount> {
        let mut shown: Vec<_> = self
            .counts
            .into_iter()
            .map(|(reason, count)| ReasonCount { reason, count })
            .collect();
        shown.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
        let more = shown.split_off(shown.len().min(SHOWN));
        let more = more.iter().map(|reason| reason.count);
        let count = more.fold(self.others, u64::saturating_add);
        if count > 0 {
            let reason = rest.to_owned();
            shown.push(ReasonCount { reason, count });
        }
        shown
    }
}

impl Tally {
    /// Counts a candidate as it was judged at `now`.
    pub fn add(&mut self, candidate: &Candidate, judged: &Judged, now: Time) {
        let key = (candidate.class.name, Arc::clone(&candidate.root));
        let group = self.groups.entry(key).or_insert_with(|| Group {
            class: candidate.class,
            base: PathText::new(&candidate.base),
            count: 0,
            dead: 0,
            live: 0,
            unknown: 0,
            apparent: Apparent::ZERO,
            allocated: Allocated::ZERO,
            inodes: 0,
            dead_allocated: Allocated::ZERO,
            dead_inodes: 0,
            oldest: None,
            last_hour: 0,
            kept: Counts::default(),
            from: Counts::default(),
        });
        group.add(candidate, judged, now);
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// What was counted, the largest gain first. `is_memory` tells of a root's id whether it lives in memory.
    #[must_use]
    pub fn finish(self, is_memory: &dyn Fn(&str) -> bool) -> Vec<ClassView> {
        let mut views: Vec<_> = self
            .groups
            .into_iter()
            .map(|((_, root), group)| group.view(&root, is_memory(&root)))
            .collect();
        views.sort_by(|a, b| {
            let gain = |view: &ClassView| (view.dead_allocated, view.dead, view.allocated);
            gain(b).cmp(&gain(a)).then_with(|| a.id.cmp(&b.id))
        });
        views
    }
}

impl Group {
    fn add(&mut self, candidate: &Candidate, judged: &Judged, now: Time) {
        let more = |count: &mut u64, by: u64| *count = count.saturating_add(by);
        more(&mut self.count, 1);
        more(&mut self.inodes, candidate.inodes);
        self.apparent.add_assign(candidate.apparent);
        self.allocated.add_assign(candidate.allocated);
        let oldest = self.oldest.unwrap_or(candidate.born);
        self.oldest = Some(oldest.min(candidate.born));
        if (0..=HOUR).contains(&now.since(candidate.born)) {
            more(&mut self.last_hour, 1);
        }
        match judged {
            Judged::Dead => {
                more(&mut self.dead, 1);
                more(&mut self.dead_inodes, candidate.inodes);
                // What other names reach too does not become free.
                self.dead_allocated
                    .add_assign(candidate.allocated.saturating_sub(candidate.shared));
            }
            Judged::Live(reason) => {
                more(&mut self.live, 1);
                self.kept.add(reason);
            }
            Judged::Unknown(reason) => {
                more(&mut self.unknown, 1);
                self.kept.add(reason);
            }
        }
        if let Some(from) = words::leftovers::origin(candidate) {
            self.from.add(&from);
        }
    }

    fn view(self, root: &str, memory: bool) -> ClassView {
        let class = self.class;
        ClassView {
            id: group_id(class, root),
            class: class.name.to_owned(),
            tier: class.tier,
            root: self.base,
            memory,
            title: class.title.to_owned(),
            about: class.about.to_owned(),
            proof: class.proof.to_owned(),
            cost: class.cost.to_owned(),
            removable: class.removal != Removal::Never,
            count: self.count,
            dead: self.dead,
            live: self.live,
            unknown: self.unknown,
            apparent: self.apparent,
            allocated: self.allocated,
            inodes: self.inodes,
            dead_allocated: self.dead_allocated,
            dead_inodes: self.dead_inodes,
            oldest: self.oldest,
            rate_per_hour: ratio_part(self.last_hour),
            kept: self.kept.shown("other reasons"),
            from: self.from.shown("others"),
            remedy: class.remedy.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
