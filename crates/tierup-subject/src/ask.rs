//! Asking requests once each, and keeping the answers: for the check, not for load.

use std::{
    cell::{Cell, RefCell},
    net::SocketAddr,
    rc::Rc,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::{Response, body::Incoming, header::CONTENT_TYPE};
use tokio::time::timeout;

use super::{
    connection::Connection,
    exchange::{BODY_LIMIT, Failure, answered, kind},
    keeping::Keeping,
    workload::Prepared,
};

/// The most that the bodies of all answers may be together, in bytes: they are kept in memory for as long as the run
/// takes, once for each row that answers differently.
pub const KEPT_LIMIT: usize = 1 << 30;

/// How often one looks up to see whether the user wants it to end.
const LOOK_UP: Duration = Duration::from_millis(50);

/// What to ask whom.
#[derive(Clone, Copy)]
pub struct Questions<'a> {
    pub address: SocketAddr,
    pub requests: &'a [Prepared],
    /// How many are under way at a time.
    pub width: usize,
    /// For each of them.
    pub patience: Duration,
    /// Asked all the time; what is under way is given up where it is true.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// An answer, kept whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub content_type: Option<String>,
    pub body: Bytes,
}

/// Why there are not all answers.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    #[error("cannot set up a connection: {0}")]
    Runtime(#[from] std::io::Error),
    #[error("interrupted")]
    Interrupted,
    /// The first request that got none, by its index.
    #[error("{why}")]
    Request { index: usize, why: &'static str },
    #[error("its answers exceed {} MiB in total: use fewer requests or smaller answers", KEPT_LIMIT >> 20)]
    TooMuch,
}

/// Asks each request once and keeps the answers. The first that gets none ends it: a server that hangs must not be
/// waited for a thousand times.
///
/// # Errors
/// Where not all were answered within `patience` each.
pub fn ask(questions: &Questions<'_>) -> Result<Vec<Answer>, Unanswered> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(all(questions))
}

async fn all(questions: &Questions<'_>) -> Result<Vec<Answer>, Unanswered> {
    let next = Cell::new(0);
    let bytes = Cell::new(0_usize);
    let answers = RefCell::new(vec![None; questions.requests.len()]);
    let failed = RefCell::new(None);
    let keeping = Rc::new(Keeping::default());
    let lane = || async {
        let mut connection = Connection::new(questions.address, questions.patience, Rc::clone(&keeping));
        loop {
            let index = next.replace(next.get() + 1);
            let Some(request) = questions.requests.get(index) else { return };
            let result = match timeout(questions.patience, kept(&mut connection, request)).await {
                Ok(result) => result,
                Err(_) => Err(Failure::Timeout),
            };
            match result {
                Ok(answer) => {
                    bytes.set(bytes.get() + answer.body.len());
                    answers.borrow_mut()[index] = Some(answer);
                }
                Err(failure) => {
                    failed.borrow_mut().get_or_insert(Unanswered::Request { index, why: failure.words() });
                    return;
                }
            }
            if bytes.get() > KEPT_LIMIT {
                failed.borrow_mut().get_or_insert(Unanswered::TooMuch);
                return;
            }
        }
    };
    let given_up = async {
        while failed.borrow().is_none() && !(questions.interrupted)() {
            tokio::time::sleep(LOOK_UP).await;
        }
    };
    tokio::select! {
        () = side_by_side((0..questions.width.max(1)).map(|_| lane())) => {}
        () = given_up => {}
    }
    if let Some(failure) = failed.take() {
        return Err(failure);
    }
    answers.take().into_iter().collect::<Option<Vec<_>>>().ok_or(Unanswered::Interrupted)
}

/// Drives futures in one task.
pub async fn side_by_side(futures: impl Iterator<Item = impl Future<Output = ()>>) {
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
    answered(connection, request, async |response: Response<Incoming>| {
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
    })
    .await
}
