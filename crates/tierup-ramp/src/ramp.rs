//! A ramp that goes on: one [round](Ramp::round) a second reads evidence, decides, and puts the decision into force.
//!
//! The order is what makes it safe. What was read and what was decided reach the database in one transaction; then the
//! journal; then the control file, by which it takes effect. If the database cannot be written, nothing rises and no
//! heartbeat is sent, so that control answers all within 60 s (ten minutes with nginx); what falls, falls at once.

mod acting;
mod begin;
mod deciding;
mod metrics;
mod operator;
mod reading;

use std::collections::{BTreeMap, BTreeSet};

use tierup_rollout::{Golden, Phase, Side, evidence::Entry};

pub use begin::{Door, Options};

use crate::{
    Actuator, Clock, Decided, Error, Result, State,
    command::{Command, Status},
    intake::{self, LATE},
    journal::Journal,
    known::Known,
    state::Held,
    store::Store,
    stored::Costs,
    trouble::Trouble,
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
    known: Known,
    inbox: Inbox,
    /// The judge's own time when the steady clock was 0, in milliseconds.
    before: u64,
    /// When weights were put into force last, by the steady clock in seconds; `None`: what is in force is not certain.
    beat: Option<u64>,
    cleaned: u64,
    trouble: Option<Trouble>,
    /// Rounds that could not store or not put into force what they decided.
    failed: u64,
    _held: Held,
}

/// What came and is not stored yet. A round that fails leaves it to the next one.
#[derive(Debug, Default)]
struct Inbox {
    /// What a load balancer counted, and when that was: in milliseconds since 1970, and in seconds of the steady clock.
    observed: Vec<(u64, u64, Entry)>,
    /// Why a load balancer does not tell all that it answered.
    blind: Option<Error>,
    /// It may be that nobody asked for what is shared.
    may_be_quiet: bool,
    golden: Vec<Golden>,
    /// An order that lowers the weight: an abort, or the last one that failed.
    order: Option<Command>,
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
        let order = self.inbox.order.or_else(left);
        self.round_with(goldens, order).0
    }

    /// Returns why an order was refused, too.
    fn round_with(&mut self, goldens: &[Golden], order: Option<Command>) -> (Round, Option<String>) {
        let now = self.clock.steady().as_secs();
        let was_in_force = self.known.in_force().candidate;
        self.inbox.golden.extend_from_slice(goldens);
        let (judged, mut trouble) = match self.judge(now, order) {
            Ok(judged) => {
                self.obeyed(order, judged.refused.is_some());
                (judged, None)
            }
            Err((error, falls)) => {
                if (falls || order == Some(Command::Abort)) && self.inbox.order != Some(Command::Abort) {
                    self.inbox.order = order;
                }
                let trouble = self.troubled(&error, falls);
                let refused = order.map(|_| trouble.words().to_owned());
                (Judged { decided: None, refused }, Some(trouble))
            }
        };
        if trouble.is_none()
            && let Err(error) = self.publish(now, judged.decided.is_some())
        {
            trouble = Some(self.troubled(&error, self.known.in_force().candidate < was_in_force));
        }
        self.failed += u64::from(trouble.is_some());
        if trouble.is_none() {
            let cleaned = self.clean(now);
            trouble = cleaned.as_ref().err().or(self.inbox.blind.as_ref()).map(Trouble::new);
        }
        let is_same = match (&trouble, &self.trouble) {
            (Some(now), Some(before)) => now.is_same(before),
            (now, before) => now.is_none() && before.is_none(),
        };
        self.trouble = trouble;
        let said = self.trouble.as_ref().map_or("the judge works again", Trouble::words).to_owned();
        (Round { decided: judged.decided, trouble: (!is_same).then_some(said) }, judged.refused)
    }

    /// An order that waits is not carried out after a later one. Only an abort stays until it is obeyed.
    fn obeyed(&mut self, order: Option<Command>, is_refused: bool) {
        let waits = self.inbox.order;
        if order == waits || (order.is_some() && !is_refused && waits != Some(Command::Abort)) {
            self.inbox.order = None;
        }
    }

    /// If the weight was to fall, takes all weights back, although the decision could not be stored or published.
    fn troubled(&mut self, error: &Error, falls: bool) -> Trouble {
        if falls { Trouble::with_release(error, self.actuator.release()) } else { Trouble::new(error) }
    }

    /// Reads evidence, decides and stores; nothing takes effect yet. If that fails, it is as if it had not been tried, and
    /// the next round tries it again; the `bool` says whether the candidate's weight would have fallen.
    fn judge(&mut self, now: u64, order: Option<Command>) -> Result<Judged, (Error, bool)> {
        let before = self.known.clone();
        self.attempt(now, order).map_err(|error| {
            let falls = self.known.in_force().candidate < before.in_force().candidate;
            self.known = before;
            (error, falls)
        })
    }

    fn attempt(&mut self, now: u64, order: Option<Command>) -> Result<Judged> {
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
        self.take_observed(now, &mut costs);
        self.judge_slots(LATE);
        self.inbox.golden.iter().for_each(|golden| self.known.mind.judge.golden(golden));
        let ordered = order.map_or(Ok(None), |order| self.obey(order))?;
        let (decided, refused) = match ordered {
            Some(Ok(decided)) => (Some(decided), None),
            Some(Err(refused)) => (self.decide(now)?, Some(refused)),
            None => (self.decide(now)?, None),
        };
        let is_new = !self.inbox.observed.is_empty() || !changed.is_empty() || !self.inbox.golden.is_empty();
        if is_new || order.is_some() || decided.is_some() || self.beat.is_none() {
            self.store(&changed, costs, decided.as_ref())?;
        }
        self.inbox.observed.clear();
        self.inbox.golden.clear();
        Ok(Judged { decided, refused })
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
        let alive = intake::alive(&self.known.sources, &self.known.heard);
        alive.into_values().flat_map(|source| source.sides.clone()).collect()
    }

    /// Whether the ramp was rolled back, and that is in force.
    pub(crate) fn is_taken_back(&self) -> bool {
        self.known.saved.phase == Phase::RolledBack && self.beat.is_some()
    }

    pub fn phase(&self) -> Phase {
        self.known.saved.phase
    }

    /// Before the first round: the decision with which the ramp began; `None` for one that goes on.
    pub fn begun(&self) -> Option<&Decided> {
        self.known.last.as_ref().filter(|_| !self.known.is_restart)
    }

    pub fn status(&self) -> Status {
        let mut words = self.known.words.clone();
        words.splice(0..0, self.known.suspended.iter().map(|why| format!("control answers all for now: {why}")));
        let (broken, lost) =
            self.known.sources.values().fold((0, 0), |(broken, lost), source| {
                (broken + source.position.broken, lost + source.position.missing())
            });
        if broken + lost > 0 {
            words.push(format!("evidence: {broken} lines could not be read, {lost} are missing"));
        }
        Status {
            ramp: self.known.saved.name.clone(),
            phase: self.known.saved.phase,
            weights: self.known.in_force(),
            elapsed: self.elapsed() / 1000,
            proxies: self.known.heard.count(),
            words,
            trouble: self.trouble.as_ref().map(|trouble| trouble.words().to_owned()),
        }
    }

    /// Processor time per request of both sides, as far as it is known.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn shown(&self) -> Result<Option<Shown>> {
        Ok(verdict::shown(&self.store.costs(&self.known.saved.name)?))
    }
}

#[cfg(test)]
mod tests;
