//! The servers of a rollout: each runs at an address, or is a row of a project, which is built and started.
//!
//! In: the [`Side`]s that the user names, and the project. Out: running [`Servers`], which stop when they are dropped.

pub mod effects;

use std::{fmt, net::SocketAddr, path::PathBuf, str::FromStr};

use tierup_check::Comparison;
use tierup_codegen::Row;
use tierup_diagnostic::{Failure, Result};
use tierup_parity::{CallOrder, Finding, Place};
use tierup_project::{CheckSettings, Loaded, RolloutSettings};
use tierup_runner::{Lock, Observer};
use tierup_shadow::{Address, Compare, Declared, Sides};
use tierup_subject::{Running, Starting, Subject as _};

use self::effects::{Effects, Plan};
use crate::{BuiltRow, ProjectHost, build_server, hold};

/// A server that the user names: an address or a row. After its build, the row is a [`BuiltRow`], which can be started.
#[derive(Debug, Clone)]
pub enum Side<R = Row> {
    At(Address),
    Row(R),
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Side, String> {
        match text.contains("://") {
            true => text.parse::<Address>().map(Side::At).map_err(|error| error.to_string()),
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

/// A running server. If it was started here, dropping it stops the server.
pub struct Server {
    pub label: String,
    pub address: Address,
    running: Option<Box<dyn Running>>,
}

impl Server {
    /// The root of the server's process tree, if it was started here.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.running.as_ref().and_then(|running| running.pid())
    }

    /// The server's address, if it was started here.
    pub(crate) fn socket(&self) -> Option<SocketAddr> {
        self.running.as_ref().map(|running| running.address())
    }

    /// How the server ended, if it was started here and has ended.
    pub fn ended(&mut self) -> Option<String> {
        self.running.as_mut().and_then(|running| running.ended())
    }
}

/// The running servers of a shadow.
pub struct Servers {
    pub control: Server,
    pub candidate: Server,
    pub twin: Option<Server>,
    /// There if the project's servers call another service.
    pub effects: Option<Effects>,
    /// The lock on `.tierup/`, so that no build replaces the files of running servers.
    _held: Option<Lock>,
}

impl Servers {
    pub fn all(&mut self) -> impl Iterator<Item = &mut Server> {
        let lanes = self.effects.iter_mut().flat_map(|effects| effects.all_mut());
        [&mut self.control, &mut self.candidate].into_iter().chain(&mut self.twin).chain(lanes)
    }

    /// The servers in the form that the proxy takes.
    pub fn sides(&self) -> Sides {
        Sides {
            control: self.control.address.clone(),
            candidate: self.candidate.address.clone(),
            twin: self.twin.as_ref().map(|twin| twin.address.clone()),
            lanes: self.effects.as_ref().map(|effects| effects.lanes.clone()),
            processes: self.processes().collect(),
        }
    }

    /// The processes that were started here, each with its side.
    fn processes(&self) -> impl Iterator<Item = (tierup_rollout::Side, u32)> {
        use tierup_rollout::Side::{Candidate, Control, Twin};
        let sides = [(Control, &self.control), (Candidate, &self.candidate)].into_iter();
        let sides = sides.chain(self.twin.iter().map(|twin| (Twin, twin)));
        let lanes = self.effects.iter().flat_map(|effects| {
            let of_control = effects.of_control.iter().map(|server| (Control, server));
            let of_twin = effects.of_twin.iter().flatten().map(|server| (Twin, server));
            of_control.chain(effects.of_candidate.iter().map(|server| (Candidate, server))).chain(of_twin)
        });
        sides.chain(lanes).filter_map(|(side, server)| Some((side, server.pid()?)))
    }
}

/// Builds the rows and starts the servers. The twin comes right after the candidate, so that both are equally cold.
///
/// # Errors
/// A build failed, a server does not start, or a row is named without a project.
pub fn start(
    control: &Side,
    candidate: &Side,
    twin: Option<&Side>,
    rows: Option<ProjectHost<'_>>,
    plan: Option<&Plan>,
    observer: &mut dyn Observer,
) -> Result<Servers> {
    let mut prepared = Vec::new();
    for side in [control, candidate].into_iter().chain(twin) {
        prepared.push(match (side, rows) {
            (Side::At(address), _) => Side::At(address.clone()),
            (Side::Row(row), Some(rows)) => {
                rows.require_dependency(std::slice::from_ref(row), observer)?;
                Side::Row(rows.build_row(row.clone(), observer)?)
            }
            (Side::Row(row), None) => return Err(no_project(row)),
        });
    }
    let held = match rows {
        Some(rows) if prepared.iter().any(|side| matches!(side, Side::Row(_))) => {
            build_server(rows.loaded, rows.settings, observer)?;
            Some(hold(rows.loaded, observer)?)
        }
        _ => None,
    };
    // Processes call the real service if clients see their answers, or may see them later.
    let real: Vec<_> = plan.map(Plan::environment).into_iter().collect();
    let relay = plan.map(Plan::relay).transpose()?.flatten();
    let of_control = relay.as_ref().map_or_else(|| real.clone(), |relay| vec![relay.environment()]);
    let (control, candidate) = (prepared[0].start(&of_control)?, prepared[1].start(&real)?);
    let twin = prepared.get(2).map(|twin| twin.start(&real)).transpose()?;
    let effects = plan.map(|plan| plan.start(&prepared[0], &prepared[1], prepared.get(2), relay)).transpose()?;
    Ok(Servers { control, candidate, twin, effects, _held: held })
}

impl Side<BuiltRow> {
    /// Starts a process of this side, with more variables in its environment.
    pub(crate) fn start(&self, environment: &[(String, String)]) -> Result<Server> {
        let row = match self {
            Side::At(address) => {
                return Ok(Server { label: address.to_string(), address: address.clone(), running: None });
            }
            Side::Row(row) => row.clone(),
        };
        let label = row.row.to_string();
        let started = row.server(|_| {}).start(&Starting { environment, ..Starting::default() });
        let running = started.map_err(|trouble| {
            Failure::new(format!("the server at {label} did not start: {}", trouble.what)).output(trouble.log)
        })?;
        let address = Address { host: running.address().ip().to_string(), port: running.address().port() };
        Ok(Server { label, address, running: Some(running) })
    }
}

fn no_project(row: &Row) -> Failure {
    Failure::usage(format!("`{row}` is a row of a project, and there is none"))
        .hint("give the project's folder, or the address of a server: http://127.0.0.1:3000")
}

/// The settings of a project for a shadow; without a project, the defaults of `[rollout]`.
pub fn declared(loaded: Option<&Loaded>) -> Declared {
    let rollout = loaded.map_or_else(RolloutSettings::default, |loaded| loaded.rollout.clone());
    let safe: Vec<String> = rollout.safe.iter().map(ToString::to_string).collect();
    // The judge knows the routes of `[rollout]` by these names, so they come first.
    let named = rollout.routes.iter().map(ToString::to_string).chain(safe.iter().cloned());
    let routes = loaded.iter().flat_map(|loaded| &loaded.project.routes);
    let named = named.chain(routes.map(|route| format!("{} {}", route.method, route.path))).collect();
    let RolloutSettings { isolated: is_isolated, hide, second, .. } = rollout;
    Declared { named, safe, is_isolated, hide, second, compare: compare(loaded) }
}

/// A function that compares the answers of two servers to the same request.
fn compare(loaded: Option<&Loaded>) -> Box<Compare> {
    let (check, folder) = match loaded {
        Some(loaded) => (rules(loaded), loaded.folder.clone()),
        None => (CheckSettings::default(), PathBuf::new()),
    };
    let mut comparison = Comparison::new(check, folder);
    Box::new(move |target, control, candidate| {
        let mut finding = comparison.find(Some(target), control, candidate);
        if let Finding::Mismatch(found) = &mut finding {
            // A refused call may be the cause of a different answer, so it comes first.
            found.list.sort_by_key(|difference| !matches!(difference.place, Place::Downstream { .. }));
        }
        finding
    })
}

/// The rules of `[check]`, with the order of calls that `ordered` of `[rollout]` sets.
pub(crate) fn rules(loaded: &Loaded) -> CheckSettings {
    let mut check = loaded.check.clone();
    check.policy.calls = if loaded.rollout.ordered { CallOrder::Ordered } else { CallOrder::Any };
    check
}
