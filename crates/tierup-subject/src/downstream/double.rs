//! Stands in for the service that a candidate calls: answers from control's record, and lets nothing out.
//!
//! A call that control made, too, is answered as the real service answered control; one that control made fewer times is
//! answered again. A call that control did not make is answered with 502. A call that belongs to no request, such as one
//! that a server makes when it starts, gets the project's own answer.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::Incoming,
    header::{
        CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    },
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tierup_parity::{DownstreamCall, Policy, is_same_call};
use tokio::net::TcpStream;

use super::{
    BODY_LIMIT, Service,
    attribution::Attribution,
    listening::Listening,
    record::{Activity, Record, RecordedAnswer, call},
};

/// What concerns one connection, or how a body is framed in it.
const NOT_RECORDED: [HeaderName; 6] =
    [CONNECTION, HeaderName::from_static("keep-alive"), TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// A server on a thread of its own. It ends where this is dropped.
#[derive(Debug)]
pub struct Double {
    listening: Listening,
    variable: String,
    shared: Arc<Shared>,
}

/// A request that the candidate is about to get.
#[derive(Debug)]
pub struct Case {
    /// What control did.
    pub record: Record,
    /// The rules by which calls are the same.
    pub policy: Policy,
}

#[derive(Debug)]
struct Shared {
    attribution: Attribution,
    service: Service,
    open: Mutex<HashMap<String, Arc<Mutex<Answering>>>>,
    outside_calls: AtomicU64,
}

/// A case, and what the candidate has called so far.
#[derive(Debug)]
struct Answering {
    case: Case,
    /// Which of the recorded calls the candidate has made.
    made: Vec<bool>,
    calls: Vec<DownstreamCall>,
    activity: Activity,
}

impl Double {
    /// In the place of the service.
    ///
    /// # Errors
    /// There is no port or no thread to be had.
    pub fn start(service: &Service, attribution: Attribution) -> io::Result<Double> {
        let variable = service.variable.clone();
        let shared = Arc::new(Shared {
            attribution,
            service: service.clone(),
            open: Mutex::default(),
            outside_calls: AtomicU64::new(0),
        });
        let served = Arc::clone(&shared);
        let listening = Listening::start("double", move |stream| serve(stream, Arc::clone(&served)))?;
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

    /// Answers the calls of the request with this key; `false`: another one has it.
    pub fn open(&self, key: &str, case: Case) -> bool {
        let mut open = self.shared.open();
        if open.contains_key(key) {
            return false;
        }
        let made = vec![false; case.record.calls.len()];
        let answering = Answering { case, made, calls: Vec::new(), activity: Activity::default() };
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

    /// The calls that the candidate made, in order. Those that come later belong to no request.
    pub fn close(&self, key: &str) -> Vec<DownstreamCall> {
        let closed = self.shared.open().remove(key);
        closed.map(|answering| std::mem::take(&mut lock(&answering).calls)).unwrap_or_default()
    }

    /// How many calls came while no request was open.
    pub fn outside(&self) -> u64 {
        self.shared.outside_calls.load(Relaxed)
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Mutex<Answering>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock(answering: &Mutex<Answering>) -> MutexGuard<'_, Answering> {
    answering.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Answering {
    /// What the real service answered to this call of control's; `None`: control made none like it.
    fn find(&mut self, call: &DownstreamCall) -> Option<RecordedAnswer> {
        let Answering { case: Case { record, policy }, made, .. } = self;
        let at = |is_like: &dyn Fn(usize, &DownstreamCall) -> bool| {
            record.calls.iter().enumerate().position(|(number, recorded)| is_like(number, &recorded.call))
        };
        let at = at(&|number, recorded| !made[number] && recorded == call)
            .or_else(|| at(&|number, recorded| !made[number] && is_same_call(recorded, call, policy)))
            .or_else(|| at(&|_, recorded| is_same_call(recorded, call, policy)))?;
        made[at] = true;
        Some(record.calls[at].answer.clone())
    }
}

/// A call that is under way until this is dropped.
struct UnderWay(Arc<Mutex<Answering>>);

impl UnderWay {
    fn new(answering: Arc<Mutex<Answering>>) -> UnderWay {
        lock(&answering).activity.begin();
        UnderWay(answering)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        lock(&self.0).activity.end();
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let mut http = http1::Builder::new();
    http.pipeline_flush(true);
    let service = service_fn(|request| answer(request, &shared));
    // Whoever called notices how it ended.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

/// A connection is closed by way of an error: hyper then answers nothing.
async fn answer(request: Request<Incoming>, shared: &Shared) -> Result<Response<Full<Bytes>>, &'static str> {
    let (head, body) = request.into_parts();
    let key = shared.attribution.key(&head.headers);
    let open = key.and_then(|key| shared.open().get(&key).cloned());
    let under_way = open.map(UnderWay::new);
    let body = Limited::new(body, BODY_LIMIT).collect().await.map_err(|_| "the body is incomplete or too large")?;
    let Some(UnderWay(answering)) = &under_way else {
        shared.outside_calls.fetch_add(1, Relaxed);
        return Ok(of_service(&shared.service));
    };
    let call = DownstreamCall { body: body.to_bytes().to_vec(), ..call(&head) };
    let mut answering = lock(answering);
    let found = answering.find(&call);
    let shown = format!("{} {}", call.method, call.target);
    answering.calls.push(call);
    match found {
        Some(RecordedAnswer::Whole { status, headers, body }) => Ok(recorded(status, &headers, body, &head.method)),
        Some(RecordedAnswer::Broken) => Err("closed, as the service did"),
        None => {
            let text = format!("tierup: control made no such call for this request: {shown}\n");
            let mut response = Response::new(Full::new(text.into()));
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
            Ok(response)
        }
    }
}

fn recorded(status: StatusCode, headers: &HeaderMap, body: Bytes, method: &Method) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let mut headers = headers.clone();
    for name in &NOT_RECORDED {
        headers.remove(name);
    }
    // It is the body's, which an answer to HEAD does not have.
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
