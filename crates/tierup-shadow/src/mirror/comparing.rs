//! Compares pairs of answers within a share of a processor.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::Receiver,
    },
    thread,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

use super::{Compare, candidate::Pair, evidence::Findings};

/// A rest is not shorter: sleeping costs, too.
const LEAST_REST: Duration = Duration::from_millis(1);

/// A part of one processor, above 0 and at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(f64);

/// Why a number is no [`Share`].
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a share of a processor must be at least 0.01 and at most 1, not {0}")]
pub struct ShareError(f64);

impl Share {
    /// # Errors
    /// A number below 0.01 or above 1.
    pub fn new(share: f64) -> Result<Share, ShareError> {
        if (0.01..=1.0).contains(&share) { Ok(Share(share)) } else { Err(ShareError(share)) }
    }
}

pub(super) struct Comparing {
    compare: Box<Compare>,
    share: f64,
    findings: Findings,
    stopped: Arc<AtomicBool>,
}

impl Comparing {
    pub(super) fn new(compare: Box<Compare>, share: Share, findings: Findings, stopped: Arc<AtomicBool>) -> Comparing {
        Comparing { compare, share: share.0, findings, stopped }
    }

    /// Compares until there are no more pairs, or until it is stopped and [unparked](thread::Thread::unpark).
    pub(super) fn compare_all(mut self, pairs: &Receiver<Pair>) {
        let mut owed = Duration::ZERO;
        for pair in pairs {
            if self.stopped.load(Relaxed) {
                return;
            }
            let before = processor_time();
            let Pair { copied, control, candidate } = pair;
            let target = copied.target.path_and_query().map_or("/", |target| target.as_str());
            let finding = (self.compare)(target, &control, &candidate);
            self.findings.add(tierup_rollout::evidence::Pair::Candidate, &copied, &control, &candidate, &finding);
            drop(copied);
            let took = processor_time().saturating_sub(before);
            owed += took.mul_f64(1.0 / self.share - 1.0);
            if owed >= LEAST_REST {
                self.rest(owed);
                owed = Duration::ZERO;
            }
        }
    }

    fn rest(&self, owed: Duration) {
        let began = Instant::now();
        while !self.stopped.load(Relaxed) && began.elapsed() < owed {
            thread::park_timeout(owed.saturating_sub(began.elapsed()));
        }
    }
}

/// What this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
