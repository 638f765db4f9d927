//! From memory to disk: places for new series, then the waiting minutes, oldest first.

use super::*;

impl History {
    /// The number of a reading's series, with its latest name and limit; none where there are too
    /// many.
    pub(super) fn meet(&mut self, reading: &Reading) -> Option<usize> {
        let meta = SeriesMeta {
            id: reading.id.clone(),
            name: reading.name.clone(),
            unit: reading.unit,
            limit: reading.limit,
        };
        if let Some(series) = self.known.iter().position(|known| known.meta.id == meta.id) {
            let known = &mut self.known[series];
            if known.meta != meta {
                known.meta = meta;
                known.changed = true;
            }
            return Some(series);
        }
        let new = Known {
            meta,
            changed: false,
            placed: None,
            newest: None,
        };
        // More than there are places: those whose place another took are still numbered.
        if self.known.len() < 2 * MOST {
            self.known.push(new);
            return Some(self.known.len() - 1);
        }
        let unused =
            |series: &usize| self.known[*series].placed.is_none() && !self.pending.holds(*series);
        let Some(series) = (0..self.known.len()).find(unused) else {
            tracing::warn!("{} is not recorded: there are too many series", new.meta.id);
            return None;
        };
        self.known[series] = new;
        Some(series)
    }

    pub(super) fn take_latch(&mut self, latch: &Latch) {
        if self.latch != *latch {
            self.latch = latch.clone();
            self.latch_changed = true;
        }
    }

    /// Notices that the clock went back, and for how long it has been so.
    pub(super) fn watch_clock(&mut self, at: Time) {
        let minute = minute(at);
        let before = self.back_since;
        match self.newest {
            // One minute is what a clock that is kept right may go back by.
            Some(newest) if minute < newest - 1 => {
                let since = self.back_since.filter(|since| *since <= minute);
                self.back_since = Some(since.unwrap_or(minute));
            }
            _ => {
                self.back_since = None;
                self.newest = self.newest.max(Some(minute));
            }
        }
        self.back_changed |= before != self.back_since;
        self.clock = (self.back_since.is_some() && self.keeps_newer(at)).then(|| Fault {
            kind: FaultKind::ClockWentBack,
            text: format!(
                "the clock is {} minutes behind the newest point of the history; newer points are kept",
                self.newest.unwrap_or(minute) - minute
            ),
        });
    }

    fn keeps_newer(&self, at: Time) -> bool {
        at < EARLIEST
            || self
                .back_since
                .is_none_or(|since| minute(at) - since < PATIENCE)
    }

    /// Stores what waits. What cannot be stored goes on waiting.
    pub(super) fn flush(&mut self, now: Time) {
        if !self.can_write() {
            return;
        }
        self.place_waiting(now);
        // A file that was found corrupt and begun anew is tried once more, not for ever.
        for _attempt in 0..2 {
            match self.store_waiting(now) {
                Ok(()) => {
                    self.mode = Mode::Writing;
                    self.store_snapshots(now);
                    return;
                }
                Err(failure) => {
                    tracing::warn!("{failure}");
                    let begun_anew = is_corrupt(&failure);
                    self.lost(failure, now);
                    if !begun_anew || !self.can_write() {
                        return;
                    }
                    self.place_waiting(now);
                }
            }
        }
    }

    fn place_waiting(&mut self, now: Time) {
        let waiting: Vec<usize> = (0..self.known.len())
            .filter(|series| self.known[*series].placed.is_none() && self.pending.holds(*series))
            .collect();
        self.place(&waiting, now);
    }

    /// Finds places for series: free ones, then those of a new bank, and when there are as many as
    /// there may be, those of the series that are silent the longest.
    pub(super) fn place(&mut self, wanted: &[usize], now: Time) {
        self.unplaced = None;
        if wanted.is_empty() || !self.can_write() {
            return;
        }
        let Some(mut base) = self.base.take() else {
            return;
        };
        let mut new = Vec::new();
        let mut gone = Vec::new();
        for &series in wanted {
            if self.known[series].placed.is_some() {
                continue;
            }
            let placed = match self.free_place(&mut base, now, wanted) {
                Ok(placed) => placed,
                Err(failure) => {
                    self.unplaced = Some(failure);
                    break;
                }
            };
            let Some((place, born, owner)) = placed else {
                break;
            };
            if let Some(owner) = owner {
                gone.push(self.known[owner].meta.id.clone());
                self.known[owner].placed = None;
            }
            self.known[series].placed = Some((place, born));
            new.push((series, place, born));
        }
        let rows: Vec<Placed> = new
            .iter()
            .map(|(series, place, born)| Placed {
                meta: self.known[*series].meta.clone(),
                place: *place,
                born: *born,
            })
            .collect();
        let adopted = if rows.is_empty() {
            Ok(())
        } else {
            base.adopt(&rows, &gone)
        };
        self.base = Some(base);
        if let Err(failure) = adopted {
            for (series, ..) in new {
                self.known[series].placed = None;
            }
            self.unplaced = Some(failure);
        }
    }

    /// A place, its birth, and the series that loses it.
    fn free_place(
        &self,
        base: &mut Base,
        now: Time,
        wanted: &[usize],
    ) -> Result<Option<(i64, Time, Option<usize>)>, Failure> {
        const EVER: Time = Time(i64::MIN);
        let taken = |place: i64| {
            let mut all = self.known.iter().filter_map(|known| known.placed);
            all.any(|(of, _)| of == place)
        };
        if let Some(place) = (0..base.places()).find(|place| !taken(*place)) {
            return Ok(Some((place, EVER, None)));
        }
        if base.banks < BANKS {
            let place = base.places();
            base.add_bank()?;
            return Ok(Some((place, EVER, None)));
        }
        // The coarsest span that is open now must hold nothing of the former owner.
        let open = minute(Tier::SixHours.start(now));
        let silent = (0..self.known.len())
            .filter(|series| self.known[*series].placed.is_some() && !wanted.contains(series))
            .filter(|series| {
                self.known[*series]
                    .newest
                    .is_none_or(|newest| newest < open)
            })
            .min_by_key(|series| self.known[*series].newest);
        Ok(silent.and_then(|owner| {
            let (place, _) = self.known[owner].placed?;
            Some((place, Tier::SixHours.start(now), Some(owner)))
        }))
    }

    fn store_waiting(&mut self, now: Time) -> Result<(), Failure> {
        let keep_newer = self.keeps_newer(now);
        loop {
            let Some(base) = self.base.as_mut() else {
                return Ok(());
            };
            let known = &self.known;
            let place = |series: usize| known.get(series).and_then(|known| known.placed);
            let mut stored = Vec::new();
            let mut chunk = Chunk {
                keep_newer,
                ..Chunk::default()
            };
            for minute in &self.pending.minutes {
                let before = chunk.points.len();
                chunk
                    .points
                    .extend(minute.points.iter().filter_map(|(series, point)| {
                        let (place, born) = place(*series)?;
                        Some((place, born, *point))
                    }));
                if chunk.points.len() > before {
                    stored.push(minute.number);
                }
                if stored.len() == MINUTES_AT_ONCE {
                    break;
                }
            }
            let last = stored.len() < MINUTES_AT_ONCE;
            let changed = known
                .iter()
                .filter(|known| known.changed && known.placed.is_some());
            chunk.metas = changed.map(|known| &known.meta).collect();
            chunk.events = self.pending.events.iter().collect();
            if self.latch_changed {
                match serde_json::to_string(&self.latch) {
                    Ok(text) => chunk.state.push((LATCH, text)),
                    Err(cause) => {
                        tracing::warn!("the latch of the notices cannot be stored: {cause}")
                    }
                }
            }
            if self.baselines_changed {
                chunk.state.extend(baselines::row(&self.baselines));
            }
            if self.homes_changed {
                match serde_json::to_string(&self.homes) {
                    Ok(text) => chunk.state.push((HOMES, text)),
                    Err(cause) => tracing::warn!("homes cannot be stored: {cause}"),
                }
            }
            if self.back_changed {
                let text = self.back_since.map(|since| since.to_string());
                chunk.state.push((BACK_SINCE, text.unwrap_or_default()));
            }
            if chunk.is_empty() {
                return Ok(());
            }
            base.write(&chunk)?;
            self.forget(&stored);
            if last {
                return Ok(());
            }
        }
    }

    /// Drops what was stored; the points of series without a place stay.
    fn forget(&mut self, minutes: &[i64]) {
        for known in self.known.iter_mut().filter(|known| known.placed.is_some()) {
            known.changed = false;
        }
        self.pending.events.clear();
        self.latch_changed = false;
        self.baselines_changed = false;
        self.homes_changed = false;
        self.back_changed = false;
        let known = &self.known;
        for minute in &mut self.pending.minutes {
            if minutes.contains(&minute.number) {
                minute.points.retain(|(series, _)| {
                    known
                        .get(*series)
                        .is_some_and(|known| known.placed.is_none())
                });
            }
        }
        self.pending
            .minutes
            .retain(|minute| !minute.points.is_empty());
    }
}
