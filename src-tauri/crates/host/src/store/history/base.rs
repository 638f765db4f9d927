//! The database file: opening it safely, and keeping it at its size.
//!
//! How it goes on at zero bytes free: every page of the ring exists from the moment a bank of series
//! is created; small rows (events, the latch) find free pages that were grown and released once; the
//! write-ahead log was grown once by the same stroke, is overwritten from its start after each
//! checkpoint, and is not removed when the file is closed. A checkpoint writes pages where they lie.
//! So once a series has its place, recording asks the volume for nothing.
//!
//! Cost: a commit writes a few pages to the log and syncs nothing (`synchronous = NORMAL`); a
//! checkpoint, about every half hour, syncs. A kill loses nothing; a power cut at most what came after
//! the last checkpoint, and never the file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use sandtray_core::bytes::decimal;

use super::page::{self, Page};
use super::refusal::refused;
use super::schema::{self, Identity};
use crate::error::{Cause, Failure};
use crate::store::private;

const OPEN: &str = "open the history";
const GROW: &str = "make room in the history";

/// Bytes of a page of the database: a block of most filesystems.
const PAGE: u64 = 4_096;
/// Frames of the log after which a checkpoint runs.
const CHECKPOINT: u32 = 96;
/// Frames the log has blocks for from the start: a checkpoint's worth and the largest transaction.
const LOG_FRAMES: u64 = 240;
/// A frame is a page with a header.
const FRAME: u64 = PAGE + 24;
/// Pages made free for events and the latch, which take about twenty; made anew when half are gone.
const SPARE: i64 = 48;
/// Pages written in one transaction while a bank is created; fits the log.
const BATCH: usize = 60;

/// Bytes a new file needs with its log and first bank. With less available none is begun: the last
/// bytes of a volume are not ours to take.
const ROOM_NEW: u64 = 4_500_000;
/// Bytes one more bank needs.
const ROOM_BANK: u64 = 3_000_000;
/// Bytes the spare pages and the log need, when they are gone.
pub(super) const ROOM_SPARE: u64 = 2_500_000;

/// Most banks: 64 series.
pub(super) const BANKS: i64 = 8;

/// An open database with our layout.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) conn: Connection,
    pub(super) path: PathBuf,
    pub(super) banks: i64,
    /// Opened for writing.
    pub(super) writes: bool,
}

impl Base {
    /// Opens or creates the file for writing. The caller holds the lock.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let fresh = peek(path)?;
        let folder = path.parent().unwrap_or(path);
        if fresh {
            room(folder, ROOM_NEW, OPEN)?;
            match private::create_file(path) {
                Err(cause) if cause.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(Failure::io(OPEN, path, cause));
                }
                _ => {}
            }
        }
        let mut conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let blank = identify(&conn, path)?;
        Self::prepare(&mut conn, blank).map_err(refused(OPEN, path))?;
        if !blank {
            sound(&conn, path)?;
        }
        schema::migrate(&mut conn).map_err(refused(OPEN, path))?;
        if !schema::is_known(&conn).map_err(refused(OPEN, path))? {
            return Err(corrupt(path, "its tables are not those of its layout"));
        }
        let mut base = Self {
            conn,
            path: path.to_owned(),
            banks: 0,
            writes: true,
        };
        base.banks = base.count_banks()?;
        Ok(base)
    }

    /// Makes the file ready to be written for long, once all of it was found to be sound: until then
    /// not a byte is changed.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        self.checkpoint()?;
        // Not worth failing for: what is there can be read and most likely written.
        if let Err(failure) = self.keep_spare() {
            tracing::warn!("{failure}");
        }
        Ok(())
    }

    /// Lets go of a file that is damaged, as it is.
    pub(super) fn abandon(mut self) {
        self.writes = false;
    }

    /// Opens the file for reading; changes nothing and needs no lock.
    pub(super) fn open_to_read(path: &Path) -> Result<Self, Failure> {
        let attempt = |flags, name: &Path| -> Result<Self, Failure> {
            let conn = connect(name, flags)?;
            if identify(&conn, path)? {
                return Err(Failure::io(OPEN, path, std::io::ErrorKind::NotFound.into()));
            }
            let mut base = Self {
                conn,
                path: path.to_owned(),
                banks: 0,
                writes: false,
            };
            base.banks = base.count_banks()?;
            Ok(base)
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        match attempt(flags, path) {
            Err(failure) if matches!(failure.cause, Cause::Io(_)) && path.exists() => {
                // In a folder where nothing can be written the log cannot be locked; the file alone is
                // whole all the same, because a clean close brings all of the log into it.
                attempt(flags | OpenFlags::SQLITE_OPEN_URI, &unchanging(path)).map_err(|_| failure)
            }
            other => other,
        }
    }

    fn prepare(conn: &mut Connection, blank: bool) -> rusqlite::Result<()> {
        if blank {
            conn.pragma_update(None, "page_size", PAGE.cast_signed())?;
        }
        // Answers with a row, which `pragma_update` refuses.
        conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        conn.pragma_update(None, "synchronous", "NORMAL")?;
        conn.query_row("PRAGMA journal_size_limit = 988800", [], |_| Ok(()))?;
        conn.query_row(
            &format!("PRAGMA wal_autocheckpoint = {CHECKPOINT}"),
            [],
            |_| Ok(()),
        )
    }

    fn count_banks(&self) -> Result<i64, Failure> {
        let (count, first, last): (i64, i64, i64) = self
            .conn
            .query_row(
                "SELECT count(*), coalesce(min(bank), 0), coalesce(max(bank), -1) FROM banks",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .map_err(refused(OPEN, &self.path))?;
        if first != 0 || last != count - 1 || count > BANKS {
            return Err(corrupt(&self.path, "its banks are not numbered in order"));
        }
        Ok(count)
    }

    /// Takes notice of banks that another process added.
    pub(super) fn count_again(&mut self) -> Result<(), Failure> {
        self.banks = self.count_banks()?;
        Ok(())
    }

    /// Adds a bank of empty pages. Killed in between it leaves pages that belong to no bank and are
    /// replaced by the next attempt.
    pub(super) fn add_bank(&mut self) -> Result<(), Failure> {
        room(self.path.parent().unwrap_or(&self.path), ROOM_BANK, GROW)?;
        let bank = self.banks;
        let keys: Vec<i64> = page::keys(bank).collect();
        let mut work = || -> rusqlite::Result<()> {
            for some in keys.chunks(BATCH) {
                let tx = self
                    .conn
                    .transaction_with_behavior(TransactionBehavior::Immediate)?;
                for key in some {
                    tx.prepare_cached(
                        "INSERT OR REPLACE INTO ring (page, points) VALUES (?1, ?2)",
                    )?
                    .execute((key, Page::empty().seal(*key)))?;
                }
                if some.last() == keys.last() {
                    tx.execute("INSERT INTO banks (bank) VALUES (?1)", [bank])?;
                }
                tx.commit()?;
            }
            Ok(())
        };
        work().map_err(refused(GROW, &self.path))?;
        self.banks += 1;
        // The file's own blocks are taken now, while there is room, not at some later checkpoint.
        self.checkpoint()?;
        self.keep_spare()
    }

    /// Brings the log into the file, so that the next write starts the log anew.
    pub(super) fn checkpoint(&self) -> Result<(), Failure> {
        self.conn
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
            .map_err(refused("checkpoint the history", &self.path))
    }

    /// Sees to it that there are free pages and that the log has its blocks: writes as many rows as
    /// the log shall hold, then releases them.
    pub(super) fn keep_spare(&mut self) -> Result<(), Failure> {
        let free: i64 = self
            .conn
            .query_row("PRAGMA freelist_count", [], |row| row.get(0))
            .map_err(refused(GROW, &self.path))?;
        let log = std::fs::metadata(beside(&self.path, "-wal")).map_or(0, |log| log.len());
        let rows = if log < LOG_FRAMES * FRAME {
            LOG_FRAMES
        } else if free < SPARE / 2 {
            SPARE.unsigned_abs()
        } else {
            return Ok(());
        };
        room(self.path.parent().unwrap_or(&self.path), ROOM_SPARE, GROW)?;
        let mut work = || -> rusqlite::Result<()> {
            let tx = self
                .conn
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            for _ in 0..rows {
                tx.prepare_cached("INSERT INTO reserve (filler) VALUES (zeroblob(4000))")?
                    .execute([])?;
            }
            tx.commit()?;
            // A transaction of its own: pages freed by the one that took them are never written.
            self.conn.execute("DELETE FROM reserve", []).map(drop)
        };
        work().map_err(refused(GROW, &self.path))?;
        self.checkpoint()
    }

    /// Checks every page of the ring; calls `each` with it.
    pub(super) fn scan(&self, mut each: impl FnMut(i64, &Page)) -> Result<(), Failure> {
        let failed = refused("check the history", &self.path);
        let mut statement = self
            .conn
            .prepare("SELECT page, points FROM ring ORDER BY page")
            .map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        let mut expected = (0..self.banks).flat_map(page::keys);
        while let Some(row) = rows.next().map_err(&failed)? {
            let key: i64 = row.get(0).map_err(&failed)?;
            if page::tier_and_bank(key).1 >= self.banks {
                continue;
            }
            let bytes = row.get_ref(1).map_err(&failed)?;
            let page = bytes
                .as_blob()
                .ok()
                .and_then(|bytes| Page::check(key, bytes));
            match page {
                Some(page) if expected.next() == Some(key) => each(key, &page),
                _ => {
                    return Err(corrupt(
                        &self.path,
                        &format!("page {key} of the ring is damaged"),
                    ));
                }
            }
        }
        match expected.next() {
            None => Ok(()),
            Some(key) => Err(corrupt(
                &self.path,
                &format!("page {key} of the ring is missing"),
            )),
        }
    }
}

impl Drop for Base {
    /// Brings the log into the file: whoever copies the file alone has everything.
    fn drop(&mut self) {
        if self.writes {
            drop(self.checkpoint());
        }
    }
}

/// A file of the database: `-wal`, `-shm`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

pub(super) fn corrupt(path: &Path, what: &str) -> Failure {
    Failure::new("read the history", path, Cause::Corrupt(what.to_owned()))
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Failure> {
    let set = || -> rusqlite::Result<Connection> {
        let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // Whoever closes last would else remove the log, and with it the blocks it has.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        conn.busy_timeout(Duration::from_secs(1))?;
        // No temporary files: there may be no room for them.
        conn.pragma_update(None, "temp_store", "MEMORY")?;
        conn.pragma_update(None, "cache_size", -512)?;
        conn.pragma_update(None, "cell_size_check", true)?;
        Ok(conn)
    };
    set().map_err(refused(OPEN, path))
}

/// Looks at the first bytes before the database does, because merely opening a file of somebody
/// else's, or of a newer version, may change it. True where there is no file yet or an empty one.
///
/// Only with the lock held: on Unix, closing a file drops all locks this process has on it.
fn peek(path: &Path) -> Result<bool, Failure> {
    use std::io::Read;

    let mut head = Vec::with_capacity(100);
    match std::fs::File::open(path) {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(cause) => return Err(Failure::io(OPEN, path, cause)),
        Ok(file) => file
            .take(100)
            .read_to_end(&mut head)
            .map_err(|cause| Failure::io(OPEN, path, cause))?,
    };
    if head.is_empty() {
        return Ok(true);
    }
    if head.len() < 100 || !head.starts_with(b"SQLite format 3\0") {
        return Err(corrupt(path, "it does not begin as a database"));
    }
    let number = |at: usize| -> u32 {
        head.get(at..at + 4)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u32::from_be_bytes)
    };
    judge(path, number(68), u64::from(number(60)))?;
    Ok(false)
}

/// Whose file it is, once the log is taken into account. True where it is blank.
fn identify(conn: &Connection, path: &Path) -> Result<bool, Failure> {
    let identity = Identity::of(conn).map_err(refused(OPEN, path))?;
    if identity.is_blank() {
        return Ok(true);
    }
    judge(path, identity.application, identity.layout)?;
    if identity.application == 0 {
        return Err(foreign(path));
    }
    Ok(false)
}

fn judge(path: &Path, application: u32, layout: u64) -> Result<(), Failure> {
    if application != schema::APPLICATION && application != 0 {
        return Err(foreign(path));
    }
    if layout > schema::NEWEST {
        return Err(Failure::new(OPEN, path, Cause::Newer(layout))
            .hint("It is left alone. Update Sandtray to see it and to go on with it."));
    }
    Ok(())
}

fn foreign(path: &Path) -> Failure {
    let text = "a database of another program";
    Failure::new(OPEN, path, Cause::Unsupported(text.to_owned()))
        .hint("It is left alone. Move it away, and a history is begun in its place.")
}

/// SQLite's own check of the structure; milliseconds for our few megabytes.
fn sound(conn: &Connection, path: &Path) -> Result<(), Failure> {
    let verdict: String = conn
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(refused("check the history", path))?;
    if verdict == "ok" {
        Ok(())
    } else {
        Err(corrupt(path, &verdict.replace('\n', " ")))
    }
}

/// Refuses where the volume has less available than is needed.
pub(super) fn room(folder: &Path, needed: u64, operation: &'static str) -> Result<(), Failure> {
    match private::available(folder) {
        Some(available) if available < needed => {
            let text = format!(
                "{} are needed, {} are available",
                decimal(needed),
                decimal(available)
            );
            let cause = std::io::Error::new(std::io::ErrorKind::StorageFull, text);
            Err(Failure::io(operation, folder, cause))
        }
        _ => Ok(()),
    }
}

/// The path as an address that tells SQLite nobody changes the file.
fn unchanging(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}
