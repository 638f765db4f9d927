//! Daily readings of what is inside guest disks, and what is known of session homes.
//!
//! How they stay small: a month of readings for each disk, a few disks, and no reading of more than 2 MB
//! (of 1,634 homes it is 33 kB). Unlike points they have no place of their own in the file, so they must
//! not take what events and the latch need on a full volume: without room to spare a reading waits in
//! memory.

use rusqlite::{OptionalExtension, TransactionBehavior, params};
use sandtray_core::inside::DiskId;
use sandtray_core::inside::growth::Snapshot;

use super::base::{ROOM_SPARE, room};
use super::refusal::refused;
use super::schema::{Identity, WITH_SNAPSHOTS};
use super::tables::{READ, RECORD};
use super::*;

/// Readings kept of one disk.
const MOST_OF_ONE: i64 = 35;
/// Disks with readings; those read longest ago give way.
const MOST_DISKS: i64 = 16;

impl History {
    /// When the readings of a disk that are kept were made, in order.
    pub fn snapshots(&mut self, disk: &DiskId) -> Vec<Time> {
        self.look();
        let stored = self.base.as_ref().map(|base| base.snapshots(disk));
        let mut times = stored
            .unwrap_or(Ok(Vec::new()))
            .unwrap_or_else(|failure| self.unread(failure));
        let waiting = self.pending.snapshots.iter();
        times.extend(
            waiting
                .filter(|(of, _)| of == disk)
                .map(|(_, snapshot)| snapshot.at),
        );
        times.sort_unstable();
        times.dedup();
        times
    }

    /// A reading that is kept; none where there is none of this moment, or none that can be read.
    pub fn snapshot(&mut self, disk: &DiskId, at: Time) -> Option<Snapshot> {
        let mut waiting = self.pending.snapshots.iter();
        if let Some((_, snapshot)) = waiting.find(|(of, kept)| of == disk && kept.at == at) {
            return Some(snapshot.clone());
        }
        let stored = self.base.as_ref()?.snapshot(disk, at);
        stored.unwrap_or_else(|failure| self.unread(failure).pop())
    }

    /// Keeps a reading.
    pub fn keep_snapshot(&mut self, disk: &DiskId, snapshot: Snapshot, now: Time) {
        self.ready(now);
        if self.records() {
            self.pending.keep(disk.clone(), snapshot);
            self.flush(now);
        }
    }

    /// The session homes of each sessions disk as last read, those of disks that are gone too.
    #[must_use]
    pub fn homes(&self) -> &[HomesSummary] {
        &self.homes
    }

    /// Keeps what is known of the homes of a disk.
    pub fn keep_homes(&mut self, homes: HomesSummary, now: Time) {
        self.take_homes(homes);
        if self.records() {
            self.homes_changed = true;
            self.flush(now);
        }
    }

    fn take_homes(&mut self, homes: HomesSummary) {
        self.homes.retain(|known| known.disk != homes.disk);
        self.homes.push(homes);
        self.homes.sort_by_key(|known| known.read_at);
        let most = usize::try_from(MOST_DISKS).unwrap_or(usize::MAX);
        let above = self.homes.len().saturating_sub(most);
        self.homes.drain(..above);
    }

    /// Takes over what the file knows of homes, where that is newer.
    pub(super) fn load_homes(&mut self, base: &Base) -> Result<(), Failure> {
        let Some(text) = base.state(HOMES)? else {
            return Ok(());
        };
        match serde_json::from_str::<Vec<HomesSummary>>(&text) {
            Ok(stored) => {
                for homes in stored {
                    let mine = self.homes.iter().find(|known| known.disk == homes.disk);
                    if mine.is_none_or(|known| known.read_at < homes.read_at) {
                        self.take_homes(homes);
                    }
                }
            }
            Err(cause) => tracing::warn!("what is known of homes cannot be read: {cause}"),
        }
        Ok(())
    }

    /// Stores the readings that wait. What cannot be stored goes on waiting; points are not held up.
    pub(super) fn store_snapshots(&mut self, now: Time) {
        while let (Some(base), Some((disk, snapshot))) =
            (self.base.as_mut(), self.pending.snapshots.front())
        {
            match base.keep_snapshot(disk, snapshot, now) {
                Ok(()) => {
                    self.pending.snapshots.pop_front();
                }
                Err(failure) => {
                    tracing::warn!("{failure}");
                    if is_corrupt(&failure) {
                        self.lost(failure, now);
                    }
                    return;
                }
            }
        }
    }
}

impl Base {
    /// A file that an older Sandtray writes and this one only reads has none.
    fn has_snapshots(&self) -> Result<bool, Failure> {
        let identity = Identity::of(&self.conn).map_err(refused(READ, &self.path))?;
        Ok(identity.layout >= WITH_SNAPSHOTS)
    }

    fn snapshots(&self, disk: &DiskId) -> Result<Vec<Time>, Failure> {
        if !self.has_snapshots()? {
            return Ok(Vec::new());
        }
        let read = || -> rusqlite::Result<Vec<Time>> {
            self.conn
                .prepare_cached("SELECT at FROM snapshots WHERE disk = ?1 ORDER BY at")?
                .query_map([&disk.0], |row| row.get(0).map(Time))?
                .collect()
        };
        read().map_err(refused(READ, &self.path))
    }

    fn snapshot(&self, disk: &DiskId, at: Time) -> Result<Option<Snapshot>, Failure> {
        if !self.has_snapshots()? {
            return Ok(None);
        }
        let bytes: Option<Vec<u8>> = self
            .conn
            .query_row(
                "SELECT children FROM snapshots WHERE disk = ?1 AND at = ?2",
                params![disk.0, at.0],
                |row| row.get(0),
            )
            .optional()
            .map_err(refused(READ, &self.path))?;
        let snapshot = bytes.as_deref().and_then(unsealed);
        if bytes.is_some() && snapshot.is_none() {
            // A day of growth is not worth a history.
            tracing::warn!("the reading of {disk} of {} is damaged", at.utc());
        }
        Ok(snapshot)
    }

    fn keep_snapshot(
        &mut self,
        disk: &DiskId,
        snapshot: &Snapshot,
        now: Time,
    ) -> Result<(), Failure> {
        let bytes = sealed(snapshot);
        let own = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        // Once in the log, once in the file, and the spare pages that may go with it.
        let needed = own.saturating_mul(2).saturating_add(ROOM_SPARE);
        room(self.path.parent().unwrap_or(&self.path), needed, RECORD)?;
        let mut work = || -> rusqlite::Result<()> {
            let tx = self
                .conn
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            tx.execute(
                "INSERT OR REPLACE INTO snapshots (disk, at, children) VALUES (?1, ?2, ?3)",
                params![disk.0, snapshot.at.0, bytes],
            )?;
            // Those from the future, of a clock that was wrong, go first.
            tx.execute(
                "DELETE FROM snapshots WHERE disk = ?1 AND at NOT IN (
                     SELECT at FROM snapshots WHERE disk = ?1 ORDER BY at > ?2, at DESC LIMIT ?3)",
                params![disk.0, now.0, MOST_OF_ONE],
            )?;
            tx.execute(
                "DELETE FROM snapshots WHERE disk NOT IN (
                     SELECT disk FROM snapshots GROUP BY disk ORDER BY max(at) DESC LIMIT ?1)",
                [MOST_DISKS],
            )?;
            tx.commit()
        };
        work().map_err(refused(RECORD, &self.path))?;
        // The reading is stored, whatever comes of this.
        if let Err(failure) = self.keep_spare() {
            tracing::warn!("{failure}");
        }
        Ok(())
    }
}

/// A reading with its checksum: bits that flipped would look like growth.
fn sealed(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = snapshot.encode();
    let sum = crc32c::crc32c(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

fn unsealed(bytes: &[u8]) -> Option<Snapshot> {
    let (bytes, sum) = bytes.split_last_chunk()?;
    (crc32c::crc32c(bytes) == u32::from_le_bytes(*sum))
        .then(|| Snapshot::decode(bytes))
        .flatten()
}
