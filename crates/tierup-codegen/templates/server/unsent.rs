//! Bounds the bytes of answers that wait for their clients, over all connections.
//!
//! The operating system takes a small answer at once. If an answer is larger and its client reads slowly, or not at
//! all, the whole answer stays in memory until all of it is sent, and enough such clients would take all memory. The
//! server is *over* if the answers in memory, without the largest, have more bytes than the bound: one answer alone
//! never counts. While the server is over,
//!
//! - calls wait for room, and are refused after [`PATIENCE`];
//! - connections whose client takes nothing are closed sooner (see `stream`);
//! - after [`TOO_LONG`], the connections with the slowest large answers are closed, as many as it takes.
//!
//! A call of a function that has given small answers lately waits only beyond [`SMALL_CALLS`] times the bound: a burst
//! of large answers delays those calls least.

use std::cell::Cell;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task_local;
use tokio::time::{Instant, sleep, timeout_at};

use crate::problem::Problem;

/// How long a call waits for room.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the server may be over. This is shorter than [`PATIENCE`], so that waiting calls are answered.
const TOO_LONG: Duration = Duration::from_secs(3);

/// How often the server checks whether it is over.
const LOOK: Duration = Duration::from_millis(250);

/// An answer younger than this is never called slow.
const YOUNG: Duration = Duration::from_secs(1);

/// Answers of at most this many bytes are small. They are counted but not listed: a list would cost each call a lock.
const SMALL: usize = 64 << 10;

/// Calls with small answers wait only beyond this multiple of the bound.
const SMALL_CALLS: usize = 4;

/// The bytes of all answers that are in memory.
static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The answers that are not small.
static LARGE: Mutex<Vec<Arc<Large>>> = Mutex::new(Vec::new());

/// Signals that there may be room again: for a call with a small answer, and for any call. The latter are counted.
static FREED_FOR_SMALL: Notify = Notify::const_new();
static FREED: Notify = Notify::const_new();
static TIMES_FREED: AtomicU64 = AtomicU64::new(0);

/// Sets the bound, and starts to enforce it. Call this in the runtime.
pub fn prepare(most: usize) {
    MOST.store(most, Ordering::Relaxed);
    tokio::spawn(async {
        let (mut times, mut since) = (0, None);
        loop {
            sleep(LOOK).await;
            let times_now = TIMES_FREED.load(Ordering::SeqCst);
            if !is_over() || times != times_now {
                (times, since) = (times_now, None);
                continue;
            }
            if since.get_or_insert_with(Instant::now).elapsed() >= TOO_LONG {
                cut_slowest();
            }
        }
    });
}

/// Whether answers that wait for their clients take too much.
pub fn is_over() -> bool {
    is_beyond(MOST.load(Ordering::Relaxed))
}

/// Whether a call must wait if its function usually gives answers of this size.
pub fn must_wait(usual: usize) -> bool {
    let most = MOST.load(Ordering::Relaxed);
    is_beyond(if usual <= SMALL { most.saturating_mul(SMALL_CALLS) } else { most })
}

fn is_beyond(most: usize) -> bool {
    if HELD.load(Ordering::SeqCst) <= most {
        return false;
    }
    let large = large();
    let largest = large.iter().map(|answer| answer.size).max().unwrap_or(0);
    HELD.load(Ordering::SeqCst).saturating_sub(largest) > most
}

/// Marks the answers with the longest time left at their pace so far, until the rest is within the bound.
fn cut_slowest() {
    let most = MOST.load(Ordering::Relaxed);
    let large = large();
    // Answers that are marked already are about to be dropped.
    let (cut, mut kept): (Vec<_>, Vec<_>) = large.iter().partition(|answer| answer.is_cut.load(Ordering::Relaxed));
    let gone: usize = cut.iter().map(|answer| answer.size).sum();
    let mut held = HELD.load(Ordering::SeqCst).saturating_sub(gone);
    kept.sort_by(|one, other| one.seconds_left().total_cmp(&other.seconds_left()));
    loop {
        let largest = kept.iter().map(|answer| answer.size).max().unwrap_or(0);
        if held.saturating_sub(largest) <= most {
            return;
        }
        let Some(slowest) = kept.iter().rposition(|answer| answer.begun.elapsed() >= YOUNG) else { return };
        let slowest = kept.remove(slowest);
        slowest.is_cut.store(true, Ordering::Relaxed);
        held = held.saturating_sub(slowest.size);
    }
}

fn large() -> MutexGuard<'static, Vec<Arc<Large>>> {
    LARGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer that is not small.
struct Large {
    size: usize,
    /// How many bytes of it have gone out.
    sent: AtomicUsize,
    begun: Instant,
    /// Whether its connection is to be closed.
    is_cut: AtomicBool,
}

impl Large {
    /// How long the rest takes if its client goes on as it has so far.
    fn seconds_left(&self) -> f64 {
        let sent = self.sent.load(Ordering::Relaxed);
        (self.size - sent) as f64 * self.begun.elapsed().as_secs_f64() / sent.max(1) as f64
    }
}

/// One call's wait for room. It may have to wait several times; [`PATIENCE`] limits the sum.
#[derive(Default)]
pub struct Waiting {
    until: Option<Instant>,
}

impl Waiting {
    /// Waits until a call may begin that probably answers with `usual` bytes.
    ///
    /// # Errors
    /// 503 if that takes too long.
    pub async fn room(&mut self, usual: impl Fn() -> usize) -> Result<(), Problem> {
        if !must_wait(usual()) {
            return Ok(());
        }
        let until = *self.until.get_or_insert_with(|| Instant::now() + PATIENCE);
        let room = async {
            loop {
                // Registers before it checks, so that room made in between wakes it.
                let usual = usual();
                let freed = if usual <= SMALL { &FREED_FOR_SMALL } else { &FREED };
                let mut freed = pin!(freed.notified());
                freed.as_mut().enable();
                if !must_wait(usual) {
                    return;
                }
                freed.await;
            }
        };
        let busy = |_| Problem::busy("too many answers are waiting for their clients");
        timeout_at(until, room).await.map_err(busy)
    }
}

task_local! {
    /// The answer of the call that the request in progress made.
    static ANSWER: Cell<Held>;
}

/// Answers a request, and returns what its answer holds in memory.
pub async fn counted<T>(request: impl Future<Output = T>) -> (T, Held) {
    let counted = async { (request.await, ANSWER.with(Cell::take)) };
    ANSWER.scope(Cell::default(), counted).await
}

/// An answer's bytes that are in memory, until this is dropped.
#[derive(Default)]
pub struct Held {
    size: usize,
    large: Option<Arc<Large>>,
}

impl Held {
    /// Counts an answer of this size.
    pub fn new(size: usize) -> Held {
        let most = MOST.load(Ordering::Relaxed);
        let new = || Large {
            size,
            sent: AtomicUsize::new(0),
            begun: Instant::now(),
            is_cut: AtomicBool::new(false),
        };
        let large = (size > most.min(SMALL)).then(|| Arc::new(new()));
        if let Some(answer) = &large {
            self::large().push(Arc::clone(answer));
        }
        HELD.fetch_add(size, Ordering::SeqCst);
        Held { size, large }
    }

    /// Whether its connection is to be closed.
    pub fn is_cut(&self) -> bool {
        self.large.as_ref().is_some_and(|answer| answer.is_cut.load(Ordering::Relaxed))
    }

    /// Notes that this many bytes of the connection have gone out, headers included. The memory is freed when all have.
    pub fn sent(&mut self, bytes: usize) {
        if let Some(answer) = &self.large {
            let sent = answer.sent.load(Ordering::Relaxed).saturating_add(bytes);
            answer.sent.store(sent.min(answer.size), Ordering::Relaxed);
        }
    }

    /// Hands the count to the request in progress.
    pub fn hand_over(self) {
        // Outside a request, an answer has no client.
        let _ = ANSWER.try_with(|answer| answer.set(self));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(answer) = &self.large {
            large().retain(|other| !Arc::ptr_eq(answer, other));
        }
        // Changes the count before it checks, as waiting calls register before they check: they all see the change.
        let before = HELD.fetch_sub(self.size, Ordering::SeqCst);
        if self.size == 0 || before <= MOST.load(Ordering::Relaxed) {
            return;
        }
        if !is_over() {
            TIMES_FREED.fetch_add(1, Ordering::SeqCst);
            FREED.notify_waiters();
        }
        if !must_wait(0) {
            FREED_FOR_SMALL.notify_waiters();
        }
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
