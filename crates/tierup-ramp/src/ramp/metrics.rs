//! The state of a ramp, as metrics for Prometheus.

use tierup_report::prometheus::Metrics;
use tierup_rollout::{Kind, Phase};

use super::Ramp;
use crate::Told;

impl Ramp {
    /// All metrics. `told` has the counts of the operator's `notify` command.
    pub fn metrics(&self, told: Option<Told>) -> String {
        let mut text = Metrics::default();
        let ramp = ("ramp", &*self.known.saved.name);
        text.head("tierup_ramp_phase", "gauge", "1 for the phase in which the ramp is.");
        for phase in [Phase::Shadow, Phase::Ramping, Phase::Paused, Phase::Done, Phase::RolledBack] {
            let is = u8::from(phase == self.known.saved.phase);
            text.line("tierup_ramp_phase", &[ramp, ("phase", &phase.to_string())], is);
        }
        let weight = self.known.in_force().candidate.fraction();
        text.one("tierup_ramp_weight", "gauge", "The candidate's part of the clients, from 0 to 1.", weight);
        self.evidence(&mut text);
        if let Some(last) = &self.known.last {
            let name = "tierup_ramp_last_decision_timestamp_seconds";
            text.head(name, "gauge", "When the last decision was made, in seconds since 1970.");
            text.line(name, &[("decision", &last.decision.to_string())], last.at);
        }
        let help = "Rounds that could not be stored or put into force, since the judge was started.";
        text.one("tierup_ramp_rounds_failed_total", "counter", help, self.failed);
        let help = "1 while something keeps the judge from judging, or from putting weights into force.";
        text.one("tierup_ramp_trouble", "gauge", help, u8::from(self.trouble.is_some()));
        text.one("tierup_ramp_proxies", "gauge", "Proxies that write evidence.", self.known.heard.count());
        told.iter().for_each(|told| told.metrics(&mut text));
        text.into_text()
    }

    fn evidence(&self, text: &mut Metrics) {
        let charges = self.known.mind.judge.charges();
        let (name, needed) = ("tierup_ramp_evidence", "tierup_ramp_evidence_needed");
        text.head(name, "gauge", "How much speaks against the candidate, as an e-value: about 1 if nothing does.");
        charges.iter().for_each(|charge| text.line(name, &[("kind", kind_name(charge.kind))], charge.evidence));
        text.head(needed, "gauge", "The e-value that rolls back.");
        charges.iter().for_each(|charge| text.line(needed, &[("kind", kind_name(charge.kind))], charge.needed));
    }
}

impl Told {
    pub fn metrics(self, text: &mut Metrics) {
        let name = "tierup_ramp_notifications_total";
        text.head(name, "counter", "Decisions for the command of `notify`, by what became of it.");
        for (outcome, count) in [("done", self.done), ("failed", self.failed), ("dropped", self.dropped)] {
            text.line(name, &[("outcome", outcome)], count);
        }
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Errors => "errors",
        Kind::Unanswered => "unanswered",
        Kind::Departures => "departures",
        Kind::Mismatches => "mismatches",
        Kind::Confirmed => "confirmed",
        Kind::Slowness => "slowness",
    }
}
