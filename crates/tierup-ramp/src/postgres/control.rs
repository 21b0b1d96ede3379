//! Tells proxies the weights through the database. In: the judge's decision. Out: the row that [couriers](super::Courier)
//! read.

use tierup_rollout::{Control, Weights};
use tokio_postgres::types::Type;

use super::{Database, get};
use crate::{Actuator, Error, Result};

/// Any number of `tierup shadow` with the same `store`.
pub(super) struct Shared(pub(super) Database);

impl Actuator for Shared {
    fn name(&self) -> &'static str {
        "tierup"
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        // The order to abort was given since the round began. The next one obeys it.
        let sql = "UPDATE tierup.rollout SET control = CASE WHEN abort THEN control ELSE $4 END, \
                   beat = clock_timestamp(), until = clock_timestamp() + $3 * interval '1 s' \
                   WHERE name = $1 AND term = $2 RETURNING 1";
        self.0.change(sql, &[(&control.to_string(), Type::TEXT)]).map(drop)
    }

    /// The weights in the row, whose age is by the database's clock.
    fn read(&mut self, now: u64) -> Result<Weights> {
        Ok(read(&self.0.ask(READ, &[])?, now)?.map_or(Weights::CONTROL_ONLY, |(_, control)| control.weights_at(now)))
    }

    /// An operator may do it without the lease, a judge only with it, in whatever term: it may not know its own.
    fn release(&mut self) -> Result<()> {
        let judge = self.0.with(|inner| inner.term.map(|_| inner.holder.clone()));
        let sql = "UPDATE tierup.rollout SET control = NULL WHERE name = $1 AND ($2::text IS NULL OR holder = $2)";
        self.0.ask(sql, &[(&judge, Type::TEXT)]).map(drop)
    }
}

/// `$1` is the rollout's name. Times are in microseconds.
pub(super) const READ: &str = "SELECT form, control, (extract(epoch FROM beat) * 1000000)::bigint, \
    (extract(epoch FROM clock_timestamp() - beat) * 1000000)::bigint FROM tierup.rollout WHERE name = $1";

/// The beat, and the control with a heartbeat by this machine's clock: the age counts, and only one clock tells it.
pub(super) fn read(rows: &[tokio_postgres::Row], now: u64) -> Result<Option<(i64, Control)>> {
    let Some(row) = rows.first() else { return Ok(None) };
    let (Some(text), Some(beat), Some(age)) = (get::<Option<&str>>(row, 1)?, get(row, 2)?, get::<Option<i64>>(row, 3)?)
    else {
        return Ok(None);
    };
    let mut control =
        Control::parse(text).map_err(|source| Error::ControlFile { path: "tierup.rollout".into(), source })?;
    control.heartbeat = now.saturating_sub(u64::try_from(age).unwrap_or_default() / 1_000_000);
    Ok(Some((beat, control)))
}
