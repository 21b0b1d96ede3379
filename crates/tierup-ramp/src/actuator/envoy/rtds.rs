//! The server of Envoy's Runtime Discovery Service (RTDS, gRPC): each Envoy that subscribes gets the weights as a layer
//! of its runtime, which it forgets after a time to live.
//!
//! Only the judge's own rounds renew the layer, so a judge that hangs renews nothing, even while this thread still
//! serves. The whole layer is sent each time rather than xDS' heartbeat without contents: a heartbeat would not give
//! the weights back to an Envoy that has just forgotten them.

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use h2::{
    RecvStream, SendStream,
    server::{Builder, SendResponse},
};
use http::{Request, Response};
use tierup_rollout::Weights;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot, watch},
    time::{sleep, timeout},
};

use super::messages::{self, DiscoveryRequest};

const METHOD: &str = "/envoy.service.runtime.v3.RuntimeDiscoveryService/StreamRuntime";
/// gRPC's status for a method that a server does not have.
const UNIMPLEMENTED: &str = "12";
/// The most connections at a time. An Envoy opens one; another one waits until there is a place.
const CONNECTIONS: usize = 16;
/// The most streams of a connection. Envoy opens one.
const STREAMS: u32 = 4;
/// How long a connection may take to open a stream.
const OPENS: Duration = Duration::from_secs(10);
/// How long the accepting of connections rests after an error, such as too many open files.
const REST: Duration = Duration::from_millis(100);

/// A running server. It ends with this value, and Envoy's connections with it.
#[derive(Debug)]
pub(super) struct Rtds {
    told: watch::Sender<Told>,
    streams: Arc<Streams>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// What the judge told last.
#[derive(Debug, Clone)]
struct Told {
    /// Rises with each call, and identifies the answer in Envoy's reply.
    number: u64,
    version: String,
    weights: Weights,
    /// When Envoys forget it.
    until: Instant,
    /// The only `node.id` that gets weights.
    node: String,
}

/// The open streams, by their numbers.
#[derive(Debug, Default)]
struct Streams {
    open: Mutex<BTreeMap<u64, Stream>>,
    changed: Condvar,
}

#[derive(Debug, Clone, Default)]
struct Stream {
    node: String,
    /// The last answer that it took.
    took: u64,
    /// The last answer that it refused, and why.
    refused: Option<(u64, String)>,
}

/// Why weights are not known to be in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unconfirmed {
    /// No Envoy of the right node is connected.
    Alone,
    /// An Envoy did not reply.
    Silent,
    Refused(String),
}

/// Another connected Envoy, whose answers nobody counts, by its `node.id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Other {
    /// It gets no weights.
    Stranger(String),
    /// It has the right id, and gets weights.
    Twin(String),
}

impl Rtds {
    /// Begins to serve the Envoy with this `node.id`. It gets nothing until weights are told.
    ///
    /// # Errors
    /// If the address is in use.
    pub(super) fn start(address: SocketAddr, node: String) -> io::Result<Rtds> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let listener = runtime.block_on(async { TcpListener::from_std(listener) })?;
        let (weights, until) = (Weights::CONTROL_ONLY, Instant::now());
        let (told, listens) = watch::channel(Told { number: 0, version: String::new(), weights, until, node });
        let streams = Arc::new(Streams::default());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = accept(listener, listens, streams.clone());
        let thread = thread::Builder::new().name("rtds".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! { () = serving => {}, _ = stopped => {} }
            });
        })?;
        Ok(Rtds { told, streams, stop: Some(stop), thread: Some(thread) })
    }

    /// Sends the weights to the Envoys, and returns the number to [confirm](Rtds::confirm).
    pub(super) fn tell(&self, version: String, weights: Weights, ttl: Duration) -> u64 {
        let mut number = 0;
        self.told.send_modify(|told| {
            number = told.number + 1;
            *told = Told { number, version, weights, until: Instant::now() + ttl, node: told.node.clone() };
        });
        number
    }

    /// Waits until each connected Envoy of the node took what was told.
    pub(super) fn confirm(&self, number: u64, patience: Duration) -> Result<(), Unconfirmed> {
        let deadline = Instant::now() + patience;
        let node = self.told.borrow().node.clone();
        let mut open = self.streams.lock();
        loop {
            let ours = || open.values().filter(|stream| stream.node == node);
            if let Some(why) = ours().find_map(|stream| Some(&stream.refused.as_ref().filter(|no| no.0 == number)?.1)) {
                return Err(Unconfirmed::Refused(why.clone()));
            }
            let is_alone = ours().next().is_none();
            if !is_alone && ours().all(|stream| stream.took >= number) {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(if is_alone { Unconfirmed::Alone } else { Unconfirmed::Silent });
            }
            let waited = self.streams.changed.wait_timeout(open, left);
            open = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Who else is connected than the Envoy with the right `node.id`.
    pub(super) fn other(&self) -> Option<Other> {
        let node = self.told.borrow().node.clone();
        let open = self.streams.lock();
        let mut nodes = open.values().map(|stream| &stream.node).filter(|node| !node.is_empty());
        if let Some(stranger) = nodes.clone().find(|other| **other != node) {
            return Some(Other::Stranger(stranger.clone()));
        }
        nodes.nth(1).map(|_| Other::Twin(node))
    }
}

impl Drop for Rtds {
    fn drop(&mut self) {
        drop(self.stop.take());
        drop(self.thread.take().map(thread::JoinHandle::join));
    }
}

impl Streams {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Stream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<u64, Stream>)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

impl Stream {
    fn hears(&mut self, request: &DiscoveryRequest) {
        // Its name decided once what it gets.
        if let Some(node) = request.node.as_ref().filter(|_| self.node.is_empty()) {
            self.node.clone_from(&node.id);
        }
        let about = request.response_nonce.parse().unwrap_or_default();
        match &request.error_detail {
            Some(why) => self.refused = Some((about, why.message.clone())),
            None => self.took = self.took.max(about),
        }
    }
}

impl Told {
    /// The answer to an Envoy of this node. An Envoy that gets none keeps what it has, until that ends: so a restarted
    /// judge finds the weights of the one before.
    fn answer(&self, node: &str) -> Option<Bytes> {
        let left = self.until.saturating_duration_since(Instant::now());
        let is_given = self.node == node && !left.is_zero();
        is_given.then(|| messages::answer(self.number, &self.version, self.weights, left))
    }
}

async fn accept(listener: TcpListener, told: watch::Receiver<Told>, streams: Arc<Streams>) {
    let (mut number, places) = (0, Arc::new(Semaphore::new(CONNECTIONS)));
    // It is never closed.
    while let Ok(place) = places.clone().acquire_owned().await {
        let Ok((socket, _)) = listener.accept().await else {
            sleep(REST).await;
            continue;
        };
        number += 1;
        let served = connection(socket, number << 32, told.clone(), streams.clone());
        // An error ends the connection, and Envoy opens another one.
        tokio::spawn(async move {
            let _place = place;
            served.await
        });
    }
}

async fn connection(
    socket: TcpStream,
    mut number: u64,
    told: watch::Receiver<Told>,
    streams: Arc<Streams>,
) -> Result<(), h2::Error> {
    // Without it, a small answer could wait for Envoy's acknowledgement of the last one.
    let _ = socket.set_nodelay(true);
    let opened = timeout(OPENS, async {
        let mut connection = Builder::new().max_concurrent_streams(STREAMS).handshake(socket).await?;
        Ok::<_, h2::Error>((connection.accept().await, connection))
    });
    let Ok(opened) = opened.await else { return Ok(()) };
    let (mut next, mut connection) = opened?;
    while let Some(accepted) = next {
        let (request, respond) = accepted?;
        number += 1;
        let (told, streams) = (told.clone(), streams.clone());
        tokio::spawn(async move {
            let served = stream(request, respond, number, told, &streams).await;
            streams.change(|open| drop(open.remove(&number)));
            served
        });
        next = connection.accept().await;
    }
    Ok(())
}

async fn stream(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    number: u64,
    mut told: watch::Receiver<Told>,
    streams: &Streams,
) -> Result<(), h2::Error> {
    let mut head = Response::new(());
    head.headers_mut().insert("content-type", http::HeaderValue::from_static("application/grpc"));
    if request.uri().path() != METHOD {
        head.headers_mut().insert("grpc-status", http::HeaderValue::from_static(UNIMPLEMENTED));
        return respond.send_response(head, true).map(drop);
    }
    let mut answers: SendStream<Bytes> = respond.send_response(head, false)?;
    let (mut body, mut arrived, mut node) = (request.into_body(), BytesMut::new(), None);
    loop {
        tokio::select! {
            chunk = body.data() => {
                let Some(chunk) = chunk.transpose()? else { return answers.send_trailers(http::HeaderMap::new()) };
                body.flow_control().release_capacity(chunk.len())?;
                arrived.extend_from_slice(&chunk);
                while let Some(request) = messages::take(&mut arrived).map_err(|_| h2::Reason::PROTOCOL_ERROR)? {
                    streams.change(|open| open.entry(number).or_default().hears(&request));
                    // Some Envoys name themselves in each request. An answer to an acknowledgement would have no end.
                    if let (None, Some(named)) = (&node, request.node) {
                        send(&mut answers, &mut told, &named.id)?;
                        node = Some(named.id);
                    }
                }
            }
            changed = told.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                if let Some(node) = &node {
                    send(&mut answers, &mut told, node)?;
                }
            }
        }
    }
}

fn send(answers: &mut SendStream<Bytes>, told: &mut watch::Receiver<Told>, node: &str) -> Result<(), h2::Error> {
    let answer = told.borrow_and_update().answer(node);
    answer.map_or(Ok(()), |answer| answers.send_data(answer, false))
}
