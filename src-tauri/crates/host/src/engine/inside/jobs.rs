//! What is being read or copied, and how it is stopped.

use std::sync::Arc;

use sandtray_core::inside::DiskId;

use super::Desk;
use crate::walk::Cancel;

/// Why a disk is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Work {
    /// Somebody looks at it: what was looked at before on the same disk is not wanted any more.
    View,
    /// Files are copied out of it; one such at a time.
    Rescue,
    /// The reading a day; only where nothing else runs.
    Daily,
}

/// Everything that runs.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    running: Vec<Job>,
    next: u64,
}

#[derive(Debug)]
struct Job {
    number: u64,
    work: Work,
    disk: DiskId,
    cancel: Cancel,
}

impl Jobs {
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Asks those to stop for which `which` holds.
    pub(super) fn cancel(&self, which: impl Fn(Work, &DiskId) -> bool) {
        for job in &self.running {
            if which(job.work, &job.disk) {
                job.cancel.cancel();
            }
        }
    }

    fn begin(&mut self, work: Work, disk: &DiskId) -> Option<(u64, Cancel)> {
        match work {
            Work::View => {
                self.cancel(|work, other| work != Work::Rescue && other == disk);
            }
            Work::Rescue if self.running.iter().any(|job| job.work == work) => return None,
            Work::Daily if !self.running.is_empty() => return None,
            Work::Rescue | Work::Daily => {}
        }
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let cancel = Cancel::default();
        self.running.push(Job {
            number,
            work,
            disk: disk.clone(),
            cancel: cancel.clone(),
        });
        Some((number, cancel))
    }
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub(in crate::engine) struct Guard {
    desk: Arc<Desk>,
    number: u64,
    /// Asked when it is to stop.
    pub(super) cancel: Cancel,
}

impl Guard {
    pub(super) fn new(desk: &Arc<Desk>, work: Work, disk: &DiskId) -> Option<Self> {
        let (number, cancel) = desk.jobs().begin(work, disk)?;
        Some(Self {
            desk: Arc::clone(desk),
            number,
            cancel,
        })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let number = self.number;
        self.desk.jobs().running.retain(|job| job.number != number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_view_stops_the_older_one_of_its_disk_and_nothing_else() {
        let desk = Arc::new(Desk::default());
        let (a, b) = (DiskId("a".into()), DiskId("b".into()));
        let begin = |work, disk| desk.begin(work, disk);
        let daily = begin(Work::Daily, &a).unwrap();
        let other = begin(Work::View, &b).unwrap();
        let rescue = begin(Work::Rescue, &a).unwrap();
        assert!(begin(Work::Rescue, &b).is_none(), "one at a time");
        let first = begin(Work::View, &a).unwrap();
        let second = begin(Work::View, &a).unwrap();
        assert!(daily.cancel.is_cancelled() && first.cancel.is_cancelled());
        assert!(!second.cancel.is_cancelled() && !other.cancel.is_cancelled());
        assert!(!rescue.cancel.is_cancelled());
        assert!(begin(Work::Daily, &b).is_none());
        drop((daily, other, rescue, first, second));
        assert!(!desk.is_busy() && begin(Work::Rescue, &b).is_some());
    }
}
