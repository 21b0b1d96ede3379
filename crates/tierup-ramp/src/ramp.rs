//! A running ramp: one [round](Ramp::round) a second reads evidence, decides, and puts the decision into force.
//!
//! The order makes it safe: first, evidence and decision reach the database in one transaction, then the journal, then
//! the control file, which takes effect. If the database cannot be written, no weight rises and no heartbeat is sent,
//! so control answers all requests within 60 s (ten minutes with nginx). Lower weights take effect at once.

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
    Actuator, Clock, Decided, Error, Result,
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

/// The time between two heartbeats, in seconds.
const HEARTBEAT: u64 = 5;
/// How often a round reads before it judges. Then there is a beat, an interruption counts, and the next round reads on.
const READINGS: usize = 1_000;
/// The time between two removals of old evidence files, in seconds.
const CLEANING: u64 = 600;

/// A running judge, and its ramp.
pub struct Ramp {
    store: Box<dyn Store>,
    journal: Journal,
    actuator: Box<dyn Actuator>,
    clock: Box<dyn Clock>,
    options: Options,
    known: Known,
    inbox: Inbox,
    /// The judge's own time when the steady clock was 0, in milliseconds.
    before: u64,
    /// When weights were last put into force, in seconds of the steady clock; `None` if that is uncertain.
    beat: Option<u64>,
    cleaned: u64,
    trouble: Option<Trouble>,
    /// Whether a rollback was decided, even if it could not be stored.
    is_condemned: bool,
    is_deposed: bool,
    /// The number of rounds that could not store their decision, or not put it into force.
    failed: u64,
    _held: Held,
}

/// Input that is not stored yet. A round that fails leaves it to the next one.
#[derive(Debug, Default)]
struct Inbox {
    /// What a load balancer counted, each with its time in milliseconds since 1970 and in seconds of the steady clock.
    observed: Vec<(u64, u64, Entry)>,
    /// Why the load balancer's counts are incomplete.
    blind: Option<Error>,
    /// Whether there may have been no shared requests.
    may_be_quiet: bool,
    golden: Vec<Golden>,
    /// An order that waits to lower the weight: an abort, or the last one that failed.
    order: Option<Command>,
}

/// The result of a round's judgement.
struct Judged {
    decided: Option<Decided>,
    /// Why an order was refused.
    refused: Option<String>,
}

/// The result of a round, for people.
#[derive(Debug, Default)]
pub struct Round {
    pub decided: Option<Decided>,
    /// A trouble that keeps the judge from working, reported once when it begins; or that the judge works again.
    pub trouble: Option<String>,
}

impl Ramp {
    /// Reads, decides and acts. `goldens` are the golden calls since the last round.
    pub fn round(&mut self, goldens: &[Golden]) -> Round {
        let left = || self.store.is_abort_ordered().then_some(Command::Abort);
        let order = self.inbox.order.or_else(left);
        self.round_with(goldens, order).0
    }

    /// Also returns why an order was refused.
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

    /// Forgets the waiting order once it or a later one was carried out. An abort waits until it is carried out itself.
    fn obeyed(&mut self, order: Option<Command>, is_refused: bool) {
        let waits = self.inbox.order;
        if order == waits || (order.is_some() && !is_refused && waits != Some(Command::Abort)) {
            self.inbox.order = None;
        }
    }

    /// If the weight was to fall, takes all weights back, as the decision could not be stored or published.
    fn troubled(&mut self, error: &Error, falls: bool) -> Trouble {
        self.is_deposed |= matches!(error, Error::Deposed { .. });
        if falls { Trouble::with_release(error, self.actuator.release()) } else { Trouble::new(error) }
    }

    /// Reads evidence, decides and stores; nothing takes effect yet. On failure, it restores the state before, and the
    /// next round tries again. The `bool` says whether the candidate's weight would have fallen.
    fn judge(&mut self, now: u64, order: Option<Command>) -> Result<Judged, (Error, bool)> {
        let before = self.known.clone();
        self.attempt(now, order).map_err(|error| {
            let falls = self.known.in_force().candidate < before.in_force().candidate;
            self.is_condemned |= self.known.saved.phase == Phase::RolledBack;
            self.known = before;
            (error, falls)
        })
    }

    fn attempt(&mut self, now: u64, order: Option<Command>) -> Result<Judged> {
        let mut costs = Costs::new();
        let mut changed = BTreeSet::new();
        // It reads everything: a restarted judge must know all evidence before its first heartbeat.
        for _ in 0..READINGS {
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

    /// The judge's own time in milliseconds. It passes only while a judge runs, whatever clocks are set to.
    fn elapsed(&self) -> u64 {
        self.before + u64::try_from(self.clock.steady().as_millis()).unwrap_or(u64::MAX)
    }

    fn hour(&self) -> u64 {
        self.clock.since_1970().as_secs() / 3600
    }

    /// The judge's own time in seconds, for golden calls.
    pub fn now(&self) -> u64 {
        self.elapsed() / 1000
    }

    /// The servers' addresses, as reported by the living proxies. All proxies of a ramp have the same.
    pub fn sides(&self) -> BTreeMap<Side, String> {
        let alive = intake::alive(&self.known.sources, &self.known.heard);
        alive.into_values().flat_map(|source| source.sides.clone()).collect()
    }

    /// Whether the ramp was rolled back, control's weights are in force, and nobody has to be told any more.
    pub(crate) fn is_taken_back(&self) -> bool {
        !self.options.advises && self.known.saved.phase == Phase::RolledBack && self.beat.is_some()
    }

    /// Whether another judge has taken over, and this one must end.
    pub fn is_deposed(&self) -> bool {
        self.is_deposed
    }

    pub fn phase(&self) -> Phase {
        self.known.saved.phase
    }

    /// Before the first round: the decision that began the ramp; `None` if the ramp goes on.
    pub fn begun(&self) -> Option<&Decided> {
        self.known.last.as_ref().filter(|_| !self.known.is_restart)
    }

    pub fn status(&self) -> Status {
        let mut words = self.known.words.clone();
        words.splice(0..0, self.known.suspended.iter().map(|why| format!("control answers all for now: {why}")));
        let (broken, lost) = self.known.sources.values().fold((0_u64, 0_u64), |(broken, lost), source| {
            (broken.saturating_add(source.position.broken), lost.saturating_add(source.position.missing()))
        });
        if broken > 0 || lost > 0 {
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
            advice: self.advice(),
        }
    }

    /// The processor time per request of both sides, as far as it is known.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn shown(&self) -> Result<Option<Shown>> {
        Ok(verdict::shown(&self.store.costs(&self.known.saved.name)?))
    }
}

#[cfg(test)]
mod tests;
