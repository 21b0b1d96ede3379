//! The processor time of the servers' processes, for the evidence. In: each side's processes. Out: a [`Processor`].

use std::{collections::BTreeMap, mem};

use tierup_rollout::Side;
use tierup_subject::{ProcessesCpu, ServerProcesses};

use crate::ledger::Processor;

/// Counts the time of these processes and of their child processes.
pub fn processor_time(processes: impl IntoIterator<Item = (Side, u32)>) -> Box<Processor> {
    let mut all: BTreeMap<Side, Vec<Used>> = BTreeMap::new();
    for (side, pid) in processes {
        let mut processes = ServerProcesses::new(pid);
        let before = processes.cpu();
        all.entry(side).or_default().push(Used { processes, before });
    }
    Box::new(move |side| {
        // All are read, even if one is unknown, as their next period begins here.
        let each: Vec<_> = all.get_mut(&side)?.iter_mut().map(Used::since).collect();
        each.into_iter().sum()
    })
}

/// A process of a server.
struct Used {
    processes: ServerProcesses,
    before: Option<ProcessesCpu>,
}

impl Used {
    /// Processor time since the last call, in seconds; `None` if it is unknown.
    fn since(&mut self) -> Option<f64> {
        let now = self.processes.cpu();
        let before = mem::replace(&mut self.before, now);
        Some(now?.since(before?)?.as_secs_f64())
    }
}
