//! Answers that wait for their clients: how many bytes of them there may be, over all connections.
//!
//! The operating system takes an answer at once where it is small. Of a larger one, a client that reads slowly, or not
//! at all, leaves the rest here, and enough of such clients would take all memory. Beyond the bound no call begins: it
//! waits for a while, as answers mostly go out quickly, and is refused then. Meanwhile clients that take nothing are
//! given up sooner (see `stream`).

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::task_local;
use tokio::time::sleep;

use crate::problem::Problem;

/// How long a call waits for room, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(20);

static UNSENT: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Sets the bound.
pub fn prepare(most: usize) {
    MOST.store(most, Ordering::Relaxed);
}

/// Whether there is more than there may be.
pub fn is_over() -> bool {
    UNSENT.load(Ordering::Relaxed) > MOST.load(Ordering::Relaxed)
}

/// Waits until there is less than there may be.
///
/// # Errors
/// 503 where that takes too long.
pub async fn room() -> Result<(), Problem> {
    let start = Instant::now();
    while is_over() {
        if start.elapsed() > PATIENCE {
            return Err(Problem::busy("too many answers are waiting for their clients"));
        }
        sleep(LOOK).await;
    }
    Ok(())
}

task_local! {
    /// The answer of the call that the request in progress made.
    static ANSWER: Cell<Held>;
}

/// Answers a request; beside the answer is what of it counts from here on.
pub async fn counted<T>(request: impl Future<Output = T>) -> (T, Held) {
    let counted = async { (request.await, ANSWER.with(Cell::take)) };
    ANSWER.scope(Cell::default(), counted).await
}

/// Bytes that are in memory, until this is dropped.
#[derive(Default)]
pub struct Held(usize);

impl Held {
    pub fn new(size: usize) -> Self {
        UNSENT.fetch_add(size, Ordering::Relaxed);
        Held(size)
    }

    /// So many of them have gone out.
    pub fn sent(&mut self, bytes: usize) {
        // Headers go out too, but do not count.
        let counted = bytes.min(self.0);
        UNSENT.fetch_sub(counted, Ordering::Relaxed);
        self.0 -= counted;
    }

    /// Hands them to the request in progress.
    pub fn hand_over(self) {
        // Outside a request there is nobody to send an answer to.
        let _ = ANSWER.try_with(|answer| answer.set(self));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        UNSENT.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// What a function answers, by its bytes.
pub trait Size {
    fn size(&self) -> usize;
}

impl Size for () {
    fn size(&self) -> usize {
        0
    }
}

impl Size for Vec<u8> {
    fn size(&self) -> usize {
        self.len()
    }
}

impl Size for String {
    fn size(&self) -> usize {
        self.len()
    }
}

impl<T: Size> Size for Result<T, String> {
    fn size(&self) -> usize {
        match self {
            Ok(value) => value.size(),
            Err(message) => message.len(),
        }
    }
}
