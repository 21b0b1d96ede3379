//! The judge of a ramp: may the candidate have more of the traffic, keep what it has, or must it lose all?
//!
//! In: the [plan](Plan), the proxies' slots and events, the golden calls, and the weights that were put in force. Out:
//! a [`Decision`] with its reasons. `docs/judge.md` describes the method, its assumptions and its tests.
//!
//! A judge has no clock and no side effects. It can be stored and restored at any time without changing its decisions.
//!
//! ```
//! use tierup_rollout::{Decision, Judge, Plan};
//!
//! let judge = Judge::new("3f2a9c01", Plan::default())?;
//! // No data is never success.
//! assert!(matches!(judge.decide(1_795_406_400), Decision::Hold { .. }));
//! # Ok::<(), tierup_rollout::PlanError>(())
//! ```

mod bad_answers;
mod breakdown;
mod clients;
mod confirmations;
mod decision;
mod exact;
mod golden;
mod load;
mod mismatches;
mod outage;
mod plan;
mod slowness;
mod speed;
mod steady;
mod step;
mod suspicion;
mod wholly;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tierup_stats::Margin;

pub use decision::{Charge, Decision, Kind, Reason};
pub use golden::Golden;
pub use plan::{Plan, PlanError, Treatment};

use crate::{
    evidence::{Bad, BadKind, Event, Slot},
    weights::{Part, Side},
};
use bad_answers::BadAnswers;
use breakdown::Breakdown;
use golden::Goldens;
use mismatches::Mismatches;
use outage::Outage;
use speed::Speed;
use step::Step;
use suspicion::Count;

/// The most routes that are counted separately; all others count as one.
const MOST_ROUTES: usize = 500;

/// This many public networks may be one attacker, who knows the sides. A rollback must be justified without them.
const ONE_ATTACKER: u64 = 20;

/// A candidate fails often if more than this part of its answers is bad.
const OFTEN: f64 = 0.01;

/// A ramp's state and evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    ramp: String,
    plan: Plan,
    /// The candidate's weight, and the first generation of the control file with that weight.
    at: Part,
    generation: u64,
    /// When that weight was put in force, in seconds.
    since: u64,
    is_paused: bool,
    /// Why the ramp was given up.
    ended: Option<Reason>,
    errors: BadAnswers,
    unanswered: BadAnswers,
    departures: BadAnswers,
    mismatches: Mismatches,
    speed: Speed,
    step: Step,
    breakdown: Breakdown,
    #[serde(default)]
    outage: Outage,
    /// The answers of all sides, by route.
    traffic: BTreeMap<String, u64>,
    proxies: BTreeMap<String, Proxy>,
    golden: Goldens,
}

/// The troubles that a proxy reported.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Proxy {
    unreachable: BTreeSet<Side>,
    control_file: Option<String>,
}

impl Judge {
    /// Makes a judge for the ramp with this name.
    ///
    /// # Errors
    /// If the plan cannot be carried out.
    pub fn new(ramp: &str, plan: Plan) -> Result<Judge, PlanError> {
        plan.check()?;
        Ok(Judge {
            ramp: ramp.to_owned(),
            mismatches: Mismatches::new(plan.margin, plan.mismatches, plan.has_second),
            plan,
            at: Part::NONE,
            generation: 0,
            since: 0,
            is_paused: false,
            ended: None,
            errors: BadAnswers::default(),
            unanswered: BadAnswers::default(),
            departures: BadAnswers::default(),
            speed: Speed::default(),
            step: Step::default(),
            breakdown: Breakdown::default(),
            outage: Outage::default(),
            traffic: BTreeMap::new(),
            proxies: BTreeMap::new(),
            golden: Goldens::default(),
        })
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The candidate's weight.
    pub fn at(&self) -> Part {
        self.at
    }

    /// Takes in all proxies' slots of the same time. Together they are one block of latencies, because a process that
    /// stalls is slow for all proxies at once.
    pub fn take(&mut self, slots: &[Slot]) {
        let slots: Vec<&Slot> = slots.iter().filter(|slot| slot.ramp.as_deref() == Some(&self.ramp)).collect();
        for slot in &slots {
            self.count_traffic(slot);
            slot.bad.iter().for_each(|bad| self.take_bad(bad));
        }
        let traffic = &self.traffic;
        let name = |route: &str| name(traffic, route).to_owned();
        let is_safe = |route: &str| self.plan.treatment(route) == Treatment::Safe;
        self.mismatches.take(&slots, name, is_safe);
        self.speed.take(&slots, self.generation, &self.plan, self.at, name);
        let at_step: Vec<_> = slots.into_iter().filter(|slot| slot.generation >= self.generation).collect();
        self.step.take(at_step.iter().copied(), self.at, name);
        let broke_down = self.breakdown.take(&at_step, self.at, self.plan.margin, self.needed());
        // Each kind of evidence takes in all slots, even if another kind already ends the ramp.
        let fails = self.outage.take(&at_step, self.at);
        let reason = broke_down.or(fails).or_else(|| self.mismatches.ends()).or_else(|| {
            let enough = self.evidence(Count::Proven).into_iter().find(|(_, ln)| *ln >= self.needed().ln());
            enough.map(|(kind, ln)| Reason::Charged(self.charge(kind, ln)))
        });
        self.end(reason);
    }

    /// Takes in an event of a proxy. A proxy that crashed reports no end: once its file has been silent for long, the
    /// caller passes [`Event::Ended`], and the judge forgets what the proxy reported.
    pub fn event(&mut self, proxy: &str, event: &Event) {
        match event {
            Event::Began { .. } | Event::Ended => {
                self.proxies.remove(proxy);
            }
            Event::Unreachable { side, is: true } => {
                self.proxies.entry(proxy.to_owned()).or_default().unreachable.insert(*side);
                // Before the first step no client depends on the candidate, and it may still be starting.
                if *side == Side::Candidate && self.at > Part::NONE {
                    self.end(Some(Reason::Unreachable { side: *side, proxy: proxy.to_owned() }));
                }
            }
            Event::Unreachable { side, is: false } => {
                self.proxies.entry(proxy.to_owned()).or_default().unreachable.remove(side);
            }
            Event::Confirmed(confirmed) => {
                let route = name(&self.traffic, &confirmed.route).to_owned();
                self.mismatches.confirm(proxy, &route, confirmed);
                let reason = self.mismatches.ends();
                self.end(reason);
            }
            Event::ControlFile { trouble } => {
                self.proxies.entry(proxy.to_owned()).or_default().control_file.clone_from(trouble);
            }
            Event::Slowed { .. } => {}
        }
    }

    /// The proxies that report a trouble.
    pub fn complaining(&self) -> impl Iterator<Item = &str> {
        self.proxies.iter().filter(|(_, proxy)| **proxy != Proxy::default()).map(|(name, _)| name.as_str())
    }

    /// Takes in the result of a golden call.
    pub fn golden(&mut self, golden: &Golden) {
        let reason = self.golden.take(golden);
        self.end(reason);
    }

    /// What to do at `now`, in seconds by the clock of golden calls and [`Judge::applied`]. It changes nothing.
    pub fn decide(&self, now: u64) -> Decision {
        if let Some(because) = &self.ended {
            return Decision::RollBack { because: because.clone() };
        }
        if self.at == Part::ALL {
            return Decision::Done;
        }
        let because = self.doubts(now);
        if !because.is_empty() {
            return Decision::Hold { because };
        }
        let because = self.charges();
        match self.plan.after(self.at) {
            Some(to) => Decision::Advance { to, because },
            None => Decision::Ready { because },
        }
    }

    /// Begins a new step: from `now` on this weight is in force, with this generation of the control file.
    pub fn applied(&mut self, weight: Part, generation: u64, now: u64) {
        self.at = weight;
        self.generation = generation;
        self.since = now;
        self.step = Step::default();
        self.speed.begin_step();
        self.breakdown.begin_step();
        self.outage.begin_step();
    }

    /// The operator pauses or resumes the ramp. A paused ramp can still be rolled back.
    pub fn pause(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
    }

    /// The operator gives the candidate up.
    pub fn abort(&mut self) {
        self.end(Some(Reason::Aborted));
    }

    /// How much speaks against the candidate, in each kind of evidence.
    pub fn charges(&self) -> Vec<Charge> {
        self.evidence(Count::All).into_iter().map(|(kind, ln)| self.charge(kind, ln)).collect()
    }

    /// The logarithm of each kind's e-value.
    fn evidence(&self, count: Count) -> Vec<(Kind, f64)> {
        let margin = self.margin();
        let mut evidence = vec![
            (Kind::Errors, self.errors.ln_e_value(margin, count)),
            (Kind::Unanswered, self.unanswered.ln_e_value(margin, count)),
            (Kind::Departures, self.departures.ln_e_value(margin, count)),
            (Kind::Mismatches, self.mismatches.ln_unconfirmed(count)),
        ];
        if self.plan.mismatches > 0.0 {
            evidence.push((Kind::Confirmed, self.mismatches.ln_confirmed()));
        }
        if self.plan.judges_slowness() {
            evidence.push((Kind::Slowness, self.speed.ln_e_value()));
        }
        evidence
    }

    /// The evidence against a candidate that fails often, in case one attacker makes control fail as often to hide it.
    /// At the last step control has too few clients for this.
    fn may_be_hidden(&self) -> impl Iterator<Item = (Kind, f64)> {
        let (answers, bad) = self.step.answered();
        let is_asked = self.at < Part::MOST && bad as f64 > OFTEN * answers as f64;
        let kinds = [(Kind::Errors, &self.errors), (Kind::Unanswered, &self.unanswered)];
        kinds.into_iter().filter(move |_| is_asked).map(|(kind, of)| (kind, of.ln_if_hidden(self.margin(), self.at)))
    }

    /// The e-value that rolls back: the kinds, and a breakdown, share the probability of a false alarm (Bonferroni).
    fn needed(&self) -> f64 {
        let kinds = 5 + u32::from(self.plan.mismatches > 0.0) + u32::from(self.plan.judges_slowness());
        f64::from(kinds) / self.plan.alpha
    }

    fn charge(&self, kind: Kind, ln: f64) -> Charge {
        let (route, counted) = match kind {
            Kind::Errors => self.errors.counted(self.margin(), "bad answers"),
            Kind::Unanswered => self.unanswered.counted(self.margin(), "bad answers"),
            Kind::Departures => self.departures.counted(self.margin(), "clients that left without an answer"),
            Kind::Mismatches => self.mismatches.counted_unconfirmed(),
            Kind::Confirmed => (None, self.mismatches.counted_confirmed()),
            Kind::Slowness => (None, self.speed.counted()),
        };
        Charge { kind, route, counted, evidence: rounded(ln.exp()), needed: rounded(self.needed()) }
    }

    /// Why the weight should stay.
    fn doubts(&self, now: u64) -> Vec<Reason> {
        let mut doubts = Vec::new();
        if self.is_paused {
            doubts.push(Reason::Paused);
        }
        for (proxy, state) in &self.proxies {
            let unreachable = state.unreachable.iter();
            doubts.extend(unreachable.map(|side| Reason::Unreachable { side: *side, proxy: proxy.clone() }));
            let trouble = state.control_file.iter();
            doubts
                .extend(trouble.map(|trouble| Reason::ControlFile { proxy: proxy.clone(), trouble: trouble.clone() }));
        }
        doubts.extend(self.golden.doubts(&self.plan, now));
        doubts.extend(self.mismatches.waits());
        // At half of a rollback's evidence, on the logarithmic scale, the weight stays until more evidence decides.
        let is_half_way = |(_, ln): &(Kind, f64)| *ln >= self.needed().ln() / 2.0;
        let charged = self.evidence(Count::All).into_iter().filter(is_half_way);
        let mut charges: BTreeMap<_, _> = charged.map(|(kind, ln)| (kind, self.charge(kind, ln))).collect();
        for (kind, ln) in self.may_be_hidden().filter(is_half_way) {
            charges.entry(kind).or_insert_with(|| {
                let mut charge = self.charge(kind, ln);
                charge.counted += "; without those of control that may be one attacker's";
                charge
            });
        }
        doubts.extend(charges.into_values().map(Reason::Charged));
        let (ln, (route, counted)) = self.mismatches.holds();
        if ln >= self.needed().ln() {
            let (evidence, needed) = (rounded(ln.exp()), rounded(self.needed()));
            doubts.push(Reason::Charged(Charge { kind: Kind::Mismatches, route, counted, evidence, needed }));
        }
        doubts.extend(self.speed.doubts(&self.plan, self.at));
        let knows_noise = |route: &str| self.mismatches.knows_noise(route);
        let passed = now.saturating_sub(self.since);
        doubts.extend(self.step.lacks(&self.plan, self.at, passed, &self.traffic, knows_noise));
        doubts
    }

    fn margin(&self) -> Margin {
        Margin::new(self.plan.margin).unwrap_or_default()
    }

    fn count_traffic(&mut self, slot: &Slot) {
        for live in &slot.live {
            if live.side == Side::Candidate && self.plan.treatment(&live.route) == Treatment::ControlOnly {
                self.end(Some(Reason::NotToRamp { route: live.route.clone() }));
            }
            let name = name(&self.traffic, &live.route).to_owned();
            *self.traffic.entry(name).or_default() += live.answered + live.silent;
        }
    }

    fn take_bad(&mut self, bad: &Bad) {
        let margin = self.margin();
        let evidence = match bad.kind {
            BadKind::Error => &mut self.errors,
            BadKind::TimedOut | BadKind::Broken => &mut self.unanswered,
            BadKind::Left => &mut self.departures,
        };
        evidence.take(bad, name(&self.traffic, &bad.route), margin);
    }

    /// Ends the ramp with this reason, unless it has already ended.
    fn end(&mut self, reason: Option<Reason>) {
        if self.ended.is_none() {
            self.ended = reason;
        }
    }
}

/// The name under which a route is counted. Routes beyond the limit count together, as in a proxy. So do names with
/// hashes, which differ for each run of a proxy: steps would wait for routes that no longer get requests.
fn name<'a>(traffic: &BTreeMap<String, u64>, route: &'a str) -> &'a str {
    if !route.contains("/hmac:") && (traffic.contains_key(route) || traffic.len() < MOST_ROUTES) {
        route
    } else if route.starts_with("GET ") || route.starts_with("HEAD ") {
        "GET (others)"
    } else {
        "(others)"
    }
}

/// Rounds an e-value to three digits, and caps it at a number that people can read.
fn rounded(value: f64) -> f64 {
    let value = value.min(1e9);
    let digit = 10_f64.powf(value.max(1e-9).log10().floor() - 2.0);
    // The quotient of whole numbers is the float nearest to the decimal, so JSON reads back the same number.
    if digit >= 1.0 { (value / digit).round() * digit } else { (value / digit).round() / digit.recip().round() }
}
