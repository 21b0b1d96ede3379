//! Decides whether a missing answer is a failure or a race. A race says nothing about the server.

use tierup_parity::{Observation, Seen};

use super::{
    ask::{REFUSES, TIMEOUT},
    questions::{Origin, Question},
    session::{ENDED, GONE},
};

/// Why two observations of a hostile request say nothing about each other.
pub(super) fn luck(question: &Question, control: &Observation, candidate: &Observation) -> Option<&'static str> {
    if question.origin != Origin::Hostile {
        return None;
    }
    match (&control.seen, &candidate.seen) {
        // To close the connection is one thing, to crash or to hang another.
        (Seen::Nothing(mine), Seen::Nothing(theirs))
            if Silence::of(theirs) == Silence::Closed || Silence::of(theirs) == Silence::of(mine) =>
        {
            Some("neither server answers")
        }
        (Seen::Nothing(why), Seen::Answer(answer)) | (Seen::Answer(answer), Seen::Nothing(why))
            if answer.status >= 400 && question.may_break_off() && Silence::of(why) == Silence::Closed =>
        {
            Some("a large request, refused: the connection broke before the answer could be read")
        }
        _ => None,
    }
}

/// What the control says, of two answers of which one may have been lost.
pub(super) fn settled(first: Observation, second: Observation) -> Observation {
    if matches!(first.seen, Seen::Nothing(_)) && !matches!(second.seen, Seen::Nothing(_)) { second } else { first }
}

/// Why nothing came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Silence {
    /// The server closed the connection, or broke off.
    Closed,
    /// It took too long.
    TimedOut,
    /// The server is gone: its process, or what listened at its address.
    Ended,
}

impl Silence {
    fn of(why: &str) -> Silence {
        match why {
            _ if why.contains(ENDED) => Silence::Ended,
            REFUSES | GONE => Silence::Ended,
            TIMEOUT => Silence::TimedOut,
            _ => Silence::Closed,
        }
    }
}

#[cfg(test)]
mod tests {
    use tierup_requests::{Context, Moment, Templates};

    use super::*;

    #[test]
    fn a_crash_where_the_control_only_closes_is_no_luck() {
        let templates = Templates::parse("requests.http", "GET /\n").expect("the requests are sound");
        let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
        let good = templates.expand(1, 0, &context).expect("there are no variables").requests.remove(0);
        let question = Question::good(good, Origin::Hostile);
        let (closed, ended) = ("it closes the connection without an answer", format!("it closes; {ENDED} (exit 1)"));
        let is_luck = |control: &str, candidate: &str| {
            let [control, candidate] = [control, candidate].map(|why| Observation::of(Seen::Nothing(why.to_owned())));
            luck(&question, &control, &candidate).is_some()
        };
        assert!(is_luck(closed, closed) && is_luck(&ended, &ended) && is_luck(TIMEOUT, TIMEOUT));
        assert!(is_luck(&ended, closed) && is_luck(TIMEOUT, closed));
        assert!(!is_luck(closed, REFUSES) && !is_luck(closed, GONE));
        assert!(!is_luck(closed, &ended) && !is_luck(closed, TIMEOUT) && !is_luck(TIMEOUT, &ended));
    }
}
