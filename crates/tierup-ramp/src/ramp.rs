//! A ramp that goes on: one [round](Ramp::round) a second reads evidence, decides, and puts the decision into force.
//!
//! The order is what makes it safe. What was read and what was decided reach the database in one transaction; then the
//! journal; then the control file, by which it takes effect. If the database cannot be written, nothing rises and no
//! heartbeat is sent, so that control answers all within 60 s (ten minutes with nginx); what falls, falls at once.

mod acting;
mod begin;
mod deciding;
mod operator;
mod reading;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tierup_rollout::{Golden, Judge, Phase, Side, Weights, evidence::Entry};

pub use begin::{Door, Options};

use crate::{
    Actuator, Clock, Decided, Error, Result, State,
    command::{Command, Status},
    intake::{self, Heard, LATE, Waiting},
    journal::Journal,
    state::Held,
    store::{Costs, Saved, Source, Store},
    verdict::{self, Shown},
};

/// Between two heartbeats, in seconds.
const HEARTBEAT: u64 = 5;
/// Between two looks for old evidence files, in seconds.
const CLEANING: u64 = 600;

/// A judge that judges, and its ramp.
pub struct Ramp {
    state: State,
    store: Store,
    journal: Journal,
    actuator: Box<dyn Actuator>,
    clock: Box<dyn Clock>,
    options: Options,
    /// Name, key, phase, weights and generation; its `judge` is written anew each time.
    saved: Saved,
    mind: Mind,
    sources: BTreeMap<String, Source>,
    heard: Heard,
    /// The judge's own time when the steady clock was 0, in milliseconds.
    before: u64,
    /// By the steady clock, in seconds.
    beat: Option<u64>,
    cleaned: u64,
    /// When evidence came last, by the steady clock.
    seen: u64,
    /// Why control answers all although the candidate has a weight.
    suspended: Option<String>,
    /// The judge has not decided anything since it was started.
    is_restart: bool,
    /// What a load balancer counted and could not be stored yet.
    observed: Vec<Entry>,
    /// Why a load balancer does not tell all that it answered.
    blind: Option<String>,
    /// It may be that nobody asked for what is shared.
    may_be_quiet: bool,
    /// When control was first asked after evidence had stopped to come, by the steady clock.
    asked: Option<u64>,
    /// When a proxy told the processor time of a side last, by the steady clock.
    metered: BTreeMap<Side, u64>,
    /// Golden calls that could not be stored yet.
    untold: Vec<Golden>,
    /// An order that lowers the weight and could not be stored yet.
    unstored: Option<Command>,
    trouble: Option<String>,
    words: Vec<String>,
    _held: Held,
}

/// What is stored of the judge.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Mind {
    judge: Judge,
    waiting: Waiting,
    /// It was said that only the operator's word is missing.
    is_ready: bool,
}

/// What was judged in a round.
struct Judged {
    decided: Option<Decided>,
    /// Why an order was not obeyed.
    refused: Option<String>,
}

/// What a round came to, for people.
#[derive(Debug, Default)]
pub struct Round {
    pub decided: Option<Decided>,
    /// Something that keeps the judge from working, at the moment when it shows; or that it works again.
    pub trouble: Option<String>,
}

impl Ramp {
    /// Reads, decides and acts. `goldens` are the golden calls that were made since the last round.
    pub fn round(&mut self, goldens: &[Golden]) -> Round {
        let left = || self.state.is_abort_ordered().then_some(Command::Abort);
        let order = self.unstored.take().or_else(left);
        self.round_with(goldens, order).0
    }

    /// Returns why an order was refused, too.
    fn round_with(&mut self, goldens: &[Golden], order: Option<Command>) -> (Round, Option<String>) {
        let now = self.clock.steady().as_secs();
        let was_in_force = self.in_force().candidate;
        self.untold.extend_from_slice(goldens);
        let goldens = self.untold.clone();
        let (decided, refused, mut trouble) = match self.judge(now, &goldens, order) {
            Ok(Judged { decided, refused }) => {
                self.untold.clear();
                (decided, refused, None)
            }
            Err((error, falls)) => {
                self.unstored = order.filter(|_| falls);
                let words = if falls { self.fall(&error) } else { error.to_string() };
                (None, order.map(|_| words.clone()), Some(words))
            }
        };
        if trouble.is_none() {
            if let Err(error) = self.publish(now, decided.is_some()) {
                let falls = self.in_force().candidate < was_in_force;
                trouble = Some(if falls { self.fall(&error) } else { error.to_string() });
            } else if let Err(error) = self.clean(now) {
                trouble = Some(error.to_string());
            } else {
                trouble.clone_from(&self.blind);
            }
        }
        let is_new = trouble.as_deref().map(kind_of) != self.trouble.as_deref().map(kind_of);
        let said = trouble.clone().unwrap_or_else(|| "the judge works again".to_owned());
        self.trouble = trouble;
        (Round { decided, trouble: is_new.then_some(said) }, refused)
    }

    /// What fell could not be written down: it must fall all the same.
    fn fall(&mut self, error: &Error) -> String {
        match self.actuator.release() {
            Ok(()) => format!("{error}; control answers all: the weights were taken back"),
            Err(removal) => format!(
                "{error}; {removal}; without heartbeats control answers all within 60 s (ten minutes with nginx)"
            ),
        }
    }

    /// Reads evidence, decides and stores; nothing takes effect yet. If that fails, it is as if it had not been tried, and
    /// the next round tries it again; the `bool` says whether the candidate's weight would have fallen.
    fn judge(&mut self, now: u64, goldens: &[Golden], order: Option<Command>) -> Result<Judged, (Error, bool)> {
        let (mind, sources, saved) = (self.mind.clone(), self.sources.clone(), self.saved.clone());
        let (suspended, words) = (self.suspended.clone(), self.words.clone());
        let was_in_force = self.in_force().candidate;
        self.attempt(now, goldens, order).map_err(|error| {
            let falls = self.in_force().candidate < was_in_force;
            (self.mind, self.sources, self.saved) = (mind, sources, saved);
            (self.suspended, self.words) = (suspended, words);
            (error, falls)
        })
    }

    fn attempt(&mut self, now: u64, goldens: &[Golden], order: Option<Command>) -> Result<Judged> {
        let mut costs = Costs::new();
        let mut changed = BTreeSet::new();
        // All of it: a judge that starts again must know everything before its first heartbeat.
        loop {
            let more = self.take_in(now, &mut costs)?;
            let is_all = more.is_empty();
            changed.extend(more);
            if is_all {
                break;
            }
        }
        let observed = self.take_observed(now, &mut costs);
        self.judge_slots(LATE);
        goldens.iter().for_each(|golden| self.mind.judge.golden(golden));
        let ordered = order.map_or(Ok(None), |order| self.obey(order))?;
        let (decided, refused) = match ordered {
            Some(Ok(decided)) => (Some(decided), None),
            Some(Err(refused)) => (self.decide(now)?, Some(refused)),
            None => (self.decide(now)?, None),
        };
        let is_new = observed || !changed.is_empty() || !goldens.is_empty() || order.is_some();
        if is_new || decided.is_some() || self.beat.is_none() {
            self.store(&changed, costs, decided.as_ref())?;
        }
        self.observed.clear();
        Ok(Judged { decided, refused })
    }

    fn in_force(&self) -> Weights {
        if self.suspended.is_some() { Weights::CONTROL_ONLY } else { self.saved.weights }
    }

    /// The judge's own time, in milliseconds: it passes while a judge runs, whatever people set clocks to.
    fn elapsed(&self) -> u64 {
        self.before + u64::try_from(self.clock.steady().as_millis()).unwrap_or(u64::MAX)
    }

    fn hour(&self) -> u64 {
        self.clock.since_1970().as_secs() / 3600
    }

    /// The judge's own time, in seconds: golden calls have it.
    pub fn now(&self) -> u64 {
        self.elapsed() / 1000
    }

    /// The servers' addresses, as the proxies that are alive have them. Proxies of one ramp have the same.
    pub fn sides(&self) -> BTreeMap<Side, String> {
        let alive = intake::alive(&self.sources, &self.heard);
        alive.into_values().flat_map(|source| source.sides.clone()).collect()
    }

    /// Whether the ramp was rolled back, and that is in force.
    pub(crate) fn is_taken_back(&self) -> bool {
        self.saved.phase == Phase::RolledBack && self.beat.is_some()
    }

    pub fn phase(&self) -> Phase {
        self.saved.phase
    }

    pub fn status(&self) -> Status {
        let mut words = self.words.clone();
        words.splice(0..0, self.suspended.iter().map(|why| format!("control answers all for now: {why}")));
        let (broken, lost) = self
            .sources
            .values()
            .fold((0, 0), |(broken, lost), source| (broken + source.position.broken, lost + source.position.missing()));
        if broken + lost > 0 {
            words.push(format!("evidence: {broken} lines could not be read, {lost} are missing"));
        }
        Status {
            ramp: self.saved.name.clone(),
            phase: self.saved.phase,
            weights: self.in_force(),
            elapsed: self.elapsed() / 1000,
            proxies: self.heard.count(),
            words,
            trouble: self.trouble.clone(),
        }
    }

    /// Processor time per request of both sides, as far as it is known.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn shown(&self) -> Result<Option<Shown>> {
        Ok(verdict::shown(&self.store.costs(&self.saved.name)?))
    }
}

/// Errors with other numbers in them are the same trouble.
fn kind_of(words: &str) -> String {
    words.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests;
