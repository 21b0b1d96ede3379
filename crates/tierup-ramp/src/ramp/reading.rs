//! What a ramp reads before it decides: the proxies' evidence files, and a load balancer's counts.

use tierup_rollout::{
    Side,
    evidence::{Entry, Event, SLOT},
};

use super::Ramp;
use crate::{
    Observed, Result,
    evidence_files::{News, run_of},
    intake::{self, LATE_WHILE_READING},
    stored::Costs,
};

impl Ramp {
    /// Reads new evidence. Returns the names of the files that had some.
    pub(super) fn take_in(&mut self, now: u64, costs: &mut Costs) -> Result<Vec<String>> {
        let news = self.store.news(&self.known.sources)?;
        let hour = self.hour();
        let mut changed = Vec::new();
        for News { file, lines, position } in news {
            let source = intake::source_of(&mut self.known.sources, &file);
            if source.position == position {
                continue;
            }
            source.position = position;
            let run = run_of(&file);
            // Each file of a run begins with the same event, so that a removed first file does not matter.
            let is_known = self.known.heard.has(run);
            if !lines.is_empty() {
                if !self.actuator.counts_answers() {
                    self.known.seen = now;
                }
                self.known.heard.hear(run, now);
            }
            for line in lines {
                intake::note(source, &line);
                match line.entry {
                    Entry::Slot(slot) if slot.ramp.as_ref() == Some(&self.known.saved.name) => {
                        intake::cost(costs, &slot, hour);
                        self.known.metered.extend(slot.processor.keys().map(|side| (*side, now)));
                        let counted = self.actuator.counts_answers();
                        let is_asked = slot.live.iter().any(|live| live.side == Side::Control && live.answered > 0);
                        if counted && is_asked && now.saturating_sub(self.known.seen) > 2 * SLOT {
                            self.known.asked.get_or_insert(now);
                        }
                        let slot = if counted { intake::copies_only(slot) } else { slot };
                        self.known.mind.waiting.add(run, line.at, slot);
                    }
                    // The slot has no ramp, or belongs to another one.
                    Entry::Slot(_) | Entry::Difference(_) => {}
                    Entry::Event(Event::Began { .. }) if is_known => {}
                    Entry::Event(event) => self.known.mind.judge.event(run, &event),
                }
            }
            if source.ended {
                self.known.heard.forget(run);
                self.known.mind.waiting.forget(run);
            }
            changed.push(file);
        }
        for run in self.known.heard.gone(now) {
            // A proxy that is gone has no open troubles.
            self.known.mind.judge.event(&run, &Event::Ended);
            self.known.mind.waiting.forget(&run);
        }
        self.judge_slots(LATE_WHILE_READING);
        Ok(changed)
    }

    /// Reads a load balancer's own counts. While they are incomplete, the weight stays, and a rollback is still
    /// possible. After [`BLIND_AFTER`](super::BLIND_AFTER) seconds control answers all requests, unless there may have
    /// been none.
    pub(super) fn take_observed(&mut self, now: u64, costs: &mut Costs) {
        let Observed { entries, blind, may_be_quiet } = self.actuator.observe();
        let at = u64::try_from(self.clock.since_1970().as_millis()).unwrap_or(u64::MAX);
        self.inbox.observed.extend(entries.into_iter().map(|entry| (at, now, entry)));
        (self.inbox.blind, self.inbox.may_be_quiet) = (blind, may_be_quiet);
        let hour = self.hour();
        for (at, seen, entry) in &self.inbox.observed {
            match entry {
                Entry::Slot(slot) => {
                    self.known.seen = *seen;
                    self.known.asked = self.known.asked.filter(|asked| asked > seen);
                    let is_metered = |side| self.known.metered.get(&side).is_some_and(|told| now - told <= 2 * SLOT);
                    intake::answers(costs, slot, hour, is_metered);
                    self.known.mind.waiting.add(self.actuator.name(), *at, slot.clone());
                }
                Entry::Event(event) => self.known.mind.judge.event(self.actuator.name(), event),
                Entry::Difference(_) => {}
            }
        }
    }

    /// Gives the judge the complete periods, and the earliest ones of a proxy for which at least `late` wait.
    pub(super) fn judge_slots(&mut self, late: usize) {
        let balancer = (self.actuator.counts_answers() && self.inbox.blind.is_none()).then(|| self.actuator.name());
        let waiting = &mut self.known.mind.waiting;
        while let Some(slots) = waiting.whole(self.known.heard.runs().chain(balancer)).or_else(|| waiting.late(late)) {
            self.known.mind.judge.take(&slots);
        }
    }
}
