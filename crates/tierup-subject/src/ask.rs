//! Asks requests once each, over kept connections, and keeps the answers.

use std::{
    cell::{Cell, RefCell},
    net::SocketAddr,
    rc::Rc,
    task::Poll,
    time::Duration,
};

use tierup_parity::Silence;
use tokio::time::timeout;

use crate::{
    answer::{Answer, Arriving, BODY_LIMIT},
    connection::Connection,
    keeping::Keeping,
    prepared::Prepared,
};

/// The most bytes that the bodies of all answers may have together: they stay in memory for the whole run, once for
/// each row that answers differently.
pub const KEPT_LIMIT: usize = 1 << 30;

/// Requests for a server.
#[derive(Clone, Copy)]
pub struct Questions<'a> {
    pub address: SocketAddr,
    pub requests: &'a [Prepared],
    /// Number of requests under way at a time.
    pub width: usize,
    /// The time limit of each request.
    pub patience: Duration,
    /// Checked all the time. Once it is true, requests under way are given up.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Why answers are missing.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    #[error("cannot set up a connection: {0}")]
    Runtime(#[from] std::io::Error),
    #[error("interrupted")]
    Interrupted,
    /// The index of the first request without an answer.
    #[error("{}", words(why))]
    Request { index: usize, why: Silence },
    #[error("its answers exceed {} MiB in total: use fewer requests or smaller answers", KEPT_LIMIT >> 20)]
    TooMuch,
}

/// Asks each request once and keeps the answers. The first missing answer ends the run: waiting a thousand times for a
/// server that hangs would take too long.
///
/// # Errors
/// If a request is not answered within `patience`.
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
        let mut connection = Connection::new(questions.address, Some(questions.patience), Rc::clone(&keeping));
        loop {
            let index = next.replace(next.get() + 1);
            let Some(request) = questions.requests.get(index) else { return };
            let asked = connection.ask(request, async |arriving: Arriving| arriving.whole(BODY_LIMIT).await);
            match timeout(questions.patience, asked).await.unwrap_or(Err(Silence::TimedOut)) {
                Ok(answer) => {
                    bytes.set(bytes.get() + answer.body.len());
                    answers.borrow_mut()[index] = Some(answer);
                }
                Err(why) => {
                    failed.borrow_mut().get_or_insert(Unanswered::Request { index, why });
                    return;
                }
            }
            if bytes.get() > KEPT_LIMIT {
                failed.borrow_mut().get_or_insert(Unanswered::TooMuch);
                return;
            }
        }
    };
    let given_up = || failed.borrow().is_some() || (questions.interrupted)();
    side_by_side((0..questions.width.max(1)).map(|_| lane()), given_up).await;
    if let Some(failure) = failed.take() {
        return Err(failure);
    }
    answers.take().into_iter().collect::<Option<Vec<_>>>().ok_or(Unanswered::Interrupted)
}

/// The reason in the past tense, as reports of a benchmark have it.
fn words(why: &Silence) -> String {
    let words = match why {
        Silence::Refused => "it refused the connection",
        Silence::Closed | Silence::Incomplete => "it closed the connection before its answer was complete",
        Silence::NotHttp | Silence::Garbled | Silence::TooLarge => "its answer is not HTTP, or too large",
        Silence::TimedOut => "it did not answer in time",
        Silence::Ended { .. } | Silence::NotRunning | Silence::CallLost(_) => return why.to_string(),
    };
    words.to_owned()
}

/// How often to check whether to give up.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Drives futures side by side until all are done or `given_up` returns true, which drops the rest.
pub(crate) async fn side_by_side(futures: impl Iterator<Item = impl Future<Output = ()>>, given_up: impl Fn() -> bool) {
    let mut pinned: Vec<_> = futures.map(|future| Some(Box::pin(future))).collect();
    let all = std::future::poll_fn(|context| {
        for slot in &mut pinned {
            if slot.as_mut().is_some_and(|future| future.as_mut().poll(context).is_ready()) {
                *slot = None;
            }
        }
        if pinned.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    });
    let look_up = async {
        while !given_up() {
            tokio::time::sleep(LOOK_UP).await;
        }
    };
    tokio::select! {
        () = all => {}
        () = look_up => {}
    }
}
