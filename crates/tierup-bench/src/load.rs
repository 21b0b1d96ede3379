//! Generates HTTP/1.1 load from threads of this process, in a closed or an open loop, against one server.
//!
//! In: an address, requests with their right answers, and a [`Load`]. Out: a [`LoadOutcome`]: counts and latencies.
//! Only right answers count as throughput: every body is read whole and compared.

mod closed;
mod exchange;
mod open;
mod part;
mod steady;
mod terms;
mod timer;
mod worker;

use std::{
    sync::{
        Arc,
        atomic::AtomicUsize,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use tierup_subject::Prepared;

use self::part::{News, Part, Signal};

pub use self::terms::{Load, LoadOutcome, Pace};

/// The requests to one server, their order, and the right answers.
#[derive(Debug)]
pub struct Workload {
    pub requests: Vec<Prepared>,
    /// Indices into `requests`; the [`Load`] says how connections follow them. Not empty.
    pub order: Vec<u32>,
    /// One for each request.
    pub expected: Vec<Expectation>,
}

/// A right answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub status: u16,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Exactly these bytes.
    Exactly(Bytes),
    /// The check saw that the body differs from answer to answer, so only the status is verified.
    Varies,
}

impl Workload {
    /// The request at a place in the order, which repeats without end.
    fn at(&self, place: usize) -> (&Prepared, &Expectation) {
        let index = self.order[place % self.order.len()] as usize;
        (&self.requests[index], &self.expected[index])
    }
}

/// What the caller does around and during the load, on the calling thread.
pub trait Watch {
    /// All connections are open, and nothing was sent yet.
    fn begins(&mut self) {}
    /// Called about every tenth of a second. `Continue::No` ends the load early.
    fn passes(&mut self) -> Continue {
        Continue::Yes
    }
    /// The last answer is in.
    fn ends(&mut self) {}
}

/// Nothing to watch.
impl Watch for () {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continue {
    Yes,
    No,
}

/// How often [`Watch::passes`] is called.
const WATCHED_EVERY: Duration = Duration::from_millis(100);

/// Generates load, and waits until every answer has arrived or timed out.
pub fn generate(load: &Load, workload: &Arc<Workload>, watch: &mut dyn Watch) -> LoadOutcome {
    let workers = load.workers.clamp(1, load.connections.max(1));
    let (signal, signals) = tokio::sync::watch::channel(Signal::Connect);
    let (tell, news) = mpsc::channel();
    let taken = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..workers)
        .map(|number| {
            let part = Part {
                load: load.clone(),
                workload: Arc::clone(workload),
                number,
                workers,
                taken: Arc::clone(&taken),
                signals: signals.clone(),
                news: tell.clone(),
            };
            thread::spawn(move || worker::run(part))
        })
        .collect();
    // From here on, the channel closes when the last worker ends, even by a panic.
    drop(tell);

    let mut total = LoadOutcome::default();
    let mut connecting = workers;
    loop {
        match news.recv_timeout(WATCHED_EVERY) {
            Ok(News::Connected) => {
                connecting -= 1;
                if connecting == 0 && !total.aborted {
                    watch.begins();
                    // If no worker is left to receive this, the channel of news is closed too.
                    let _ = signal.send(Signal::Go(Instant::now()));
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if !total.aborted && watch.passes() == Continue::No {
                    total.aborted = true;
                    let _ = signal.send(Signal::Abort);
                }
            }
        }
    }
    watch.ends();
    for thread in threads {
        match thread.join() {
            Ok(outcome) => total.add(&outcome),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    total
}
