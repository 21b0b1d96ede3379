//! `tierup ramp start`: judges until the ramp is rolled back or the operator ends it, and shares the requests by
//! `through` of `[rollout]`.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tierup_project::Loaded;
use tierup_ramp::{
    Action, Actuator, Attendant, Decided, Door, LOOK, Listener, Machine, ROUND, Ramp, Round, State, Status, Verdict,
    judge,
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
};

/// The minimum time between two progress lines.
const PROGRESS: Duration = Duration::from_secs(10);

pub(super) fn run(start: &Start, console: &mut Console) -> Result<()> {
    let interrupts = Interrupts::watch();
    let loaded = start.place.loaded()?.map(Arc::new);
    let state = start.place.state();
    if start.show_config {
        return show(loaded.as_deref(), &state, console);
    }
    let advises = start.advice.advise;
    if advises && loaded.as_ref().is_some_and(|loaded| loaded.rollout.through != Through::Tierup) {
        return Err(Failure::usage(
            "--advise is for weights that another program owns, and `through` of [rollout] gives them to tierup",
        )
        .hint("remove `through`"));
    }
    let mut actuator = actuator(loaded.as_deref(), &state)?;
    actuator.check().map_err(failed)?;
    let door = Door::open(state.clone(), actuator, Box::new(Machine::default())).map_err(failed)?;
    if let Some((aside, why)) = &door.set_aside {
        console.note(&format!(
            "warning: the database could not be trusted ({why}): it was set aside as {}, and the control answers all until \
             another ramp has begun",
            aside.display()
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
    let mut ramp = enter(door, start, loaded.as_deref(), golden.is_some(), adviser.as_ref(), &interrupts, console)?;
    let (_listener, commands) = Listener::start(&state).map_err(failed)?;
    let said = (String::new(), Instant::now());
    ramp.begun().iter().for_each(|begun| telling.tell(begun));
    let mut here = Here { golden, interrupts: &interrupts, console, said, telling, advises };
    let phase = judge(&mut ramp, &commands, &mut here);
    console.done();
    let missed = here.telling.end(&interrupts);
    missed.iter().for_each(|missed| console.note(&format!("warning: {missed}")));
    console.data(&ramp.status().to_string())?;
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

/// Continues the ramp, or waits for a proxy and begins another one.
fn enter(
    mut door: Door,
    start: &Start,
    loaded: Option<&Loaded>,
    has_golden: bool,
    adviser: Option<&Adviser>,
    interrupts: &Interrupts,
    console: &Console,
) -> Result<Ramp> {
    let options = start.plan.options(loaded, start.advice.advise);
    if !start.new {
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
        let looked = Instant::now();
        while looked.elapsed() < ROUND {
            if interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            thread::sleep(LOOK);
        }
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
pub(super) fn actuator(loaded: Option<&Loaded>, state: &State) -> Result<Box<dyn Actuator>> {
    let through = loaded.map(|loaded| loaded.rollout.through.clone()).unwrap_or_default();
    tierup_ramp::actuator(through, state.control()).map_err(failed)
}

/// Prints the lines to add to the load balancer's configuration.
pub(super) fn show(loaded: Option<&Loaded>, state: &State, console: &Console) -> Result<()> {
    let pieces = actuator(loaded, state)?.describe();
    if pieces.is_empty() {
        return Err(Failure::usage("`tierup shadow` shares the requests, which needs no configuration")
            .hint("`through` of [rollout] names a load balancer: docs/load-balancers.md"));
    }
    let pieces: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    console.data(pieces.join("\n").trim_end())
}

pub(super) fn failed(error: tierup_ramp::Error) -> Failure {
    Failure::new(error.to_string()).maybe_hint(error.hint())
}
