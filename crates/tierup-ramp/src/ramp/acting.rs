//! Puts a decision into the database and the journal, then into force; and removes old evidence.

use std::collections::BTreeSet;

use tierup_rollout::{Control, Part, Phase};

use super::{CLEANING, HEARTBEAT, Ramp};
use crate::{Decided, Result, store::Change, stored::Costs};

impl Ramp {
    pub(super) fn store(&mut self, changed: &BTreeSet<String>, costs: Costs, decided: Option<&Decided>) -> Result<()> {
        self.known.saved.elapsed = self.elapsed();
        let sources = self.known.sources.iter().filter(|(file, _)| changed.contains(*file));
        let sources = sources.map(|(file, source)| (file.as_str(), source)).collect();
        let change = Change { saved: &self.known.saved, mind: &self.known.mind, sources, costs, decided };
        self.store.write(&change)?;
        let written = self.journal.last();
        let missing = if decided.is_some_and(|decided| decided.number == written + 1) {
            decided.cloned().into_iter().collect()
        } else {
            self.store.decisions_after(written)?
        };
        // The decision is in the database, so the journal gets it once there is room.
        let _ = self.journal.append(&missing);
        Ok(())
    }

    /// Puts the weights into force, after a change and as a heartbeat.
    pub(super) fn publish(&mut self, now: u64, is_new: bool) -> Result<()> {
        if !is_new && self.beat.is_some_and(|beat| now.saturating_sub(beat) < HEARTBEAT) {
            return Ok(());
        }
        if self.known.saved.phase == Phase::RolledBack {
            self.store.forget_abort();
        } else if self.store.is_abort_ordered() {
            // The order was given while this judge was stalled. The next round obeys it.
            return Ok(());
        }
        let part = |part: Part| if self.known.saved.phase == Phase::RolledBack { Part::NONE } else { part };
        let control = Control {
            ramp: self.known.saved.name.clone(),
            generation: self.known.saved.generation,
            heartbeat: self.clock.since_1970().as_secs(),
            phase: self.known.saved.phase,
            weights: self.known.in_force(),
            mirror: part(self.options.sample),
            second: part(self.options.second),
            verify: part(self.options.verify),
            key: self.known.saved.key.clone(),
        };
        // If this fails, it is noticed in time: the previous heartbeat is at most one period old.
        self.beat = None;
        self.actuator.set(&control)?;
        self.beat = Some(now);
        Ok(())
    }

    pub(super) fn clean(&mut self, now: u64) -> Result<()> {
        if now.saturating_sub(self.cleaned) < CLEANING {
            return Ok(());
        }
        self.cleaned = now;
        let removed = self.store.clean(&self.options.keeping, self.clock.since_1970())?;
        removed.iter().for_each(|file| drop(self.known.sources.remove(file)));
        Ok(())
    }
}
