//! What one run measured, as it is kept in `report.json`: raw results only. Every figure of a report is derived from it
//! ([`crate::analysis`]), so that `tierup report` can render it again, and others can check the arithmetic.
//!
//! Times are seconds unless a name says otherwise; sizes are bytes; CPU times are microseconds.

mod masked;

use serde::{Deserialize, Serialize};
pub use tierup_subject::{MemorySample, Trouble};

use crate::histogram::Latencies;

/// The version of this format. A report of another version is refused, not guessed at.
pub const FORMAT: u32 = 1;

/// One run of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of tierup that measured.
    pub tierup: String,
    /// What was measured, for headings: a project's name or an address.
    pub title: String,
    /// Shell words that repeat the run.
    pub command: String,
    /// When measuring began, RFC 3339.
    pub began: String,
    /// How long it took, from the first server's start to the last one's end.
    pub seconds: f64,
    pub environment: Environment,
    pub settings: Settings,
    pub requests: Requests,
    /// In the order of the table; the others refer to rows by their index here.
    pub rows: Vec<RowRecord>,
    /// The blocks that were finished, and the one that was interrupted as far as it came.
    pub blocks: Vec<Block>,
    /// Whether the user cut it short: some blocks are missing.
    pub interrupted: bool,
}

/// The machine, and what else it was doing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub processor: String,
    /// The processors that this run may use, as the scheduler and the cgroup's quota allow.
    pub processors: f64,
    pub memory: u64,
    pub kernel: String,
    /// Program and version, e.g. `node` and `20.20.2`.
    pub versions: Vec<(String, String)>,
    pub before: Busyness,
    pub after: Busyness,
    /// What could not be measured here, in words, e.g. PSS where there is none.
    pub lacks: Vec<String>,
}

/// How busy the machine was with other work, at rest: before the first server was started, and after the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Busyness {
    /// The processors that others kept busy, e.g. 0.3 of one, over a second.
    pub others: f64,
    /// The processors that a hypervisor took away (steal time), over the same second.
    pub stolen: f64,
    /// The load average over one minute.
    pub load: f64,
}

/// How it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The seed of every random choice: the order of slices and requests.
    pub seed: u64,
    pub blocks: usize,
    /// Connections kept busy in the closed loop, and at most used in the open one.
    pub connections: usize,
    /// Threads that generate load.
    pub workers: usize,
    /// Requests a second in the open loop, the same for every row; `None` where no row could set it.
    pub rate: Option<f64>,
    /// Where the rate comes from.
    pub rate_from: RateFrom,
    /// The length of a slice of the closed loop.
    pub closed_seconds: f64,
    /// The length of a slice of the open loop.
    pub open_seconds: f64,
    /// How long a request may take.
    pub timeout_seconds: f64,
    /// Which processors the servers ran on, and which the generator, where they were pinned (`0-1`). Servers that were not
    /// started here run where they do.
    pub server_processors: Option<String>,
    pub generator_processors: Option<String>,
    /// A ratio of less than this is not worth a change: 1.05 is 5 %.
    pub threshold: f64,
    /// Whether this was the short form, with fewer blocks.
    pub quick: bool,
    /// The user's peak and prices, where they named them: nothing is measured by these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// What a server has to carry at the user's, and what the machines for it cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Requests a second at the peak.
    pub peak: f64,
    /// The price of a vCPU for an hour, in `currency`.
    pub vcpu_hour: f64,
    /// The price of a GiB of memory for an hour.
    pub gib_hour: f64,
    /// As it stands beside an amount, e.g. `EUR`.
    pub currency: String,
    /// The share of its vCPUs that a pod should use at the peak, above 0 and up to 1.
    pub utilisation: f64,
    /// The size of a pod.
    pub pod_vcpus: f64,
    pub pod_gib: f64,
    /// Servers that run in any case.
    pub least_pods: u32,
}

/// Where the rate of the open loop comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateFrom {
    /// The user gave it.
    Asked,
    /// This share of what the reference row carried in the closed loop, in the median.
    ShareOfReference(f64),
}

/// What was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// Where they come from, for people.
    pub source: String,
    /// How many distinct requests made the load.
    pub distinct: usize,
    /// How many of the source's requests were checked but are no load, as the reference refuses them (4xx, 5xx).
    pub refused: usize,
    /// How many of the distinct ones the reference answers differently each time: only the status of these answers is
    /// verified under load, and they are compared without their bodies.
    #[serde(default)]
    pub varying: usize,
}

/// A row of the table: one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowRecord {
    /// E.g. `3:native`, or an address.
    pub label: String,
    /// The group that it is compared within, e.g. its host, `node`. Empty where there are no groups.
    pub group: String,
    pub role: Role,
    /// How much of a change it is, where rows are steps of a ladder: the greater, the more.
    pub step: u8,
    /// What the check found, before anything was measured.
    pub check: Check,
}

/// What a row is called wherever it stands alone: its label, with its group where it has one, `python 3:native`.
pub fn named(group: &str, label: &str) -> String {
    format!("{group} {label}").trim().to_owned()
}

impl RowRecord {
    pub(crate) fn named(&self) -> String {
        named(&self.group, &self.label)
    }
}

/// What a row is to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// All others of its group are compared with it.
    Reference,
    /// What no change of the measured function can beat inside its server.
    Ceiling,
    /// An alternative that takes no change of the kind that the ladder is about: what candidates have to beat.
    Alternative,
    /// What may be recommended.
    Candidate,
}

/// What the check before measuring found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Check {
    /// All answers were as the reference's; how many were compared, and how.
    Same { compared: usize, how: String },
    /// Nothing to compare with.
    Alone,
    /// Answers differ: how many of how many, and the first one in words.
    Different { different: usize, compared: usize, first: String },
    /// It could not be asked.
    Failed { trouble: Trouble },
}

/// One block: fresh servers, all rows interleaved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// One entry for each row of the run, in their order.
    pub rows: Vec<BlockRow>,
}

/// One row within a block.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockRow {
    /// From the start of its process until it was ready; `None` where it ran already.
    pub start_seconds: Option<f64>,
    pub warm_up: Option<WarmUp>,
    /// What went wrong under load that is not measured: in warm-up, and in trials of the rate. It counts like any other.
    #[serde(default)]
    pub unmeasured_failures: Failures,
    pub closed: Vec<Slice>,
    pub open: Vec<Slice>,
    /// Slices of the open loop at a higher rate than the run's, which the reference did not carry. They make no figure;
    /// what failed in them is in `unmeasured_failures`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_higher_rates: Vec<Slice>,
    pub memory: Option<Memory>,
    /// What kept it from being measured (further).
    pub trouble: Option<Trouble>,
}

/// Load that is not counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    pub seconds: f64,
    pub requests: u64,
    /// What a request cost in each of its loads: the server's CPU time, or where that cannot be seen, time.
    #[serde(default)]
    pub costs: Vec<f64>,
    /// Whether that had settled by the end.
    pub settled: bool,
}

/// One row under load for a while.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// When it began, since the run began.
    pub at: f64,
    /// Its planned length, in which `completed` was counted.
    pub seconds: f64,
    /// Right answers within `seconds`.
    pub completed: u64,
    /// Closed loop: right answers a second, from when each connection had its first answer, half of `seconds` at the
    /// latest. One that was under way at either edge counts by the share of its time within. `None` in the open loop, and
    /// where older versions measured.
    #[serde(default)]
    pub steady: Option<f64>,
    /// Right answers in all: also those that were under way at the end.
    pub answered: u64,
    /// Body bytes of the right answers in all.
    pub body_bytes: u64,
    pub failures: Failures,
    /// Open loop: planned within `seconds` and never sent, as no connection was free.
    pub unsent: u64,
    /// Sent again on a new connection, as the kept one ended without an answer: it had rested, or the server seems to
    /// close every connection after its answer. Those that this does not explain are failures.
    #[serde(default)]
    pub resent: u64,
    /// How long the answers that were under way at the end took.
    pub drain_seconds: f64,
    /// Right answers in each tenth of `seconds`.
    pub tenths: Vec<u32>,
    /// From sending (closed loop) or from the planned time (open loop) to the body's last byte; right answers only.
    pub latencies: Latencies,
    /// Open loop: by how much the generator sent later than planned although a connection was free.
    pub lags: Option<Latencies>,
    /// CPU of the server's whole process tree, until the last answer; `None` where it cannot be seen.
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
    /// Where the server's resident memory is sampled: seconds since the slice began, and bytes.
    pub resident: Vec<(f32, u64)>,
}

/// What went wrong, by kind. None of it counts as throughput.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// No connection could be made.
    pub refused: u64,
    /// The connection ended before the answer did, or before any of it came.
    pub closed: u64,
    pub timeouts: u64,
    /// Answered with another status than in the check.
    pub wrong_status: u64,
    /// Answered with another body than in the check.
    pub wrong_body: u64,
    /// Not HTTP, or a body larger than is read.
    pub malformed: u64,
}

/// Memory of a server's whole process tree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Ready, before any request.
    pub idle: MemorySample,
    /// The most that was seen: PSS at the edges of slices, RSS also within.
    pub peak: MemorySample,
    /// After the block's last request.
    pub end: MemorySample,
}

impl Slice {
    /// Right answers a second.
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

impl Record {
    /// The slices of one row in all blocks.
    pub fn slices(&self, row: usize, which: Loop) -> impl Iterator<Item = &Slice> {
        self.blocks.iter().filter_map(move |block| block.rows.get(row)).flat_map(move |row| match which {
            Loop::Closed => &row.closed,
            Loop::Open => &row.open,
        })
    }
}

/// The two experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// A fixed number of connections, each sending as soon as it has its answer: throughput.
    Closed,
    /// A fixed rate, whatever the answers do: latency.
    Open,
}
