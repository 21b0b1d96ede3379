//! `tierup ramp`: judges by the evidence of `tierup shadow`, and raises the candidate's weight step by step, or takes
//! it back. Its other subcommands talk to a running judge.

mod advising;
mod inside;
mod judging;
mod plan;
mod promise;
mod telling;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use tierup_project::Loaded;
use tierup_ramp::{Command, Database, Door, Machine, Reply, State, Unjudged, ask};
use tierup_rollout::{Part, Phase};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
    store::{StoreFlag, failed},
};

/// Raise the candidate's part of the traffic step by step, by the evidence of `tierup shadow`, or roll it back
///
/// Control keeps 1% to be compared with, until `tierup ramp finish`.
///
/// It exits with 0 if the candidate answers all and Ctrl-C stops it, 1 if the candidate was rolled back, and 130 if it was
/// stopped before.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    order: Option<Order>,
    #[command(flatten)]
    start: Start,
}

#[derive(Subcommand)]
enum Order {
    /// Judge, which is also what `tierup ramp` does without a subcommand
    Start(Box<Start>),
    /// Print how the ramp stands
    Status {
        #[command(flatten)]
        place: RampPlace,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Take no more steps; the candidate may still be rolled back
    Pause(RampPlace),
    /// Go on after a pause
    Resume(RampPlace),
    /// Give the candidate this part of the traffic now
    To {
        /// For example 25%; 99% is the most
        #[arg(value_name = "PART")]
        weight: Part,
        #[command(flatten)]
        place: RampPlace,
    },
    /// Give the candidate all requests; refused until the last step has enough evidence
    Finish(RampPlace),
    /// Let the control answer all, and end the ramp; works without a running judge, too
    Abort(RampPlace),
}

/// The place of the ramp.
#[derive(Args)]
struct RampPlace {
    /// The folder that holds tierup.toml
    project: Option<PathBuf>,
    /// The folder in which `tierup shadow` and `tierup ramp` meet [default: .tierup/rollout of the project]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(flatten)]
    store: StoreFlag,
}

#[derive(Args)]
struct Start {
    #[command(flatten)]
    place: RampPlace,
    /// Begin another ramp, although the last one is not at its end or was rolled back
    #[arg(long)]
    new: bool,
    /// Only print what the load balancer of [rollout] needs in its configuration, and the tables for `store`
    #[arg(long)]
    show_config: bool,
    /// The row of the last `tierup bench` that the candidate is, e.g. `4`; at the end, its promise is compared with
    /// production
    #[arg(long, value_name = "ROW")]
    row: Option<String>,
    /// The address for Prometheus: http://ADDRESS/metrics. Everybody who can reach it can read the ramp's state
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,
    #[command(flatten)]
    plan: plan::Flags,
    #[command(flatten)]
    inside: inside::InsideFlags,
    #[command(flatten)]
    advice: advising::AdviceFlags,
}

impl RampPlace {
    fn state(&self) -> State {
        let project = || self.project.as_deref().unwrap_or(Path::new(".")).join(".tierup/rollout");
        State::at(self.state.clone().unwrap_or_else(project))
    }

    /// The named project, or the one in the current folder if no state folder is named.
    fn loaded(&self) -> Result<Option<Loaded>> {
        let here = self.state.is_none().then_some(Path::new("."));
        self.project.as_deref().or(here).map(open).transpose()
    }

    /// The state folder, which must exist: a command does not create it.
    fn existing(&self) -> Result<State> {
        let state = self.state();
        if state.folder().join("inside.json").exists() {
            return Err(Failure::usage(format!("`{}` is of a ramp with --inside", state.folder().display()))
                .hint("remove its control file to stop it, whose name is without `.ramp`; docs/rollout-inside.md"));
        }
        if state.folder().is_dir() || self.store.url(self.loaded().ok().flatten().as_ref())?.is_some() {
            return Ok(state);
        }
        Err(Failure::usage(format!("there is no ramp in `{}`", state.folder().display()))
            .hint("name the project, or the folder with --state, as for `tierup shadow`"))
    }
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    match &arguments.order {
        None => start(&arguments.start, console),
        Some(Order::Start(asked)) => start(asked, console),
        Some(Order::Status { place, json }) => status(place, *json, console),
        Some(Order::Pause(place)) => order(place, Command::Pause, console),
        Some(Order::Resume(place)) => order(place, Command::Resume, console),
        Some(Order::To { weight, place }) => order(place, Command::To(*weight), console),
        Some(Order::Finish(place)) => order(place, Command::Finish, console),
        Some(Order::Abort(place)) => abort(place, console),
    }
}

fn start(start: &Start, console: &mut Console) -> Result<()> {
    match &start.inside.file {
        Some(file) => inside::run(start, file, console),
        None => judging::run(start, console),
    }
}

fn tell(state: &State, command: Command) -> Result<Option<Reply>> {
    ask(state, command).map_err(|error| Failure::new(error.to_string()))
}

/// The failure of an order without a judge: who answers now, and what to do next.
fn unjudged(place: &RampPlace, state: &State) -> Failure {
    // An unreadable project does not tell whether there is a load balancer.
    let loaded = place.loaded().ok().flatten();
    let look = || -> Result<Failure> {
        let database = place.store.database(loaded.as_ref())?;
        if let Some(holder) = holder(database.as_ref())? {
            return Ok(Failure::new(format!("the judge is {holder}, and not in `{}`", state.folder().display()))
                .hint("give its commands where it runs; `tierup ramp abort` works from everywhere"));
        }
        let mut actuator = judging::actuator(loaded.as_ref(), state, database.as_ref())?;
        let unjudged = Unjudged::look(state, &mut *actuator);
        Ok(Failure::new(unjudged.to_string()).hint(unjudged.hint()))
    };
    look().unwrap_or_else(|failure| failure)
}

/// The judge that has the database's lease.
fn holder(database: Option<&Database>) -> Result<Option<String>> {
    database.map_or(Ok(None), |database| database.holder().map_err(failed))
}

fn status(place: &RampPlace, json: bool, console: &Console) -> Result<()> {
    let state = place.existing()?;
    let Some(reply) = tell(&state, Command::Status)? else {
        return Err(unjudged(place, &state));
    };
    let text = match json {
        true => serde_json::to_string_pretty(&reply.status).map_err(|error| Failure::new(error.to_string()))?,
        false => reply.status.to_string(),
    };
    console.data(&text)
}

fn order(place: &RampPlace, command: Command, console: &Console) -> Result<()> {
    let state = place.existing()?;
    match tell(&state, command)? {
        None => Err(unjudged(place, &state)),
        Some(Reply { refused: Some(why), .. }) => Err(Failure::no(why)),
        Some(reply) => console.data(&reply.status.to_string()),
    }
}

/// Removes the control file in any case, so that the control answers all.
fn abort(place: &RampPlace, console: &Console) -> Result<()> {
    let state = place.existing()?;
    match tell(&state, Command::Abort) {
        Ok(Some(Reply { status, .. })) if status.phase == Phase::RolledBack && status.trouble.is_none() => {
            return console.data(&status.to_string());
        }
        // No judge answers, or its abort did not take effect: this process does it.
        Ok(_) | Err(_) => {}
    }
    // An unreadable project must not prevent the removal of the control file.
    let loaded = place.loaded();
    let project = loaded.as_ref().ok().and_then(Option::as_ref);
    let database = match place.store.database(project) {
        Ok(database) => database,
        Err(failure) => {
            judging::actuator(project, &state, None)?.release().map_err(failed)?;
            return Err(failure.hint("without the database, proxies give all requests to the control within 60 s"));
        }
    };
    let actuator = || judging::actuator(project, &state, database.as_ref());
    if let (Some(database), Some(holder)) = (&database, holder(database.as_ref())?) {
        database.order_abort().map_err(failed)?;
        return console.data(&format!("the control answers all: the judge {holder} gets the order"));
    }
    let lease = database.as_ref().map(Database::take).transpose().map_err(failed)?.flatten();
    let alone = Door::of(lease, state.clone(), actuator()?, Box::new(Machine::default())).ok();
    if let Some(mut ramp) = alone.and_then(|door| door.go_on(plan::Flags::default().options(None, false)).ok()) {
        let (_, reply) = ramp.order(Command::Abort);
        if reply.status.phase == Phase::RolledBack && reply.status.trouble.is_none() {
            return console.data(&reply.status.to_string());
        }
    }
    // A frozen judge would otherwise continue with its weights later.
    let ordered = database.as_ref().map_or_else(|| state.order_abort(), Database::order_abort);
    actuator()?.release().map_err(failed)?;
    ordered.map_err(failed)?;
    loaded?;
    console.data("the control answers all: the control file was removed")
}
