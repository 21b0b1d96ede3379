//! Compares pairs of answers within a share of a processor.

use std::{
    sync::{Arc, mpsc::Receiver},
    thread,
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};

use super::{Compare, candidate::Pair, evidence::Evidence};

/// A rest is not shorter: sleeping costs, too.
const LEAST_REST: Duration = Duration::from_millis(1);

pub(super) struct Comparing {
    compare: Box<Compare>,
    /// Of a processor, above 0 and at most 1.
    share: f64,
    evidence: Arc<Evidence>,
}

impl Comparing {
    pub(super) fn new(compare: Box<Compare>, share: f64, evidence: Arc<Evidence>) -> Comparing {
        Comparing { compare, share: share.clamp(0.001, 1.0), evidence }
    }

    /// Compares until there are no more pairs.
    pub(super) fn compare_all(mut self, pairs: &Receiver<Pair>) {
        let mut owed = Duration::ZERO;
        for pair in pairs {
            let before = processor_time();
            let Pair { copied, control, candidate } = pair;
            let target = copied.target.path_and_query().map_or("/", |target| target.as_str());
            let finding = (self.compare)(target, &control, &candidate);
            self.evidence.add(&copied, &control, &candidate, &finding);
            drop(copied);
            let took = processor_time().saturating_sub(before);
            owed += took.mul_f64(1.0 / self.share - 1.0);
            if owed >= LEAST_REST {
                thread::sleep(owed);
                owed = Duration::ZERO;
            }
        }
    }
}

/// What this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
