//! Answers that wait for their clients: how many bytes of them there may be, over all connections.
//!
//! The operating system takes an answer at once if it is small. If it is larger and its client reads slowly, or not at all,
//! the rest stays here, and enough such clients would take all memory. Beyond the bound no call begins: it waits for a
//! while, as most answers go out quickly, and is then refused. Meanwhile clients that take nothing are given up sooner (see
//! `stream`).
//!
//! An answer that is larger than the bound by itself would keep all others waiting for one slow client. So one such answer
//! at a time does not count, and calls of a function that has given one wait for each other.

use std::cell::Cell;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task_local;
use tokio::time::{Instant, timeout_at};

use crate::problem::Problem;

/// How long a call waits for room.
const PATIENCE: Duration = Duration::from_secs(5);

static UNSENT: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Whether an answer that is larger than the bound is made or sent without counting, and how many calls wait for its end.
static ONE_IS_LARGE: AtomicBool = AtomicBool::new(false);
static WAIT_FOR_LARGE: AtomicUsize = AtomicUsize::new(0);

/// There may be room again.
static FREED: Notify = Notify::const_new();

/// Sets the bound.
pub fn prepare(most: usize) {
    MOST.store(most, Ordering::Relaxed);
}

/// Whether there is more than there may be.
pub fn is_over() -> bool {
    UNSENT.load(Ordering::SeqCst) > MOST.load(Ordering::Relaxed)
}

/// Whether calls wait for clients to take their answers.
pub fn is_pressed() -> bool {
    is_over() || WAIT_FOR_LARGE.load(Ordering::Relaxed) > 0
}

/// Whether an answer is larger than the bound by itself.
pub fn is_large(size: usize) -> bool {
    size > MOST.load(Ordering::Relaxed)
}

/// The permission to answer.
#[derive(Default)]
pub struct Room(Option<Large>);

/// The right to an answer that does not count, until this is dropped.
struct Large;

impl Large {
    fn take() -> Option<Self> {
        let is_taken = ONE_IS_LARGE.swap(true, Ordering::SeqCst);
        (!is_taken).then(|| Large)
    }
}

impl Drop for Large {
    fn drop(&mut self) {
        ONE_IS_LARGE.store(false, Ordering::SeqCst);
        FREED.notify_waiters();
    }
}

/// One call's wait for room. It may have to wait several times, and its patience is for all of them.
#[derive(Default)]
pub struct Waiting {
    until: Option<Instant>,
}

impl Waiting {
    /// Waits until there is less than there may be, and for a large answer, until there is no other.
    ///
    /// # Errors
    /// 503 if that takes too long.
    pub async fn room(&mut self, large: bool) -> Result<Room, Problem> {
        let look = || match large {
            _ if is_over() => None,
            true => Large::take().map(|large| Room(Some(large))),
            false => Some(Room::default()),
        };
        if let Some(room) = look() {
            return Ok(room);
        }
        let until = *self.until.get_or_insert_with(|| Instant::now() + PATIENCE);
        let _counted = large.then(WaitForLarge::begin);
        let room = async {
            loop {
                // Listens before it looks: room that is made in between is heard of.
                let mut freed = pin!(FREED.notified());
                freed.as_mut().enable();
                if let Some(room) = look() {
                    return room;
                }
                freed.await;
            }
        };
        let busy = |_| Problem::busy("too many answers are waiting for their clients");
        timeout_at(until, room).await.map_err(busy)
    }
}

struct WaitForLarge;

impl WaitForLarge {
    fn begin() -> Self {
        WAIT_FOR_LARGE.fetch_add(1, Ordering::Relaxed);
        WaitForLarge
    }
}

impl Drop for WaitForLarge {
    fn drop(&mut self) {
        WAIT_FOR_LARGE.fetch_sub(1, Ordering::Relaxed);
    }
}

task_local! {
    /// The answer of the call that the request in progress made.
    static ANSWER: Cell<Held>;
}

/// Answers a request. With the answer comes the part of it that counts.
pub async fn counted<T>(request: impl Future<Output = T>) -> (T, Held) {
    let counted = async { (request.await, ANSWER.with(Cell::take)) };
    ANSWER.scope(Cell::default(), counted).await
}

impl Room {
    /// The part that counts of an answer of this size.
    pub fn held(self, size: usize) -> Held {
        let large = if is_large(size) { self.0.or_else(Large::take) } else { None };
        let counted = if large.is_some() { 0 } else { size };
        UNSENT.fetch_add(counted, Ordering::Relaxed);
        Held { counted, _large: large }
    }
}

/// An answer's bytes that are in memory, until this is dropped.
#[derive(Default)]
pub struct Held {
    counted: usize,
    _large: Option<Large>,
}

impl Held {
    /// So many bytes of the connection have gone out: headers too, which do not count.
    pub fn sent(&mut self, bytes: usize) {
        let bytes = bytes.min(self.counted);
        self.counted -= bytes;
        // Sequentially consistent with the waiting calls, so that each of them sees the new value or is woken.
        let (before, most) = (UNSENT.fetch_sub(bytes, Ordering::SeqCst), MOST.load(Ordering::Relaxed));
        if before > most && before - bytes <= most {
            FREED.notify_waiters();
        }
    }

    /// Hands them to the request in progress.
    pub fn hand_over(self) {
        // Outside a request, an answer has no client.
        let _ = ANSWER.try_with(|answer| answer.set(self));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.sent(self.counted);
    }
}

/// The size of a function's answer in bytes.
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
