//! What a ramp reads before it decides: the evidence files of proxies, and what a load balancer counted.

use tierup_rollout::{
    Side,
    evidence::{Entry, Event, SLOT},
};

use super::Ramp;
use crate::{
    Observed, Result,
    evidence_files::{self, News, run_of},
    intake::{self, LATE_WHILE_READING},
    store::Costs,
};

impl Ramp {
    /// Reads evidence that is new. Returns the names of the files that had some.
    pub(super) fn take_in(&mut self, now: u64, costs: &mut Costs) -> Result<Vec<String>> {
        let positions = self.sources.iter().map(|(file, source)| (file.clone(), source.position)).collect();
        let news = evidence_files::read(&self.state.evidence(), &positions)?;
        let hour = self.hour();
        let mut changed = Vec::new();
        for News { file, lines, position } in news {
            let source = intake::source_of(&mut self.sources, &file);
            if source.position == position {
                continue;
            }
            source.position = position;
            let run = run_of(&file);
            // Each file of a run begins like the first one, so that none is missed if the first one is removed.
            let is_known = self.heard.has(run);
            if !lines.is_empty() {
                if !self.actuator.counts_answers() {
                    self.seen = now;
                }
                self.heard.of(run, now);
            }
            for line in lines {
                intake::note(source, &line);
                match line.entry {
                    Entry::Slot(slot) if slot.ramp.as_ref() == Some(&self.saved.name) => {
                        intake::cost(costs, &slot, hour);
                        self.metered.extend(slot.processor.keys().map(|side| (*side, now)));
                        let counted = self.actuator.counts_answers();
                        let is_asked = slot.live.iter().any(|live| live.side == Side::Control && live.answered > 0);
                        if counted && is_asked && now.saturating_sub(self.seen) > 2 * SLOT {
                            self.asked.get_or_insert(now);
                        }
                        let slot = if counted { intake::copies_only(slot) } else { slot };
                        self.mind.waiting.add(run, line.at, slot);
                    }
                    // A slot of no ramp, or of another.
                    Entry::Slot(_) | Entry::Difference(_) => {}
                    Entry::Event(Event::Began { .. }) if is_known => {}
                    Entry::Event(event) => self.mind.judge.event(run, &event),
                }
            }
            if source.ended {
                self.heard.forget(run);
                self.mind.waiting.forget(run);
            }
            changed.push(file);
        }
        for run in self.heard.gone(now) {
            // Whoever is gone complains of nothing.
            self.mind.judge.event(&run, &Event::Ended);
            self.mind.waiting.forget(&run);
        }
        self.judge_slots(LATE_WHILE_READING);
        Ok(changed)
    }

    /// The same for a load balancer that counts its answers itself. While it does not tell all of them, the weight holds, and the
    /// candidate may still be rolled back; after [`BLIND_AFTER`](super::BLIND_AFTER) seconds, control answers all, unless there may
    /// have been nothing to tell.
    pub(super) fn take_observed(&mut self, now: u64, costs: &mut Costs) -> bool {
        let Observed { entries, blind, may_be_quiet } = self.actuator.observe();
        self.blind = blind.map(|error| error.to_string());
        self.may_be_quiet = may_be_quiet;
        if entries.iter().any(|entry| matches!(entry, Entry::Slot(_))) {
            (self.seen, self.asked) = (now, None);
        }
        self.observed.extend(entries);
        if self.observed.is_empty() {
            return false;
        }
        let (hour, at) = (self.hour(), u64::try_from(self.clock.since_1970().as_millis()).unwrap_or(u64::MAX));
        for entry in &self.observed {
            match entry {
                Entry::Slot(slot) => {
                    let is_metered = |side| self.metered.get(&side).is_some_and(|told| now - told <= 2 * SLOT);
                    intake::answers(costs, slot, hour, is_metered);
                    self.mind.waiting.add(self.actuator.name(), at, slot.clone());
                }
                Entry::Event(event) => self.mind.judge.event(self.actuator.name(), event),
                Entry::Difference(_) => {}
            }
        }
        true
    }

    /// Gives the judge the slots of the periods that are whole, and of those of which a proxy has more than `late`.
    pub(super) fn judge_slots(&mut self, late: usize) {
        let balancer = (self.actuator.counts_answers() && self.blind.is_none()).then(|| self.actuator.name());
        let waiting = &mut self.mind.waiting;
        while let Some(slots) = waiting.whole(self.heard.runs().chain(balancer)).or_else(|| waiting.late(late)) {
            self.mind.judge.take(&slots);
        }
    }
}
