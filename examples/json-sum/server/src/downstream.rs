//! The service behind this one, to which sums are posted.

use std::error::Error;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use crate::problem::Problem;
use crate::settings::DownstreamSettings;

/// How long an unused connection is kept. Many servers close theirs after five seconds (Node's do), and a sum that is sent
/// at that very moment is lost: nobody may send it again, because it may have arrived.
const IDLE: Duration = Duration::from_secs(4);

/// A client with a pool of connections; clones share it.
#[derive(Clone)]
pub struct Downstream {
    client: Client<HttpConnector, Full<Bytes>>,
    process: Uri,
    timeout: Duration,
}

impl Downstream {
    pub fn new(settings: &DownstreamSettings) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector);
        Downstream { client, process: settings.process.clone(), timeout: settings.timeout }
    }

    /// Posts a sum, once, and waits for the whole answer.
    ///
    /// # Errors
    /// 502 unless that is there in time and its status is 2xx.
    pub async fn post(&self, sum: i64) -> Result<(), Problem> {
        let status = match timeout(self.timeout, self.exchange(sum)).await {
            Ok(Ok(status)) => status,
            Ok(Err(error)) => return Err(bad_gateway(format!("no answer from downstream ({})", innermost(&*error)))),
            Err(_) => return Err(bad_gateway("no answer from downstream (timeout)".to_owned())),
        };
        if status.is_success() {
            Ok(())
        } else {
            Err(bad_gateway(format!("downstream answered with status {}", status.as_u16())))
        }
    }

    async fn exchange(&self, sum: i64) -> Result<StatusCode, Box<dyn Error + Send + Sync>> {
        let mut request = Request::new(Full::from(format!(r#"{{"sum":{sum}}}"#)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.process.clone();
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut response = self.client.request(request).await?;
        // Only a connection whose answer was read can serve again.
        while let Some(frame) = response.body_mut().frame().await {
            frame?;
        }
        Ok(response.status())
    }
}

fn bad_gateway(message: String) -> Problem {
    Problem::new(StatusCode::BAD_GATEWAY, message)
}

/// What the others only pass on: `Connection refused` rather than `client error (Connect)`.
fn innermost<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
