//! One exchange: sends a request, reads the whole answer, and verifies it.

use std::time::Duration;

use tierup_subject::{Arriving, BODY_LIMIT, Connection, Prepared, Silence};
use tokio::time::timeout;

use super::{Content, Expectation};
use crate::record::Failures;

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

impl From<Silence> for Failure {
    fn from(silence: Silence) -> Failure {
        match silence {
            Silence::Refused | Silence::NotRunning => Failure::Refused,
            Silence::Closed | Silence::Incomplete | Silence::Ended { .. } | Silence::CallLost(_) => Failure::Closed,
            Silence::NotHttp | Silence::Garbled | Silence::TooLarge => Failure::Malformed,
            Silence::TimedOut => Failure::Timeout,
        }
    }
}

/// Sends one request on a connection and verifies the answer. Returns the body's length in bytes.
pub(super) async fn exchange(
    connection: &mut Connection,
    request: &Prepared,
    expected: &Expectation,
    patience: Duration,
) -> Result<usize, Failure> {
    let verified = connection.ask(request, async |arriving: Arriving| verified(arriving, expected).await);
    let result = timeout(patience, verified).await.unwrap_or(Err(Failure::Timeout));
    // After these outcomes, the whole answer was read and the connection can be used again; after others, its state is
    // unknown.
    if !matches!(result, Ok(_) | Err(Failure::WrongStatus | Failure::WrongBody)) {
        connection.discard();
    }
    result
}

async fn verified(mut arriving: Arriving, expected: &Expectation) -> Result<usize, Failure> {
    let (mut length, mut same) = (0, true);
    while let Some(data) = arriving.frame().await {
        let data = data?;
        if let Content::Exactly(right) = &expected.content {
            same &= right.get(length..length + data.len()).is_some_and(|part| part == data);
        }
        length += data.len();
        if length > BODY_LIMIT {
            return Err(Failure::Malformed);
        }
    }
    let whole = match &expected.content {
        Content::Exactly(right) => same && length == right.len(),
        Content::Varies => true,
    };
    match (arriving.status() == expected.status, whole) {
        (false, _) => Err(Failure::WrongStatus),
        (true, false) => Err(Failure::WrongBody),
        (true, true) => Ok(length),
    }
}
