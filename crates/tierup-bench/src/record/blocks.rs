//! The raw results of a run: blocks, the slices of each row in them, failures and memory.

use serde::{Deserialize, Serialize};
use tierup_subject::{MemorySample, Trouble};

use crate::histogram::Latencies;

/// One block: fresh servers, all rows interleaved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// One entry for each row of the run, in their order.
    pub rows: Vec<BlockRow>,
}

/// One row within a block.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockRow {
    /// From the start of its process until it was ready; `None` if it ran already.
    pub start_seconds: Option<f64>,
    pub warm_up: Option<WarmUp>,
    /// Failures under load that is not measured: in warm-up, and in trials of the rate. They count like all other
    /// failures.
    #[serde(default)]
    pub unmeasured_failures: Failures,
    pub closed: Vec<Slice>,
    pub open: Vec<Slice>,
    /// Slices of the open loop at a higher rate than the run's, which the reference did not carry. No figure uses them;
    /// their failures are in `unmeasured_failures`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_higher_rates: Vec<Slice>,
    pub memory: Option<Memory>,
    /// How often a server that keeps answers had them in memory, in the measured slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<Reuse>,
    /// Why it was not measured, or not further.
    pub trouble: Option<Trouble>,
}

/// The load before measuring, which does not count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    pub seconds: f64,
    pub requests: u64,
    /// The cost of a request in each of its loads: the server's CPU time, or elapsed time if CPU time is not known.
    #[serde(default)]
    pub costs: Vec<f64>,
    /// Whether the cost had settled by the end.
    pub settled: bool,
}

/// One row under load for some time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// When it began, from the beginning of the run.
    pub at: f64,
    /// Its planned length, in which `completed` was counted.
    pub seconds: f64,
    /// Right answers within `seconds`.
    pub completed: u64,
    /// Closed loop: right answers per second, counted after each connection had its first answer, and at the latest
    /// after half of `seconds`. A request that was under way at either edge counts by the share of its time within.
    /// `None` in the open loop, and in records of older versions.
    #[serde(default)]
    pub steady: Option<f64>,
    /// All right answers, including those that were under way at the end.
    pub answered: u64,
    /// Body bytes of all right answers.
    pub body_bytes: u64,
    pub failures: Failures,
    /// Open loop: requests planned within `seconds` and never sent, as no connection was free.
    pub unsent: u64,
    /// Requests sent again on a new connection because the kept one ended without an answer: it had rested, or the
    /// server seems to close every connection after its answer. Requests lost for other reasons are failures.
    #[serde(default)]
    pub resent: u64,
    /// How long the answers that were under way at the end still took.
    pub drain_seconds: f64,
    /// Right answers in each tenth of `seconds`.
    pub tenths: Vec<u32>,
    /// From sending (closed loop) or from the planned time (open loop) to the body's last byte; right answers only.
    pub latencies: Latencies,
    /// Open loop: how late the generator sent requests although a connection was free.
    pub lags: Option<Latencies>,
    /// CPU of the server's whole process tree, until the last answer; `None` if it cannot be measured.
    pub server_cpu: Option<f64>,
    /// CPU of the load generator over the same time.
    pub generator_cpu: f64,
    /// The busiest generating thread's CPU, as a share of the time.
    pub generator_busiest: f64,
    /// CPU of everything else on the machine over the same time.
    pub other_cpu: Option<f64>,
    /// CPU of everything on the machine over the same time.
    #[serde(default)]
    pub machine_cpu: Option<f64>,
    /// Samples of the server's resident memory, if available: seconds since the slice began, and bytes.
    pub resident: Vec<(f32, u64)>,
}

/// Failed requests, by kind. They do not count as throughput.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// No connection could be made.
    pub refused: u64,
    /// The connection ended before the answer was complete, or before it began.
    pub closed: u64,
    pub timeouts: u64,
    /// The status differs from the one in the check.
    pub wrong_status: u64,
    /// The body differs from the one in the check.
    pub wrong_body: u64,
    /// The answer is not HTTP, or its body exceeds the limit.
    pub malformed: u64,
}

/// Memory of a server's whole process tree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// When the server was ready, before any request.
    pub idle: MemorySample,
    /// The most that was seen: PSS at the edges of slices, RSS also within them.
    pub peak: MemorySample,
    /// After the block's last request.
    pub end: MemorySample,
}

/// How often a server answered calls from memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reuse {
    /// Calls of the functions whose answers it keeps.
    pub calls: u64,
    /// Calls that were answered from memory.
    pub hits: u64,
    /// How many answers it kept at the end, in all its processes.
    pub entries: u64,
    /// About how many bytes the kept answers took.
    pub bytes: u64,
}

impl Reuse {
    /// The calls since an earlier time, and the answers that are kept now.
    #[must_use]
    pub fn since(self, before: Reuse) -> Reuse {
        let (calls, hits) = (self.calls.saturating_sub(before.calls), self.hits.saturating_sub(before.hits));
        Reuse { calls, hits, ..self }
    }
}

impl Slice {
    /// Right answers per second.
    pub fn throughput(&self) -> f64 {
        self.steady.unwrap_or(if self.seconds > 0.0 { self.completed as f64 / self.seconds } else { 0.0 })
    }
}

impl Failures {
    pub fn total(&self) -> u64 {
        let Failures { refused, closed, timeouts, wrong_status, wrong_body, malformed } = self;
        refused + closed + timeouts + wrong_status + wrong_body + malformed
    }

    /// Each kind that occurred, in words.
    pub fn kinds(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("connections refused", self.refused),
            ("connections closed before the answer", self.closed),
            ("timeouts", self.timeouts),
            ("answers with a wrong status", self.wrong_status),
            ("answers with a wrong body", self.wrong_body),
            ("answers that are not HTTP or too large", self.malformed),
        ];
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

impl std::ops::AddAssign for Failures {
    fn add_assign(&mut self, other: Failures) {
        self.refused += other.refused;
        self.closed += other.closed;
        self.timeouts += other.timeouts;
        self.wrong_status += other.wrong_status;
        self.wrong_body += other.wrong_body;
        self.malformed += other.malformed;
    }
}

/// The two experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// A fixed number of connections, each of which sends as soon as it has its answer. Measures throughput.
    Closed,
    /// A fixed rate, independent of the answers. Measures latency.
    Open,
}
