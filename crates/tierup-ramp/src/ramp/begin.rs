//! Before the first round: opens the state folder, and continues its ramp or begins a new one.
//!
//! A new ramp begins once a proxy has written the servers' addresses. It ignores all earlier evidence.

use std::collections::BTreeMap;

use tierup_rollout::{Judge, Part, Phase, Plan, RampKey, Side, Weights, evidence::Event};

use super::{Inbox, READINGS, Ramp};
use crate::{
    Action, Actuator, Clock, Decided, Error, Keeping, Lease, Result, State,
    evidence_files::run_of,
    intake::{self, Heard, Waiting},
    journal::{Journal, decisions},
    known::{Known, Mind, Saved},
    state::Held,
    store::{Change, Embedded, Store, embedded::Opened},
    stored::{Costs, Source},
};

/// What the control file says beside weights, and which old evidence is kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// The part of the safe requests that is copied to the candidate.
    pub sample: Part,
    /// The part of the copies that goes to the twin.
    pub second: Part,
    /// The part of the candidate's safe answers that is mirrored back to control.
    pub verify: Part,
    pub keeping: Keeping,
    /// Whether another program owns the weights, and this judge only advises it.
    pub advises: bool,
}

/// An open state folder whose ramp is not running yet.
pub struct Door {
    state: State,
    held: Held,
    store: Box<dyn Store>,
    journal: Journal,
    actuator: Box<dyn Actuator>,
    clock: Box<dyn Clock>,
    /// The last ramp. A rolled-back ramp needs no judge, so its `Mind` may be unreadable (`None`).
    last: Option<(Saved, Option<Mind>)>,
    sources: BTreeMap<String, Source>,
    heard: Heard,
    has_looked: bool,
    /// What became of a database that cannot be trusted, and why it cannot.
    pub set_aside: Option<(String, String)>,
}

impl Door {
    /// Opens the folder, and creates it if it is missing.
    ///
    /// # Errors
    /// If another judge runs there, or the files cannot be read or written.
    pub fn open(state: State, actuator: Box<dyn Actuator>, clock: Box<dyn Clock>) -> Result<Door> {
        state.make()?;
        let held = state.hold()?;
        let Opened { store, set_aside } = Embedded::open(&state, clock.since_1970().as_secs())?;
        let set_aside = set_aside.map(|(aside, why)| (format!("it was set aside as {}", aside.display()), why));
        Ok(Door { set_aside, ..Door::with(Box::new(store), state, held, actuator, clock)? })
    }

    /// The same with a lease, which makes this process the only judge of all that share its database. The state folder
    /// then has only the journal, and the socket for commands.
    ///
    /// # Errors
    /// If another judge runs in the folder, the folder cannot be written, or the database cannot be read.
    pub fn of(lease: Option<Lease>, state: State, actuator: Box<dyn Actuator>, clock: Box<dyn Clock>) -> Result<Door> {
        let Some(lease) = lease else { return Door::open(state, actuator, clock) };
        state.make()?;
        let held = state.hold()?;
        Door::with(Box::new(lease), state, held, actuator, clock)
    }

    fn with(
        mut store: Box<dyn Store>,
        state: State,
        held: Held,
        actuator: Box<dyn Actuator>,
        clock: Box<dyn Clock>,
    ) -> Result<Door> {
        let (last, set_aside) = match store.ramp() {
            Err(Error::Damaged(why)) => (None, Some(("the next ramp replaces it".to_owned(), why))),
            last => (last?, None),
        };
        Ok(Door {
            journal: Journal::open(state.journal())?,
            last,
            sources: store.sources()?,
            heard: Heard::default(),
            has_looked: false,
            set_aside,
            state,
            held,
            store,
            actuator,
            clock,
        })
    }

    /// The phase of the last ramp, and its last decision.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn last(&self) -> Result<Option<(Phase, Option<Decided>)>> {
        let Some((saved, _)) = &self.last else {
            // The journal also has the decisions of a database that was set aside.
            let last = decisions(&self.state.journal())?.into_iter().chain(self.store.decisions_after(0)?);
            let last = last.max_by_key(|decided| decided.number);
            return Ok(last
                .filter(|last| last.decision == Action::RollBack)
                .map(|last| (Phase::RolledBack, Some(last))));
        };
        let decisions = self.store.decisions_after(0)?;
        Ok(Some((saved.phase, decisions.into_iter().rev().find(|decided| decided.ramp == saved.name))))
    }

    /// Lets control answer all requests if weights of the last ramp are still in force and that ramp does not go on.
    ///
    /// # Errors
    /// If the weights may still be in force.
    pub fn take_back(&mut self) -> Result<()> {
        let now = self.clock.since_1970().as_secs();
        match self.actuator.read(now) {
            Ok(Weights::CONTROL_ONLY) => Ok(()),
            Ok(_) | Err(_) => Ok(self.actuator.release()?),
        }
    }

    /// Continues the last ramp, with its decided weights.
    ///
    /// # Errors
    /// If there is none, or its judge's state cannot be read by this version. Then the door is returned.
    #[expect(clippy::result_large_err, reason = "the error is the door itself")]
    pub fn go_on(mut self, options: Options) -> Result<Ramp, Door> {
        match self.last.take() {
            Some((saved, Some(mind))) => Ok(self.ramp(saved, mind, options, true)),
            last => {
                self.last = last;
                Err(self)
            }
        }
    }

    /// Looks for proxies; call it once a second. Returns the servers' addresses as soon as a proxy has written
    /// something since the first look.
    ///
    /// # Errors
    /// If the evidence cannot be read.
    pub fn look(&mut self) -> Result<Option<BTreeMap<Side, String>>> {
        let now = self.clock.steady().as_secs();
        let mut is_all = false;
        for _ in 0..READINGS {
            let news = self.store.news(&self.sources)?;
            is_all = true;
            for news in news {
                let source = intake::source_of(&mut self.sources, &news.file);
                is_all &= source.position == news.position;
                source.position = news.position;
                news.lines.iter().for_each(|line| intake::note(source, line));
                if source.ended {
                    self.heard.forget(run_of(&news.file));
                } else if self.has_looked && !news.lines.is_empty() {
                    self.heard.hear(run_of(&news.file), now);
                }
            }
            if is_all {
                break;
            }
        }
        self.has_looked |= is_all;
        self.heard.gone(now);
        let alive = intake::alive(&self.sources, &self.heard);
        let sides: BTreeMap<_, _> = alive.into_values().flat_map(|source| source.sides.clone()).collect();
        Ok(Some(sides).filter(|sides| sides.contains_key(&Side::Candidate)))
    }

    /// Begins a ramp, which ignores all earlier evidence. It does not write a control file yet.
    ///
    /// # Errors
    /// If the plan cannot be carried out, or the database cannot be written.
    pub fn begin(mut self, plan: Plan, options: Options) -> Result<Ramp> {
        self.store.forget_abort();
        let random: [u8; 20] = rand::random();
        let name = random[..4].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let key: [u8; 16] = std::array::from_fn(|index| random[index + 4]);
        let mut judge = Judge::new(&name, plan)?;
        for (run, source) in intake::alive(&self.sources, &self.heard) {
            for side in &source.unreachable {
                judge.event(run, &Event::Unreachable { side: *side, is: true });
            }
        }
        let mind = Mind { judge, waiting: Waiting::default(), is_ready: false };
        let saved = Saved {
            name,
            key: RampKey::new(key),
            began: self.clock.since_1970().as_secs(),
            elapsed: 0,
            phase: Phase::Shadow,
            weights: Weights::CONTROL_ONLY,
            generation: 1,
        };
        let decided = Decided {
            number: self.store.next_number()?.max(self.journal.last() + 1),
            ramp: saved.name.clone(),
            at: saved.began,
            generation: saved.generation,
            decision: Action::Begin,
            weight: Part::NONE,
            reasons: Vec::new(),
        };
        let sources = self.sources.iter().map(|(file, source)| (file.as_str(), source)).collect();
        let decided_now = Some(&decided);
        self.store.write(&Change { saved: &saved, mind: &mind, sources, costs: Costs::new(), decided: decided_now })?;
        // If there is no room, the journal catches up later.
        let missing = self.store.decisions_after(self.journal.last());
        let _ = missing.and_then(|missing| self.journal.append(&missing));
        Ok(self.ramp(saved, mind, options, false))
    }

    fn ramp(mut self, saved: Saved, mind: Mind, options: Options, is_restart: bool) -> Ramp {
        let steady = self.clock.steady();
        // A proxy may have reported trouble and ended while no judge ran. If it counts as heard, it is missed later.
        for proxy in mind.judge.complaining().filter(|proxy| *proxy != self.actuator.name()) {
            self.heard.hear(proxy, steady.as_secs());
        }
        let before = saved.elapsed.saturating_sub(u64::try_from(steady.as_millis()).unwrap_or(u64::MAX));
        // If the database cannot be read any more, the first round reports it.
        let last = self.store.decisions_after(0).ok().and_then(|mut decisions| decisions.pop());
        Ramp {
            known: Known {
                saved,
                mind,
                sources: self.sources,
                last,
                heard: self.heard,
                seen: steady.as_secs(),
                asked: None,
                metered: BTreeMap::new(),
                suspended: None,
                is_restart,
                words: Vec::new(),
            },
            inbox: Inbox::default(),
            before,
            beat: None,
            cleaned: steady.as_secs(),
            trouble: None,
            is_condemned: false,
            is_deposed: false,
            failed: 0,
            store: self.store,
            journal: self.journal,
            actuator: self.actuator,
            clock: self.clock,
            options,
            _held: self.held,
        }
    }
}
