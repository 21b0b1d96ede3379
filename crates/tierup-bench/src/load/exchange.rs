//! One request and its answer: sent, read whole, verified.

use std::{net::SocketAddr, time::Duration};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::{Response, body::Incoming, header::CONTENT_TYPE};
use tokio::time::timeout;

use super::{
    connection::Connection,
    workload::{Content, Expectation, Prepared},
};
use crate::record::Failures;

/// The largest body that is read, in bytes. A server that sends more sends without end, for all that a benchmark can
/// tell.
pub const BODY_LIMIT: usize = 256 << 20;

/// An answer, kept whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub content_type: Option<String>,
    pub body: Bytes,
}

/// Why an answer does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    Refused,
    Closed,
    Timeout,
    WrongStatus,
    WrongBody,
    Malformed,
}

impl Failure {
    pub(super) fn count(self, failures: &mut Failures) {
        *match self {
            Failure::Refused => &mut failures.refused,
            Failure::Closed => &mut failures.closed,
            Failure::Timeout => &mut failures.timeouts,
            Failure::WrongStatus => &mut failures.wrong_status,
            Failure::WrongBody => &mut failures.wrong_body,
            Failure::Malformed => &mut failures.malformed,
        } += 1;
    }
}

/// Sends one request on a connection and verifies the answer; its body's length in bytes.
pub(super) async fn exchange(
    connection: &mut Connection,
    request: &Prepared,
    expected: &Expectation,
    patience: Duration,
) -> Result<usize, Failure> {
    let result = match timeout(patience, verified(connection, request, expected)).await {
        Ok(result) => result,
        Err(_) => Err(Failure::Timeout),
    };
    // After these the connection stands between two answers; after all others nobody knows where it stands.
    if !matches!(result, Ok(_) | Err(Failure::WrongStatus | Failure::WrongBody)) {
        connection.discard();
    }
    result
}

async fn verified(connection: &mut Connection, request: &Prepared, expected: &Expectation) -> Result<usize, Failure> {
    let response = send(connection, request).await?;
    let status = response.status().as_u16();
    let mut body = response.into_body();
    let (mut length, mut same) = (0, true);
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|error| kind(&error))?.into_data() {
            if let Content::Exactly(right) = &expected.content {
                same &= right.get(length..length + data.len()).is_some_and(|part| part == data);
            }
            length += data.len();
            if length > BODY_LIMIT {
                return Err(Failure::Malformed);
            }
        }
    }
    let whole = match &expected.content {
        Content::Exactly(right) => same && length == right.len(),
        Content::Varies => true,
    };
    match (status == expected.status, whole) {
        (false, _) => Err(Failure::WrongStatus),
        (true, false) => Err(Failure::WrongBody),
        (true, true) => Ok(length),
    }
}

async fn send(connection: &mut Connection, request: &Prepared) -> Result<Response<Incoming>, Failure> {
    let sender = connection.sender().await.ok_or(Failure::Refused)?;
    sender.send_request(request.request()).await.map_err(|error| kind(&error))
}

fn kind(error: &hyper::Error) -> Failure {
    if error.is_parse() { Failure::Malformed } else { Failure::Closed }
}

/// Asks each request once, `width` at a time, and keeps the answers; `None` for a request that got none within
/// `patience`, with the reason in words.
///
/// # Errors
/// Where no runtime could be started.
pub fn ask(
    address: SocketAddr,
    requests: &[Prepared],
    width: usize,
    patience: Duration,
) -> std::io::Result<Vec<Result<Answer, &'static str>>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    let next = std::cell::Cell::new(0);
    let answers = std::cell::RefCell::new(vec![Err("it was not asked"); requests.len()]);
    let lane = || async {
        let mut connection = Connection::new(address, patience);
        loop {
            let index = next.replace(next.get() + 1);
            let Some(request) = requests.get(index) else { break };
            let answer = match timeout(patience, kept(&mut connection, request)).await {
                Ok(answer) => answer,
                Err(_) => Err(Failure::Timeout),
            };
            if answer.is_err() {
                connection.discard();
            }
            answers.borrow_mut()[index] = answer.map_err(Failure::words);
        }
    };
    runtime.block_on(local.run_until(all((0..width.max(1)).map(|_| lane()))));
    drop(local);
    Ok(answers.into_inner())
}

/// Drives futures side by side in one task.
async fn all(futures: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut pinned: Vec<_> = futures.map(|future| Some(Box::pin(future))).collect();
    std::future::poll_fn(|context| {
        for slot in &mut pinned {
            if slot.as_mut().is_some_and(|future| future.as_mut().poll(context).is_ready()) {
                *slot = None;
            }
        }
        if pinned.iter().all(Option::is_none) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

async fn kept(connection: &mut Connection, request: &Prepared) -> Result<Answer, Failure> {
    let response = send(connection, request).await?;
    let status = response.status().as_u16();
    let content_type =
        response.headers().get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into());
    let mut incoming = response.into_body();
    let mut body = BytesMut::new();
    while let Some(frame) = incoming.frame().await {
        if let Ok(data) = frame.map_err(|error| kind(&error))?.into_data() {
            body.extend_from_slice(&data);
            if body.len() > BODY_LIMIT {
                return Err(Failure::Malformed);
            }
        }
    }
    Ok(Answer { status, content_type, body: body.freeze() })
}

impl Failure {
    fn words(self) -> &'static str {
        match self {
            Failure::Refused => "it refused the connection",
            Failure::Closed => "it closed the connection before its answer was complete",
            Failure::Timeout => "it did not answer in time",
            Failure::WrongStatus => "it answered with another status",
            Failure::WrongBody => "it answered with another body",
            Failure::Malformed => "its answer is not HTTP, or too large",
        }
    }
}
