//! `tierup ramp start`: judges until the ramp is rolled back or the operator ends it, and shares the requests by
//! `through` of `[rollout]`.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tierup_project::Loaded;
use tierup_ramp::{
    Action, Actuator, Attendant, Database, Decided, Door, LOOK, Listener, Machine, Own, Ramp, Round, SCHEMA, State,
    Status, Verdict, judge,
};
use tierup_rollout::{Golden, Part, Phase, Side, Through, Weights};
use tierup_rows::GoldenCalls;
use tierup_runner::{Interrupts, Observer as _};

use super::{
    Start,
    advising::{self, Adviser},
    promise::promised,
    telling::Telling,
};
use crate::{
    console::Console,
    failure::{Failure, Result},
    store::{failed, lease, pause},
};

/// The minimum time between two progress lines.
const PROGRESS: Duration = Duration::from_secs(10);

pub(super) fn run(start: &Start, console: &mut Console) -> Result<()> {
    let interrupts = Interrupts::watch();
    let loaded = start.place.loaded()?.map(Arc::new);
    let state = start.place.state();
    if start.show_config {
        let has_store = start.place.store.url(loaded.as_deref())?.is_some();
        return show(loaded.as_deref(), &state, has_store, console);
    }
    let advises = start.advice.advise;
    if advises && loaded.as_ref().is_some_and(|loaded| loaded.rollout.through != Through::Tierup) {
        return Err(Failure::usage(
            "--advise is for weights that another program owns, and `through` of [rollout] gives them to tierup",
        )
        .hint("remove `through`"));
    }
    let database = start.place.store.database(loaded.as_deref())?;
    let lease = database.as_ref().map(|database| lease(database, &interrupts, console)).transpose()?;
    let (lease, has_begun) = lease.map_or((None, false), |(lease, has_begun)| (Some(lease), has_begun));
    let mut actuator = actuator(loaded.as_deref(), &state, database.as_ref())?;
    actuator.check().map_err(failed)?;
    let door = Door::of(lease, state.clone(), actuator, Box::new(Machine::default())).map_err(failed)?;
    if let Some((aside, why)) = &door.set_aside {
        console.note(&format!(
            "warning: the database could not be trusted ({why}): {aside}, and the control answers all until another ramp has \
             begun"
        ));
    }
    let promised = match (&loaded, &start.row) {
        (Some(loaded), Some(row)) => promised(loaded, row, console)?,
        (None, Some(_)) => {
            return Err(Failure::usage("--row names a row of a project, and there is none")
                .hint("give the project's folder beside --state"));
        }
        (_, None) => None,
    };
    let adviser = advising::start(&start.advice, &state, console)?;
    let telling = Telling::start(start.metrics, loaded.as_deref(), console)?;
    let golden = loaded.as_ref().map(|loaded| GoldenCalls::prepare(loaded, console)).transpose()?.flatten();
    let is_new = start.new && !has_begun;
    if start.new && has_begun {
        console.note("warning: another judge has begun a ramp meanwhile, which goes on in spite of --new");
    }
    let entering =
        Entering { is_new, has_golden: golden.is_some(), adviser: adviser.as_ref(), interrupts: &interrupts };
    let mut ramp = enter(door, start, loaded.as_deref(), &entering, console)?;
    let (_listener, commands) = Listener::start(&state).map_err(failed)?;
    let said = (String::new(), Instant::now());
    ramp.begun().iter().for_each(|begun| telling.tell(begun));
    let mut here = Here { golden, interrupts: &interrupts, console, said, telling, advises };
    let phase = judge(&mut ramp, &commands, &mut here);
    console.done();
    let missed = here.telling.end(&interrupts);
    missed.iter().for_each(|missed| console.note(&format!("warning: {missed}")));
    console.data(&ramp.status().to_string())?;
    if ramp.is_deposed() {
        let why = ramp.status().trouble.unwrap_or_default();
        return Err(Failure::new(why).hint("start this judge again: it then waits for the lease"));
    }
    match phase {
        Phase::RolledBack => {
            let status = ramp.status();
            let why = status.words.first().cloned().unwrap_or_default();
            Err(Failure::no(format!("the candidate was rolled back: {why}"))
                .hint("`tierup shadow report` shows the evidence; `tierup ramp --new` begins another ramp"))
        }
        Phase::Done => {
            let shown = ramp.shown().map_err(failed)?;
            console.data(&Verdict { promised, shown }.to_string())
        }
        _ if advises => {
            console.note("nobody is advised any more, so the owner of the weights holds: start the judge again");
            Err(Failure::Interrupted)
        }
        _ => {
            console.note(
                "the weights stay for 60 s (ten minutes with nginx), and then the control answers all: start the judge again \
                 before, or take them back now with `tierup ramp abort`",
            );
            Err(Failure::Interrupted)
        }
    }
}

struct Entering<'a> {
    is_new: bool,
    has_golden: bool,
    adviser: Option<&'a Adviser>,
    interrupts: &'a Interrupts,
}

/// Continues the ramp, or waits for a proxy and begins another one.
fn enter(
    mut door: Door,
    start: &Start,
    loaded: Option<&Loaded>,
    entering: &Entering<'_>,
    console: &Console,
) -> Result<Ramp> {
    let &Entering { is_new, has_golden, adviser, interrupts } = entering;
    let options = start.plan.options(loaded, start.advice.advise);
    if !is_new {
        let over = match door.last().map_err(failed)? {
            Some((Phase::RolledBack, last)) => Some(last.map(|last| last.reasons.join("; ")).unwrap_or_default()),
            _ => None,
        };
        // An adviser repeats a rollback: the owner of the weights may not have heard of it.
        if over.is_none() || adviser.is_some() {
            door = match door.go_on(options.clone()) {
                Ok(ramp) => {
                    let status = ramp.status();
                    if adviser.is_some() && status.weights != Weights::CONTROL_ONLY {
                        return Err(Failure::usage("the ramp in this folder moves weights itself")
                            .hint("`--new` begins one that advises; or name another folder"));
                    }
                    console
                        .note(&format!("the ramp {} goes on, by the plan with which it began: {status}", status.ramp));
                    return Ok(ramp);
                }
                Err(door) => door,
            };
        }
        if let Some(why) = over {
            // The judge that decided this may have died before it took effect.
            door.take_back().map_err(failed)?;
            let failure = Failure::no(format!("the last ramp was rolled back: {why}"))
                .hint("`tierup ramp --new` begins another one");
            if let Some(adviser) = adviser {
                // Its judge cannot go on, as the database is damaged.
                console.note(&format!("{failure}: this is advised until Ctrl-C"));
                adviser.condemn(why);
                while !interrupts.arrived() {
                    thread::sleep(LOOK);
                }
            }
            return Err(failure);
        }
    }
    door.take_back().map_err(failed)?;
    console.status("waiting for a proxy: start `tierup shadow` with the same project or --state");
    let sides = loop {
        if let Some(sides) = door.look().map_err(failed)? {
            break sides;
        }
        pause(interrupts)?;
    };
    let (plan, notes) = start.plan.plan(loaded, sides.contains_key(&Side::Twin), has_golden);
    let name = |side: Side| sides.get(&side).map_or("none", String::as_str);
    console.note(&format!(
        "control {}, candidate {}, twin {}",
        name(Side::Control),
        name(Side::Candidate),
        name(Side::Twin)
    ));
    notes.iter().for_each(|note| console.note(note));
    let ramp = door.begin(plan, options).map_err(failed)?;
    console.note(&format!("the ramp {} begins", ramp.status().ramp));
    Ok(ramp)
}

/// Reports the judge's decisions, and makes golden calls for it.
struct Here<'a> {
    golden: Option<GoldenCalls>,
    interrupts: &'a Interrupts,
    console: &'a Console,
    /// The last progress line, and its time.
    said: (String, Instant),
    telling: Telling,
    advises: bool,
}

impl Attendant for Here<'_> {
    fn is_over(&self) -> bool {
        self.interrupts.arrived()
    }

    fn golden_calls(&mut self, ramp: &Ramp) -> Vec<Golden> {
        let Some(golden) = &mut self.golden else { return Vec::new() };
        let sides = ramp.sides();
        let has_weight = ramp.status().weights.candidate > Part::NONE;
        golden.look(ramp.now(), has_weight, sides.get(&Side::Control), sides.get(&Side::Candidate))
    }

    fn sees(&mut self, ramp: &Ramp, round: &Round) {
        self.telling.sees(ramp, round, self.console);
        if let Some(trouble) = &round.trouble {
            self.console.note(&format!("warning: {trouble}"));
        }
        let Some(decided) = &round.decided else { return };
        match self.advises {
            true => self.console.note(&format!("{}{}", decided.decision, indented(&decided.reasons))),
            false => say(decided, self.console),
        }
        if decided.decision == Action::Finish {
            self.console.note(
                "the candidate answers all while this judge runs: make it the server behind your load balancer, then stop \
                 the judge with Ctrl-C",
            );
        }
    }

    fn stands(&mut self, status: &Status) {
        if self.said.1.elapsed() < PROGRESS {
            return;
        }
        let line = status.to_string();
        if line != self.said.0 {
            self.console.status(&line);
            self.said = (line, Instant::now());
        }
    }
}

pub(super) fn say(Decided { decision, weight, reasons, .. }: &Decided, console: &Console) {
    console.note(&format!("{decision}: the candidate answers {weight}{}", indented(reasons)));
}

fn indented(reasons: &[String]) -> String {
    reasons.iter().map(|reason| format!("\n  {reason}")).collect()
}

/// The load balancer of the project, or tierup's own proxies without one.
pub(super) fn actuator(
    loaded: Option<&Loaded>,
    state: &State,
    database: Option<&Database>,
) -> Result<Box<dyn Actuator>> {
    let through = loaded.map(|loaded| loaded.rollout.through.clone()).unwrap_or_default();
    let proxies = database.map_or_else(|| Box::new(Own::new(state.control())) as Box<_>, Database::actuator);
    tierup_ramp::actuator(through, proxies).map_err(failed)
}

/// Prints the tables, and the lines to add to the load balancer's configuration.
pub(super) fn show(loaded: Option<&Loaded>, state: &State, has_store: bool, console: &Console) -> Result<()> {
    let pieces = actuator(loaded, state, None)?.describe();
    if has_store {
        console.data(SCHEMA.trim_end())?;
        if pieces.is_empty() {
            return Ok(());
        }
    }
    if pieces.is_empty() {
        return Err(Failure::usage("`tierup shadow` shares the requests, which needs no configuration")
            .hint("`through` of [rollout] names a load balancer: docs/load-balancers.md"));
    }
    let pieces: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    console.data(pieces.join("\n").trim_end())
}
