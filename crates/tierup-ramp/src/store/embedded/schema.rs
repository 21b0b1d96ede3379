//! The tables, and SQLite's settings.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::{Error, Result};

/// The version of the tables, in SQLite's `user_version`. A judge refuses all others, except 0: a new file.
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE ramp (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        began INTEGER NOT NULL,
        elapsed INTEGER NOT NULL,
        phase TEXT NOT NULL,
        candidate INTEGER NOT NULL CHECK (candidate BETWEEN 0 AND 10000),
        twin INTEGER NOT NULL CHECK (twin BETWEEN 0 AND 10000 - candidate),
        generation INTEGER NOT NULL,
        judge TEXT NOT NULL
    ) STRICT;
    CREATE TABLE source (
        name TEXT PRIMARY KEY,
        offset INTEGER NOT NULL,
        line INTEGER NOT NULL,
        broken INTEGER NOT NULL,
        lost INTEGER NOT NULL,
        skipping INTEGER NOT NULL,
        proxy TEXT NOT NULL
    ) STRICT;
    CREATE TABLE decision (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    CREATE TABLE cost (
        ramp TEXT NOT NULL,
        hour INTEGER NOT NULL,
        side TEXT NOT NULL,
        answered INTEGER NOT NULL,
        processor REAL NOT NULL,
        PRIMARY KEY (ramp, hour, side)
    ) STRICT;
";

/// Opens the file and creates missing tables.
///
/// # Errors
/// If it is not a database, is damaged, or belongs to another version of tierup.
pub(super) fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path, flags)?;
    // No other process opens the file. Exclusive locking saves the third file, for shared memory.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A weight must be on the disk before it takes effect, so each transaction must be.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // A file from elsewhere must not be able to run code: https://www.sqlite.org/security.html
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Error::Damaged(found));
    }
    match connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))? {
        VERSION => Ok(connection),
        0 => {
            let transaction = connection.transaction()?;
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.commit()?;
            Ok(connection)
        }
        other => Err(Error::Damaged(format!("its form is number {other}, and this tierup knows {VERSION}"))),
    }
}
