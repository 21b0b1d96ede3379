//! Copies of what was asked and answered, for whoever else is to answer.
//!
//! Whether a request is in the sample is decided before anything is known of its answer, and by nothing but chance, so
//! that the sample is not one of small and fast requests. What is in the sample and does not become a copy is
//! [counted](Counter::copy), with the reason.

mod kept;
mod longest;
mod recording;

use std::{
    cell::RefCell,
    hash::{BuildHasher as _, RandomState},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::{HeaderMap, Method, StatusCode, Uri, header::UPGRADE, http::request};
use tierup_rollout::{
    Side,
    evidence::{NO_LANE, Pair},
};
use tierup_subject::Passage;
use tokio::sync::mpsc;

use self::{
    kept::Kept,
    longest::Longest,
    recording::{Open, Recordings},
};
pub(crate) use self::{kept::of_headers, recording::Recording};
use crate::{
    collector::{Compared, Counter, Route, Took},
    lanes::{ControlLanes, NoLane, Taken},
    network::Witness,
    sample::Safe,
    shares::{Held, Shares},
};

/// What comparing takes together, in bytes, unless somebody [says otherwise](Copies::within).
pub(crate) const MEMORY: usize = 64 << 20;
/// What a recording takes beside bodies and headers: itself, its target, and what the proxy keeps to find it.
const OF_RECORDING: usize = 2 << 10;
/// What control's recorded calls for one request take at most, and their bodies have.
const OF_CALLS: usize = 1 << 20;

/// A request, and what its client was answered.
#[derive(Debug)]
pub struct Copied {
    pub method: Method,
    /// The path and query.
    pub target: Uri,
    /// As the server was sent them.
    pub headers: HeaderMap,
    pub body: Bytes,
    /// It changes nothing: it may be asked again.
    pub is_safe: bool,
    /// Who is asked, too.
    pub pair: Pair,
    /// Who answered the client.
    pub by: Side,
    pub answer: ClientAnswer,
    /// Its lane, where calls to other services are compared.
    pub(crate) taken: Option<Taken>,
    /// The name under which it is counted.
    pub route: Route,
    /// The client's network, or its key where many clients may have the address, under a name that only this proxy knows.
    pub client: u64,
    /// Whether that is a network, and so hardly many clients behind a load balancer.
    pub is_network: bool,
    /// It counts as under way until its place is dropped.
    pub permit: Option<Permit>,
}

/// A copy's part of the limits that all copies share.
#[derive(Debug)]
pub struct Permit {
    pub(crate) memory: Held,
    /// Among those under way.
    pub(crate) place: Option<Held>,
}

impl Copied {
    /// Memory for what is compared with it, with nothing in it yet; `None` without a budget.
    pub(crate) fn memory(&self) -> Option<Held> {
        self.permit.as_ref().map(|permit| permit.memory.beside())
    }
}

/// What the client was answered.
#[derive(Debug)]
pub struct ClientAnswer {
    pub status: StatusCode,
    /// As the client was sent them.
    pub headers: HeaderMap,
    pub body: Bytes,
    /// From the request's head to the answer's.
    pub took: Duration,
}

/// Why a request of the sample has no copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCopied {
    /// Too many copies were under way.
    Busy,
    /// All copies together took as much memory as they may, or its route as much as it may.
    NoMemory,
    /// No lane was free.
    NoLane,
    /// Its calls to other services cannot be told from those of other requests.
    Unattributable,
    /// Its body, or its answer's, is above the limit.
    TooLarge,
    /// It was not answered whole: the client, or the server, broke off.
    Incomplete,
    /// It has no end, or takes too long: server-sent events, another protocol after an upgrade, a long poll.
    Stream,
    /// Another server answered than the one that was to.
    Instead,
}

impl NotCopied {
    /// As evidence has it.
    pub fn reason(self) -> &'static str {
        match self {
            NotCopied::Busy => "too many copies were under way",
            NotCopied::NoMemory => "copies took all the memory that they may",
            NotCopied::NoLane => NO_LANE,
            NotCopied::Unattributable => "its calls to other services cannot be told from those of other requests",
            NotCopied::TooLarge => "a body is too large",
            NotCopied::Incomplete => "the client or the control broke off",
            NotCopied::Stream => "the answer has no end, or took too long",
            NotCopied::Instead => "the control answered in another server's place",
        }
    }
}

impl From<NoLane> for NotCopied {
    fn from(why: NoLane) -> NotCopied {
        match why {
            NoLane::Busy => NotCopied::NoLane,
            NoLane::Unattributable => NotCopied::Unattributable,
        }
    }
}

/// Decides whether a request that this side answers is in the sample, and who is asked, too.
pub type Sample = dyn Fn(&request::Parts, Side) -> Option<Pair> + Send + Sync;

/// Where copies go.
#[derive(Clone)]
pub struct Copies {
    sample: Arc<Sample>,
    places: Shares,
    memory: Shares,
    queue: mpsc::UnboundedSender<Copied>,
    lanes: Option<ControlLanes>,
    safe: Safe,
    /// Names clients.
    key: RandomState,
}

impl Copies {
    /// Copies of the requests that `sample` chooses. At most `width` are under way at a time, from the end of the answer to
    /// the drop of its place; the queue that they arrive in is bounded by that. What is recorded before is bounded by
    /// its [`MEMORY`], not by number: otherwise a few requests that take long would leave no room for others.
    pub fn new(width: usize, sample: Arc<Sample>) -> (Copies, mpsc::UnboundedReceiver<Copied>) {
        let (queue, copied) = mpsc::unbounded_channel();
        (
            Copies {
                sample,
                places: Shares::new(width),
                memory: Shares::new(MEMORY),
                queue,
                lanes: None,
                safe: Safe::default(),
                key: RandomState::new(),
            },
            copied,
        )
    }

    /// All copies and comparisons together take at most so many bytes.
    pub fn within(self, memory: usize) -> Copies {
        Copies { memory: Shares::new(memory), ..self }
    }

    /// The calls that control makes to other services are recorded for each request of the sample.
    pub fn in_lanes(self, lanes: ControlLanes) -> Copies {
        Copies { lanes: Some(lanes), ..self }
    }

    /// Beside GET and HEAD, these requests are safe.
    pub fn declaring(self, safe: Safe) -> Copies {
        Copies { safe, ..self }
    }

    pub(crate) fn lanes(&self) -> Option<&ControlLanes> {
        self.lanes.as_ref()
    }

    /// Whether no copy is under way.
    pub fn is_idle(&self) -> bool {
        self.places.is_whole()
    }
}

/// One thread's copies that are being made.
pub(crate) struct CopyDesk {
    copies: Copies,
    limit: usize,
    counter: Rc<Counter>,
    open: Recordings,
    longest: Rc<Longest>,
}

impl CopyDesk {
    /// `limit` is that of each body, in bytes.
    pub(crate) fn new(copies: Copies, limit: usize, counter: Rc<Counter>) -> CopyDesk {
        CopyDesk { copies, limit, counter, open: Recordings::new(), longest: Rc::default() }
    }

    /// Begins a copy of a request that is in the sample, if there is memory, and a lane where one is needed. Where calls
    /// belong to requests by a header, all requests count, copied or not.
    pub(crate) fn begin<'a>(
        &self,
        head: &request::Parts,
        route: Route,
        by: Side,
        witness: impl FnOnce() -> Witness<'a>,
    ) -> Option<Rc<RefCell<Recording>>> {
        let lanes = self.copies.lanes.as_ref().filter(|_| by == Side::Control);
        let passage = lanes.and_then(|lanes| lanes.begin(&head.headers));
        let open = self.open(head, route, by, passage.as_ref());
        if open.is_none() && passage.is_none() {
            return None;
        }
        let (open, taken) = open.unzip();
        let (is_copied, taken) = (open.is_some(), taken.flatten());
        let witness = is_copied.then(witness);
        let name = |witness: &Witness| self.copies.key.hash_one((witness.is_network, &witness.name));
        let recording = Rc::new(RefCell::new(Recording {
            open,
            taken,
            passage,
            route,
            by,
            client: witness.as_ref().map_or(0, name),
            is_network: witness.is_some_and(|witness| witness.is_network),
            began: Instant::now(),
            is_safe: self.copies.safe.has(head),
            method: head.method.clone(),
            target: head.uri.clone(),
            headers: HeaderMap::new(),
            body: Kept::new(self.limit),
            answer: None,
            answer_limit: self.limit,
            longest: Rc::clone(&self.longest),
        }));
        if is_copied {
            self.open.add(&recording);
        }
        Some(recording)
    }

    /// What a copy needs. `None`: there is none.
    fn open(
        &self,
        head: &request::Parts,
        route: Route,
        by: Side,
        passage: Option<&Passage>,
    ) -> Option<(Open, Option<Taken>)> {
        let pair = (self.copies.sample)(head, by)?;
        let lanes = match pair {
            // Control's calls for it reach other services, as they would for the client's request: it may be repeated only
            // if it is safe.
            Pair::Verify if !self.copies.safe.has(head) => return None,
            Pair::Verify => None,
            _ => self.copies.lanes.as_ref(),
        };
        // Only control's calls are recorded.
        if lanes.is_some() && by != Side::Control {
            return None;
        }
        let needs = OF_RECORDING + head.uri.path_and_query().map_or(0, |target| target.as_str().len());
        let Some(memory) = self.copies.memory.take(route, needs + lanes.map_or(0, |_| OF_CALLS)) else {
            not_copied(&self.counter, route, pair, NotCopied::NoMemory);
            return None;
        };
        let lane = |lanes: &ControlLanes| match head.headers.contains_key(UPGRADE) {
            // It may keep its process busy without end.
            true => Err(NotCopied::Stream),
            false => lanes.take(route, passage).map_err(NotCopied::from),
        };
        let taken = match lanes.map(lane).transpose() {
            Ok(taken) => taken,
            Err(why) => {
                not_copied(&self.counter, route, pair, why);
                return None;
            }
        };
        let open = Open { copies: self.copies.clone(), counter: Rc::clone(&self.counter), pair, memory };
        Some((open, taken))
    }

    /// Gives up those that take too long. To be called now and then.
    pub(crate) fn sweep(&self) {
        self.open.sweep(&self.longest);
    }
}

fn not_copied(counter: &Counter, route: Route, pair: Pair, why: NotCopied) {
    counter.copy(route, pair, Compared::Dropped(why.reason()), Took::default());
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn witness() -> Witness<'static> {
        Witness::of_address([127, 0, 0, 1].into())
    }

    #[test]
    fn what_has_ended_is_forgotten_while_one_goes_on() {
        let (copies, _copied) = Copies::new(64, Arc::new(|_, _| Some(Pair::Candidate)));
        let counter = Rc::new(crate::collector::Collector::new(&[]).0.counter());
        let route = counter.route(&Method::GET, "/");
        let desk = CopyDesk::new(copies, 1024, counter);
        let (head, ()) = Request::new(()).into_parts();
        let long = desk.begin(&head, route, Side::Control, witness).expect("there is memory");
        for _ in 0..10_000 {
            drop(desk.begin(&head, route, Side::Control, witness).expect("there is memory"));
        }
        assert!(desk.open.len() <= 128, "{}", desk.open.len());
        desk.sweep();
        assert_eq!(desk.open.len(), 1);
        drop(long);
        desk.sweep();
        assert_eq!(desk.open.len(), 0);
    }

    #[test]
    fn only_safe_requests_are_copied_to_control_and_only_controls_calls_are_recorded() {
        let counter = Rc::new(crate::collector::Collector::new(&[]).0.counter());
        let route = counter.route(&Method::GET, "/");
        let desk = |pair, lanes: Option<ControlLanes>| {
            let (copies, _copied) = Copies::new(64, Arc::new(move |_, _| Some(pair)));
            CopyDesk::new(lanes.into_iter().fold(copies, Copies::in_lanes), 1024, Rc::clone(&counter))
        };
        let head = |method| Request::builder().method(method).body(()).expect("a request").into_parts().0;
        let lanes = ControlLanes::processes(Vec::new());
        for lanes in [None, Some(lanes.clone())] {
            let desk = desk(Pair::Verify, lanes);
            for (method, is_copied) in [("GET", true), ("HEAD", true), ("POST", false), ("PUT", false)] {
                assert_eq!(desk.begin(&head(method), route, Side::Candidate, witness).is_some(), is_copied, "{method}");
            }
        }
        for (lanes, is_copied) in [(None, true), (Some(lanes), false)] {
            let desk = desk(Pair::Second, lanes);
            assert_eq!(desk.begin(&head("GET"), route, Side::Twin, witness).is_some(), is_copied);
        }
    }
}
