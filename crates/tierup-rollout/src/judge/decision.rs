//! What a judge decides, and why: as data for programs, and as text with numbers for people.

use std::fmt;

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

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Errors => "5xx",
            Kind::Unanswered => "no answer",
            Kind::Departures => "clients that leave",
            Kind::Mismatches => "mismatches",
            Kind::Confirmed => "confirmed mismatches",
            Kind::Slowness => "slowness",
        })
    }
}

impl fmt::Display for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(route) = &self.route {
            write!(f, " of {route}")?;
        }
        let needed = self.needed;
        write!(f, ": {} (evidence {} : 1, of {needed} : 1)", self.counted, Ratio(self.evidence))
    }
}

/// Shows a ratio without an exponent, and without insignificant digits.
struct Ratio(f64);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            much if much >= 1e6 => f.write_str("over 1000000"),
            many if many >= 10.0 => write!(f, "{many:.0}"),
            few if few >= 0.01 => write!(f, "{few}"),
            _ => f.write_str("under 0.01"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Charged(charge) => write!(f, "{charge}"),
            Reason::SlowerHere(charge) => write!(
                f,
                "{charge}; this may be its clients, so it does not roll back: move on with `tierup ramp to`, or abort"
            ),
            Reason::GoldenWrong { call, words } => write!(f, "the golden call {call} is wrong: {words}"),
            Reason::Unreachable { side, proxy } => write!(f, "{} cannot be reached from proxy {proxy}", name(*side)),
            Reason::Confirmed { route, request, words } => write!(
                f,
                "{route}: `{request}` was asked again; control agreed with itself and the candidate differed again, as to other clients: {words}"
            ),
            Reason::NotToRamp { route } => {
                write!(f, "the candidate answered {route}, which has to stay with control")
            }
            Reason::Aborted => f.write_str("aborted by the operator"),
            Reason::Paused => f.write_str("paused by the operator"),
            Reason::TooSoon { seconds, needed } => write!(f, "{seconds} of {needed} s at this step"),
            Reason::FewAnswers { route: Some(route), answers, needed } => {
                write!(f, "{route}: the candidate gave {answers} of {needed} answers at this step")
            }
            Reason::FewAnswers { route: None, answers, needed } => {
                write!(f, "the candidate gave {answers} of {needed} answers at this step")
            }
            Reason::FewCompared { route, compared, needed } => {
                write!(f, "{route}: {compared} of {needed} answers compared at this step")
            }
            Reason::NotCompared { route, sampled, left_out, mostly } => write!(
                f,
                "{route}: {left_out} of the {sampled} requests in the sample were not compared, over 5 % ({mostly})"
            ),
            Reason::IdleTwin { blocks, needed } => {
                write!(f, "candidate and twin both answered in {blocks} of {needed} blocks of time")
            }
            Reason::NoGolden => f.write_str("no golden call was right on both sides yet"),
            Reason::OldGolden { seconds } => write!(f, "the last golden call was {seconds} s ago"),
            Reason::GoldenWrongAtControl { call, words } => {
                write!(f, "the golden call {call} is wrong at control itself: {words}")
            }
            Reason::FewConfirmed { route, request, words, requests, needed, clients, clients_needed } => write!(
                f,
                "{route}: `{request}` was asked again and differed again: {words}; {requests} of {needed} different \
                 requests, and {clients} of {clients_needed} clients, would show that it is the candidate"
            ),
            Reason::ConfirmedAtStatus { route, request, status } => write!(
                f,
                "{route}: `{request}`, which control answers with {status}, was asked again and differed again; this may be \
                 how the server treats such a request, so it does not roll back: repair it, or move on with `tierup ramp to`"
            ),
            Reason::ControlFile { proxy, trouble } => write!(f, "proxy {proxy} cannot use the control file: {trouble}"),
            Reason::NoTraffic => f.write_str("no request came yet"),
            Reason::Unexplained { route, mismatched, compared } => write!(
                f,
                "{route}: {mismatched} of {compared} answers differed, and control was not compared with itself: a \
                 second control process would show whether this is noise"
            ),
            Reason::BrokeDown {
                bad,
                answers,
                bad_of_control,
                answers_of_control,
                seconds,
                bad_before,
                answers_before,
            } => write!(
                f,
                "the candidate broke down: within {seconds} s {bad} of {answers} answers were bad or took ten times as long \
                 (a client's count once), {bad_of_control} of {answers_of_control} were control's, and {bad_before} of \
                 {answers_before} before"
            ),
            Reason::FailsForAll { bad, clients, copies, seconds } => write!(
                f,
                "the candidate fails for everybody: in {seconds} s, all of its {bad} answers to {clients} or more clients were bad, and \
                 so were those to all {copies} copies of requests that control answered well"
            ),
            Reason::NoWholeAnswer { requests, clients, seconds } => write!(
                f,
                "the candidate answers nobody: in {seconds} s, {requests} requests of {clients} clients had no answer"
            ),
            Reason::Differs { different, compared, first } => {
                let are = if *different == 1 { "is" } else { "are" };
                write!(f, "{different} of {compared} compared calls {are} answered differently")?;
                first.iter().try_for_each(|call| write!(f, ", such as {call}"))
            }
            Reason::Fails { shared, panics, timeouts, lost } => write!(
                f,
                "the candidate failed in {} of {shared} calls that it was to answer: {panics} panics, {timeouts} time-outs, {lost} lost",
                panics + timeouts + lost
            ),
            Reason::TakesLonger { pairs, ratio } => {
                write!(f, "the candidate takes {ratio:.2} times as long as the control in {pairs} pairs of calls")
            }
            Reason::Died { processes } => {
                let processes_ended = if *processes == 1 { "process" } else { "processes" };
                write!(f, "{processes} {processes_ended} ended in a call of the candidate")
            }
            Reason::NothingToRamp => f.write_str("every route with traffic has to stay with control"),
        }
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Control => "control",
        Side::Candidate => "the candidate",
        Side::Twin => "the twin",
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, lines: &[&dyn fmt::Display]| {
            lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
        };
        match self {
            Decision::Advance { to, because } => {
                write!(f, "advance to {to}")?;
                list(f, &because.iter().map(|charge| charge as &dyn fmt::Display).collect::<Vec<_>>())
            }
            Decision::Hold { because } => {
                write!(f, "hold")?;
                list(f, &because.iter().map(|reason| reason as &dyn fmt::Display).collect::<Vec<_>>())
            }
            Decision::RollBack { because } => write!(f, "roll back\n  {because}"),
            Decision::Done => write!(f, "done"),
            Decision::Ready { because } => {
                write!(
                    f,
                    "ready\n  `tierup ramp finish` gives the candidate all requests; until then control is compared with it"
                )?;
                list(f, &because.iter().map(|charge| charge as &dyn fmt::Display).collect::<Vec<_>>())
            }
        }
    }
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
