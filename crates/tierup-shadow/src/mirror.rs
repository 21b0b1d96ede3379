//! Sends copies to the candidate, its twin and control, and compares their answers with those that clients got.
//!
//! One thread asks, another compares. The second takes no more than its share of a processor. If that is too little,
//! copies stay under way for longer, places run out, and the proxy drops copies, which it counts.

mod candidate;
mod comparing;
mod doubts;
mod evidence;
mod example;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc,
    },
    thread::{self, JoinHandle},
};

use hyper::header::CONTENT_ENCODING;
use tierup_parity::{Answer, Finding, Observation, Seen, decode, decoding, memory_of};
use tokio::{
    sync::{
        mpsc::{UnboundedReceiver, unbounded_channel},
        oneshot,
    },
    task::LocalSet,
};

use self::{comparing::Comparing, doubts::Doubts, evidence::Findings};
use crate::{collector::Collector, copy::Copied, hidden::Hidden, shares::Held};

pub use candidate::Candidate;
pub(crate) use candidate::MOST_AT_REST;
pub use comparing::{Share, ShareError};

/// Compares the answers of control and the candidate to a request for this target.
pub type Compare = dyn FnMut(&str, &Observation, &Observation) -> Finding + Send;

/// The threads that send copies and compare answers. Dropping it ends them, and gives up what is under way.
#[derive(Debug)]
pub struct Mirror {
    stop: Option<oneshot::Sender<()>>,
    stop_comparing: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Mirror {
    /// Sends each copy to the server of its [pair](Copied::pair). Comparing takes at most `share` of one processor. The
    /// collector gets the results.
    ///
    /// # Errors
    /// If a server's name has no address, or the system has no threads left.
    pub fn start(
        candidate: Candidate,
        copied: UnboundedReceiver<Copied>,
        compare: Box<Compare>,
        share: Share,
        collector: &Collector,
        hidden: Hidden,
    ) -> io::Result<Mirror> {
        let (answered, to_compare) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let asker = candidate::Asker::new(candidate)?;
        let (doubt, doubts) = unbounded_channel();
        let doubt = asker.can_ask_again().then(|| Doubts::new(doubt));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ask = move || {
            let all = async {
                tokio::select! {
                    _ = stopped => {}
                    () = asker.ask_all(copied, doubts, answered) => {}
                }
            };
            LocalSet::new().block_on(&runtime, all);
        };
        let stop_comparing = Arc::<AtomicBool>::default();
        let findings = Findings::new(collector, hidden);
        let comparing = Comparing::new(compare, share, findings, doubt, Arc::clone(&stop_comparing));
        let threads = vec![
            thread::Builder::new().name("candidate".into()).spawn(ask)?,
            thread::Builder::new().name("comparing".into()).spawn(move || comparing.compare_all(&to_compare))?,
        ];
        Ok(Mirror { stop: Some(stop), stop_comparing, threads })
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.stop_comparing.store(true, Relaxed);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // If the thread panicked, there is nothing to add.
            let _ = thread.join();
        }
    }
}

/// Why there is nothing to compare.
const NO_MEMORY: &str = "comparing it would take more memory than copies may have";

/// Takes this much memory, and returns whether there was so much. Without a [`Held`], memory is not limited.
fn has_room(memory: Option<&Held>, bytes: usize) -> bool {
    memory.is_none_or(|memory| memory.grow(bytes))
}

// Memory is taken before anything is decoded or parsed as JSON, as a few bytes may expand to any size.
/// Decodes both answers, if there is memory to decode, compare and search them for secrets.
fn prepare(memory: Option<&Held>, one: &mut Observation, other: &mut Observation) -> bool {
    let meanwhile = memory.map(Held::beside);
    if !has_room(meanwhile.as_ref(), decoding(one, other)) {
        return false;
    }
    decode(one, other);
    drop(meanwhile);
    has_room(memory, memory_of(one, other))
}

/// Whether there is memory to search the request of a mismatch for secrets.
fn may_show(memory: Option<&Held>, copied: &Copied) -> bool {
    if copied.body.is_empty() {
        return true;
    }
    if !has_room(memory, copied.body.len()) {
        return false;
    }
    let codings = copied.headers.get_all(CONTENT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let headers = codings.map(|value| (CONTENT_ENCODING.to_string(), value.to_owned())).collect();
    let asked = Answer { headers, body: copied.body.to_vec(), ..Answer::default() };
    let nothing = &mut Observation::new(Seen::Skipped(String::new()));
    prepare(memory, &mut Observation::new(Seen::Answer(asked)), nothing)
}

/// The memory of an answer that is kept.
fn size(observation: &Observation) -> usize {
    match &observation.seen {
        Seen::Answer(answer) => answer.body.len(),
        _ => 0,
    }
}
