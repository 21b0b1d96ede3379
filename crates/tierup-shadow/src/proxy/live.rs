//! A server that answers clients in control's place, and whether it can be reached.
//!
//! In: requests, and regular checks. Out: answers, and events when the server cannot be reached, or can be again.

use std::{
    cell::Cell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use hyper::{Request, Response, body::Incoming};
use tierup_rollout::{Side, evidence::Event};

use super::{
    request_body::FromClient,
    upstream::{Failed, Lease, Unanswered, Upstream},
};
use crate::collector::Collector;

/// The least time between a failed connection and the one that decides whether the side can be reached: a server that
/// restarts closes its socket for a moment.
const APART: Duration = Duration::from_millis(500);
/// How long the candidate and its twin may take to accept a connection. Meanwhile control could answer.
const CONNECT: Duration = Duration::from_millis(2500);

/// A server that answers clients in control's place.
pub(crate) struct Live {
    side: Side,
    upstream: Rc<Upstream>,
    /// When a connection failed; reset once another one succeeds. Until then the server gets no requests.
    failed: Cell<Option<Instant>>,
    reached: Reached,
}

/// Whether a side can be reached, as all threads know it; each change is an event.
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

impl Live {
    pub(crate) fn new(side: Side, upstream: Upstream, reached: Reached) -> Live {
        Live { side, upstream: Rc::new(upstream), failed: Cell::new(None), reached }
    }

    /// How long accepting a connection may take at most.
    pub(crate) fn patience(connect: Duration) -> Duration {
        connect.min(CONNECT)
    }

    /// Whether requests may be sent to it.
    pub(crate) fn may_be_tried(&self) -> bool {
        self.failed.get().is_none()
    }

    /// Closes connections that have been idle for long. Call it now and then.
    pub(crate) fn sweep(&self) {
        self.upstream.sweep();
    }

    /// Decides, off the path of any request, whether the side can be reached. One failed connection is not enough to
    /// end a ramp, and without a weight no request would notice that the side is back. Only a new connection shows it.
    pub(crate) async fn look_again(&self) {
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

    pub(crate) async fn send(&self, request: Request<FromClient>) -> Result<(Response<Incoming>, Lease), Failed> {
        let result = self.upstream.send(request).await;
        if matches!(&result, Err(Failed { why: Unanswered::Unreachable | Unanswered::TimedOut, unsent: Some(_) })) {
            // If several requests fail, the first one sets the time, so that later ones do not delay the next check.
            self.failed.set(self.failed.get().or_else(|| Some(Instant::now())));
        }
        result
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
    fn a_side_is_unreachable_after_two_failed_connections_until_one_succeeds() {
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
            let upstream = Upstream::new(Addresses::only(address), Duration::from_secs(20), Duration::ZERO, 1);
            let live = Live::new(Side::Candidate, upstream, Reached::new(collector.clone()));

            assert!(!send(&live).await, "nobody listens");
            let server = answer(TcpListener::bind(address).expect("its port is free"));
            sleep(APART).await;
            live.look_again().await;
            assert!(live.failed.get().is_none() && said().is_empty(), "one connection that failed is nothing to tell");

            assert!(send(&live).await, "on the connection that was made");
            // Another thread found that no connection is accepted.
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
