//! A taken profile: the files in their sensor's format, and the counts of the same blocks.

use std::time::Duration;

use tierup_bench::record::Slice;
use tierup_profile::{RouteCounts, Routes, Slowdown};
use tierup_stats::{Blocks, Confidence, Estimate, Ratio, mean_estimate};

use crate::Unsampled;

/// If other programs keep more processors busy than this, the server may have had too few.
const MOST_OF_OTHERS: f64 = 0.5;

/// Everything that a run took.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    pub blocks: Vec<Block>,
    /// Parts that were taken after all blocks, while the server inlined less; empty if the sensor cannot make it do so.
    pub named: Vec<Part>,
    /// Slices of each route alone, if the requests have several routes.
    pub routes: Vec<RouteSlices>,
    /// Notes for the user, such as processes that were not sampled.
    pub notes: Vec<String>,
}

/// One block: a slice of load with the sensor, and one without.
#[derive(Debug, Clone)]
pub struct Block {
    pub parts: Vec<Part>,
    /// CPU time of the server's whole process tree while it was sampled, if it can be measured.
    pub cpu: Option<Duration>,
    /// CPU time of threads and processes that the sensor does not sample, if the kernel tells it.
    pub unsampled: Vec<Unsampled>,
    pub sampled: Slice,
    pub plain: Slice,
}

/// Measurements of one route without the sensor, with a slice for each block.
#[derive(Debug, Clone)]
pub struct RouteSlices {
    /// The name, such as `GET /cart`.
    pub name: String,
    /// Its share of the load, 0..=1.
    pub share: f64,
    pub slices: Vec<Slice>,
}

/// A profile that a sensor wrote, of one process, one thread, or all of them.
#[derive(Debug, Clone)]
pub struct Part {
    pub process: Option<u32>,
    pub thread: Option<u64>,
    /// CPU time of the thread while it was sampled, if the sensor counts it.
    pub cpu: Option<Duration>,
    /// Allocations while the thread was sampled, if the sensor counts them.
    pub allocated: Option<u64>,
    pub profile: Vec<u8>,
}

impl Part {
    /// A part without counts.
    pub(crate) fn new(process: Option<u32>, profile: Vec<u8>) -> Part {
        Part { process, thread: None, cpu: None, allocated: None, profile }
    }
}

impl Taken {
    /// Microseconds of CPU for each request without the sensor, if they can be measured.
    pub fn cpu_per_request(&self) -> Option<f64> {
        let cpu: Option<f64> = self.blocks.iter().map(|block| block.plain.server_cpu).sum();
        let answered: u64 = self.blocks.iter().map(|block| block.plain.answered).sum();
        cpu.filter(|_| answered > 0).map(|cpu| cpu / answered as f64)
    }

    /// How many processors the server kept busy under the load without the sensor. `None` if that cannot be measured,
    /// or if other programs took so much that the server may have waited for a processor.
    pub fn busy(&self) -> Option<f64> {
        let plain = || self.blocks.iter().map(|block| &block.plain);
        let seconds: f64 = plain().map(|slice| slice.seconds + slice.drain_seconds).sum();
        let processors = |cpu: Option<f64>| Some(cpu? / 1e6 / seconds).filter(|processors| processors.is_finite());
        let others = processors(plain().map(|slice| slice.other_cpu).sum())?;
        processors(plain().map(|slice| slice.server_cpu).sum()).filter(|_| others < MOST_OF_OTHERS)
    }

    /// The cost of each route, if the requests have several. `None` if the kernel counts no CPU time, or if a route
    /// gave no right answer when it was asked alone.
    pub fn routes(&self) -> Option<Routes> {
        let asked = self.routes.iter().map(|route| {
            let cpu: Option<Vec<f64>> = route.slices.iter().map(cpu_per_request).collect();
            Some(RouteCounts { name: route.name.clone(), requests: route.share, cpu: cpu? })
        });
        Routes::new(asked.collect::<Option<Vec<_>>>()?, self.cpu_per_request()?)
    }

    /// The server's allocations for each request, if the sensor counts them in all processes and threads.
    pub fn allocated_per_request(&self) -> Option<Estimate> {
        let of_block = |block: &Block| -> Option<f64> {
            let allocated: Option<u64> = block.parts.iter().map(|part| part.allocated).sum();
            let answered = block.sampled.answered;
            (answered > 0).then_some(allocated? as f64 / answered as f64)
        };
        let blocks: Option<Vec<f64>> = self.blocks.iter().map(of_block).collect();
        mean_estimate(&blocks?, Confidence::default()).ok()
    }

    /// By how much the sensor slowed the server.
    pub fn slowdown(&self) -> Slowdown {
        // The time lasts until the last answer: a slow server answers many requests after the end of a short slice.
        let throughput = |slice: &Slice| Some(slice.answered as f64 / (slice.seconds + slice.drain_seconds));
        Slowdown { cpu: self.ratio(cpu_per_request), throughput: self.ratio(throughput) }
    }

    fn ratio(&self, of: impl Fn(&Slice) -> Option<f64>) -> Option<Ratio> {
        let of_all = |slice: fn(&Block) -> &Slice| -> Option<Vec<f64>> {
            self.blocks.iter().map(|block| of(slice(block))).collect()
        };
        let (candidate, control) = (of_all(|block| &block.sampled)?, of_all(|block| &block.plain)?);
        Blocks { candidate: &candidate, control: &control }.ratio(Confidence::default()).ok()
    }
}

fn cpu_per_request(slice: &Slice) -> Option<f64> {
    slice.server_cpu.filter(|_| slice.answered > 0).map(|cpu| cpu / slice.answered as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Microseconds of CPU, answers, and seconds of a slice.
    type Counted = (f64, u64, f64);

    fn taken(blocks: &[(Counted, Counted)]) -> Taken {
        let slice = |(cpu, answered, seconds): Counted| Slice {
            server_cpu: (cpu > 0.0).then_some(cpu),
            other_cpu: Some(1e6),
            answered,
            seconds,
            drain_seconds: 1.0,
            ..Slice::default()
        };
        let block = |(sampled, plain)| Block {
            parts: Vec::new(),
            cpu: None,
            unsampled: Vec::new(),
            sampled: slice(sampled),
            plain: slice(plain),
        };
        Taken { blocks: blocks.iter().copied().map(block).collect(), ..Taken::default() }
    }

    #[test]
    fn allocations_of_all_parts_are_summed_per_request() {
        let of = |allocated: [Option<u64>; 2], answered| Block {
            parts: allocated.map(|allocated| Part { allocated, ..Part::new(None, Vec::new()) }).into(),
            cpu: None,
            unsampled: Vec::new(),
            sampled: Slice { answered, ..Slice::default() },
            plain: Slice::default(),
        };
        let per_request = |blocks| Taken { blocks, ..Taken::default() }.allocated_per_request();
        let found = per_request(vec![of([Some(700), Some(300)], 10), of([Some(1000), Some(400)], 10)]).unwrap();
        assert_eq!((found.value, found.count), (120.0, 2));
        assert!(found.interval.is_some_and(|ends| ends.low < 100.0 && ends.high > 140.0));
        // One part does not count allocations; then a block has no answers.
        assert_eq!(per_request(vec![of([Some(700), None], 10)]), None);
        assert_eq!(per_request(vec![of([Some(700), Some(1)], 0)]), None);
        assert_eq!(per_request(Vec::new()), None);
    }

    #[test]
    fn slowdown_is_a_ratio_within_blocks() {
        let two = [((110.0, 10, 9.0), (100.0, 10, 8.0)), ((440.0, 40, 4.0), (200.0, 20, 1.25))];
        assert_eq!(
            taken(&two).slowdown().to_string(),
            "CPU per request +10 % [+10, +10], requests per second -10 % [-10, -10]"
        );
        assert_eq!(taken(&two).cpu_per_request(), Some(10.0));
        // 300 us of CPU in 8 + 1 and 1.25 + 1 seconds.
        assert!((taken(&two).busy().unwrap() - 300e-6 / 11.25).abs() < 1e-12);
        // Other processes took 1 s of 1.5 s.
        assert_eq!(taken(&[((1.0, 1, 0.5), (1.0, 1, 0.5))]).busy(), None);
        assert_eq!(taken(&[]).busy(), None);
        assert_eq!(taken(&[((0.0, 10, 9.0), (0.0, 10, 8.0))]).cpu_per_request(), None);
        // First the CPU time is unknown, then no request was answered.
        assert_eq!(taken(&[((0.0, 10, 9.0), (0.0, 10, 8.0))]).slowdown().to_string(), "requests per second -10 %");
        let none = taken(&[((0.0, 0, 9.0), (0.0, 10, 9.0))]).slowdown().to_string();
        assert_eq!(none, "not known, as a block had no answers");
    }
}
