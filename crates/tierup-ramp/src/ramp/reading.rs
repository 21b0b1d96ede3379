//! What a ramp reads before it decides: the evidence files of proxies, and what a load balancer counted.

use std::slice;

use tierup_rollout::evidence::{Entry, Event};

use super::Ramp;
use crate::{
    Result,
    evidence_files::{self, News},
    intake,
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
            let source = self.sources.entry(file.clone()).or_default();
            if source.position == position {
                continue;
            }
            source.position = position;
            let run = intake::run_of(&file);
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
                        let counted = self.actuator.counts_answers();
                        let slot = if counted { intake::copies_only(slot) } else { slot };
                        self.mind.waiting.add(run, slot);
                    }
                    // A slot of no ramp, or of another.
                    Entry::Slot(_) | Entry::Difference(_) => {}
                    Entry::Event(event) => self.mind.judge.event(run, &event),
                }
            }
            if source.ended {
                self.heard.forget(run);
            }
            changed.push(file);
        }
        for run in self.heard.gone(now) {
            // Whoever is gone complains of nothing.
            self.mind.judge.event(&run, &Event::Ended);
        }
        while let Some(group) = self.mind.waiting.group(self.heard.runs()) {
            self.mind.judge.take(&group);
        }
        Ok(changed)
    }

    /// The same for a load balancer that counts its answers itself. One that does not tell keeps nobody from a rollback; after
    /// [`BLIND_AFTER`] seconds, control answers all.
    pub(super) fn take_observed(&mut self, now: u64, costs: &mut Costs) -> bool {
        match self.actuator.observe() {
            Ok(entries) => {
                self.observed.extend(entries);
                self.deaf = None;
            }
            Err(error) => self.deaf = Some(error.to_string()),
        }
        if self.observed.is_empty() {
            return false;
        }
        self.seen = now;
        let hour = self.hour();
        for entry in &self.observed {
            match entry {
                Entry::Slot(slot) => {
                    intake::cost(costs, slot, hour);
                    self.mind.judge.take(slice::from_ref(slot));
                }
                Entry::Event(event) => self.mind.judge.event(self.actuator.name(), event),
                Entry::Difference(_) => {}
            }
        }
        true
    }
}
