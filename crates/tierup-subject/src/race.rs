//! Distinguishes a missing answer that is a failure from one that is a race. A race says nothing about the server.

use tierup_parity::{Observation, Seen, Silence};

use crate::observe::Ask;

/// Why two observations of a question cannot be compared; `None` if they can.
pub fn race(question: &Ask<'_>, control: &Observation, candidate: &Observation) -> Option<&'static str> {
    if !question.may_go_unanswered {
        return None;
    }
    match (&control.seen, &candidate.seen) {
        // A candidate may always close the connection, but may crash or hang only if control does the same.
        (Seen::Nothing(mine), Seen::Nothing(theirs))
            if Kind::new(theirs) == Kind::Closed || Kind::new(theirs) == Kind::new(mine) =>
        {
            Some("neither server answers")
        }
        (Seen::Nothing(why), Seen::Answer(answer)) | (Seen::Answer(answer), Seen::Nothing(why))
            if answer.status >= 400 && question.may_break_off && Kind::new(why) == Kind::Closed =>
        {
            Some("a large request, refused: the connection broke before the answer could be read")
        }
        _ => None,
    }
}

/// Control's answer, from two attempts of which one may have been lost.
pub fn settled(first: Observation, second: Observation) -> Observation {
    if matches!(first.seen, Seen::Nothing(_)) && !matches!(second.seen, Seen::Nothing(_)) { second } else { first }
}

/// The kinds of silence that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The server closed the connection, or broke off.
    Closed,
    /// It took too long.
    TimedOut,
    /// The server is gone.
    Ended,
}

impl Kind {
    fn new(silence: &Silence) -> Kind {
        match silence {
            gone if gone.is_end() => Kind::Ended,
            Silence::TimedOut => Kind::TimedOut,
            _ => Kind::Closed,
        }
    }
}

#[cfg(test)]
mod tests {
    use tierup_parity::{Answer, Framing};
    use tierup_requests::{Context, Moment, Request, Templates};

    use super::*;
    use crate::downstream::Behaviour;

    fn request() -> Request {
        let templates = Templates::parse("requests.http", "GET /\n").expect("the requests are sound");
        let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
        templates.expand(1, 0, &context).expect("there are no variables").requests.remove(0)
    }

    fn hostile(request: &Request) -> Ask<'_> {
        let (framing, behaviour) = (Framing::Length, Behaviour::Answers);
        Ask { request, framing, behaviour, may_break_off: true, may_go_unanswered: true }
    }

    #[test]
    fn a_crash_where_the_control_only_closes_is_no_race() {
        let request = request();
        let ended = || Silence::Ended { how: "exit status 1".into(), seen: Some(Box::new(Silence::Closed)) };
        let is_race = |control: Silence, candidate: Silence| {
            let [control, candidate] = [control, candidate].map(|why| Observation::new(Seen::Nothing(why)));
            race(&hostile(&request), &control, &candidate).is_some()
        };
        use Silence::{Closed, NotRunning, Refused, TimedOut};
        assert!(is_race(Closed, Closed) && is_race(ended(), ended()) && is_race(TimedOut, TimedOut));
        assert!(is_race(ended(), Closed) && is_race(TimedOut, Closed));
        assert!(!is_race(Closed, Refused) && !is_race(Closed, NotRunning));
        assert!(!is_race(Closed, ended()) && !is_race(Closed, TimedOut) && !is_race(TimedOut, ended()));
    }

    #[test]
    fn only_a_request_that_may_break_off_can_lose_its_answer() {
        let request = request();
        let refused = Observation::new(Seen::Answer(Answer { status: 413, ..Answer::default() }));
        let closed = Observation::new(Seen::Nothing(Silence::Closed));
        let large = hostile(&request);
        assert!(race(&large, &refused, &closed).is_some() && race(&large, &closed, &refused).is_some());
        assert_eq!(race(&Ask { may_break_off: false, ..large }, &refused, &closed), None);
        assert_eq!(race(&Ask { may_go_unanswered: false, ..large }, &refused, &closed), None);
    }
}
