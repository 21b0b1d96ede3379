//! What a judge decides, and why, as data for programs. `words` says it to people, with numbers.

mod words;

use serde::{Deserialize, Serialize};

use crate::weights::{Part, Side};

/// What to do now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// The step has all that it needs: the candidate may have this weight.
    Advance { to: Part, because: Vec<Charge> },
    /// The weight stays, for at least one reason.
    Hold { because: Vec<Reason> },
    /// All traffic goes back to control for good: a judge that rolled back never advances again.
    RollBack { because: Reason },
    /// The last step has all that it needs. Control keeps its part until the operator ends the ramp.
    Ready { because: Vec<Charge> },
    /// The operator ended the ramp: the candidate answers every request.
    Done,
}

/// A kind of evidence. Kinds are not pooled: a rise of one would be lost in the noise of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Answers with a status from 500 on.
    Errors,
    /// Requests without an answer in time.
    Unanswered,
    /// Clients that left before they got an answer.
    Departures,
    /// Compared answers with differences that were not confirmed.
    Mismatches,
    /// Confirmed differences, if a part of them is tolerated.
    Confirmed,
    /// Answers that take longer than the twin's.
    Slowness,
}

/// How strong the evidence against the candidate is in one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    pub kind: Kind,
    /// The route with the evidence; `None` for all routes together.
    pub route: Option<String>,
    /// What was counted.
    pub counted: String,
    /// The e-value, to three digits. An equal candidate reaches `needed` with a probability of at most `1 / needed`.
    pub evidence: f64,
    /// The e-value at which the evidence counts.
    pub needed: f64,
}

/// Why a weight stays, or falls to 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The evidence of one kind is enough to roll back, or enough to make the next step wait.
    Charged(Charge),
    /// The candidate's clients wait longer than others. Without copies shared by chance between candidate and twin, the
    /// cause may be the clients or a cold server: the ramp waits, and never rolls back for it.
    SlowerHere(Charge),
    GoldenWrong {
        call: String,
        words: String,
    },
    Unreachable {
        side: Side,
        proxy: String,
    },
    Confirmed {
        route: String,
        request: String,
        words: String,
    },
    /// The candidate answered requests of a route that must stay with control.
    NotToRamp {
        route: String,
    },
    Aborted,
    Paused,
    TooSoon {
        seconds: u64,
        needed: u64,
    },
    FewAnswers {
        /// `None` for all routes together.
        route: Option<String>,
        answers: u64,
        needed: u64,
    },
    FewCompared {
        route: String,
        compared: u64,
        needed: u64,
    },
    NotCompared {
        route: String,
        sampled: u64,
        left_out: u64,
        /// The most frequent reason.
        mostly: String,
    },
    /// Candidate and twin answered both in too few blocks of time.
    IdleTwin {
        blocks: u64,
        needed: u64,
    },
    NoGolden,
    OldGolden {
        seconds: u64,
    },
    GoldenWrongAtControl {
        call: String,
        words: String,
    },
    /// A difference was confirmed, but on too few requests or for too few clients.
    FewConfirmed {
        route: String,
        request: String,
        words: String,
        requests: u64,
        needed: u64,
        clients: u64,
        clients_needed: u64,
    },
    /// A difference was confirmed on a request that control answers with an error or 304.
    ConfirmedAtStatus {
        route: String,
        request: String,
        status: u16,
    },
    ControlFile {
        proxy: String,
        trouble: String,
    },
    /// All routes with traffic must stay with control.
    NothingToRamp,
    NoTraffic,
    /// Answers differ without confirmation, and control was not compared with itself.
    Unexplained {
        route: String,
        mismatched: u64,
        compared: u64,
    },
    /// The candidate has far more bad answers than before, and than control has at the same time.
    BrokeDown {
        bad: u64,
        answers: u64,
        bad_of_control: u64,
        answers_of_control: u64,
        seconds: u64,
        bad_before: u64,
        answers_before: u64,
    },
    /// The candidate gave clients only bad answers, and failed all copies that control answered well.
    FailsForAll {
        bad: u64,
        clients: u64,
        copies: u64,
        seconds: u64,
    },
    /// The candidate answered no client, while clients sent requests.
    NoWholeAnswer {
        requests: u64,
        clients: u64,
        seconds: u64,
    },
    /// Inside processes: the candidate answers calls differently.
    Differs {
        different: u64,
        compared: u64,
        /// One of these calls.
        first: Option<String>,
    },
    /// Inside processes: the candidate failed, and the control answered instead.
    Fails {
        shared: u64,
        panics: u64,
        timeouts: u64,
        lost: u64,
    },
    /// Inside processes: the candidate's calls take longer than the control's.
    TakesLonger {
        pairs: u64,
        ratio: f64,
    },
    /// Processes died in a call of the candidate.
    Died {
        processes: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_has_the_numbers_in_words() {
        let charge = |evidence| Charge {
            kind: Kind::Errors,
            route: Some("GET /orders".into()),
            counted: "14 of 16 bad answers were the candidate's at 5%".into(),
            evidence,
            needed: 400.0,
        };
        assert_eq!(
            charge(812.0).to_string(),
            "5xx of GET /orders: 14 of 16 bad answers were the candidate's at 5% (evidence 812 : 1, of 400 : 1)"
        );
        for (evidence, words) in [(1.0, "1 : 1"), (0.25, "0.25 : 1"), (1e-9, "under 0.01 : 1"), (1e9, "over 1000000")] {
            assert!(charge(evidence).to_string().contains(&format!("evidence {words}")), "{}", charge(evidence));
        }
    }

    #[test]
    fn a_decision_is_stored_and_read_again() {
        let decision = Decision::Hold { because: vec![Reason::Paused, Reason::TooSoon { seconds: 3, needed: 600 }] };
        assert_eq!(decision.to_string(), "hold\n  paused by the operator\n  3 of 600 s at this step");
        let stored = serde_json::to_string(&decision).unwrap();
        assert_eq!(serde_json::from_str::<Decision>(&stored).unwrap(), decision);
    }
}
