//! A connection to Postgres that is made again when it breaks, and never waits for long.
//!
//! Each question is one statement, in one message, without a name: it is whole or not at all, a process that is stopped
//! holds no lock, and PgBouncer may give each question to another server (pooling by transaction).

use std::{
    error::Error as _,
    io, thread,
    time::{Duration, Instant},
};

use tierup_rollout::StoreUrl;
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
    time::timeout,
};
use tokio_postgres::{
    CancelToken, Client, Config, NoTls, Row,
    config::{Host, SslMode},
    error::Severity,
    types::{ToSql, Type},
};

use super::{password::password, tls::Tls};
use crate::{Error, Result};

/// For a question and its answer, with a connection if there is none.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// For the request to give up a question that was not answered in time.
const CANCELLING: Duration = Duration::from_secs(3);

const PASSWORD: &str = "give it in PGPASSWORD, or in the file that PGPASSFILE names";

/// A value of a question, and its type: the types cost no question of their own then.
pub(super) type Value<'a> = (&'a (dyn ToSql + Sync), Type);

pub(super) struct Link {
    runtime: Runtime,
    config: Config,
    tls: Option<Tls>,
    open: Option<Open>,
    /// How many connections were made. Another one may be to another server, which has less.
    pub(super) connections: u64,
}

/// A connection, and the task that moves its bytes.
struct Open {
    client: Client,
    task: JoinHandle<()>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Link {
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// If the address has unknown parameters or a password, there are no certificates to check the server by, or the
    /// system has no descriptors left.
    pub(super) fn new(url: &StoreUrl) -> Result<Link> {
        let mut config: Config = url.address.parse().map_err(|error| failed(&error))?;
        if config.get_password().is_some() {
            let what = "its address has a password, which everybody could read there".to_owned();
            return Err(Error::Postgres { code: Some(String::new()), what, hint: Some(PASSWORD) });
        }
        if config.get_application_name().is_none() {
            config.application_name("tierup");
        }
        // A Unix socket is not encrypted.
        let is_remote = config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)));
        let is_encrypted = url.is_encrypted && is_remote;
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        let tls = is_encrypted.then(|| Tls::new(url.root.as_deref())).transpose();
        let tls =
            tls.map_err(|error| Error::Postgres { code: Some(String::new()), what: error.to_string(), hint: None })?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| away(&error))?;
        Ok(Link { runtime, config, tls, open: None, connections: 0 })
    }

    /// Asks, again if the connection broke since the last question. So it is only for what may be asked twice, and may
    /// be carried out late.
    ///
    /// # Errors
    /// If Postgres refuses, or does not answer in time.
    pub(super) fn ask(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        let (was_open, began) = (self.open.is_some(), Instant::now());
        match self.ask_once(sql, values) {
            Err(error) if was_open && is_away(&error) && began.elapsed() < PATIENCE => self.ask_once(sql, values),
            answer => answer,
        }
    }

    /// # Errors
    /// If Postgres refuses, or does not answer in time. What it did not answer it may still carry out, even later.
    pub(super) fn ask_once(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        let (config, tls, open) = (&self.config, self.tls.clone(), self.open.take());
        let (connections, mut token) = (&mut self.connections, None);
        let question = async {
            let open = match open {
                Some(open) => open,
                None => {
                    let open = connect(config, tls).await?;
                    *connections += 1;
                    open
                }
            };
            token = Some(open.client.cancel_token());
            let rows = open.client.query_typed(sql, values).await.map_err(|error| failed(&error))?;
            Ok((open, rows))
        };
        let answer = self.runtime.block_on(async { timeout(PATIENCE, question).await });
        // After an error the next question gets a connection of its own: this one may be to a server that is no longer
        // the right one.
        let (open, rows) = answer.unwrap_or_else(|late| {
            token.into_iter().for_each(|token| cancel(token, self.tls.clone()));
            Err(away(&late))
        })?;
        self.open = Some(open);
        Ok(rows)
    }
}

async fn connect(config: &Config, tls: Option<Tls>) -> Result<Open> {
    let mut config = config.clone();
    // Read each time, so that it can be changed while this program runs.
    if let Some(password) = password(&config)? {
        config.password(password);
    }
    // The next question finds out how a connection ended.
    let (client, task) = match tls {
        None => {
            let (client, connection) = config.connect(NoTls).await.map_err(|error| failed(&error))?;
            (client, tokio::spawn(async { drop(connection.await) }))
        }
        Some(tls) => {
            let (client, connection) = config.connect(tls).await.map_err(|error| failed(&error))?;
            (client, tokio::spawn(async { drop(connection.await) }))
        }
    };
    Ok(Open { client, task })
}

/// Asks Postgres to give up a question, as it does not see that the connection is gone while it waits for a lock: a
/// process of the database would wait with it. Nobody waits for this, and `statement_timeout` does the same if it fails.
fn cancel(token: CancelToken, tls: Option<Tls>) {
    let send = move || {
        let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
        let _ = runtime.block_on(async {
            timeout(CANCELLING, async {
                match tls {
                    None => token.cancel_query(NoTls).await,
                    Some(tls) => token.cancel_query(tls).await,
                }
            })
            .await
        });
    };
    let _ = thread::Builder::new().name("cancel".into()).spawn(send);
}

/// Whether Postgres cannot be reached, in contrast to a question that it refuses.
pub(crate) fn is_away(error: &Error) -> bool {
    matches!(error, Error::Postgres { code: None, .. })
}

fn away(error: &dyn std::error::Error) -> Error {
    Error::Postgres { code: None, what: format!("it cannot be reached: {error}"), hint: None }
}

/// Details are left out: they may have evidence in them.
fn failed(error: &tokio_postgres::Error) -> Error {
    let Some(found) = error.as_db_error() else {
        let source = error.source();
        let cause = source.and_then(|source| source.downcast_ref::<io::Error>());
        let is_away = error.is_closed() || cause.is_some_and(|cause| cause.kind() != io::ErrorKind::InvalidData);
        let what = format!("{error}{}", source.map(|source| format!(": {source}")).unwrap_or_default());
        let hint = what.ends_with("password missing").then_some(PASSWORD);
        return Error::Postgres { code: (!is_away).then(String::new), what, hint };
    };
    let code = found.code().code();
    // It starts, stops, or has no connection left.
    let is_away = matches!(&code[..2], "08" | "53" | "57") || found.parsed_severity() == Some(Severity::Panic);
    let hint = match code {
        "3F000" | "42P01" | "42703" => {
            Some("`tierup ramp --show-config` prints the tables for an owner of the database")
        }
        "28P01" | "28000" => Some(PASSWORD),
        "42501" => Some("docs/postgres.md has the grants"),
        _ => None,
    };
    let code = (!is_away).then(|| code.to_owned());
    Error::Postgres { code, what: found.message().to_owned(), hint }
}
