//! Samples summed by stack and block, without idle time. In: a [`Profile`]. Out: [`Weights`], with what all shares are of.

use std::collections::{BTreeMap, HashMap};

use crate::profile::{Profile, StackId, Unit};

/// The base of shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// The CPU of all processes of the server. CPU that the sensor did not see has a row of its own.
    ProcessTree,
    /// All samples, as they are more than the CPU of the processes. A sensor that counts by the wall clock also samples
    /// threads that wait for a core; a sensor that counts CPU time may be a little off.
    SamplesOverCpu,
    /// All samples, as the CPU was not measured.
    Samples,
}

/// Time of every stack in every block.
pub(crate) struct Weights {
    pub(crate) stacks: Vec<(StackId, Vec<f64>)>,
    /// The base of a share, block by block.
    pub(crate) whole: Vec<f64>,
    /// Its part that the sensor did not see.
    pub(crate) unseen: Vec<f64>,
    pub(crate) of: Whole,
    /// Time in which threads waited, in all blocks together.
    pub(crate) idle: f64,
    /// The same for each stack.
    pub(crate) waiting: Vec<(StackId, f64)>,
}

impl Weights {
    pub(crate) fn new(profile: &Profile) -> Weights {
        let blocks = profile.blocks() as usize;
        let mut sums: HashMap<StackId, Vec<f64>> = HashMap::new();
        let mut seen = vec![0.0; blocks];
        let mut waiting: BTreeMap<StackId, f64> = BTreeMap::new();
        for sample in profile.samples() {
            if profile.is_idle(sample) {
                *waiting.entry(sample.stack).or_default() += sample.weight;
                continue;
            }
            let block = sample.block as usize;
            seen[block] += sample.weight;
            sums.entry(sample.stack).or_insert_with(|| vec![0.0; blocks])[block] += sample.weight;
        }
        let mut stacks: Vec<(StackId, Vec<f64>)> = sums.into_iter().collect();
        // The order of a hash map is another in each run; sums of floating-point numbers would be, too.
        stacks.sort_by_key(|(stack, _)| *stack);
        let cpu: Option<Vec<f64>> = (0..profile.blocks()).map(|block| profile.cpu_of(block)).collect();
        let (whole, of) = match cpu.filter(|_| profile.unit == Unit::Seconds) {
            None => (seen.clone(), Whole::Samples),
            Some(cpu) if seen.iter().sum::<f64>() > cpu.iter().sum::<f64>() => (seen.clone(), Whole::SamplesOverCpu),
            Some(cpu) => {
                // A block in which the sensor saw more is noise of its clock.
                let whole = cpu.iter().zip(&seen).map(|(cpu, seen)| cpu.max(*seen)).collect();
                (whole, Whole::ProcessTree)
            }
        };
        let unseen = whole.iter().zip(&seen).map(|(whole, seen)| whole - seen).collect();
        let (idle, waiting) = (waiting.values().sum(), waiting.into_iter().collect());
        Weights { stacks, whole, unseen, of, idle, waiting }
    }
}
