//! A rollout whose control, lease, evidence and journal are in Postgres, for any number of proxies and judges.
//!
//! One judge holds the lease: a row with a term, which rises when another judge takes over. Each of its changes names
//! its term, so that a judge that was stopped and wakes up can change nothing. The judge raises its own term after a
//! change that was not answered, which then can no longer be carried out. All times are the database's.

mod control;
mod courier;
mod lease;
mod link;
mod password;
mod tls;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tierup_rollout::StoreUrl;
use tokio_postgres::{Row, types::Type};

pub use courier::Courier;
pub use lease::Lease;

use self::link::{Link, PATIENCE, Value, is_away};
use crate::{Actuator, Error, Result};

/// The tables, for an owner of the database.
pub const SCHEMA: &str = include_str!("postgres/schema.sql");

/// A judge that has not been heard for this long may be replaced. Judges are heard once a second.
const LEASE: Duration = Duration::from_secs(15);
/// The version of the tables.
const FORM: i32 = 1;

/// A judge's connection to the database, shared by its parts.
#[derive(Clone)]
pub struct Database(Arc<Mutex<Inner>>);

struct Inner {
    link: Link,
    rollout: String,
    /// This judge, for people and for the lease.
    holder: String,
    /// The term of this judge's lease, if it has or had one.
    term: Option<i64>,
    /// Whether a change of this term may still be on its way.
    is_unsure: bool,
    lease: Duration,
}

impl Database {
    /// # Errors
    /// If Postgres cannot be reached, lets nobody in, or lacks tierup's tables.
    pub fn connect(url: &StoreUrl) -> Result<Database> {
        let name = format!("{}:{}", rustix::system::uname().nodename().to_string_lossy(), std::process::id());
        Database::with_lease(url, &name, LEASE)
    }

    /// `name` says to people which judge this is.
    #[doc(hidden)]
    pub fn with_lease(url: &StoreUrl, name: &str, lease: Duration) -> Result<Database> {
        let holder = format!("{name} ({:08x})", rand::random::<u32>());
        let (link, rollout) = (Link::new(url)?, url.rollout.clone());
        let inner = Inner { link, rollout, holder, term: None, is_unsure: false, lease };
        let database = Database(Arc::new(Mutex::new(inner)));
        check_form(&database.ask("SELECT form FROM tierup.rollout WHERE name = $1", &[])?)?;
        Ok(database)
    }

    /// Takes the lease if no other judge has it. It makes the rollout if there is none of this name.
    ///
    /// # Errors
    /// If Postgres does not answer.
    pub fn take(&self) -> Result<Option<Lease>> {
        let (holder, lease) = self.with(|inner| (inner.holder.clone(), inner.lease.as_secs_f64()));
        self.ask("INSERT INTO tierup.rollout (name) VALUES ($1) ON CONFLICT DO NOTHING", &[])?;
        // Asked twice, it gives the same answer.
        let sql = "UPDATE tierup.rollout SET holder = $2, until = clock_timestamp() + $3 * interval '1 s', \
                   term = CASE WHEN holder = $2 THEN term ELSE term + 1 END \
                   WHERE name = $1 AND (holder = $2 OR until < clock_timestamp()) RETURNING term";
        let rows = self.ask(sql, &[(&holder, Type::TEXT), (&lease, Type::FLOAT8)])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let term = get(row, 0)?;
        self.with(|inner| inner.term = Some(term));
        Lease::new(self.clone()).map(Some)
    }

    /// The judge that has the lease.
    ///
    /// # Errors
    /// If Postgres does not answer, or no judge has made the rollout.
    pub fn holder(&self) -> Result<Option<String>> {
        let sql = "SELECT CASE WHEN until > clock_timestamp() THEN holder END FROM tierup.rollout WHERE name = $1";
        let rows = self.ask(sql, &[])?;
        let what = || self.with(|inner| format!("there is no rollout `{}`: no judge has begun one", inner.rollout));
        let none =
            || Error::Postgres { code: Some(String::new()), what: what(), hint: Some("`rollout` of the URL names it") };
        get(rows.first().ok_or_else(none)?, 0)
    }

    /// The name of the latest ramp, if this version of tierup can read it.
    ///
    /// # Errors
    /// If Postgres does not answer.
    pub fn ramp(&self) -> Result<Option<String>> {
        let rows = self.ask("SELECT ramp FROM tierup.rollout WHERE name = $1", &[])?;
        lease::ramp(rows.first())
    }

    /// Takes all weights back, and leaves an order to abort for the judge that has the lease.
    ///
    /// # Errors
    /// If Postgres does not answer.
    pub fn order_abort(&self) -> Result<()> {
        self.ask("UPDATE tierup.rollout SET abort = true, control = NULL WHERE name = $1", &[]).map(drop)
    }

    /// What puts weights into force at proxies that read them from the database.
    pub fn actuator(&self) -> Box<dyn Actuator> {
        Box::new(control::Shared(self.clone()))
    }

    fn with<T>(&self, of: impl FnOnce(&mut Inner) -> T) -> T {
        of(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks a question whose first value is the rollout's name.
    fn ask(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        self.ask_by(Link::ask, sql, values)
    }

    fn ask_by(
        &self,
        by: fn(&mut Link, &str, &[Value<'_>]) -> Result<Vec<Row>>,
        sql: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>> {
        self.with(|inner| {
            let name: Value<'_> = (&inner.rollout, Type::TEXT);
            let all: Vec<_> = [name].into_iter().chain(values.iter().cloned()).collect();
            by(&mut inner.link, sql, &all)
        })
    }

    /// Changes something as the holder of the lease: `$1` is the rollout's name, `$2` the term, `$3` the seconds until
    /// the lease ends. The statement answers with one row, unless the term is over.
    fn change(&self, sql: &str, values: &[Value<'_>]) -> Result<Row> {
        let began = Instant::now();
        match self.change_once(sql, values) {
            Err(error) if is_away(&error) && began.elapsed() < PATIENCE => self.change_once(sql, values),
            answer => answer,
        }
    }

    /// Never makes a change in a term in which an earlier one may still be on its way: that could undo this one later.
    fn change_once(&self, sql: &str, values: &[Value<'_>]) -> Result<Row> {
        if self.with(|inner| inner.is_unsure) {
            self.raise()?;
        }
        let (term, lease) = self.with(|inner| (inner.term, inner.lease.as_secs_f64()));
        let own: [Value<'_>; 2] = [(&term, Type::INT8), (&lease, Type::FLOAT8)];
        let all: Vec<_> = own.into_iter().chain(values.iter().cloned()).collect();
        let answer = self.ask_by(Link::ask_once, sql, &all);
        self.with(|inner| inner.is_unsure = answer.as_ref().is_err_and(is_away));
        answer?.pop().ok_or_else(|| self.deposed())
    }

    /// Raises this judge's own term, by exactly one however often it is asked.
    fn raise(&self) -> Result<()> {
        let (term, holder) = self.with(|inner| (inner.term, inner.holder.clone()));
        let sql = "UPDATE tierup.rollout SET term = $2 + 1 \
                   WHERE name = $1 AND holder = $3 AND term IN ($2, $2 + 1) RETURNING term";
        let rows = self.ask(sql, &[(&term, Type::INT8), (&holder, Type::TEXT)])?;
        let term = Some(get(rows.first().ok_or_else(|| self.deposed())?, 0)?);
        self.with(|inner| (inner.term, inner.is_unsure) = (term, false));
        Ok(())
    }

    fn deposed(&self) -> Error {
        Error::Deposed { holder: self.holder().ok().flatten() }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Database")
    }
}

/// Checks the version of the tables, if there is a rollout already.
fn check_form(rows: &[Row]) -> Result<()> {
    match rows.first().map(|row| get::<i32>(row, 0)).transpose()? {
        None | Some(FORM) => Ok(()),
        Some(other) => {
            Err(Error::Damaged(format!("its tables have form {other}, and this tierup knows {FORM}: update it")))
        }
    }
}

/// A value of an answer.
fn get<'a, T: tokio_postgres::types::FromSql<'a>>(row: &'a Row, index: usize) -> Result<T> {
    row.try_get(index).map_err(|error| Error::Damaged(error.to_string()))
}
