//! Copies of requests and their answers, for the servers that are asked as well.
//!
//! A request is put into the sample by chance, before anything is known of its answer. Otherwise the sample would
//! consist of small and fast requests. A request of the sample that does not become a copy is [counted](Counter::copy),
//! with the reason.

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

/// How much memory comparing may take in total, in bytes, unless [set otherwise](Copies::within).
pub(crate) const MEMORY: usize = 64 << 20;
/// The memory of a recording beside bodies and headers: itself, its target, and the proxy's reference to it.
const OF_RECORDING: usize = 2 << 10;
/// The most memory that control's recorded calls for one request take, and that their bodies have.
const OF_CALLS: usize = 1 << 20;

/// A request, and the answer that its client got.
#[derive(Debug)]
pub struct Copied {
    pub method: Method,
    /// The path and query.
    pub target: Uri,
    /// The headers as the server got them.
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether it changes nothing, so that it may be asked again.
    pub is_safe: bool,
    /// Which two answers are compared, which decides the server that is asked.
    pub pair: Pair,
    /// The side that answered the client.
    pub by: Side,
    pub answer: ClientAnswer,
    /// The lane, if calls to other services are compared.
    pub(crate) taken: Option<Taken>,
    /// The route under which it is counted.
    pub route: Route,
    /// The client's network, or its key if many clients may share the address, under a name known only to this proxy.
    pub client: u64,
    /// Whether `client` is a network, and so hardly a load balancer with many clients behind it.
    pub is_network: bool,
    /// The copy counts as under way until the permit's place is dropped.
    pub permit: Option<Permit>,
}

/// A copy's part of the limits that all copies share.
#[derive(Debug)]
pub struct Permit {
    pub(crate) memory: Held,
    /// The place among copies under way.
    pub(crate) place: Option<Held>,
}

impl Copied {
    /// An empty budget for what is compared with the copy; `None` if nothing is limited.
    pub(crate) fn memory(&self) -> Option<Held> {
        self.permit.as_ref().map(|permit| permit.memory.beside())
    }
}

/// The answer that the client got.
#[derive(Debug)]
pub struct ClientAnswer {
    pub status: StatusCode,
    /// The headers as the client got them.
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The time from the request's head to the answer's.
    pub took: Duration,
}

/// Why a request of the sample has no copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCopied {
    /// Too many copies were under way.
    Busy,
    /// All copies together took as much memory as they may, or its route did.
    NoMemory,
    /// No lane was free.
    NoLane,
    /// Its calls to other services cannot be told from those of other requests.
    Unattributable,
    /// Its body, or its answer's, is larger than the limit.
    TooLarge,
    /// The exchange was not complete: the client or the server broke off.
    Incomplete,
    /// It has no end, or takes too long: server-sent events, another protocol after an upgrade, a long poll.
    Stream,
    /// Another server than the intended one answered.
    Instead,
}

impl NotCopied {
    /// The reason as it stands in the evidence.
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

/// Decides whether a request that this side answers is in the sample, and which pair is compared.
pub type Sample = dyn Fn(&request::Parts, Side) -> Option<Pair> + Send + Sync;

/// Records requests of the sample, and queues their copies.
#[derive(Clone)]
pub struct Copies {
    sample: Arc<Sample>,
    places: Shares,
    memory: Shares,
    queue: mpsc::UnboundedSender<Copied>,
    lanes: Option<ControlLanes>,
    safe: Safe,
    /// The key of the hash of clients.
    key: RandomState,
}

impl Copies {
    /// Copies of the requests that `sample` chooses. At most `width` are under way at a time, from the end of the
    /// answer until their place is dropped, which also bounds the returned queue. Recordings before that are bounded by
    /// [`MEMORY`], not by number: otherwise a few slow requests would leave no room for others.
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

    /// Limits the memory of all copies and comparisons together to this many bytes.
    pub fn within(self, memory: usize) -> Copies {
        Copies { memory: Shares::new(memory), ..self }
    }

    /// Records control's calls to other services for each request of the sample.
    pub fn in_lanes(self, lanes: ControlLanes) -> Copies {
        Copies { lanes: Some(lanes), ..self }
    }

    /// Declares further requests as safe, beside GET and HEAD.
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

/// One thread's unfinished copies.
pub(crate) struct CopyDesk {
    copies: Copies,
    limit: usize,
    counter: Rc<Counter>,
    open: Recordings,
    longest: Rc<Longest>,
}

impl CopyDesk {
    /// `limit` is the most bytes of a body.
    pub(crate) fn new(copies: Copies, limit: usize, counter: Rc<Counter>) -> CopyDesk {
        CopyDesk { copies, limit, counter, open: Recordings::new(), longest: Rc::default() }
    }

    /// Begins a copy of a request of the sample, if there is memory, and a lane if one is needed. If calls are told
    /// apart by a header, the returned value marks every request as under way, copied or not.
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

    /// Takes what a copy needs; `None` if there is no copy.
    fn open(
        &self,
        head: &request::Parts,
        route: Route,
        by: Side,
        passage: Option<&Passage>,
    ) -> Option<(Open, Option<Taken>)> {
        let pair = (self.copies.sample)(head, by)?;
        let lanes = match pair {
            // A copy to control calls other services again, as the client's request would. So it is made only if the
            // request is safe.
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
            // An upgraded request may keep its process busy without end.
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

    /// Gives up copies that take too long. Call it now and then.
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
    fn ended_recordings_are_removed_while_another_goes_on() {
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
