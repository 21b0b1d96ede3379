//! What was taken: profiles in their sensor's format, and what was counted in the same blocks.

use std::time::Duration;

use tierup_bench::record::Slice;
use tierup_stats::{Blocks, Confidence, Ratio};

/// Everything that a run took.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    pub blocks: Vec<Block>,
    /// What the user should know, such as processes that were not sampled.
    pub notes: Vec<String>,
}

/// One block: a slice of load with the sensor, and one without.
#[derive(Debug, Clone)]
pub struct Block {
    pub parts: Vec<Part>,
    /// CPU time of the server's whole process tree while it was sampled, where it can be seen.
    pub cpu: Option<Duration>,
    pub sampled: Slice,
    pub plain: Slice,
}

/// A profile that a sensor wrote, of one process, one thread, or all of them.
#[derive(Debug, Clone)]
pub struct Part {
    pub process: Option<u32>,
    pub thread: Option<u64>,
    /// CPU time of the thread while it was sampled, if the sensor counts it.
    pub cpu: Option<Duration>,
    pub profile: Vec<u8>,
}

/// By how much the sensor slowed the server, from blocks with and without it. A ratio is missing where a block has no
/// number for it.
#[derive(Debug, Clone, Copy)]
pub struct Slowdown {
    /// CPU time per request with the sensor, by that without.
    pub cpu: Option<Ratio>,
    /// Requests per second with the sensor, by that without.
    pub throughput: Option<Ratio>,
}

impl Taken {
    pub fn slowdown(&self) -> Slowdown {
        let cpu =
            |slice: &Slice| slice.server_cpu.filter(|_| slice.answered > 0).map(|cpu| cpu / slice.answered as f64);
        Slowdown { cpu: self.ratio(cpu), throughput: self.ratio(|slice| Some(slice.throughput())) }
    }

    fn ratio(&self, of: impl Fn(&Slice) -> Option<f64>) -> Option<Ratio> {
        let of_all = |slice: fn(&Block) -> &Slice| -> Option<Vec<f64>> {
            self.blocks.iter().map(|block| of(slice(block))).collect()
        };
        let (candidate, control) = (of_all(|block| &block.sampled)?, of_all(|block| &block.plain)?);
        Blocks { candidate: &candidate, control: &control }.ratio(Confidence::default()).ok()
    }
}
