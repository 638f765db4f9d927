//! The tables, and the ladder that leads from every older layout to the newest.
//!
//! The ladder is append-only: a step that was ever released never changes. Each step is one
//! transaction together with its number, so that a kill leaves the layout before or after it. A
//! file with a higher number than the ladder has is from a newer Sandtray and left alone.

use rusqlite::{Connection, Result, Transaction, TransactionBehavior};

/// Marks the file as ours: "Sand".
pub(super) const APPLICATION: u32 = 0x5361_6e64;

/// One step of the ladder.
type Step = fn(&Transaction<'_>) -> Result<()>;

const LADDER: [Step; 2] = [first, second];

/// The number of the newest layout.
pub(super) const NEWEST: u64 = 2;

/// The first layout with readings of guest disks' insides.
pub(super) const WITH_SNAPSHOTS: u64 = 2;

/// All tables, sorted; anything else in the file is not our layout.
const TABLES: [&str; 7] = [
    "banks",
    "events",
    "reserve",
    "ring",
    "series",
    "snapshots",
    "state",
];

fn first(tx: &Transaction<'_>) -> Result<()> {
    tx.execute_batch(
        "CREATE TABLE series (
             id TEXT NOT NULL PRIMARY KEY,
             place INTEGER NOT NULL UNIQUE,
             born INTEGER NOT NULL,
             name TEXT NOT NULL,
             unit TEXT NOT NULL,
             cap INTEGER
         ) STRICT;
         CREATE TABLE banks (bank INTEGER PRIMARY KEY) STRICT;
         CREATE TABLE ring (page INTEGER PRIMARY KEY, points BLOB NOT NULL) STRICT;
         CREATE TABLE events (
             slot INTEGER PRIMARY KEY,
             number INTEGER NOT NULL,
             at INTEGER NOT NULL,
             id TEXT NOT NULL,
             kind TEXT NOT NULL
         ) STRICT;
         CREATE TABLE state (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
         CREATE TABLE reserve (filler BLOB NOT NULL) STRICT;",
    )
}

/// Readings of what is inside guest disks, one a day.
fn second(tx: &Transaction<'_>) -> Result<()> {
    tx.execute_batch(
        "CREATE TABLE snapshots (
             disk TEXT NOT NULL,
             at INTEGER NOT NULL,
             children BLOB NOT NULL,
             PRIMARY KEY (disk, at)
         ) STRICT;",
    )
}

/// What the file says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// Whose it is.
    pub(super) application: u32,
    /// The number of its layout.
    pub(super) layout: u64,
    /// Number of tables.
    pub(super) tables: u64,
}

impl Identity {
    pub(super) fn of(conn: &Connection) -> Result<Self> {
        let number = |sql| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok(Self {
            application: u32::try_from(number("PRAGMA application_id")?).unwrap_or(0),
            layout: u64::try_from(number("PRAGMA user_version")?).unwrap_or(0),
            tables: u64::try_from(number("SELECT count(*) FROM sqlite_schema")?).unwrap_or(0),
        })
    }

    /// Nothing was ever stored in it: a kill came between the creation and the first step.
    pub(super) fn is_blank(self) -> bool {
        self.application == 0 && self.layout == 0 && self.tables == 0
    }
}

/// Climbs from the layout the file has to the newest.
pub(super) fn migrate(conn: &mut Connection) -> Result<()> {
    climb(conn, &LADDER)
}

fn climb(conn: &mut Connection, ladder: &[Step]) -> Result<()> {
    let from = Identity::of(conn)?.layout;
    for (number, step) in (1_u32..)
        .zip(ladder)
        .filter(|(number, _)| u64::from(*number) > from)
    {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        step(&tx)?;
        tx.pragma_update(None, "application_id", APPLICATION)?;
        tx.pragma_update(None, "user_version", number)?;
        tx.commit()?;
    }
    Ok(())
}

/// Whether the tables are the ones of the newest layout.
pub(super) fn is_known(conn: &Connection) -> Result<bool> {
    let mut statement =
        conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    let names: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_>>()?;
    Ok(names == TABLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(conn: &Connection) -> i64 {
        conn.query_row(
            "SELECT count(*) FROM pragma_table_info('series') WHERE name = 'extra'",
            [],
            |row| row.get(0),
        )
        .unwrap()
    }

    #[test]
    fn the_ladder_climbs_from_each_rung_and_a_failing_step_leaves_the_one_before() {
        let third: Step = |tx| tx.execute_batch("ALTER TABLE series ADD COLUMN extra INTEGER");
        let failing: Step = |tx| {
            tx.execute_batch("DROP TABLE events")?;
            tx.execute_batch("DROP TABLE nothing_of_this_name")
        };

        let mut conn = Connection::open_in_memory().unwrap();
        assert!(Identity::of(&conn).unwrap().is_blank());
        migrate(&mut conn).unwrap();
        assert!(is_known(&conn).unwrap());
        assert_eq!(Identity::of(&conn).unwrap().layout, NEWEST);
        assert_eq!(value(&conn), 0);

        assert!(climb(&mut conn, &[first, second, third, failing]).is_err());
        let identity = Identity::of(&conn).unwrap();
        assert_eq!((identity.application, identity.layout), (APPLICATION, 3));
        assert_eq!(value(&conn), 1);
        assert!(is_known(&conn).unwrap(), "the failed step dropped nothing");

        climb(&mut conn, &[first, second, third]).unwrap();
        assert_eq!(Identity::of(&conn).unwrap().layout, 3);
    }
}
