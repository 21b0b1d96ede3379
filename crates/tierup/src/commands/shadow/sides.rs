//! The servers of a shadow: each at an address, or a row of a project that is built and started for it.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use tierup_build::{build_server, hold, rows};
use tierup_codegen::{Host, HostSettings, Row};
use tierup_project::Loaded;
use tierup_runner::{Lock, Observer};
use tierup_shadow::Address;
use tierup_subject::{Running, Started, Starting, Subject as _};

use crate::failure::{Failure, Result};

/// How long a server may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// A server as the user names it.
#[derive(Debug, Clone)]
pub(super) enum Side {
    At(Address),
    Row(Row),
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Side, String> {
        match text.contains("://") {
            true => text.parse().map(Side::At).map_err(|error: tierup_shadow::AddressError| error.to_string()),
            false => text.parse().map(Side::Row).map_err(|error: tierup_codegen::ParseRowError| error.to_string()),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::At(address) => address.fmt(f),
            Side::Row(row) => row.fmt(f),
        }
    }
}

/// A server that can be asked. Dropping it stops the server if it was started here.
pub(super) struct Server {
    pub(super) label: String,
    pub(super) address: Address,
    running: Option<Box<dyn Running>>,
}

impl Server {
    /// The process whose tree is the server's, if it was started here.
    pub(super) fn pid(&self) -> Option<u32> {
        self.running.as_ref().and_then(|running| running.pid())
    }

    /// How the server ended, if it was started here and has ended.
    pub(super) fn ended(&mut self) -> Option<String> {
        self.running.as_mut().and_then(|running| running.ended())
    }
}

/// The servers of a shadow, started.
pub(super) struct Servers {
    pub(super) control: Server,
    pub(super) candidate: Server,
    pub(super) twin: Option<Server>,
    /// Makes other builds wait.
    _held: Option<Lock>,
}

impl Servers {
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Server> {
        [&mut self.control, &mut self.candidate].into_iter().chain(&mut self.twin)
    }
}

/// A project whose rows are started.
pub(super) struct Rows {
    pub(super) loaded: Arc<Loaded>,
    pub(super) host: &'static dyn Host,
    pub(super) settings: HostSettings,
}

/// Starts the servers; the twin last, right behind the candidate, so that both are as cold.
pub(super) fn start(
    control: &Side,
    candidate: &Side,
    twin: Option<&Side>,
    rows: Option<&Rows>,
    observer: &mut dyn Observer,
) -> Result<Servers> {
    let mut prepared = Vec::new();
    for side in [control, candidate].into_iter().chain(twin) {
        prepared.push(match (side, rows) {
            (Side::At(address), _) => Prepared::At(address),
            (Side::Row(row), Some(rows)) => Prepared::Row(rows, rows.build(row, observer)?),
            (Side::Row(row), None) => return Err(no_project(row)),
        });
    }
    let held = match rows {
        Some(rows) if prepared.iter().any(|side| matches!(side, Prepared::Row(..))) => {
            build_server(&rows.loaded, &rows.settings, observer)?;
            Some(hold(&rows.loaded, observer)?)
        }
        _ => None,
    };
    let (control, candidate) = (prepared[0].start()?, prepared[1].start()?);
    Ok(Servers { control, candidate, twin: prepared.get(2).map(Prepared::start).transpose()?, _held: held })
}

/// A server that can be started.
enum Prepared<'a> {
    At(&'a Address),
    /// A row that is built, with its variant decided.
    Row(&'a Rows, Row),
}

impl Prepared<'_> {
    fn start(&self) -> Result<Server> {
        match self {
            Prepared::At(address) => {
                Ok(Server { label: address.to_string(), address: Address::clone(address), running: None })
            }
            Prepared::Row(rows, row) => rows.start(row),
        }
    }
}

fn no_project(row: &Row) -> Failure {
    Failure::new(format!("`{row}` is a row of a project, and there is none"))
        .hint("give the project's folder, or the address of a server: http://127.0.0.1:3000".to_owned())
}

impl Rows {
    /// The row with its variant decided.
    fn build(&self, row: &Row, observer: &mut dyn Observer) -> Result<Row> {
        rows::require_dependency(&self.loaded, self.host, &self.settings, std::slice::from_ref(row), observer)?;
        rows::build_row(&self.loaded, self.host, &self.settings, row.clone(), observer)
    }

    fn start(&self, row: &Row) -> Result<Server> {
        let (loaded, host, settings, of) = (Arc::clone(&self.loaded), self.host, self.settings.clone(), row.clone());
        let command =
            move |port| rows::command(&loaded, host, &settings, &of, port).map_err(|failure| failure.to_string());
        let started = Started::new(command, self.loaded.folder.clone(), GRACE);
        let running = started.start(&Starting::default()).map_err(|trouble| Failure::Plain {
            message: format!("the server at {row} did not start: {}", trouble.what),
            output: trouble.log,
            hint: None,
        })?;
        let address = Address { host: running.address().ip().to_string(), port: running.address().port() };
        Ok(Server { label: row.to_string(), address, running: Some(running) })
    }
}
