//! One request and its answer: sent, read whole, verified.

use std::{error::Error as _, io, time::Duration};

use http_body_util::BodyExt as _;
use hyper::{Response, body::Incoming};
use tokio::time::timeout;

use super::{
    connection::{Age, Connection, Open},
    workload::{Content, Expectation, Prepared},
};
use crate::record::Failures;

/// The largest body that is read, in bytes. A server that sends more sends without end, for all that a benchmark can
/// tell.
pub const BODY_LIMIT: usize = 64 << 20;

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
    answered(connection, request, async |response: Response<Incoming>| {
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
    })
    .await
}

/// Sends a request, and reads what comes back.
///
/// A server may close a connection between two answers at any time, and a request may cross with that. One of which
/// nothing was written, as the connection's end came first, is sent on a new one: nobody has seen it. One that was
/// written may have been at work when the connection ended; it is sent again, once, only where closing explains the end
/// ([`Connection::excuses`]), and counted. RFC 9112, section 9.3.1, spares requests that are not idempotent; here every
/// request is sent thousands of times on purpose, so one more does no harm that the load would not do.
pub(super) async fn answered<T>(
    connection: &mut Connection,
    request: &Prepared,
    read: impl AsyncFn(Response<Incoming>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (open, age) = connection.open().await.ok_or(Failure::Refused)?;
    let rested = open.rested();
    match once(open, request, &read).await {
        Ok(answer) => {
            connection.brought();
            return answer;
        }
        Err(error) => {
            let failure = kind(&error);
            let excused = || failure == Failure::Closed && connection.excuses(rested);
            if age == Age::New || !(error.is_canceled() || excused()) {
                return Err(failure);
            }
        }
    }
    connection.discard();
    let (open, _) = connection.open().await.ok_or(Failure::Refused)?;
    let answer = once(open, request, &read).await.map_err(|error| kind(&error))?;
    connection.brought();
    answer
}

/// What was read, or why nothing came back.
async fn once<T>(
    open: &mut Open,
    request: &Prepared,
    read: &impl AsyncFn(Response<Incoming>) -> Result<T, Failure>,
) -> Result<Result<T, Failure>, hyper::Error> {
    let Open { sender, driver, .. } = open;
    let answer = async { Ok(read(sender.send_request(request.request()).await?).await) };
    driver.drive(answer).await
}

/// Chunks that are none are an error of the body, which hyper tells as an invalid input.
pub(super) fn kind(error: &hyper::Error) -> Failure {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind);
    match cause {
        _ if error.is_parse() => Failure::Malformed,
        Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => Failure::Malformed,
        _ => Failure::Closed,
    }
}

impl Failure {
    pub(super) fn words(self) -> &'static str {
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
