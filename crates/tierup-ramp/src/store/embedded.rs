//! The store that needs nothing: a database in the state folder has the ramp's state, how far each evidence file was
//! read, and every decision. One transaction holds the evidence read and its effect. A damaged database is set aside,
//! and the ramp begins again with all requests at control.

mod schema;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use rusqlite::{Connection, OptionalExtension as _, params};
use tierup_rollout::{
    Part, Weights,
    files::{Keeping, Position},
};

use super::{Change, Store, json, recalled, wrong};
use crate::{
    Decided, Error, Result, State,
    evidence_files::{self, News},
    known::{Mind, Saved},
    stored::{Cost, Costs, Source},
};

/// The database, opened by this process alone, and the folder with evidence.
#[derive(Debug)]
pub(crate) struct Embedded {
    database: Connection,
    state: State,
}

/// An open database; and, if a damaged one was set aside, its new name and what was wrong with it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) store: Embedded,
    pub(crate) set_aside: Option<(PathBuf, String)>,
}

impl Embedded {
    /// Opens the database, or creates it. The caller holds the folder's lock.
    ///
    /// # Errors
    /// If no database can be there, or the damaged one cannot be set aside.
    pub(crate) fn open(state: &State, since_1970: u64) -> Result<Opened> {
        match Embedded::open_sound(state) {
            Ok(store) => Ok(Opened { store, set_aside: None }),
            Err(error) if is_damage(&error) => {
                let aside = set_aside(&state.database(), since_1970)?;
                Ok(Opened { store: Embedded::open_sound(state)?, set_aside: Some((aside, error.to_string())) })
            }
            Err(error) => Err(error),
        }
    }

    fn open_sound(state: &State) -> Result<Embedded> {
        let path = &state.database();
        // SQLite creates its other files with the mode of the database.
        let file = fs::File::options().create(true).truncate(false).read(true).write(true).mode(0o600).open(path);
        file.map_err(Error::file("open", path))?;
        let mut store = Embedded { database: schema::open(path)?, state: state.clone() };
        // A file that SQLite accepts may still not be a database of tierup.
        store.ramp()?;
        store.sources()?;
        store.decisions_after(0)?;
        Ok(store)
    }
}

impl Store for Embedded {
    fn ramp(&self) -> Result<Option<(Saved, Option<Mind>)>> {
        let sql = "SELECT name, key, began, elapsed, phase, candidate, twin, generation, judge \
                   FROM ramp ORDER BY number DESC LIMIT 1";
        let row = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                (row.get::<_, i64>(2)?, row.get::<_, i64>(3)?),
                row.get::<_, String>(4)?,
                (row.get::<_, u16>(5)?, row.get::<_, u16>(6)?),
                row.get::<_, i64>(7)?,
                row.get::<_, String>(8)?,
            ))
        };
        let found = self.database.query_row(sql, [], row).optional()?;
        let Some((name, key, (began, elapsed), phase, (candidate, twin), generation, judge)) = found else {
            return Ok(None);
        };
        let part = |parts| Part::of_ten_thousand(parts).map_err(|_| wrong("weight"));
        let weights = Weights { candidate: part(candidate)?, twin: part(twin)? };
        let saved = Saved {
            name,
            key: key.parse().map_err(|_| wrong("key"))?,
            began: began.cast_unsigned(),
            elapsed: elapsed.cast_unsigned(),
            phase: serde_json::from_value(phase.into()).map_err(|_| wrong("phase"))?,
            weights,
            generation: generation.cast_unsigned(),
        };
        recalled(saved, &judge).map(Some)
    }

    fn sources(&mut self) -> Result<BTreeMap<String, Source>> {
        let mut query =
            self.database.prepare("SELECT name, offset, line, broken, lost, skipping, proxy FROM source")?;
        let rows = query.query_map([], |row| {
            let number = |index| row.get::<_, i64>(index).map(i64::cast_unsigned);
            let position = Position {
                offset: number(1)?,
                number: number(2)?,
                broken: number(3)?,
                lost: number(4)?,
                skipping: row.get(5)?,
            };
            Ok((row.get::<_, String>(0)?, position, row.get::<_, String>(6)?))
        })?;
        let mut sources = BTreeMap::new();
        for row in rows {
            let (name, position, proxy) = row?;
            let source: Source = serde_json::from_str(&proxy)
                .map_err(|error| Error::Damaged(format!("the proxy of `{name}`: {error}")))?;
            sources.insert(name, Source { position, ..source });
        }
        Ok(sources)
    }

    fn decisions_after(&self, number: u64) -> Result<Vec<Decided>> {
        let sql = "SELECT text FROM decision WHERE number > ?1 ORDER BY number";
        let mut query = self.database.prepare(sql)?;
        let rows = query.query_map([number.cast_signed()], |row| row.get::<_, String>(0))?;
        let read = |text: rusqlite::Result<String>| {
            serde_json::from_str(&text?).map_err(|error| Error::Damaged(format!("a decision: {error}")))
        };
        rows.map(read).collect()
    }

    fn next_number(&self) -> Result<u64> {
        let sql = "SELECT coalesce(max(number), 0) + 1 FROM decision";
        Ok(self.database.query_row(sql, [], |row| row.get::<_, i64>(0))?.cast_unsigned())
    }

    fn costs(&self, ramp: &str) -> Result<Costs> {
        let sql = "SELECT hour, side, answered, processor FROM cost WHERE ramp = ?1";
        let mut query = self.database.prepare(sql)?;
        let rows = query.query_map([ramp], |row| {
            let cost = Cost { answered: row.get::<_, i64>(2)?.cast_unsigned(), processor: row.get(3)? };
            Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, String>(1)?, cost))
        })?;
        let mut costs = Costs::new();
        for row in rows {
            let (hour, side, cost) = row?;
            let side =
                serde_json::from_value(side.into()).map_err(|error| Error::Damaged(format!("a side: {error}")))?;
            costs.insert((hour, side), cost);
        }
        Ok(costs)
    }

    fn write(&mut self, change: &Change<'_>) -> Result<()> {
        let transaction = self.database.transaction()?;
        let ramp = change.saved;
        transaction.execute(
            "INSERT INTO ramp (name, key, began, elapsed, phase, candidate, twin, generation, judge) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
             ON CONFLICT (name) DO UPDATE SET elapsed = excluded.elapsed, phase = excluded.phase, \
             candidate = excluded.candidate, twin = excluded.twin, generation = excluded.generation, \
             judge = excluded.judge",
            params![
                ramp.name,
                ramp.key.to_string(),
                ramp.began.cast_signed(),
                ramp.elapsed.cast_signed(),
                ramp.phase.to_string(),
                ramp.weights.candidate.ten_thousandths(),
                ramp.weights.twin.ten_thousandths(),
                ramp.generation.cast_signed(),
                json(change.mind)?,
            ],
        )?;
        for (name, source) in &change.sources {
            let Position { offset, number, broken, lost, skipping } = source.position;
            let [offset, number, broken, lost] = [offset, number, broken, lost].map(u64::cast_signed);
            transaction.execute(
                "INSERT OR REPLACE INTO source (name, offset, line, broken, lost, skipping, proxy) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![name, offset, number, broken, lost, skipping, json(source)?],
            )?;
        }
        for ((hour, side), cost) in &change.costs {
            transaction.execute(
                "INSERT INTO cost (ramp, hour, side, answered, processor) VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT (ramp, hour, side) DO UPDATE SET answered = answered + excluded.answered, \
                 processor = processor + excluded.processor",
                params![ramp.name, hour.cast_signed(), side.name(), cost.answered.cast_signed(), cost.processor],
            )?;
        }
        if let Some(decided) = change.decided {
            transaction.execute(
                "INSERT INTO decision (number, text) VALUES (?1, ?2)",
                params![decided.number.cast_signed(), json(decided)?],
            )?;
        }
        Ok(transaction.commit()?)
    }

    fn news(&mut self, sources: &BTreeMap<String, Source>) -> Result<Vec<News>> {
        evidence_files::read(&self.state.evidence(), sources)
    }

    fn clean(&mut self, keeping: &Keeping, since_1970: Duration) -> Result<Vec<String>> {
        let removed = evidence_files::remove_old(&self.state.evidence(), keeping, UNIX_EPOCH + since_1970)?;
        let transaction = self.database.transaction()?;
        for name in &removed {
            transaction.execute("DELETE FROM source WHERE name = ?1", [name])?;
        }
        transaction.commit()?;
        Ok(removed)
    }

    fn is_abort_ordered(&self) -> bool {
        self.state.is_abort_ordered()
    }

    fn forget_abort(&mut self) {
        self.state.forget_abort();
    }

    #[cfg(test)]
    fn refuse(&self, refuses: bool) {
        self.database.pragma_update(None, "query_only", refuses).expect("it is open");
    }
}

/// Whether the file itself is at fault, rather than the disk or a permission.
fn is_damage(error: &Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, DatabaseCorrupt, NotADatabase, TypeMismatch};
    match error {
        Error::Damaged(_) => true,
        Error::Database(rusqlite::Error::SqliteFailure(failure, _)) => {
            // SQLITE_ERROR means that a table or a column is missing.
            matches!(failure.code, DatabaseCorrupt | NotADatabase | TypeMismatch | ConstraintViolation)
                || failure.extended_code == rusqlite::ffi::SQLITE_ERROR
        }
        Error::Database(
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::SqlInputError { .. }
            | rusqlite::Error::Utf8Error(..),
        ) => true,
        _ => false,
    }
}

/// Renames the database and its log.
fn set_aside(path: &Path, since_1970: u64) -> Result<PathBuf> {
    let renamed = |from: &Path, suffix: &str| {
        let mut name = from.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let mut aside = renamed(path, &format!(".damaged-{since_1970}"));
    for number in 2.. {
        if !aside.exists() {
            break;
        }
        aside = renamed(path, &format!(".damaged-{since_1970}-{number}"));
    }
    for suffix in ["-wal", "-shm"] {
        let beside = renamed(path, suffix);
        if beside.exists() {
            fs::rename(&beside, renamed(&aside, suffix)).map_err(Error::file("set aside", &beside))?;
        }
    }
    fs::rename(path, &aside).map_err(Error::file("set aside", path))?;
    Ok(aside)
}

#[cfg(test)]
mod tests;
