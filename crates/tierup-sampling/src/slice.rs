//! A slice of time with the sensor. In: a running server, its sampler, and a function that runs meanwhile, such as the
//! load. Out: a block with the sampled parts, and the CPU time that the sampler does not see.

use tierup_bench::{loading::Loading, record::Slice};
use tierup_codegen::Sensor;
use tierup_subject::{ProcessesCpu, ServerProcesses, threads_of};

use crate::{Block, Error, sampler::Sampler, unsampled::Before};

/// A server whose processes are known.
pub(crate) trait Server {
    /// The server's processes. The one that was started comes first.
    fn pids(&mut self) -> Vec<u32>;

    fn cpu(&mut self) -> Option<ProcessesCpu>;
}

impl Server for Loading {
    fn pids(&mut self) -> Vec<u32> {
        self.pids()
    }

    fn cpu(&mut self) -> Option<ProcessesCpu> {
        self.cpu()
    }
}

impl Server for ServerProcesses {
    fn pids(&mut self) -> Vec<u32> {
        self.pids()
    }

    fn cpu(&mut self) -> Option<ProcessesCpu> {
        self.cpu()
    }
}

/// Samples a server until `meanwhile` returns. The block's slice without the sensor is empty.
pub(crate) fn sample<S: Server>(
    server: &mut S,
    sampler: &mut dyn Sampler,
    sensor: &Sensor,
    meanwhile: impl FnOnce(&mut S) -> Result<Slice, Error>,
) -> Result<Block, Error> {
    let pids = server.pids();
    sampler.start(&pids)?;
    let threads = if sensor.thread_rules.is_empty() { Vec::new() } else { threads_of(&pids) };
    #[cfg(target_os = "linux")]
    crate::prompt::hasten_sensor(&threads, sensor);
    let cpu = server.cpu();
    let before = Before::measure(&pids, &threads, sensor);
    let sampled = meanwhile(server)?;
    let used = before.until_now(&server.pids(), &sampler.threads());
    let cpu = cpu.zip(server.cpu()).and_then(|(before, after)| after.since(before));
    let parts = sampler.stop()?;
    if parts.is_empty() {
        return Err(Error::NoProcess { why: sampler.notes().into_iter().next(), log: Vec::new() });
    }
    let unsampled = used.outside(&parts.iter().map(|part| part.process).collect());
    Ok(Block { parts, cpu, unsampled, sampled, plain: Slice::default() })
}
