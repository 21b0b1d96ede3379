//! Asks a server one question after the other, each on a connection of its own, and keeps what came back.
//!
//! In: questions, good and hostile. Out: an [`Observation`] for each, even if nothing came back.

use std::{
    cell::{Cell, RefCell},
    io,
    net::SocketAddr,
    rc::Rc,
    time::{Duration, Instant},
};

use tierup_parity::{Framing, Observation, Seen, Silence};
use tierup_requests::Request;
use tokio::time::timeout;

use crate::{
    answer::{Arriving, BODY_LIMIT},
    ask::side_by_side,
    connection::Connection,
    downstream::{Behaviour, Downstream},
    keeping::Keeping,
    prepared::Prepared,
};

/// One request, how it is sent, and which outcomes are acceptable.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    pub request: &'a Request,
    pub framing: Framing,
    /// How the service behind the server behaves meanwhile.
    pub behaviour: Behaviour,
    /// Whether a server may refuse the request and close before all of it was sent. Reading the answer then races with
    /// the connection's end (RFC 9112, section 9.6), so the request is repeated if nothing came back.
    pub may_break_off: bool,
    /// Whether a sound server may close the connection without an answer.
    pub may_go_unanswered: bool,
}

/// The server to ask, and how.
pub struct Asking<'a> {
    pub address: SocketAddr,
    /// The `Host` header's value if a request has none.
    pub authority: &'a str,
    /// Number of questions under way at a time; one where downstream calls have to be told apart.
    pub width: usize,
    /// The time limit of each answer.
    pub patience: Duration,
    pub downstream: Option<&'a Downstream>,
    /// How long to wait after an answer for calls that the server still makes.
    pub settle: Duration,
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Attempts for a question whose answer a race may lose. Other questions are asked once: a server that drops every
/// second connection is faulty.
const ATTEMPTS: usize = 3;

/// Asks everything once. Questions that were not asked because the user interrupted are skipped.
///
/// # Errors
/// If the client cannot be set up.
pub fn observe(asking: &Asking<'_>, questions: &[Ask<'_>]) -> io::Result<Vec<Observation>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let next = Cell::new(0);
    let found = RefCell::new(vec![Observation::new(Seen::Skipped("interrupted".into())); questions.len()]);
    let lane = || async {
        loop {
            let index = next.replace(next.get() + 1);
            let Some(question) = questions.get(index) else { return };
            let observation = one(asking, question).await;
            found.borrow_mut()[index] = observation;
        }
    };
    runtime.block_on(side_by_side((0..asking.width.max(1)).map(|_| lane()), asking.interrupted));
    Ok(found.into_inner())
}

async fn one(asking: &Asking<'_>, question: &Ask<'_>) -> Observation {
    let began = Instant::now();
    asking.downstream.inspect(|downstream| downstream.behave(question.behaviour));
    let mut seen = Seen::Nothing(Silence::TimedOut);
    for _ in 0..if question.may_break_off { ATTEMPTS } else { 1 } {
        seen = match timeout(asking.patience, exchange(asking, question)).await {
            Ok(seen) => seen,
            Err(_) => Seen::Nothing(Silence::TimedOut),
        };
        // A request that timed out is not sent again.
        let may_be_a_race = matches!(&seen, Seen::Nothing(silence) if *silence != Silence::TimedOut);
        if !may_be_a_race {
            break;
        }
    }
    let took = Some(began.elapsed());
    let Some(downstream) = asking.downstream else { return Observation { seen, downstream: Vec::new(), took } };
    if !asking.settle.is_zero() {
        tokio::time::sleep(asking.settle).await;
    }
    downstream.behave(Behaviour::Answers);
    Observation { seen, downstream: downstream.take(), took }
}

async fn exchange(asking: &Asking<'_>, question: &Ask<'_>) -> Seen {
    let prepared = match Prepared::from_request(question.request, asking.authority) {
        Ok(prepared) => prepared.framed(question.framing),
        Err(why) => return Seen::Skipped(why.to_string()),
    };
    let mut connection = Connection::new(asking.address, None, Rc::new(Keeping::default()));
    match connection.ask(&prepared, async |arriving: Arriving| arriving.whole(BODY_LIMIT).await).await {
        Ok(answer) => {
            let url = format!("http://{}{}", own_name(question, asking.authority), question.request.target);
            Seen::Answer(answer.observed(url).decoded())
        }
        Err(silence) => Seen::Nothing(silence),
    }
}

/// The server's name in the request: it may repeat it in its answers.
fn own_name<'a>(question: &Ask<'a>, authority: &'a str) -> &'a str {
    let host = question.request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
    host.map_or(authority, |(_, host)| host)
}
