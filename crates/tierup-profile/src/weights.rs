//! Sums samples by stack and block, without idle time. In: a [`Profile`]. Out: [`Weights`], with the base of all
//! shares.

use std::collections::{BTreeMap, HashMap};

use crate::profile::{Profile, StackId, Unit};

/// The base of shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// The CPU of all processes of the server. CPU that the sensor did not see has a row of its own.
    ProcessTree,
    /// All samples, as their sum exceeds the CPU of the processes. A sensor that counts by the wall clock also samples
    /// threads that wait for a core; a sensor that counts CPU time may be slightly off.
    SamplesOverCpu,
    /// All samples, as the CPU was not measured.
    Samples,
}

/// Time of every stack in every block.
pub(crate) struct Weights {
    pub(crate) stacks: Vec<(StackId, Vec<f64>)>,
    /// The base of shares in each block.
    pub(crate) whole: Vec<f64>,
    /// The part of it that the sensor did not see.
    pub(crate) unseen: Vec<f64>,
    pub(crate) of: Whole,
    /// Time in which threads waited, in all blocks together.
    pub(crate) idle: f64,
    /// Time in which threads waited, for each stack.
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
        // Sorted, because the order of a hash map, and with it sums of floating-point numbers, differs from run to run.
        stacks.sort_by_key(|(stack, _)| *stack);
        let cpu: Option<Vec<f64>> = (0..profile.blocks()).map(|block| profile.cpu_of(block)).collect();
        let (whole, of) = match cpu.filter(|_| profile.unit == Unit::Seconds) {
            None => (seen.clone(), Whole::Samples),
            Some(cpu) if seen.iter().sum::<f64>() > cpu.iter().sum::<f64>() => (seen.clone(), Whole::SamplesOverCpu),
            Some(cpu) => {
                // If the sensor saw more than the CPU in one block, that is noise of its clock.
                let whole = cpu.iter().zip(&seen).map(|(cpu, seen)| cpu.max(*seen)).collect();
                (whole, Whole::ProcessTree)
            }
        };
        let unseen = whole.iter().zip(&seen).map(|(whole, seen)| whole - seen).collect();
        let (idle, waiting) = (waiting.values().sum(), waiting.into_iter().collect());
        Weights { stacks, whole, unseen, of, idle, waiting }
    }
}
