//! Stands between a server and the real service that it calls: passes calls on, and records those of open requests.
//!
//! Each connection of the server has its own to the service, and both end together. So the server sees what it would
//! see without the relay, except that a refused connection opens and closes. It speaks HTTP/1.1 without upgrades.

use std::{
    collections::HashMap,
    fmt, io,
    str::FromStr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use http_body_util::BodyExt as _;
use hyper::{
    Request, Response, Version,
    body::Incoming,
    client::conn::http1::{Builder as ClientBuilder, SendRequest},
    header::{CONNECTION, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, UPGRADE},
    http::{request, uri::Authority},
    server::conn::http1::Builder as ServerBuilder,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::Notify};

use super::{
    attribution::Attribution,
    in_flight::{InFlight, Passage},
    listening::{ANY, Listening},
    record::{OpenCall, Record, Recording},
    tee::{Part, Tee, tee},
};

/// A header that comes with `Upgrade: h2c` (RFC 7540, section 3.2.1).
const HTTP2_SETTINGS: HeaderName = HeaderName::from_static("http2-settings");

/// The address of a service: `http://payments.internal:8080`, without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RealService(Authority);

/// The reason why a text is not a [`RealService`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RealServiceError {
    #[error("calls over https cannot be recorded; give the http:// address of a proxy that speaks TLS to the service")]
    Encrypted,
    #[error("it must be `http://HOST:PORT`, without a path")]
    Address,
}

impl FromStr for RealService {
    type Err = RealServiceError;

    fn from_str(text: &str) -> Result<RealService, RealServiceError> {
        if text.starts_with("https://") {
            return Err(RealServiceError::Encrypted);
        }
        let rest = text.strip_prefix("http://").ok_or(RealServiceError::Address)?;
        let authority: Authority =
            rest.strip_suffix('/').unwrap_or(rest).parse().map_err(|_| RealServiceError::Address)?;
        let port = authority.as_str().strip_prefix(authority.host()).unwrap_or("?");
        let is_sound = !authority.host().is_empty() && (port.is_empty() || authority.port_u16().is_some());
        is_sound.then_some(RealService(authority)).ok_or(RealServiceError::Address)
    }
}

impl fmt::Display for RealService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.0)
    }
}

impl RealService {
    /// Connects. The name is looked up each time, because a service may move to another address.
    async fn connect(&self) -> io::Result<TcpStream> {
        let host = self.0.host().trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, self.0.port_u16().unwrap_or(80))).await?;
        // Without this, Nagle's algorithm would hold small calls back.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

/// A server on a thread of its own. Dropping it ends the server.
#[derive(Debug)]
pub struct Relay {
    listening: Listening,
    variable: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    real: RealService,
    attribution: Attribution,
    /// How many bytes of bodies are kept for each request.
    room: usize,
    open: Mutex<HashMap<String, Arc<Recording>>>,
    /// The activity of calls that belong to no open request.
    outside: Arc<Recording>,
    outside_calls: AtomicU64,
    in_flight: Arc<InFlight>,
    unmarked_calls: AtomicU64,
}

impl Relay {
    /// Starts a relay in front of the service. `variable` is the one that tells the server its address; `room` is how
    /// many bytes of bodies are kept for each request.
    ///
    /// # Errors
    /// If there is no free port or no thread.
    pub fn start(variable: &str, real: RealService, attribution: Attribution, room: usize) -> io::Result<Relay> {
        let shared = Arc::new(Shared {
            real,
            attribution,
            room,
            open: Mutex::default(),
            outside: Arc::new(Recording::of_nothing()),
            outside_calls: AtomicU64::new(0),
            in_flight: Arc::default(),
            unmarked_calls: AtomicU64::new(0),
        });
        let served = Arc::clone(&shared);
        let listening = Listening::start("relay", ANY, move |stream| serve(stream, Arc::clone(&served)))?;
        Ok(Relay { listening, variable: variable.to_owned(), shared })
    }

    /// The variable for the server's environment.
    pub fn environment(&self) -> (String, String) {
        (self.variable.clone(), self.listening.url())
    }

    /// Notes that the server is about to get a request; `None` if it has no key to share with its calls.
    pub fn begin(&self, headers: &HeaderMap) -> Option<Passage> {
        match self.shared.attribution {
            Attribution::Lane => None,
            Attribution::Header(_) => Some(self.shared.in_flight.begin(self.shared.attribution.key(headers)?)),
        }
    }

    /// Starts to record the calls of the request with this key; `false` if another open request has it.
    pub fn open(&self, key: &str) -> bool {
        let mut open = self.shared.open();
        if open.contains_key(key) {
            return false;
        }
        open.insert(key.to_owned(), Arc::new(Recording::new(self.shared.room)));
        true
    }

    /// After how much more time without a call all calls of a request count as ended: `settle` after the last call and
    /// after the answer. `None` while a call is under way.
    pub fn quiet_in(&self, key: &str, answered: Option<Instant>, settle: Duration) -> Option<Duration> {
        let recording = self.shared.open().get(key).cloned();
        let of_request = recording.map_or(Some(Duration::ZERO), |recording| recording.quiet_in(answered, settle));
        match self.shared.attribution {
            Attribution::Lane => Some(of_request?.max(self.shared.outside.quiet_in(answered, settle)?)),
            Attribution::Header(_) => of_request,
        }
    }

    /// What was recorded so far.
    pub fn record(&self, key: &str) -> Record {
        let recording = self.shared.open().get(key).cloned();
        recording.map(|recording| recording.so_far()).unwrap_or_default()
    }

    /// How many calls were recorded so far.
    pub fn calls(&self, key: &str) -> usize {
        self.shared.open().get(key).map_or(0, |recording| recording.count())
    }

    /// How long after the answer to a request its last call began.
    pub fn late(&self, key: &str, answered: Instant) -> Duration {
        self.shared.open().get(key).map_or(Duration::ZERO, |recording| recording.late(answered))
    }

    /// Ends a request's recording, and returns it. Later calls belong to no request.
    pub fn close(&self, key: &str) -> Record {
        let recording = self.shared.open().remove(key);
        recording.map(|recording| recording.take()).unwrap_or_default()
    }

    /// How many calls belonged to no open request: they came after an answer, or for no request at all.
    pub fn outside(&self) -> u64 {
        self.shared.outside_calls.load(Relaxed)
    }

    /// How many calls carried the key of no request that [began](Relay::begin), although calls should carry one.
    pub fn unmarked(&self) -> u64 {
        self.shared.unmarked_calls.load(Relaxed)
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Recording>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, head: &request::Parts) -> OpenCall {
        let key = self.attribution.key(&head.headers);
        let open = self.open();
        if let Some(recording) = key.as_ref().and_then(|key| open.get(key)) {
            return recording.begin(head);
        }
        self.outside_calls.fetch_add(1, Relaxed);
        if !key.is_some_and(|key| self.in_flight.has(&key)) {
            self.unmarked_calls.fetch_add(1, Relaxed);
        }
        self.outside.begin(head)
    }
}

/// A connection to the service, once there is one.
type Service = Mutex<Option<SendRequest<Tee>>>;

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let mut http = ServerBuilder::new();
    http.preserve_header_case(true).auto_date_header(false).half_close(false);
    let (service, ended) = (Service::default(), Arc::<Notify>::default());
    let serving =
        http.serve_connection(TokioIo::new(stream), service_fn(|request| pass_on(request, &shared, &service, &ended)));
    let mut serving = std::pin::pin!(serving);
    // The result needs no report: the caller sees how its connection ended.
    tokio::select! {
        _ = serving.as_mut() => {}
        () = ended.notified() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.as_mut().await;
        }
    }
}

/// A call that cannot be passed on closes its connection by returning an error: hyper then sends no answer.
async fn pass_on(
    request: Request<Incoming>,
    shared: &Shared,
    service: &Service,
    ended: &Arc<Notify>,
) -> Result<Response<Tee>, &'static str> {
    let (mut head, body) = request.into_parts();
    let call = Arc::new(shared.begin(&head));
    let target = head.uri.path_and_query().map_or_else(|| Ok(head.uri.clone()), |target| target.as_str().parse());
    head.uri = target.map_err(|_| "the target is no path")?;
    head.version = Version::HTTP_11;
    prepare(&mut head.headers, &shared.real)?;
    let kept = service.lock().unwrap_or_else(PoisonError::into_inner).take().filter(|kept| !kept.is_closed());
    let mut body = tee(body, Arc::clone(&call), Part::Request);
    let connected = match kept {
        Some(kept) => Some(kept),
        None => connect(&shared.real, ended).await,
    };
    let Some(mut sender) = connected else {
        // The request is read to its end for the record; the server sees only that its connection ends.
        while let Some(Ok(_)) = body.frame().await {}
        return Err("the service cannot be reached");
    };
    let answer = sender.send_request(Request::from_parts(head, body)).await;
    let (mut head, body) = answer.map_err(|_| "the service broke off")?.into_parts();
    head.version = Version::HTTP_11;
    call.answered(&head);
    *service.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
    Ok(Response::from_parts(head, tee(body, call, Part::Answer)))
}

/// Adapts the call's headers for the service.
fn prepare(headers: &mut HeaderMap, real: &RealService) -> Result<(), &'static str> {
    let host = HeaderValue::from_str(real.0.as_str()).map_err(|_| "the service has no name")?;
    headers.insert(HOST, host);
    // hyper itself asks the server for the body, as soon as the service takes it.
    headers.remove(EXPECT);
    // Java's client offers each service an upgrade to HTTP/2, and goes on without one.
    if headers.remove(UPGRADE).is_some() {
        headers.remove(HTTP2_SETTINGS);
        headers.remove(CONNECTION);
    }
    Ok(())
}

async fn connect(real: &RealService, ended: &Arc<Notify>) -> Option<SendRequest<Tee>> {
    let stream = real.connect().await.ok()?;
    let mut http = ClientBuilder::new();
    http.preserve_header_case(true);
    let (sender, connection) = http.handshake(TokioIo::new(stream)).await.ok()?;
    let ended = Arc::clone(ended);
    tokio::spawn(async move {
        // If the service closes the connection, `serve` closes the caller's: a caller that waits for an answer sees it.
        let _ = connection.await;
        ended.notify_one();
    });
    Some(sender)
}
