//! Assembles one profile of all processes, threads and blocks, in seconds of CPU.

use std::{collections::BTreeMap, path::Path};

use tierup_codegen::{ProfileFormat, SampledTime, Sensor, THE_SENSOR};
use tierup_diagnostic::Diagnostic;
use tierup_profile::{Naming, Profile, Reading, Sample, read_part};

use crate::{Block, Taken, unsampled};

/// Keeps rounding errors from pushing scaled samples above the CPU time, which would look like waiting threads.
const JUST_BELOW: f64 = 1.0 - 1e-9;

impl Taken {
    /// Builds the profile, with frames named by `naming`.
    ///
    /// A sensor that counts by the clock also counts while a thread waits for a processor. So its samples are scaled to
    /// the CPU time of the thread, if the sensor knows it. If it samples only a part of a process, they are scaled down
    /// to the CPU time of that process, otherwise down to that of the process tree. The work of the sensor's own files,
    /// which are in the folder `private`, gets a row of its own.
    ///
    /// # Errors
    /// What the sensor wrote is not of its format.
    pub fn profile(&self, sensor: &Sensor, private: &Path, naming: Naming<'_>) -> Result<Profile, Box<Diagnostic>> {
        let seconds_per_sample = match sensor.format {
            ProfileFormat::Collapsed { microseconds } | ProfileFormat::Jfr { microseconds } => {
                Some(f64::from(microseconds) / 1e6)
            }
            ProfileFormat::V8 | ProfileFormat::Pprof => None,
        };
        let torn = matches!(sensor.format, ProfileFormat::Collapsed { .. });
        let reading = Reading { name: sensor.title, naming, seconds_per_sample, torn };
        let mut profile = Profile::default();
        let parts = match sensor.time {
            SampledTime::ClockOfPart { .. } => self.parts_that_run(&reading)?,
            SampledTime::Clock | SampledTime::Cpu => BTreeMap::new(),
        };
        for (number, block) in self.blocks.iter().enumerate() {
            let mut of_block = of_block(block, sensor.time, &parts, &reading)?;
            let cpu = block.cpu.map(|cpu| cpu.as_secs_f64());
            let clock = cpu.filter(|_| sensor.time != SampledTime::Cpu);
            let exact: f64 = block.unsampled.iter().map(|one| one.cpu.as_secs_f64()).sum();
            // The kernel's counts are exact, so they are not scaled with the samples.
            scale_down(&mut of_block, clock.map(|cpu| cpu - exact).filter(|rest| *rest > 0.0));
            unsampled::add(&mut of_block, &block.unsampled);
            scale_down(&mut of_block, clock);
            let itself = of_block.unsampled(THE_SENSOR);
            of_block.set_apart_below(&private.display().to_string(), itself);
            let number = number as u32;
            profile.append(&of_block, Some(number));
            if let Some(cpu) = cpu {
                profile.set_cpu(number, cpu);
            }
        }
        let mut named = Profile::default();
        for part in &self.named {
            named.append(&read_part(&part.profile, &reading)?, None);
        }
        profile.name_inlined(&named);
        Ok(profile)
    }

    /// The factor for the samples of each process, the same in all blocks. A block with few samples of a process by
    /// chance balances one with too many; factors per block would scale down only the latter.
    fn parts_that_run(&self, reading: &Reading<'_>) -> Result<BTreeMap<Option<u32>, f64>, Box<Diagnostic>> {
        // CPU time and busy time.
        let mut sums: BTreeMap<Option<u32>, (f64, f64)> = BTreeMap::new();
        for part in self.blocks.iter().flat_map(|block| &block.parts) {
            let Some(cpu) = part.cpu else { continue };
            let busy = read_part(&part.profile, reading)?.busy();
            let sum = sums.entry(part.process).or_default();
            sum.0 += cpu.as_secs_f64();
            sum.1 += busy;
        }
        let busy = sums.into_iter().filter(|(_, (_, busy))| *busy > 0.0);
        Ok(busy.map(|(process, (cpu, busy))| (process, (cpu / busy).min(1.0))).collect())
    }
}

/// Scales the busy time down to `most` seconds, if it is longer.
fn scale_down(profile: &mut Profile, most: Option<f64>) {
    if let Some(most) = most.filter(|most| profile.busy() > *most) {
        profile.scale_busy(most / profile.busy() * JUST_BELOW);
    }
}

/// `parts` holds the factor of each process, for sensors that sample only a part of it.
fn of_block(
    block: &Block,
    time: SampledTime,
    parts: &BTreeMap<Option<u32>, f64>,
    reading: &Reading<'_>,
) -> Result<Profile, Box<Diagnostic>> {
    let mut all = Profile::default();
    for part in &block.parts {
        let mut one = read_part(&part.profile, reading)?;
        let busy = one.busy();
        if let Some(cpu) = part.cpu.filter(|_| busy > 0.0) {
            let cpu = cpu.as_secs_f64();
            match time {
                SampledTime::Clock => one.scale_busy(cpu / busy),
                SampledTime::ClockOfPart { rest } => {
                    one.scale_busy(parts.get(&part.process).copied().unwrap_or(1.0));
                    if let Some(rest) = rest {
                        // By chance, a block may have more samples than CPU time.
                        let weight = (cpu - one.busy()).max(0.0);
                        let stack = one.unsampled(rest);
                        one.add(Sample { stack, weight, block: 0, process: 0, thread: 0 });
                    }
                }
                SampledTime::Cpu => {}
            }
        }
        one.set_origin(part.process.unwrap_or(0), part.thread.unwrap_or(0));
        all.append(&one, None);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tierup_bench::record::Slice;
    use tierup_codegen::{Allocations, Files, Sampling};

    use super::*;
    use crate::Part;

    fn slice() -> Slice {
        Slice::default()
    }

    fn sensor(time: SampledTime) -> Sensor {
        Sensor {
            title: "test",
            files: Files::new(),
            preparation: Vec::new(),
            environment: Vec::new(),
            in_the_build: false,
            sampling: Sampling::Agent,
            format: ProfileFormat::Collapsed { microseconds: 10_000 },
            time,
            thread_rules: &[],
            allocations: Allocations::Uncounted,
            not_sampled: "",
            hint: String::new(),
        }
    }

    fn part(text: &str, cpu: Option<f64>) -> Part {
        let cpu = cpu.map(Duration::from_secs_f64);
        Part { cpu, ..Part::new(Some(1), text.as_bytes().to_vec()) }
    }

    fn block(parts: Vec<Part>, cpu: f64) -> Block {
        let cpu = Some(Duration::from_secs_f64(cpu));
        Block { parts, cpu, unsampled: Vec::new(), sampled: slice(), plain: slice() }
    }

    /// Seconds that each leaf took in each block.
    fn seconds(blocks: Vec<Block>, time: SampledTime) -> Vec<(u32, String, f64)> {
        let profile = Taken { blocks, ..Taken::default() }
            .profile(&sensor(time), Path::new("/private"), Naming::default())
            .unwrap();
        let leaf = |stack| profile.frame_of(profile.parts(stack).1).function.clone();
        let rounded = |weight: f64| (weight * 1000.0).round() / 1000.0;
        profile.samples().iter().map(|one| (one.block, leaf(one.stack), rounded(one.weight))).collect()
    }

    #[test]
    fn samples_by_the_clock_are_scaled_to_cpu_time() {
        let named = |block, name: &str, seconds| (block, name.to_owned(), seconds);
        // The first thread's CPU time is known; the second sampled more than the whole tree used, the third less.
        let blocks = || {
            vec![
                block(vec![part("main;a 300\nmain;b 100\n", Some(2.0))], 5.0),
                block(vec![part("main;a 300\n", None), part("main;b 100\n", None)], 2.0),
                block(vec![part("main;a 100\n", None)], 2.0),
            ]
        };
        let scaled =
            [named(0, "a", 1.5), named(0, "b", 0.5), named(1, "a", 1.5), named(1, "b", 0.5), named(2, "a", 1.0)];
        assert_eq!(seconds(blocks(), SampledTime::Clock), scaled);
        let as_sampled =
            [named(0, "a", 3.0), named(0, "b", 1.0), named(1, "a", 3.0), named(1, "b", 1.0), named(2, "a", 1.0)];
        assert_eq!(seconds(blocks(), SampledTime::Cpu), as_sampled);
    }

    #[test]
    fn a_waiting_process_does_not_scale_another() {
        // One process waits for a processor half of the time; the other does more than is sampled.
        let first = || Part { process: Some(1), ..part("main;a 200\n", Some(1.0)) };
        let second = || Part { process: Some(2), ..part("main;b 100\n", Some(3.0)) };
        let rest = SampledTime::ClockOfPart { rest: Some("the rest") };
        let named = |block, name: &str, seconds| (block, name.to_owned(), seconds);
        let found = seconds(vec![block(vec![first(), second()], 4.0)], rest);
        assert_eq!(found, [named(0, "a", 1.0), named(0, "b", 1.0), named(0, "the rest", 2.0)]);
    }

    /// Samples are few: a block with more of them makes up for one with fewer.
    #[test]
    fn the_factor_of_a_process_is_the_same_in_all_blocks() {
        let blocks =
            vec![block(vec![part("main;a 80\n", Some(1.0))], 1.2), block(vec![part("main;a 120\n", Some(1.0))], 1.2)];
        let found = seconds(blocks, SampledTime::ClockOfPart { rest: None });
        assert_eq!(found, [(0, "a".to_owned(), 0.8), (1, "a".to_owned(), 1.2)]);
    }

    #[test]
    fn kernel_counts_are_not_scaled_with_samples() {
        let unsampled = |process, what: &'static str| {
            let cpu = Duration::from_secs(1);
            crate::Unsampled { process, what: what.into(), cpu }
        };
        let unsampled = vec![unsampled(1, "compiler"), unsampled(2, "proxy")];
        let one = Block { unsampled, ..block(vec![part("main;a 800\n", None)], 4.0) };
        let found = seconds(vec![one], SampledTime::ClockOfPart { rest: None });
        let expected = [("a", 2.0), ("compiler", 1.0), ("proxy", 1.0)];
        assert_eq!(found, expected.map(|(name, seconds)| (0, name.to_owned(), seconds)));
    }

    #[test]
    fn scaling_down_stops_at_the_cpu_time_of_the_tree() {
        let stacks: String = (0..1000).map(|number| format!("main;f{number} 7\n")).collect();
        let blocks = || (0..5).map(|_| block(vec![part(&stacks, None)], 1.1)).collect();
        let taken = Taken { blocks: blocks(), ..Taken::default() };
        let profile = taken.profile(&sensor(SampledTime::Clock), Path::new("/private"), Naming::default()).unwrap();
        assert_eq!(tierup_profile::rank(&profile).of, tierup_profile::Whole::ProcessTree);
    }

    #[test]
    fn each_block_keeps_the_trees_cpu_and_an_idle_process_adds_nothing() {
        let blocks = vec![block(vec![part("main;a 100\n", None), part("", None)], 2.0)];
        let profile = Taken { blocks, ..Taken::default() }
            .profile(&sensor(SampledTime::Cpu), Path::new("/private"), Naming::default())
            .unwrap();
        assert_eq!((profile.cpu_of(0), profile.blocks(), profile.busy()), (Some(2.0), 1, 1.0));
    }
}
