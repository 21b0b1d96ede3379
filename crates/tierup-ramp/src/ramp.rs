//! A ramp that goes on: one [round](Ramp::round) a second reads evidence, decides, and puts the decision into force.
//!
//! The order is what makes it safe. What was read and what was decided reach the database in one transaction; then the
//! journal; then the control file, by which it takes effect. If the database cannot be written, nothing rises and no
//! heartbeat is sent, so that control answers all within 60 s (ten minutes with nginx); what falls, falls at once.

mod begin;
mod operator;
mod reading;

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};
use tierup_actuator::Actuator;
use tierup_rollout::{
    Control, Decision, Golden, Judge, Part, Phase, Side, Weights,
    evidence::{Entry, SLOT},
};

pub use begin::{Door, Options};

use crate::{
    Clock, Decided, Error, Keeping, Result, State,
    command::{Command, Status},
    evidence_files,
    intake::{self, BLIND_AFTER, Heard, LATE, Waiting},
    journal::Journal,
    state::Held,
    store::{Change, Costs, Saved, Source, Store},
    verdict::{self, Shown},
};

/// Between two heartbeats, in seconds.
const HEARTBEAT: u64 = 5;
/// Between two looks for old evidence files, in seconds.
const CLEANING: u64 = 600;

/// The decision that ends a ramp, as the journal has it.
pub(crate) const ROLL_BACK: &str = "roll back";

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

    /// Changes what is to be in force. Nothing takes effect yet.
    fn decide(&mut self, now: u64) -> Result<Option<Decided>> {
        let decision = self.mind.judge.decide(self.now());
        self.words = decision.to_string().lines().skip(1).map(|line| line.trim().to_owned()).collect();
        let reasons = self.words.clone();
        if let (Decision::RollBack { .. }, true) = (&decision, self.saved.phase != Phase::RolledBack) {
            self.suspended = None;
            return self.change(Phase::RolledBack, Weights::CONTROL_ONLY, ROLL_BACK, reasons).map(Some);
        }
        if let Some(decided) = self.suspend(now)? {
            return Ok(Some(decided));
        }
        match decision {
            Decision::Advance { to, .. } if self.sees() && self.advances() => {
                let decided = self.change(Phase::Ramping, self.weights(to), "advance", reasons)?;
                self.mind.judge.applied(to, self.saved.generation, self.now());
                Ok(Some(decided))
            }
            Decision::Done { .. } if self.sees() && self.saved.phase == Phase::Ramping => {
                self.change(Phase::Done, self.saved.weights, "done", reasons).map(Some)
            }
            _ if mem::take(&mut self.is_restart) => {
                // What was in the file may have had this generation, and other weights.
                let why = vec!["the judge was started again".to_owned()];
                self.change(self.saved.phase, self.saved.weights, "go on", why).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether bad answers would show: only then does their absence mean something.
    fn sees(&self) -> bool {
        self.suspended.is_none() && self.blind.is_none()
    }

    fn advances(&self) -> bool {
        matches!(self.saved.phase, Phase::Shadow | Phase::Ramping)
    }

    /// While no evidence comes, nobody judges, so control answers all; when it comes again, the weights of before are in
    /// force again. A candidate without a weight needs no judge.
    fn suspend(&mut self, now: u64) -> Result<Option<Decided>> {
        let is_silent = now.saturating_sub(self.seen) > BLIND_AFTER && self.saved.weights != Weights::CONTROL_ONLY;
        let is_blind = is_silent && !self.is_quiet(now);
        if is_blind == self.suspended.is_some() {
            return Ok(None);
        }
        let (decision, why) = if is_blind {
            let why = self.blind.clone().unwrap_or_else(|| format!("no proxy wrote evidence for {BLIND_AFTER} s"));
            ("suspend", why)
        } else {
            ("go on", "evidence comes again".to_owned())
        };
        self.suspended = is_blind.then(|| why.clone());
        self.change(self.saved.phase, self.saved.weights, decision, vec![why]).map(Some)
    }

    /// Whether a load balancer logs nothing because nobody asks: proxies tell of no request to control since then.
    fn is_quiet(&self, now: u64) -> bool {
        let is_told = self.heard.count() > 0 && self.saved.weights.candidate != Part::ALL;
        // Its log and a proxy's evidence of the same request may be some seconds apart.
        let is_asked = self.asked.is_some_and(|asked| now.saturating_sub(asked) > 2 * SLOT);
        self.may_be_quiet && is_told && !is_asked
    }

    /// A new generation.
    fn change(&mut self, phase: Phase, weights: Weights, decision: &str, reasons: Vec<String>) -> Result<Decided> {
        self.saved.phase = phase;
        self.saved.weights = weights;
        self.saved.generation += 1;
        Ok(Decided {
            number: self.store.next_number()?.max(self.journal.last() + 1),
            ramp: self.saved.name.clone(),
            at: self.clock.since_1970().as_secs(),
            generation: self.saved.generation,
            decision: decision.to_owned(),
            weight: self.in_force().candidate,
            reasons,
        })
    }

    fn weights(&self, candidate: Part) -> Weights {
        if self.mind.judge.plan().has_twin {
            Weights::with_twin(candidate)
        } else {
            Weights { candidate, twin: Part::NONE }
        }
    }

    fn in_force(&self) -> Weights {
        if self.suspended.is_some() { Weights::CONTROL_ONLY } else { self.saved.weights }
    }

    fn store(&mut self, changed: &BTreeSet<String>, costs: Costs, decided: Option<&Decided>) -> Result<()> {
        self.saved.elapsed = self.elapsed();
        self.saved.judge = serde_json::to_string(&self.mind).map_err(|error| Error::Damaged(error.to_string()))?;
        let sources = self.sources.iter().filter(|(file, _)| changed.contains(*file));
        let sources = sources.map(|(file, source)| (file.as_str(), source)).collect();
        let change = Change { ramp: Some(&self.saved), sources, costs, decided, ..Change::default() };
        self.store.write(&change)?;
        let written = self.journal.last();
        let missing = if decided.is_some_and(|decided| decided.number == written + 1) {
            decided.cloned().into_iter().collect()
        } else {
            self.store.decisions_after(written)?
        };
        // It is in the database: the journal has it when there is room again.
        let _ = self.journal.append(&missing);
        Ok(())
    }

    /// Tells the proxies, after a change and as a heartbeat.
    fn publish(&mut self, now: u64, is_new: bool) -> Result<()> {
        if !is_new && self.beat.is_some_and(|beat| now.saturating_sub(beat) < HEARTBEAT) {
            return Ok(());
        }
        if self.saved.phase == Phase::RolledBack {
            self.state.forget_abort();
        } else if self.state.is_abort_ordered() {
            // It was given while this judge stood still: the next round obeys it.
            return Ok(());
        }
        let part = |part: Part| if self.saved.phase == Phase::RolledBack { Part::NONE } else { part };
        let control = Control {
            ramp: self.saved.name.clone(),
            generation: self.saved.generation,
            heartbeat: self.clock.since_1970().as_secs(),
            phase: self.saved.phase,
            weights: self.in_force(),
            mirror: part(self.options.sample),
            second: part(self.options.second),
            verify: part(self.options.verify),
            key: self.saved.key.clone(),
        };
        // A failure is known in time: the heartbeat of before is not older than this one's period.
        self.beat = None;
        self.actuator.set(&control)?;
        self.beat = Some(now);
        Ok(())
    }

    fn clean(&mut self, now: u64) -> Result<()> {
        if now.saturating_sub(self.cleaned) < CLEANING {
            return Ok(());
        }
        self.cleaned = now;
        let keeping: &Keeping = &self.options.keeping;
        let removed =
            evidence_files::remove_old(&self.state.evidence(), keeping, UNIX_EPOCH + self.clock.since_1970())?;
        removed.iter().for_each(|file| drop(self.sources.remove(file)));
        self.store.write(&Change { forgotten: &removed, ..Change::default() })
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
