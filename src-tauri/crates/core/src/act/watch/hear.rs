//! What the app's log lines change of what is remembered.

use super::line::{Download, Fault, Said};
use super::{Fold, Met};
use crate::time::Time;

/// Downloads told apart; the app has three or four.
const MOST_DOWNLOADS: usize = 16;

impl Fold {
    pub(super) fn hear(&mut self, said: &Said, now: Time) {
        match said {
            Said::Downloading(download) => {
                self.download(*download);
                self.downloaded_at = Some(now);
                self.files_ready = false;
                self.overcome();
            }
            Said::FilesReady => {
                self.files_ready = true;
                self.downloaded_at = None;
                self.overcome();
            }
            Said::Preparing => {
                self.begin_anew();
                self.overcome();
            }
            Said::Prepared => self.prepared_at = Some(now),
            Said::Booting => {
                self.booting_at = Some(now);
                self.started_at = None;
                self.overcome();
            }
            Said::Started => {
                self.started_at = Some(now);
                self.booting_at = None;
                self.overcome();
            }
            Said::Mounted => self.mounted = true,
            Said::Mismatch { want } => {
                self.wanted.release.clone_from(want);
                self.mismatch = true;
            }
            Said::Deleting => {
                self.deletions = self.deletions.saturating_add(1);
                self.begin_anew();
                self.deleting = true;
            }
            Said::Deleted => {
                if !self.deleting {
                    self.deletions = self.deletions.saturating_add(1);
                    self.begin_anew();
                }
                self.deleting = false;
            }
            Said::Unsupported => self.gate = true,
            Said::Fault { fault, first } => self.meet(*fault, *first, false, now),
            Said::GaveUp(fault) => self.meet(fault.unwrap_or(Fault::Unknown), false, true, now),
        }
    }

    fn download(&mut self, download: Download) {
        let room = self.downloads.len() < MOST_DOWNLOADS;
        if let Some(part) = download.part
            && (room || self.downloads.contains_key(&download.number))
        {
            self.downloads.insert(download.number, part);
        }
        let (got, total) = self
            .downloads
            .values()
            .fold((0_u64, 0_u64), |sum, (got, total)| {
                (sum.0.saturating_add(*got), sum.1.saturating_add(*total))
            });
        self.percent = match got.saturating_mul(100).checked_div(total) {
            Some(percent) if download.part.is_some() => u8::try_from(percent).ok(),
            _ => Some(download.percent),
        };
    }

    /// Nothing that was said of this attempt counts for the next.
    pub(super) fn begin_anew(&mut self) {
        self.downloads.clear();
        self.percent = None;
        self.downloaded_at = None;
        self.unpacked_at = None;
        self.files_ready = false;
        self.prepared_at = None;
        self.booting_at = None;
        self.started_at = None;
        self.mounted = false;
        self.whole_at = None;
    }

    /// It goes on, so what was met was not the end.
    pub(super) fn overcome(&mut self) {
        self.met = None;
    }

    fn meet(&mut self, fault: Fault, first: bool, final_: bool, now: Time) {
        // It is said right after everything has come in (#65817).
        if fault == Fault::Download && self.files_ready {
            return;
        }
        // What came in before it does not come in again: the next attempt counts for itself.
        self.downloads.clear();
        if first {
            let times = self.repeats.entry(fault).or_default();
            *times = times.saturating_add(1);
        }
        // The same failure is told by several lines, the first of which knows the most.
        match &mut self.met {
            Some(met) => {
                met.final_ |= final_;
                if met.fault == Fault::Unknown {
                    met.fault = fault;
                }
            }
            None => {
                self.met = Some(Met {
                    fault,
                    at: now,
                    final_,
                });
            }
        }
    }
}
