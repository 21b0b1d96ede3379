//! Stands in for the service that a candidate calls: answers from control's record, and passes nothing on.
//!
//! A call that control also made gets the answer that the real service gave control; if the candidate repeats it more
//! often, it gets that answer again. Other calls get 502, and so do calls above the limit. A call that belongs to no
//! request, such as one that a server makes when it starts, gets the project's own answer.

mod answering;

use std::{
    collections::HashMap,
    io, mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::Incoming,
    header::{
        CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    },
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tierup_parity::DownstreamCall;
use tokio::{net::TcpStream, time::timeout};

use self::answering::{Answering, UnderWay, lock};
pub use self::answering::{Case, Made};
use super::{
    Service,
    attribution::Attribution,
    listening::Listening,
    record::{RecordedAnswer, call},
};

/// Headers that concern one connection, or the framing of a body in it.
const NOT_RECORDED: [HeaderName; 6] =
    [CONNECTION, HeaderName::from_static("keep-alive"), TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// Limits of what a candidate may do to a double.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// The most connections at a time.
    connections: usize,
    /// How long a connection may be silent before it is closed.
    idle: Duration,
}

const BOUNDS: Bounds = Bounds { connections: Double::CONNECTIONS, idle: Duration::from_secs(60) };

/// A server on a thread of its own. Dropping it ends the server.
#[derive(Debug)]
pub struct Double {
    listening: Listening,
    variable: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    attribution: Attribution,
    service: Service,
    /// How many bytes of bodies are kept for each request.
    room: usize,
    idle: Duration,
    open: Mutex<HashMap<String, Arc<Mutex<Answering>>>>,
    outside_calls: AtomicU64,
}

impl Double {
    /// The most connections at a time.
    pub const CONNECTIONS: usize = 256;

    /// Starts a double in place of the service. `room` is how many bytes of bodies are kept for each request.
    ///
    /// # Errors
    /// If there is no free port or no thread.
    pub fn start(service: &Service, attribution: Attribution, room: usize) -> io::Result<Double> {
        Double::within(BOUNDS, service, attribution, room)
    }

    fn within(bounds: Bounds, service: &Service, attribution: Attribution, room: usize) -> io::Result<Double> {
        let variable = service.variable.clone();
        let shared = Arc::new(Shared {
            attribution,
            service: service.clone(),
            room,
            idle: bounds.idle,
            open: Mutex::default(),
            outside_calls: AtomicU64::new(0),
        });
        let served = Arc::clone(&shared);
        let serve = move |stream| serve(stream, Arc::clone(&served));
        let listening = Listening::start("double", bounds.connections, serve)?;
        Ok(Double { listening, variable, shared })
    }

    /// The variable for the server's environment.
    pub fn environment(&self) -> (String, String) {
        (self.variable.clone(), self.listening.url())
    }

    /// How requests and their calls are told apart.
    pub fn attribution(&self) -> &Attribution {
        &self.shared.attribution
    }

    /// Starts to answer the calls of the request with this key; `false` if another open request has it.
    pub fn open(&self, key: &str, case: Case) -> bool {
        let mut open = self.shared.open();
        if open.contains_key(key) {
            return false;
        }
        let answering = Answering::new(case, self.shared.room);
        open.insert(key.to_owned(), Arc::new(Mutex::new(answering)));
        true
    }

    /// See [`Relay::quiet_in`](super::Relay::quiet_in).
    pub fn quiet_in(&self, key: &str, answered: Option<Instant>, settle: Duration) -> Option<Duration> {
        let open = self.shared.open().get(key).cloned();
        open.map_or(Some(Duration::ZERO), |answering| lock(&answering).activity.quiet_in(answered, settle))
    }

    /// How many calls the candidate has made so far.
    pub fn calls(&self, key: &str) -> usize {
        let open = self.shared.open().get(key).cloned();
        open.map_or(0, |answering| lock(&answering).calls.len())
    }

    /// Whether the candidate has made more calls than are kept.
    pub fn are_too_many(&self, key: &str) -> bool {
        let open = self.shared.open().get(key).cloned();
        open.is_some_and(|answering| lock(&answering).are_too_many)
    }

    /// Ends a request, and returns the calls that the candidate made. Later calls belong to no request.
    pub fn close(&self, key: &str) -> Made {
        let closed = self.shared.open().remove(key);
        let made = |answering: Arc<Mutex<Answering>>| {
            let mut answering = lock(&answering);
            Made { calls: mem::take(&mut answering.calls), are_too_many: answering.are_too_many }
        };
        closed.map(made).unwrap_or_default()
    }

    /// How many calls belonged to no open request.
    pub fn outside(&self) -> u64 {
        self.shared.outside_calls.load(Relaxed)
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Mutex<Answering>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let mut http = http1::Builder::new();
    http.pipeline_flush(true).timer(TokioTimer::new()).header_read_timeout(shared.idle);
    let service = service_fn(|request| answer(request, &shared));
    // The result needs no report: the caller sees how its connection ended.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

/// Closes a connection by returning an error: hyper then sends no answer.
async fn answer(request: Request<Incoming>, shared: &Shared) -> Result<Response<Full<Bytes>>, &'static str> {
    let (head, body) = request.into_parts();
    let key = shared.attribution.key(&head.headers);
    let Some(open) = key.and_then(|key| shared.open().get(&key).cloned()) else {
        shared.outside_calls.fetch_add(1, Relaxed);
        read(body, shared.idle, |_| true).await?;
        return Ok(of_service(&shared.service));
    };
    let UnderWay(answering) = &UnderWay::new(open);
    let mut kept = Vec::new();
    let keep = |data: &[u8]| {
        let has_room = lock(answering).reserve(data.len());
        if has_room {
            kept.extend_from_slice(data);
        }
        has_room
    };
    let has_room = lock(answering).begin();
    let is_read = has_room && read(body, shared.idle, keep).await?;
    let call = DownstreamCall { body: kept, ..call(&head) };
    let mut answering = lock(answering);
    if !is_read || answering.are_too_many {
        return Ok(refused("tierup: too many calls for this request\n".to_owned()));
    }
    let found = answering.find(&call);
    let shown = format!("{} {}", call.method, call.target);
    answering.calls.push(call);
    match found {
        Some(RecordedAnswer::Whole { status, headers, body }) => Ok(recorded(status, &headers, body, &head.method)),
        Some(RecordedAnswer::Broken) => Err("closed, as the service did"),
        None => Ok(refused(format!("tierup: control made no such call for this request: {shown}\n"))),
    }
}

/// Reads a body until it ends or `keep` returns `false`. Returns whether it was read to its end.
async fn read(mut body: Incoming, idle: Duration, mut keep: impl FnMut(&[u8]) -> bool) -> Result<bool, &'static str> {
    while let Some(frame) = timeout(idle, body.frame()).await.map_err(|_| "the body does not arrive")? {
        let frame = frame.map_err(|_| "the body is incomplete")?;
        if frame.data_ref().is_some_and(|data| !keep(data)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn refused(why: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(why.into()));
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn recorded(status: StatusCode, headers: &HeaderMap, body: Bytes, method: &Method) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let mut headers = headers.clone();
    for name in &NOT_RECORDED {
        headers.remove(name);
    }
    // A body brings its own length. An answer to HEAD has no body, so it keeps the recorded length.
    if method != Method::HEAD && status != StatusCode::NOT_MODIFIED {
        headers.remove(CONTENT_LENGTH);
    }
    *response.headers_mut() = headers;
    response
}

fn of_service(service: &Service) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(service.body.clone().into()));
    *response.status_mut() = StatusCode::from_u16(service.status).unwrap_or(StatusCode::OK);
    if let Ok(content_type) = HeaderValue::from_str(&service.content_type) {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    response
}

#[cfg(test)]
mod tests;
