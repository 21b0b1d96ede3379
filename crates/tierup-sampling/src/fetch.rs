//! Fetches profiles that a server takes of itself, as Go's `net/http/pprof` does at a URL. In: the server's address and
//! the request. Out: profiles by blocks, and the CPU time of the server's processes, where it is known.

use std::{net::SocketAddr, time::Duration};

use tierup_bench::record::Slice;
use tierup_codegen::{Allocations, Files, ProfileFormat, SampledTime, Sampling, Sensor};
use tierup_runner::Interrupts;
use tierup_subject::{Prepared, Questions, ServerProcesses, Unanswered, ask};

use crate::{Block, Error, Event, Observer, Part, Taken};

/// The answer may take this much longer than the profile.
const MORE: Duration = Duration::from_secs(30);

/// A server that takes profiles of itself.
pub struct Fetching<'a> {
    pub address: SocketAddr,
    /// The server answers it with a profile of `length`.
    pub request: &'a [Prepared],
    pub blocks: usize,
    pub length: Duration,
    /// The server's process. Its CPU time is counted with that of its descendants.
    pub process: Option<u32>,
}

/// The sensor of a server that samples itself.
pub fn own_pprof() -> Sensor {
    Sensor {
        title: "the server's own pprof",
        files: Files::new(),
        preparation: Vec::new(),
        environment: Vec::new(),
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::Pprof,
        time: SampledTime::Cpu,
        thread_rules: &[],
        allocations: Allocations::Uncounted,
        not_sampled: "",
        hint: "give the address of net/http/pprof, such as http://127.0.0.1:6060/debug/pprof".to_owned(),
    }
}

/// Fetches the profiles one after another. An interrupt closes the connection, and the server stops sampling.
///
/// # Errors
/// The process does not exist, the server does not answer with a profile, or the user interrupts.
pub fn fetch(fetching: &Fetching<'_>, interrupts: &Interrupts, observer: &mut dyn Observer) -> Result<Taken, Error> {
    let mut processes = fetching.process.map(ServerProcesses::new);
    if let (Some(pid), Some(processes)) = (fetching.process, &mut processes)
        && cfg!(target_os = "linux")
        && processes.pids().is_empty()
    {
        return Err(Error::NotThere(pid));
    }
    let questions = Questions {
        address: fetching.address,
        requests: fetching.request,
        width: 1,
        patience: fetching.length + MORE,
        interrupted: &|| interrupts.arrived(),
    };
    let mut taken = Taken::default();
    for number in 0..fetching.blocks {
        let left = fetching.length * (fetching.blocks - number) as u32;
        observer.sees(Event::Block { number: number + 1, of: fetching.blocks, left });
        let before = processes.as_mut().and_then(ServerProcesses::cpu);
        let answers = ask(&questions).map_err(|why| match why {
            Unanswered::Interrupted => Error::Interrupted,
            why => Error::NoProfile(why.to_string()),
        })?;
        let after = processes.as_mut().and_then(ServerProcesses::cpu);
        let cpu = before.zip(after).and_then(|(before, after)| after.since(before));
        let parts = answers.into_iter().map(|answer| match answer.status {
            200 => Ok(Part::new(fetching.process, answer.body.to_vec())),
            status => {
                let text = String::from_utf8_lossy(&answer.body);
                let first: String = text.lines().next().unwrap_or_default().chars().take(200).collect();
                Err(Error::NoProfile(format!("it answered with status {status}: {first}")))
            }
        });
        let parts = parts.collect::<Result<_, _>>()?;
        taken.blocks.push(Block {
            parts,
            cpu,
            unsampled: Vec::new(),
            sampled: Slice::default(),
            plain: Slice::default(),
        });
    }
    Ok(taken)
}
