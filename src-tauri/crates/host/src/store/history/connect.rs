//! Getting at the file, and losing it: the modes and the ways between them.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

impl History {
    /// Makes sure that the file is the one at the path, or tries again to get at it.
    pub(super) fn ready(&mut self, now: Time) {
        match self.mode {
            Mode::Writing if !self.path.exists() => {
                // Removed under us: what we would write could never be found again.
                self.base = None;
                self.lock = None;
                self.latch_changed = true;
                self.baselines_changed = true;
                self.homes_changed = !self.homes.is_empty();
                self.connect(now);
            }
            Mode::Following => self.connect(now),
            Mode::Refused(_) if !self.can_write() => self.connect(now),
            _ => {}
        }
    }

    pub(super) fn can_write(&self) -> bool {
        self.base.as_ref().is_some_and(|base| base.writes)
    }

    /// Tries to become the writer; else reads.
    pub(super) fn connect(&mut self, now: Time) {
        let result = self.become_writer(now);
        self.settle(result);
    }

    fn settle(&mut self, result: Result<Mode, Failure>) {
        self.mode = match result {
            Ok(mode) => mode,
            Err(failure) if matches!(failure.cause, Cause::Newer(_) | Cause::Unsupported(_)) => {
                self.base = None;
                self.lock = None;
                Mode::Closed(failure)
            }
            Err(failure) => Mode::Refused(failure),
        };
        if matches!(self.mode, Mode::Following) {
            // The owner records the same; and series are numbered as it has them from here on.
            self.pending = Pending::default();
            self.latch_changed = false;
            self.baselines_changed = false;
            self.homes_changed = false;
        }
        if !self.can_write() {
            self.look();
        }
    }

    fn become_writer(&mut self, now: Time) -> Result<Mode, Failure> {
        let folder = self.path.parent().unwrap_or(&self.path);
        private::create_dir(folder)
            .map_err(|cause| Failure::io("create the data folder", folder, cause))?;
        if self.lock.is_none() {
            self.lock = Lock::take(&folder.join(LOCK))?;
        }
        if self.lock.is_none() {
            return Ok(Mode::Following);
        }
        match self.load() {
            Err(failure) if is_corrupt(&failure) => {
                self.put_aside(&failure, now)?;
                self.load()?;
            }
            other => other?,
        }
        Ok(Mode::Writing)
    }

    /// Opens the file for writing and takes over all it knows.
    fn load(&mut self) -> Result<(), Failure> {
        // One for reading may be open: closing a file drops the locks of all who have it open here.
        self.base = None;
        let mut base = Base::open(&self.path)?;
        let taken = self.take_over(&base).and_then(|()| base.settle());
        if let Err(failure) = taken {
            base.abandon();
            return Err(failure);
        }
        self.base = Some(base);
        Ok(())
    }

    fn take_over(&mut self, base: &Base) -> Result<(), Failure> {
        let series = base.series()?;
        let births: BTreeMap<i64, Time> = series
            .iter()
            .map(|placed| (placed.place, placed.born))
            .collect();
        let mut newest: BTreeMap<i64, Option<i64>> = BTreeMap::new();
        base.scan(|key, page| {
            let (tier, bank) = page::tier_and_bank(key);
            if tier != Tier::Minute {
                return;
            }
            for place in page::places(bank) {
                let Some(born) = births.get(&place) else {
                    continue;
                };
                let first = tables::first_span(*born, tier);
                let spans = page.column(place).map(|(span, _)| span);
                let latest = spans.filter(|span| *span >= first).max().map(i64::from);
                let entry = newest.entry(place).or_default();
                *entry = latest.max(*entry);
            }
        })?;
        let back = base.state(BACK_SINCE)?;
        self.load_latch(base)?;
        self.load_baselines(base)?;
        self.load_homes(base)?;
        self.take_series(series, |place| newest.get(&place).copied().flatten());
        self.newest = self.known.iter().filter_map(|known| known.newest).max();
        self.back_since = back.and_then(|text| text.parse().ok());
        Ok(())
    }

    fn load_latch(&mut self, base: &Base) -> Result<(), Failure> {
        let stored = base.state(LATCH)?;
        if self.latch_changed {
            return Ok(());
        }
        self.latch = stored.map_or_else(Latch::default, |text| {
            serde_json::from_str(&text).unwrap_or_else(|cause| {
                tracing::warn!("the latch of the notices cannot be read and begins anew: {cause}");
                Latch::default()
            })
        });
        Ok(())
    }

    fn take_series(&mut self, series: Vec<Placed>, newest: impl Fn(i64) -> Option<i64>) {
        for known in &mut self.known {
            known.placed = None;
        }
        for Placed { meta, place, born } in series {
            let known = match self.known.iter().position(|known| known.meta.id == meta.id) {
                Some(series) => {
                    let known = &mut self.known[series];
                    known.changed = known.meta != meta;
                    known
                }
                None => {
                    self.known.push(Known {
                        meta,
                        changed: false,
                        placed: None,
                        newest: None,
                    });
                    let last = self.known.len() - 1;
                    &mut self.known[last]
                }
            };
            known.placed = Some((place, born));
            known.newest = known.newest.max(newest(place));
        }
    }

    /// Looks anew at what another process may have changed; nothing to do for the writer.
    pub(super) fn look(&mut self) {
        if self.can_write() || matches!(self.mode, Mode::Closed(_)) {
            return;
        }
        if self.base.is_none() {
            if !self.path.exists() {
                return;
            }
            match Base::open_to_read(&self.path) {
                Ok(base) => {
                    self.base = Some(base);
                    if matches!(self.mode, Mode::Reading(_)) {
                        self.mode = Mode::Reading(None);
                    }
                }
                Err(failure) => {
                    if matches!(self.mode, Mode::Reading(_)) {
                        self.mode = Mode::Reading(Some(failure));
                    }
                    return;
                }
            }
        }
        self.reload();
    }

    /// Takes over series and latch from a file that another process writes.
    fn reload(&mut self) {
        let Some(mut base) = self.base.take() else {
            return;
        };
        let result = base
            .count_again()
            .and_then(|()| base.series())
            .and_then(|series| self.load_latch(&base).map(|()| series))
            .and_then(|series| self.load_baselines(&base).map(|()| series))
            .and_then(|series| self.load_homes(&base).map(|()| series));
        match result {
            Ok(series) => {
                let waiting = !matches!(self.mode, Mode::Refused(_));
                if waiting {
                    let ids: BTreeSet<_> =
                        series.iter().map(|placed| placed.meta.id.clone()).collect();
                    self.known.retain(|known| ids.contains(&known.meta.id));
                }
                for placed in &series {
                    let mine = self
                        .known
                        .iter_mut()
                        .find(|known| known.meta.id == placed.meta.id);
                    if let Some(known) = mine.filter(|_| waiting) {
                        known.meta = placed.meta.clone();
                    }
                }
                self.take_series(series, |_| None);
                self.base = Some(base);
            }
            Err(failure) => {
                tracing::warn!("{failure}");
                if matches!(self.mode, Mode::Reading(_)) {
                    self.mode = Mode::Reading(Some(failure));
                }
            }
        }
    }

    /// A read failed: a corrupt file of ours is set aside, of another's only told.
    pub(super) fn unread<T>(&mut self, failure: Failure) -> Vec<T> {
        tracing::warn!("{failure}");
        if self.can_write() {
            let now = Time(self.newest.unwrap_or_default().saturating_mul(MINUTE));
            self.lost(failure, now);
        } else {
            self.base = None;
            if matches!(self.mode, Mode::Reading(_)) {
                self.mode = Mode::Reading(Some(failure));
            }
        }
        Vec::new()
    }

    /// Writing or reading our own file failed.
    pub(super) fn lost(&mut self, failure: Failure, now: Time) {
        if is_corrupt(&failure) {
            if let Some(base) = self.base.take() {
                base.abandon();
            }
            let result = self
                .put_aside(&failure, now)
                .and_then(|()| self.load())
                .map(|()| Mode::Writing);
            self.settle(result);
            return;
        }
        let full = matches!(&failure.cause, Cause::Io(cause) if cause.kind() == std::io::ErrorKind::StorageFull);
        if !full {
            // The connection may be of no more use; the next round opens the file anew.
            self.base = None;
        }
        self.settle(Err(failure));
    }

    fn put_aside(&mut self, failure: &Failure, now: Time) -> Result<(), Failure> {
        let target = aside::set_aside(&self.path, now)?;
        self.set_aside.push(Fault {
            kind: FaultKind::HistorySetAside,
            text: format!(
                "{}; it was set aside as {} and a new one begun",
                fault(FaultKind::HistorySetAside, failure).text,
                target.display()
            ),
        });
        for known in &mut self.known {
            known.placed = None;
        }
        // The new file has to get what the old one had.
        self.latch_changed = true;
        self.baselines_changed = true;
        self.homes_changed = !self.homes.is_empty();
        self.back_changed = self.back_since.is_some();
        Ok(())
    }
}
