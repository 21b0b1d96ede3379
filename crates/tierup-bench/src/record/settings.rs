//! How a run of servers was measured: its settings, the user's prices, its requests.

use serde::{Deserialize, Serialize};

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
    /// What a step up the ladder is taken to cost, in cores.
    #[serde(default = "a_step")]
    pub step_cores: f64,
    /// Whether this was the short form, with fewer blocks.
    pub quick: bool,
    /// The user's peak and prices, where they named them: nothing is measured by these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// The price of a step where the user names none.
pub const A_STEP: f64 = 0.05;

fn a_step() -> f64 {
    A_STEP
}

/// The user's peak load, and the prices of machines.
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

/// The requests that were sent.
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
    /// How often each was sent.
    #[serde(default)]
    pub order: Order,
    /// The share of them that had been sent before, in one pass through their order, 0..=1. Later passes only repeat.
    #[serde(default)]
    pub repeated: f64,
}

/// How often each request was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// In rounds of all templates.
    #[default]
    Rounds,
    /// As they were recorded.
    Recorded,
    /// By Zipf's law with this exponent.
    Skewed(f64),
}

impl From<tierup_requests::Mix> for Order {
    fn from(mix: tierup_requests::Mix) -> Order {
        match mix {
            tierup_requests::Mix::Rounds => Order::Rounds,
            tierup_requests::Mix::Recorded => Order::Recorded,
            tierup_requests::Mix::Skewed(exponent) => Order::Skewed(exponent),
        }
    }
}
