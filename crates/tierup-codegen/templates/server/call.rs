//! Calling a function from a server: where it runs, and what becomes of its panics.
//!
//! A function that takes microseconds runs at once, on the thread that read the request: handing it to another thread
//! costs about 5 us of processor time. One that takes longer must not, because meanwhile that thread serves no other
//! connection; it runs on a pool of as many threads as there are processors, where it may queue. Which it is,
//! each function's [`Pace`] learns from its calls.
//!
//! What is fast mostly may still take seconds once, for one input. Two things keep `/livez` and new connections
//! answered then: at most as many calls run at once on the server's threads as there are threads but one, and
//! [`prepare`] sees to it that the free one waits for the sockets.

use std::mem;
use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::task::{self, AbortHandle};

use crate::problem::Problem;

#[cfg(not(panic = "unwind"))]
compile_error!("a panic must not end the server: build it with `panic = \"unwind\"`");

/// Calls that are expected to take longer run on the pool.
const LONG: u64 = 500_000;

/// What calls are expected to take before there were any: the first ones run on the pool.
const UNKNOWN: u64 = 10_000_000;

/// How often the server's threads are checked on while calls run there.
const CHECK: Duration = Duration::from_millis(50);

/// Calls that are running on the server's threads, and how many may.
static HERE: AtomicUsize = AtomicUsize::new(0);
static MOST_HERE: AtomicUsize = AtomicUsize::new(0);

/// Gets ready for calls, on a runtime that has `workers + 1` threads for connections and `workers` for blocking.
pub fn prepare(workers: NonZero<usize>) {
    MOST_HERE.store(workers.get(), Ordering::Relaxed);
    let runtime = Handle::current();
    // Of tokio's threads, the one that waited for the sockets may be the one that runs a call, and the others sleep
    // until there is a task for them (tokio-rs/tokio#4730). An empty task wakes one, which then does the waiting.
    let check = move || {
        loop {
            thread::sleep(CHECK);
            if HERE.load(Ordering::Relaxed) > 0 {
                runtime.spawn(async {});
            }
        }
    };
    // Without this thread, only a rare long call is felt by others.
    let _ = thread::Builder::new().name("check".to_owned()).spawn(check);
}

/// What calls of one function are expected to take: a moving average, in nanoseconds.
pub struct Pace(AtomicU64);

impl Pace {
    pub const fn new() -> Self {
        Pace(AtomicU64::new(UNKNOWN))
    }

    /// Calls `function`, which is never unwound from.
    ///
    /// # Errors
    /// 500 if it panics: what it said is on standard error, not in the answer.
    pub async fn call<T: Send + 'static>(
        &'static self,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let call = || {
            let start = Instant::now();
            let outcome = guarded(function);
            self.note(start.elapsed());
            outcome
        };
        if self.0.load(Ordering::Relaxed) < LONG
            && let Some(_here) = Here::enter()
        {
            return call();
        }
        let task = task::spawn_blocking(call);
        let _abandoned = AbortOnDrop(task.abort_handle());
        task.await.unwrap_or_else(|_| Err(Problem::internal()))
    }

    fn note(&self, took: Duration) {
        // Averages of calls that end at the same time may overwrite each other: they are estimates.
        let (average, took) = (self.0.load(Ordering::Relaxed), u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        self.0.store(average - average / 16 + took / 16, Ordering::Relaxed);
    }
}

/// A call on one of the server's threads.
struct Here;

impl Here {
    fn enter() -> Option<Self> {
        // Counted first and compared then: two that come at once cannot both have the last place.
        let here = Here;
        let before = HERE.fetch_add(1, Ordering::Relaxed);
        (before < MOST_HERE.load(Ordering::Relaxed)).then_some(here)
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        HERE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Takes a call out of the queue when nobody waits for its answer any more: the client went away.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A panic becomes an answer. The panic hook has already written its message and place to standard error.
fn guarded<T>(function: impl FnOnce() -> T) -> Result<T, Problem> {
    panic::catch_unwind(AssertUnwindSafe(function)).map_err(|payload| {
        // What was thrown may panic again when it is dropped.
        if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            mem::forget(again);
        }
        Problem::internal()
    })
}
