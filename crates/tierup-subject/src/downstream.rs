//! A recorder in place of the service that the user's server calls: it answers all calls alike, and keeps them.
//!
//! In: a [`Service`]. Out: an address for the server's environment, and the calls that arrived there.

mod attribution;
mod double;
mod in_flight;
mod listening;
mod record;
mod relay;
mod tee;

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering::Relaxed},
    },
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, Response, body::Incoming, header::CONTENT_TYPE, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tierup_parity::DownstreamCall;

use self::listening::Listening;
pub use self::{
    attribution::Attribution,
    double::{Case, Double, Made},
    in_flight::{KeyWatch, Passage},
    record::{Record, Recorded, RecordedAnswer},
    relay::{RealService, RealServiceError, Relay},
};

/// The largest body that is read, in bytes.
const BODY_LIMIT: usize = 64 << 20;

/// The service that a server calls, and what it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// The variable that tells the server its address: `http://127.0.0.1:45123`, without a slash at its end.
    pub variable: String,
    /// The answer to every call.
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

/// Whether calls are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// They are kept until they are [taken](Downstream::take).
    Kept,
    /// They are answered and forgotten: a benchmark makes millions.
    Ignored,
}

/// How the service answers calls at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Behaviour {
    /// It sends the answer of [`Service`].
    Answers,
    /// It answers 503.
    Fails,
    /// It closes the connection without an answer.
    Closes,
}

/// A server on a thread of its own. Dropping it ends the server.
#[derive(Debug)]
pub struct Downstream {
    listening: Listening,
    variable: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    status: u16,
    content_type: String,
    body: Bytes,
    kept: Calls,
    behaviour: AtomicU8,
    calls: Mutex<Vec<DownstreamCall>>,
}

impl Downstream {
    /// Listens on a free port of this machine.
    ///
    /// # Errors
    /// If there is no free port or no thread.
    pub fn start(service: &Service, kept: Calls) -> io::Result<Downstream> {
        let shared = Arc::new(Shared {
            status: service.status,
            content_type: service.content_type.clone(),
            body: Bytes::from(service.body.clone()),
            kept,
            behaviour: AtomicU8::new(Behaviour::Answers as u8),
            calls: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        let mut http = http1::Builder::new();
        http.pipeline_flush(true);
        let listening = Listening::start("downstream", listening::ANY, move |stream| {
            let (shared, http) = (Arc::clone(&served), http.clone());
            async move {
                let service = service_fn(|request| answer(request, &shared));
                // The result needs no report: the caller sees how its connection ended.
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
            }
        })?;
        Ok(Downstream { listening, variable: service.variable.clone(), shared })
    }

    /// The variable for the server's environment.
    pub fn environment(&self) -> (String, String) {
        (self.variable.clone(), self.listening.url())
    }

    /// The calls that arrived since the last time, in order.
    pub fn take(&self) -> Vec<DownstreamCall> {
        std::mem::take(&mut *self.shared.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn behave(&self, how: Behaviour) {
        self.shared.behaviour.store(how as u8, Relaxed);
    }
}

/// Closes a connection by returning an error: hyper then sends no answer.
async fn answer(request: Request<Incoming>, shared: &Shared) -> Result<Response<Full<Bytes>>, &'static str> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_LIMIT).collect().await.map_err(|_| "the body is incomplete or too large")?;
    if shared.kept == Calls::Kept {
        let call = DownstreamCall { body: body.to_bytes().to_vec(), ..record::call(&head) };
        shared.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }
    let behaviour = shared.behaviour.load(Relaxed);
    if behaviour == Behaviour::Closes as u8 {
        return Err("closed on purpose, as the case asks");
    }
    let (status, body) = match behaviour == Behaviour::Fails as u8 {
        true => (503, Bytes::new()),
        false => (shared.status, shared.body.clone()),
    };
    let response = Response::builder().status(status).header(CONTENT_TYPE, &shared.content_type);
    response.body(Full::new(body)).map_err(|_: hyper::http::Error| "the service's answer is not valid HTTP")
}
