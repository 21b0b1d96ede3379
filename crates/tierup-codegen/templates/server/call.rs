//! Calls of a function from the server: the thread that they run on, and their panics.
//!
//! A function that takes microseconds runs at once, on the thread that read the request: handing it to another thread
//! costs about 5 us of processor time. A slower function would keep that thread from serving other connections, so it
//! runs on a pool of as many threads as there are processors, where it may queue. Each function's [`Pace`] learns from
//! its calls where the function belongs.
//!
//! A function that waits for an async runtime of its own (`block_on`, `reqwest::blocking`) cannot do so on the server's
//! threads, which are in one already: tokio panics there. Such a function always runs on the pool.
//!
//! A function that is mostly fast may still take seconds for one input. Two measures keep `/livez` and new connections
//! answered then: calls never take the last of the server's threads, and [`prepare`] makes the free thread wait for the
//! sockets.
//!
//! The number of calls that wait for the pool is bounded; more are refused at once, as they would wait too long. When a
//! client goes away, its call leaves the queue at that moment, and the arguments are freed.

use std::any::Any;
use std::mem;
use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task;

use crate::problem::Problem;
use crate::unsent::{Held, Size, Waiting, must_wait};

#[cfg(not(panic = "unwind"))]
compile_error!("a panic must not end the server: build it with `panic = \"unwind\"`");

/// Calls that are expected to take longer than this, in nanoseconds, run on the pool.
const LONG: u64 = 500_000;

/// The expected time of a function's first calls, in nanoseconds: they run on the pool.
const UNKNOWN: u64 = 10_000_000;

/// How often the server's threads are checked on while calls run there.
const CHECK: Duration = Duration::from_millis(50);

/// Calls that are running on the server's threads, and how many may.
static HERE: AtomicUsize = AtomicUsize::new(0);
static MOST_HERE: AtomicUsize = AtomicUsize::new(0);

/// Calls that wait for the pool or run on it, and how many may: those that the pool has threads for, and the queue.
static POOLED: AtomicUsize = AtomicUsize::new(0);
static MOST_POOLED: AtomicUsize = AtomicUsize::new(0);

/// The pool's free threads. Calls wait here, because tokio cannot take a call out of its own queue.
static FREE: Semaphore = Semaphore::const_new(0);

/// Gets ready for calls, on a runtime that has `workers + 1` threads for connections and `workers` for blocking.
pub fn prepare(workers: NonZero<usize>, queue: usize) {
    MOST_HERE.store(workers.get(), Ordering::Relaxed);
    MOST_POOLED.store(workers.get().saturating_add(queue), Ordering::Relaxed);
    FREE.add_permits(workers.get());
    let runtime = Handle::current();
    // The tokio thread that waited for the sockets may be the one that runs a call, while the others sleep until there
    // is a task for them (tokio-rs/tokio#4730). An empty task wakes one, which then waits for the sockets.
    let check = move || {
        loop {
            thread::sleep(CHECK);
            if HERE.load(Ordering::Relaxed) > 0 {
                runtime.spawn(async {});
            }
        }
    };
    // Without this thread, merely a rare long call delays others.
    let _ = thread::Builder::new().name("check".to_owned()).spawn(check);
}

/// Where calls of one function run.
pub struct Pace {
    /// The expected time of a call: a moving average, in nanoseconds.
    average: AtomicU64,
    /// Whether they must run on the pool, however short they are.
    blocks: AtomicBool,
    /// The likely size of an answer in bytes: the largest of the recent ones, decaying slowly.
    bytes: AtomicUsize,
}

#[allow(dead_code, reason = "not every server has both kinds of functions, and a golden call")]
impl Pace {
    /// A function that computes.
    pub const fn new() -> Self {
        Pace { average: AtomicU64::new(UNKNOWN), blocks: AtomicBool::new(false), bytes: AtomicUsize::new(0) }
    }

    /// A function that may wait for an async runtime.
    pub const fn blocking() -> Self {
        Pace { blocks: AtomicBool::new(true), ..Pace::new() }
    }

    /// Calls `function` once there is room for its answer. A panic becomes an error.
    ///
    /// # Errors
    /// 500 if it panics: its message is on standard error, not in the answer. 503 if it would wait too long.
    pub async fn call<T: Size + Send + 'static>(
        &'static self,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.call_with(function, Some(Waiting::default())).await
    }

    /// As [`Pace::call`], for an answer that is only checked: the call does not wait for clients that read slowly.
    ///
    /// # Errors
    /// Those of [`Pace::call`].
    pub async fn try_out<T: Size + Send + 'static>(
        &'static self,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.call_with(function, None).await
    }

    async fn call_with<T: Size + Send + 'static>(
        &'static self,
        function: impl FnOnce() -> T + Send + 'static,
        mut waiting: Option<Waiting>,
    ) -> Result<T, Problem> {
        let mut place = None;
        loop {
            if let Some(waiting) = &mut waiting {
                waiting.room(|| self.usual_bytes()).await?;
            }
            if self.average.load(Ordering::Relaxed) < LONG
                && !self.blocks.load(Ordering::Relaxed)
                && let Some(_here) = Place::enter(&HERE, &MOST_HERE)
            {
                let answer = self.run(function).map_err(|payload| {
                    // The call is not repeated on the pool: its effects before the panic would happen twice.
                    if is_nested_runtime(&*payload) {
                        self.blocks.store(true, Ordering::Relaxed);
                    }
                    discard(payload)
                });
                self.held(&answer).hand_over();
                return answer;
            }
            if place.is_none() {
                place = Some(Place::enter(&POOLED, &MOST_POOLED).ok_or(Problem::busy("too many calls are waiting"))?);
            }
            // The semaphore is never closed.
            let Ok(thread) = FREE.acquire().await else { return Err(Problem::internal()) };
            // While this call waited, other answers may have taken the room.
            if waiting.is_some() && must_wait(self.usual_bytes()) {
                continue;
            }
            let task = task::spawn_blocking(move || {
                // The client may go away, but a call that has begun goes on: it is counted to its end.
                let _counted = (place, thread);
                let answer = self.run(function).map_err(discard);
                let held = self.held(&answer);
                (answer, held)
            });
            let Ok((answer, held)) = task.await else { return Err(Problem::internal()) };
            held.hand_over();
            return answer;
        }
    }

    fn run<T>(&self, function: impl FnOnce() -> T) -> thread::Result<T> {
        let start = Instant::now();
        let outcome = panic::catch_unwind(AssertUnwindSafe(function));
        self.note(start.elapsed());
        outcome
    }

    /// Counts an answer from the moment it exists.
    fn held<T: Size>(&self, answer: &Result<T, Problem>) -> Held {
        let Ok(answer) = answer else { return Held::default() };
        let size = answer.size();
        let usual = self.usual_bytes();
        self.bytes.store(size.max(usual - usual / 16), Ordering::Relaxed);
        Held::new(size)
    }

    fn usual_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn note(&self, took: Duration) {
        // Averages of calls that end at the same time may overwrite each other: they are estimates.
        let (average, took) =
            (self.average.load(Ordering::Relaxed), u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        self.average.store(average - average / 16 + took / 16, Ordering::Relaxed);
    }
}

/// A place among a bounded number of calls.
struct Place(&'static AtomicUsize);

impl Place {
    fn enter(taken: &'static AtomicUsize, most: &AtomicUsize) -> Option<Self> {
        // Counted first and compared then: two that come at once cannot both have the last place.
        let place = Place(taken);
        let before = taken.fetch_add(1, Ordering::Relaxed);
        (before < most.load(Ordering::Relaxed)).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether tokio panicked because a thread inside a runtime was about to block on another one.
///
/// Only a `&'static str` counts: tokio panics with literals. A message with parts of a request is a `String`, so a client
/// cannot imitate this panic, and thereby choose the thread for a function.
fn is_nested_runtime(payload: &(dyn Any + Send)) -> bool {
    const TOKIO: [&str; 2] = [
        "Cannot start a runtime from within a runtime",
        "Cannot drop a runtime in a context where blocking is not allowed",
    ];
    let text = payload.downcast_ref::<&'static str>();
    text.is_some_and(|text| TOKIO.iter().any(|start| text.starts_with(start)))
}

/// A panic becomes an answer. The panic hook has already reported its message and place.
fn discard(payload: Box<dyn Any + Send>) -> Problem {
    // The payload may panic again when it is dropped.
    if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(again);
    }
    Problem::internal()
}
