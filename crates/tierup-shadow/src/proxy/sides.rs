//! The servers that one thread passes requests on to: control, and where requests are shared, the candidate and its twin.
//!
//! In: a request and the side that it is assigned to. Out: an answer, and who gave it. Control answers in the place of a
//! side that certainly did not get the request, and in the place of one that broke off if the request may be repeated.

use std::{
    cell::{Cell, RefCell},
    net::IpAddr,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use hyper::{Request, Response, body::Body as _, body::Incoming, http::request};
use tierup_rollout::{Side, Weights, evidence::Event};

use super::{
    request_body::FromClient,
    upstream::{Failed, Lease, Unanswered, Upstream, spare},
};
use crate::{collector::Collector, copy::Recording, in_force::Assigned, steer::Steer};

/// The least time between a connection that failed and the one that decides whether the side can be reached: a server
/// that is started again closes its socket for a moment.
const APART: Duration = Duration::from_millis(500);
/// How long the candidate and its twin may take to accept a connection: control could be answering already.
const CONNECT: Duration = Duration::from_millis(2500);

/// One thread's servers.
pub(crate) struct Sides {
    pub(crate) control: Rc<Upstream>,
    pub(crate) shared: Option<Shared>,
    /// Control's processes that have one request of the sample at a time.
    pub(crate) lanes: Vec<Rc<Upstream>>,
}

/// Who else answers, and what decides.
pub(crate) struct Shared {
    pub(crate) steer: Steer,
    pub(crate) candidate: Option<Live>,
    pub(crate) twin: Option<Live>,
}

/// A server that answers clients in control's place.
pub(crate) struct Live {
    side: Side,
    upstream: Rc<Upstream>,
    /// When a connection failed, until another one succeeds. Meanwhile no request is sent there.
    failed: Cell<Option<Instant>>,
    reached: Reached,
}

/// Whether a side can be reached, as all threads found it; each change is an event.
#[derive(Clone)]
pub(crate) struct Reached {
    not: Arc<AtomicBool>,
    collector: Collector,
}

impl Reached {
    pub(crate) fn new(collector: Collector) -> Reached {
        Reached { not: Arc::default(), collector }
    }

    fn found(&self, side: Side, not: bool) {
        if self.not.load(Relaxed) != not && self.not.swap(not, Relaxed) != not {
            self.collector.event(Event::Unreachable { side, is: not });
        }
    }
}

/// An answer that arrives.
pub(crate) struct Answering {
    pub(crate) response: Response<Incoming>,
    pub(crate) lease: Lease,
    /// Who gives it.
    pub(crate) by: Assigned,
    /// Another side was asked before, and broke off.
    pub(crate) broken: Option<Assigned>,
}

impl Live {
    pub(crate) fn new(side: Side, upstream: Upstream, reached: Reached) -> Live {
        Live { side, upstream: Rc::new(upstream), failed: Cell::new(None), reached }
    }

    /// The longest that it may take to accept a connection.
    pub(crate) fn patience(connect: Duration) -> Duration {
        connect.min(CONNECT)
    }

    /// Decides, off the path of any request, whether the side can be reached: one connection that failed is not enough to
    /// end a ramp, and without a weight no request would find out that the side is back. Only a new connection tells.
    async fn look_again(&self) {
        let is_due = match self.failed.get() {
            Some(failed) => failed.elapsed() >= APART,
            None => self.reached.not.load(Relaxed),
        };
        if !is_due {
            return;
        }
        match self.upstream.connect_anew().await {
            Ok(()) => {
                self.failed.set(None);
                self.reached.found(self.side, false);
            }
            Err(Unanswered::NoRoom) => {}
            Err(_) => {
                self.failed.set(Some(Instant::now()));
                self.reached.found(self.side, true);
            }
        }
    }

    async fn send(&self, request: Request<FromClient>) -> Result<(Response<Incoming>, Lease), Failed> {
        let result = self.upstream.send(request).await;
        if matches!(&result, Err(Failed { why: Unanswered::Unreachable | Unanswered::TimedOut, unsent: Some(_) })) {
            self.failed.set(Some(Instant::now()));
        }
        result
    }
}

impl Sides {
    /// Who is to answer a request. `address` is the client's.
    pub(crate) fn assign(&self, head: &request::Parts, address: impl FnOnce() -> IpAddr) -> Assigned {
        let Some(shared) = &self.shared else { return Assigned::CONTROL };
        let assigned = shared.steer.assign(head, address);
        match assigned.side {
            Side::Control => assigned,
            // Weights of a server that is not there are no chance that it had.
            side if shared.live(side).is_none() => Assigned::CONTROL,
            _ => assigned,
        }
    }

    /// Sends a request to the side that it is assigned to, or to its lane.
    pub(crate) async fn send(
        &self,
        assigned: Assigned,
        in_lane: Option<(usize, &RefCell<Recording>)>,
        request: Request<FromClient>,
    ) -> Result<Answering, (Unanswered, Assigned)> {
        if let Some((number, copy)) = in_lane {
            return self.by_lane(assigned, number, copy, request).await;
        }
        let live = self.shared.as_ref().and_then(|shared| shared.live(assigned.side));
        let Some(live) = live else { return self.by_control(assigned, None, request).await };
        // Not by the chance of its bucket: whose bad answers control gives in another's place says nothing.
        let instead = Assigned { side: Side::Control, weights: Weights::CONTROL_ONLY, ..assigned };
        if live.failed.get().is_some() {
            return self.by_control(instead, None, request).await;
        }
        let is_repeatable = request.method().is_idempotent() && request.body().is_end_stream();
        let spare = is_repeatable.then(|| spare(&request));
        match live.send(request).await {
            Ok((response, lease)) => Ok(Answering { response, lease, by: assigned, broken: None }),
            Err(Failed { why, unsent: Some(unsent) }) => {
                let broken = matches!(why, Unanswered::BrokeOff(_)).then_some(assigned);
                self.by_control(instead, broken, *unsent).await
            }
            Err(Failed { why: Unanswered::BrokeOff(why), unsent: None }) => match spare {
                Some(spare) => self.by_control(instead, Some(assigned), spare).await,
                None => Err((Unanswered::BrokeOff(why), assigned)),
            },
            Err(Failed { why, unsent: None }) => Err((why, assigned)),
        }
    }

    /// A lane that is not there is no harm to the client: control answers.
    async fn by_lane(
        &self,
        by: Assigned,
        number: usize,
        copy: &RefCell<Recording>,
        request: Request<FromClient>,
    ) -> Result<Answering, (Unanswered, Assigned)> {
        let Some(lane) = self.lanes.get(number) else { return self.by_control(by, None, request).await };
        match lane.send(request).await {
            Ok((response, lease)) => Ok(Answering { response, lease, by, broken: None }),
            Err(Failed { unsent: Some(unsent), .. }) => {
                copy.borrow_mut().leave_lane();
                self.by_control(by, None, *unsent).await
            }
            Err(Failed { why, unsent: None }) => Err((why, by)),
        }
    }

    async fn by_control(
        &self,
        by: Assigned,
        broken: Option<Assigned>,
        request: Request<FromClient>,
    ) -> Result<Answering, (Unanswered, Assigned)> {
        match self.control.send(request).await {
            Ok((response, lease)) => Ok(Answering { response, lease, by, broken }),
            // It is counted, and is no evidence.
            Err(Failed { why: Unanswered::NoRoom, .. }) => {
                Err((Unanswered::NoRoom, Assigned { weights: Weights::CONTROL_ONLY, ..by }))
            }
            Err(failed) => Err((failed.why, by)),
        }
    }

    /// Tries to reach the sides that could not be reached. To be called now and then.
    pub(crate) async fn look_again(&self) {
        let Some(Shared { candidate, twin, .. }) = &self.shared else { return };
        let look = async |live: &Option<Live>| {
            if let Some(live) = live {
                live.look_again().await;
            }
        };
        tokio::join!(look(candidate), look(twin));
    }

    /// Closes connections that have rested for long. To be called now and then.
    pub(crate) fn sweep(&self) {
        self.control.sweep();
        self.lanes.iter().for_each(|lane| lane.sweep());
        let live = self.shared.iter().flat_map(|shared| [&shared.candidate, &shared.twin]).flatten();
        live.for_each(|live| live.upstream.sweep());
    }
}

impl Shared {
    fn live(&self, side: Side) -> Option<&Live> {
        match side {
            Side::Control => None,
            Side::Candidate => self.candidate.as_ref(),
            Side::Twin => self.twin.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener};

    use tierup_rollout::evidence::Entry;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        task::{JoinHandle, JoinSet, LocalSet},
        time::sleep,
    };

    use super::*;
    use crate::{collector::Note, names::Addresses};

    /// Answers on each connection, until it is aborted.
    fn answer(listener: TcpListener) -> JoinHandle<()> {
        listener.set_nonblocking(true).expect("a mode");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
        tokio::task::spawn_local(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                connections.spawn_local(async move {
                    while stream.read(&mut [0; 1000]).await.is_ok_and(|length| length > 0) {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
                    }
                });
            }
        })
    }

    fn request() -> Request<FromClient> {
        let mut request = Request::new(FromClient::nothing());
        request.headers_mut().insert("host", "shop".parse().expect("a value"));
        request
    }

    async fn send(live: &Live) -> bool {
        match live.send(request()).await {
            Ok((_, lease)) => {
                lease.give_back();
                true
            }
            Err(_) => false,
        }
    }

    #[test]
    fn a_side_is_unreachable_once_a_second_connection_fails_and_back_with_a_new_one() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        LocalSet::new().block_on(&runtime, async {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address: SocketAddr = listener.local_addr().expect("an address");
            drop(listener);
            let (collector, notes) = Collector::new(&[]);
            let said = || -> Vec<bool> {
                let events = notes.try_iter().filter_map(|note| match note {
                    Note::Entry(Entry::Event(Event::Unreachable { is, .. })) => Some(is),
                    _ => None,
                });
                events.collect()
            };
            let upstream = Upstream::new(Addresses::only(address), Duration::from_secs(20));
            let live = Live::new(Side::Candidate, upstream, Reached::new(collector.clone()));

            assert!(!send(&live).await, "nobody listens");
            let server = answer(TcpListener::bind(address).expect("its port is free"));
            sleep(APART).await;
            live.look_again().await;
            assert!(live.failed.get().is_none() && said().is_empty(), "one connection that failed is nothing to tell");

            assert!(send(&live).await, "on the connection that was made");
            // Another thread found that nobody accepts.
            live.reached.found(Side::Candidate, true);
            assert!(send(&live).await, "on a kept connection");
            assert_eq!(said(), [true], "a kept connection tells nothing");
            live.look_again().await;
            assert_eq!(said(), [false]);

            server.abort();
            let _ = server.await;
            while send(&live).await {}
            assert!(said().is_empty());
            sleep(APART).await;
            live.look_again().await;
            assert_eq!(said(), [true], "two connections failed");
        });
    }
}
