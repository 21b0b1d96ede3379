//! Decisions and their reasons as text, with numbers.

use std::fmt;

use super::{Charge, Decision, Kind, Reason};
use crate::weights::Side;

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
