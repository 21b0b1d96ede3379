//! The lease of the one judge that may judge, and its store. Dropping it lets the next judge in at once.

use std::{collections::BTreeMap, time::Duration};

use tierup_rollout::{
    Side,
    files::{Keeping, Position, run_and_number},
};
use tokio_postgres::types::Type;

use super::{Database, get};
use crate::{
    Decided, Error, Result,
    evidence_files::News,
    known::{Mind, Saved},
    store::{Change, Store, json, recalled},
    stored::{Cost, Costs, Source},
};

#[derive(Debug)]
pub struct Lease {
    database: Database,
    /// The ramp whose costs are below.
    ramp: Option<String>,
    costs: Costs,
    /// Whether an order to abort was seen at the last look.
    is_abort_ordered: bool,
}

impl Lease {
    /// Loads what earlier judges knew.
    pub(super) fn new(database: Database) -> Result<Lease> {
        let rows = database.ask("SELECT ramp, costs FROM tierup.rollout WHERE name = $1", &[])?;
        let costs = rows.first().map_or(Ok(None), |row| get::<Option<&str>>(row, 1))?;
        // What another version of tierup wrote counts as nothing.
        let costs: Vec<(u64, Side, Cost)> = costs.and_then(|text| read(text).ok()).unwrap_or_default();
        Ok(Lease {
            ramp: ramp(rows.first())?,
            database,
            costs: costs.into_iter().map(|(hour, side, cost)| ((hour, side), cost)).collect(),
            is_abort_ordered: false,
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // If it fails, the lease ends by itself.
        let sql = "UPDATE tierup.rollout SET until = clock_timestamp() WHERE name = $1 AND term = $2 RETURNING 1";
        let _ = self.database.change(sql, &[]);
    }
}

impl Store for Lease {
    fn ramp(&self) -> Result<Option<(Saved, Option<Mind>)>> {
        let rows = self.database.ask("SELECT ramp, judge FROM tierup.rollout WHERE name = $1", &[])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let Some(ramp) = get::<Option<&str>>(row, 0)? else { return Ok(None) };
        recalled(read(ramp)?, get::<Option<&str>>(row, 1)?.unwrap_or_default()).map(Some)
    }

    fn sources(&mut self) -> Result<BTreeMap<String, Source>> {
        let sql = "SELECT file, taken, state FROM tierup.stream WHERE rollout = $1 AND state IS NOT NULL";
        let mut sources = BTreeMap::<String, _>::new();
        for row in self.database.ask(sql, &[])? {
            // Another version of tierup may have written the state.
            let number = get::<i64>(&row, 1)?.cast_unsigned();
            let unknown = || (Position { number, ..Position::default() }, Source::default());
            let (position, source) = read(get(&row, 2)?).unwrap_or_else(|_| unknown());
            sources.insert(get(&row, 0)?, Source { position, ..source });
        }
        Ok(sources)
    }

    fn decisions_after(&self, number: u64) -> Result<Vec<Decided>> {
        let sql = "SELECT decision FROM tierup.decision WHERE rollout = $1 AND number > $2 ORDER BY number";
        let rows = self.database.ask(sql, &[(&number.cast_signed(), Type::INT8)])?;
        // As in the journal's file, what another version wrote may be no decision for this one.
        Ok(rows.iter().filter_map(|row| read(get(row, 0).ok()?).ok()).collect())
    }

    fn next_number(&self) -> Result<u64> {
        let sql = "SELECT coalesce(max(number), 0) + 1 FROM tierup.decision WHERE rollout = $1";
        let rows = self.database.ask(sql, &[])?;
        rows.first().map_or(Ok(1), |row| get::<i64>(row, 0).map(i64::cast_unsigned))
    }

    fn costs(&self, ramp: &str) -> Result<Costs> {
        Ok(if self.ramp.as_deref() == Some(ramp) { self.costs.clone() } else { Costs::new() })
    }

    /// If the answer is lost, the change may be there although this fails. Then it is made again: evidence is removed
    /// later, and what is stored are sums, not additions.
    fn write(&mut self, change: &Change<'_>) -> Result<()> {
        let ramp = &change.saved.name;
        let mut costs = self.costs(ramp)?;
        for (key, added) in &change.costs {
            let cost = costs.entry(*key).or_default();
            cost.answered = cost.answered.saturating_add(added.answered);
            cost.processor += added.processor;
        }
        let sums: Vec<_> = costs.iter().map(|((hour, side), cost)| (hour, side, cost)).collect();
        let files: Vec<&str> = change.sources.keys().copied().collect();
        let taken: Vec<i64> = change.sources.values().map(|source| source.position.number.cast_signed()).collect();
        let states = change.sources.values().map(|source| json(&(source.position, source)));
        let states: Vec<String> = states.collect::<Result<_>>()?;
        let (number, decision) = change.decided.map(|decided| (decided.number.cast_signed(), json(decided))).unzip();
        let sql = "WITH held AS (UPDATE tierup.rollout SET ramp = $4, judge = $5, costs = $6, \
                   until = clock_timestamp() + $3 * interval '1 s' WHERE name = $1 AND term = $2 RETURNING name), \
                   told AS (INSERT INTO tierup.decision SELECT name, $7, $8 FROM held WHERE $7::bigint IS NOT NULL \
                   ON CONFLICT DO NOTHING), \
                   taken AS (UPDATE tierup.stream SET taken = new.taken, state = new.state \
                   FROM held, unnest($9, $10, $11) new (file, taken, state) \
                   WHERE stream.rollout = held.name AND stream.file = new.file) SELECT 1 FROM held";
        self.database.change(
            sql,
            &[
                (&json(change.saved)?, Type::TEXT),
                (&json(change.mind)?, Type::TEXT),
                (&json(&sums)?, Type::TEXT),
                (&number, Type::INT8),
                (&decision.transpose()?, Type::TEXT),
                (&files, Type::TEXT_ARRAY),
                (&taken, Type::INT8_ARRAY),
                (&states, Type::TEXT_ARRAY),
            ],
        )?;
        (self.ramp, self.costs) = (Some(ramp.clone()), costs);
        Ok(())
    }

    /// Renews the lease, too. A proxy sends a file's lines in order, so none before the last one is missing.
    ///
    /// What this judge knows counts, not what is stored: after a write whose answer was lost, or on another server, both
    /// may differ. What counts of a line is the number of its row, so that each reading goes on, whatever the line says.
    fn news(&mut self, sources: &BTreeMap<String, Source>) -> Result<Vec<News>> {
        let sql = "UPDATE tierup.rollout SET until = clock_timestamp() + $3 * interval '1 s' \
                   WHERE name = $1 AND term = $2 RETURNING abort";
        self.is_abort_ordered = get(&self.database.change(sql, &[])?, 0)?;
        let signed = |number| i64::try_from(number).unwrap_or(i64::MAX);
        let known = sources.iter().map(|(file, source)| (file.as_str(), signed(source.position.number)));
        let (files, numbers): (Vec<&str>, Vec<i64>) = known.unzip();
        // At most fifty lines of each file at a time, so that no proxy is far ahead of another.
        let sql = "SELECT s.file, string_agg(e.line || E'\\n', '' ORDER BY e.number), max(e.number) \
                   FROM tierup.stream s LEFT JOIN unnest($2, $3) known (file, number) ON known.file = s.file \
                   CROSS JOIN LATERAL (SELECT number, line FROM tierup.evidence WHERE rollout = s.rollout \
                   AND file = s.file AND number > coalesce(known.number, s.taken) ORDER BY number LIMIT 50) e \
                   WHERE s.rollout = $1 AND s.sent > coalesce(known.number, s.taken) GROUP BY s.file";
        let rows = self.database.ask(sql, &[(&files, Type::TEXT_ARRAY), (&numbers, Type::INT8_ARRAY)])?;
        let mut news = Vec::with_capacity(rows.len());
        for row in &rows {
            let file: String = get(row, 0)?;
            let mut position = sources.get(&file).map(|source| source.position).unwrap_or_default();
            let lines = position.take(get::<&str>(row, 1)?.as_bytes());
            let last = get::<i64>(row, 2)?.cast_unsigned();
            position.lost = position.lost.saturating_add(last.saturating_sub(position.number));
            position.number = last;
            news.push(News { file, lines, position });
        }
        news.sort_by(|one, other| run_and_number(&one.file).cmp(&run_and_number(&other.file)));
        Ok(news)
    }

    /// Removes lines that were taken in, and forgets files of which nothing came for longer than proxies keep them.
    fn clean(&mut self, keeping: &Keeping, _: Duration) -> Result<Vec<String>> {
        let sql = "DELETE FROM tierup.evidence e USING tierup.stream s \
                   WHERE e.rollout = $1 AND s.rollout = $1 AND e.file = s.file AND e.number <= s.taken";
        self.database.ask(sql, &[])?;
        let sql = "DELETE FROM tierup.stream WHERE rollout = $1 AND at < now() - $2 * interval '1 s' RETURNING file";
        let age = keeping.age.as_secs_f64() + 24.0 * 3600.0;
        self.database.ask(sql, &[(&age, Type::FLOAT8)])?.iter().map(|row| get(row, 0)).collect()
    }

    fn is_abort_ordered(&self) -> bool {
        self.is_abort_ordered
    }

    fn forget_abort(&mut self) {
        let sql = "UPDATE tierup.rollout SET abort = false WHERE name = $1 AND term = $2 RETURNING 1";
        // If it stays, the next ramp is aborted, too, which is harmless.
        if self.is_abort_ordered {
            self.is_abort_ordered = self.database.change(sql, &[]).is_err();
        }
    }
}

/// The name of the ramp in the first column.
pub(super) fn ramp(row: Option<&tokio_postgres::Row>) -> Result<Option<String>> {
    let text = row.map_or(Ok(None), |row| get::<Option<&str>>(row, 0))?;
    Ok(text.and_then(|text| read::<Saved>(text).ok()).map(|saved| saved.name))
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Damaged(error.to_string()))
}
