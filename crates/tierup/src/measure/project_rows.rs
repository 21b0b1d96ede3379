//! The rows of a project that a benchmark compares: which, built, and ready to be started.

use std::{fs, path::Path, sync::Arc, time::Duration};

use tempfile::TempDir;
use tierup_bench::{plan::PlannedRow, record::Role};
use tierup_build::{Choice, build_server, reference, rows};
use tierup_check::service;
use tierup_codegen::{Host, HostSettings, Row, Tier};
use tierup_project::{Loaded, shown};
use tierup_runner::{Interrupts, Observer};
use tierup_subject::{Calls, Downstream, Started};

use crate::failure::{Failure, Result};

/// How long a server may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// Rows to measure.
pub(crate) struct ProjectRows {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) hosts: Vec<&'static dyn Host>,
    pub(crate) choice: Choice,
    /// The row that all others of its host are compared with.
    pub(crate) reference: Row,
}

impl ProjectRows {
    /// Builds what is missing and answers the rows in the order of the table. What cannot be had is said and left out,
    /// unless it was asked for by name.
    pub(crate) fn build(self, observer: &mut dyn Observer) -> Result<Vec<PlannedRow>> {
        let beside = Beside {
            recordings: Arc::new(recordings(&self.loaded.work)?),
            downstream: downstream(&self.loaded)?.map(Arc::new),
        };
        let mut planned = Vec::new();
        for (number, host) in self.hosts.iter().enumerate() {
            let Some(settings) = self.loaded.host(host.name()) else { continue };
            let built = self.built(*host, settings, number == 0, observer)?;
            let reference = built.iter().position(|row| reference::is(&self.reference, row));
            let reference = reference.ok_or_else(|| reference::missing(&self.reference, *host, &built))?;
            let group = if self.hosts.len() > 1 { host.name() } else { "" };
            planned.extend(built.into_iter().enumerate().map(|(index, row)| PlannedRow {
                label: row.to_string(),
                group: group.to_owned(),
                role: if index == reference { Role::Reference } else { role(&row) },
                step: step(&row),
                subject: Box::new(started(&self.loaded, *host, settings, &row, &beside)),
            }));
        }
        if planned.is_empty() {
            let hint = "`tierup hosts` lists what each host supports".to_owned();
            return Err(Failure::new("there is nothing to measure").hint(hint));
        }
        Ok(planned)
    }

    /// A host's rows, each of them built.
    fn built(
        &self,
        host: &'static dyn Host,
        settings: &HostSettings,
        first: bool,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Row>> {
        // What arrives while one step of a build ends and the next begins is seen here.
        let interrupts = Interrupts::watch();
        let mut wanted = self.choice.rows(&self.loaded, host, settings, first);
        wanted.retain(|row| rows::is_for(row, &self.loaded, host, &self.hosts, observer));
        // A tier is built as the variant that the user wants to compare with.
        wanted.iter_mut().filter(|row| reference::may_become(row, &self.reference)).for_each(|row| {
            row.clone_from(&self.reference);
        });
        // Before anything is built, so that nobody waits for minutes to be told.
        if !wanted.iter().any(|row| reference::is(&self.reference, row)) {
            return Err(reference::missing(&self.reference, host, &wanted));
        }
        rows::require_dependency(&self.loaded, host, settings, &wanted, observer)?;
        let mut rows = Vec::new();
        for row in wanted {
            let built = rows::build_row(&self.loaded, host, settings, row.clone(), observer);
            if interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            match built {
                Ok(built) => rows.push(built),
                // The reason is more use than that the reference is missing.
                Err(failure) if reference::is(&self.reference, &row) => return Err(failure),
                Err(failure) if self.choice == Choice::Default => {
                    observer.note(&format!("skipping {row}: {}", observer.shown(&failure)));
                }
                Err(failure) => return Err(failure),
            }
        }
        let server = build_server(&self.loaded, settings, observer);
        if interrupts.arrived() {
            return Err(Failure::Interrupted);
        }
        server.map(|()| rows)
    }
}

fn role(row: &Row) -> Role {
    match row {
        Row::Free => Role::Ceiling,
        Row::Baseline(_) => Role::Alternative,
        Row::Tier(_) | Row::Variant(_) => Role::Candidate,
    }
}

/// How much of a change a row is. A Rust server counts two steps more than the addon: it replaces a process that
/// somebody runs.
fn step(row: &Row) -> u8 {
    match row {
        Row::Baseline(_) | Row::Free => 0,
        Row::Tier(tier) => step_of(*tier),
        Row::Variant(variant) => step_of(variant.tier()),
    }
}

fn step_of(tier: Tier) -> u8 {
    match tier {
        Tier::Server => 5,
        other => other.number(),
    }
}

/// What is there for all rows, for as long as they are.
struct Beside {
    recordings: Arc<TempDir>,
    /// What stands in for the service behind the servers.
    downstream: Option<Arc<Downstream>>,
}

fn downstream(loaded: &Loaded) -> Result<Option<Downstream>> {
    let service = loaded.downstream.as_ref().map(service);
    let started = service.map(|service| Downstream::start(&service, Calls::Ignored)).transpose();
    started.map_err(|error| Failure::new(format!("the downstream recorder cannot start: {error}")))
}

/// A folder for what `0:free` replays: recorded anew in each run, seen by no other run, and gone with this one.
fn recordings(work: &Path) -> Result<TempDir> {
    let made = fs::create_dir_all(work).and_then(|()| tempfile::Builder::new().prefix("recordings-").tempdir_in(work));
    made.map_err(|error| Failure::new(format!("cannot create the folder for recordings: {}: {error}", shown(work))))
}

fn started(
    loaded: &Arc<Loaded>,
    host: &'static dyn Host,
    settings: &HostSettings,
    row: &Row,
    beside: &Beside,
) -> Started {
    let (owned, settings, row) = (Arc::clone(loaded), settings.clone(), row.clone());
    let (recordings, downstream) = (Arc::clone(&beside.recordings), beside.downstream.clone());
    let command = move |port| {
        let mut command = rows::command(&owned, host, &settings, &row, port).map_err(|failure| failure.to_string())?;
        command.environment.extend(downstream.iter().map(|downstream| downstream.environment()));
        if row == Row::Free {
            // What was recorded once is replayed by every server that is started afresh.
            let folder = recordings.path().join(host.name());
            command.environment.push(("TIERUP_RECORDING".into(), folder.display().to_string()));
        }
        Ok(command)
    };
    Started::new(command, loaded.folder.clone(), GRACE)
}
