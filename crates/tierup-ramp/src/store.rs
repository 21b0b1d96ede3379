//! The judge's database: the ramp's state, how far each evidence file was read, and every decision.
//!
//! One transaction holds the evidence read and its effect. So a judge that is killed at any moment goes on unchanged:
//! no line counts twice, and no decision that took effect is lost. A damaged database is set aside, and the ramp begins
//! again with all requests at control.

mod schema;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;
use tierup_rollout::{Part, Phase, Weights, files::Position};

use crate::{
    Decided, Error, Result,
    known::{Mind, Saved},
    stored::{Cost, Costs, Source},
};

/// The database, opened by this process alone.
#[derive(Debug)]
pub(crate) struct Store(Connection);

/// Everything that one round changed.
#[derive(Debug, Default)]
pub(crate) struct Change<'a> {
    pub(crate) ramp: Option<(&'a Saved, &'a Mind)>,
    pub(crate) sources: BTreeMap<&'a str, &'a Source>,
    pub(crate) forgotten: &'a [String],
    pub(crate) costs: Costs,
    pub(crate) decided: Option<&'a Decided>,
}

/// An open database; and, if a damaged one was set aside, its new name and what was wrong with it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) set_aside: Option<(PathBuf, String)>,
}

impl Store {
    /// Opens the database, or creates it. The caller holds the folder's lock.
    ///
    /// # Errors
    /// If no database can be there, or the damaged one cannot be set aside.
    pub(crate) fn open(path: &Path, since_1970: u64) -> Result<Opened> {
        match Store::open_sound(path) {
            Ok(store) => Ok(Opened { store, set_aside: None }),
            Err(error) if is_damage(&error) => {
                let aside = set_aside(path, since_1970)?;
                Ok(Opened { store: Store::open_sound(path)?, set_aside: Some((aside, error.to_string())) })
            }
            Err(error) => Err(error),
        }
    }

    fn open_sound(path: &Path) -> Result<Store> {
        // SQLite creates its other files with the mode of the database.
        let file = fs::File::options().create(true).truncate(false).read(true).write(true).mode(0o600).open(path);
        file.map_err(Error::file("open", path))?;
        let store = Store(schema::open(path)?);
        // A file that SQLite accepts may still not be a database of tierup.
        store.ramp()?;
        store.sources()?;
        store.decisions_after(0)?;
        Ok(store)
    }

    /// The latest ramp. A rolled-back ramp needs no judge, so its `Mind` may be unreadable (`None`).
    ///
    /// # Errors
    /// If it cannot be read, or no judge wrote it.
    pub(crate) fn ramp(&self) -> Result<Option<(Saved, Option<Mind>)>> {
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
        let found = self.0.query_row(sql, [], row).optional()?;
        let Some((name, key, (began, elapsed), phase, (candidate, twin), generation, judge)) = found else {
            return Ok(None);
        };
        let wrong = |what: &str| Error::Damaged(format!("the ramp's {what} is not what a judge wrote"));
        let part = |parts| Part::of_ten_thousand(parts).map_err(|_| wrong("weight"));
        let weights = Weights { candidate: part(candidate)?, twin: part(twin)? };
        if weights.twin > weights.candidate.rest() {
            return Err(wrong("weight"));
        }
        let saved = Saved {
            name,
            key: key.parse().map_err(|_| wrong("key"))?,
            began: began.cast_unsigned(),
            elapsed: elapsed.cast_unsigned(),
            phase: serde_json::from_value(phase.into()).map_err(|_| wrong("phase"))?,
            weights,
            generation: generation.cast_unsigned(),
        };
        let mind = match serde_json::from_str::<Mind>(&judge) {
            _ if saved.phase == Phase::RolledBack => serde_json::from_str(&judge).ok(),
            Ok(mind) if mind.judge.at() == weights.candidate => Some(mind),
            Ok(_) => return Err(wrong("weight")),
            Err(error) => return Err(Error::Damaged(format!("the judge: {error}"))),
        };
        Ok(Some((saved, mind)))
    }

    /// The evidence files that were read so far, by name.
    ///
    /// # Errors
    /// If they cannot be read, or no judge wrote them.
    pub(crate) fn sources(&self) -> Result<BTreeMap<String, Source>> {
        let mut query = self.0.prepare("SELECT name, offset, line, broken, lost, skipping, proxy FROM source")?;
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

    /// The decisions after this number, in order.
    ///
    /// # Errors
    /// If they cannot be read, or no judge wrote them.
    pub(crate) fn decisions_after(&self, number: u64) -> Result<Vec<Decided>> {
        let sql = "SELECT text FROM decision WHERE number > ?1 ORDER BY number";
        let mut query = self.0.prepare(sql)?;
        let rows = query.query_map([number.cast_signed()], |row| row.get::<_, String>(0))?;
        let read = |text: rusqlite::Result<String>| {
            serde_json::from_str(&text?).map_err(|error| Error::Damaged(format!("a decision: {error}")))
        };
        rows.map(read).collect()
    }

    /// The number of the next decision.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(crate) fn next_number(&self) -> Result<u64> {
        let sql = "SELECT coalesce(max(number), 0) + 1 FROM decision";
        Ok(self.0.query_row(sql, [], |row| row.get::<_, i64>(0))?.cast_unsigned())
    }

    /// Answers and processor time of a ramp's sides, by hour.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(crate) fn costs(&self, ramp: &str) -> Result<Costs> {
        let sql = "SELECT hour, side, answered, processor FROM cost WHERE ramp = ?1";
        let mut query = self.0.prepare(sql)?;
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

    /// Writes the whole change, or nothing. When it returns, the change is on the disk.
    ///
    /// # Errors
    /// If the write failed, for example because the disk is full.
    pub(crate) fn write(&mut self, change: &Change<'_>) -> Result<()> {
        let transaction = self.0.transaction()?;
        if let Some((ramp, mind)) = change.ramp {
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
                    json(mind)?,
                ],
            )?;
        }
        for (name, source) in &change.sources {
            let Position { offset, number, broken, lost, skipping } = source.position;
            let [offset, number, broken, lost] = [offset, number, broken, lost].map(u64::cast_signed);
            transaction.execute(
                "INSERT OR REPLACE INTO source (name, offset, line, broken, lost, skipping, proxy) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![name, offset, number, broken, lost, skipping, json(source)?],
            )?;
        }
        for name in change.forgotten {
            transaction.execute("DELETE FROM source WHERE name = ?1", [name])?;
        }
        if let Some((ramp, _)) = change.ramp {
            for ((hour, side), cost) in &change.costs {
                transaction.execute(
                    "INSERT INTO cost (ramp, hour, side, answered, processor) VALUES (?1, ?2, ?3, ?4, ?5) \
                     ON CONFLICT (ramp, hour, side) DO UPDATE SET answered = answered + excluded.answered, \
                     processor = processor + excluded.processor",
                    params![ramp.name, hour.cast_signed(), side.name(), cost.answered.cast_signed(), cost.processor],
                )?;
            }
        }
        if let Some(decided) = change.decided {
            transaction.execute(
                "INSERT INTO decision (number, text) VALUES (?1, ?2)",
                params![decided.number.cast_signed(), json(decided)?],
            )?;
        }
        Ok(transaction.commit()?)
    }

    /// Makes the next changes fail, as on a read-only disk, or succeed again.
    #[cfg(test)]
    pub(crate) fn refuse(&self, refuses: bool) {
        self.0.pragma_update(None, "query_only", refuses).expect("it is open");
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Damaged(error.to_string()))
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
