//! How a run of servers was measured: its settings, the user's prices, its requests.

use serde::{Deserialize, Serialize};

/// How it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The seed of every random choice: the order of slices and requests.
    pub seed: u64,
    pub blocks: usize,
    /// The number of connections: all are kept busy in the closed loop, and it is the maximum in the open loop.
    pub connections: usize,
    /// Threads that generate load.
    pub workers: usize,
    /// Requests per second in the open loop, the same for every row; `None` if no row could set it.
    pub rate: Option<f64>,
    /// Where the rate comes from.
    pub rate_from: RateFrom,
    /// The length of a slice of the closed loop.
    pub closed_seconds: f64,
    /// The length of a slice of the open loop.
    pub open_seconds: f64,
    /// How long a request may take.
    pub timeout_seconds: f64,
    /// The processors of the servers and of the generator, if they were pinned (`0-1`). Servers that were not started
    /// here are not pinned.
    pub server_processors: Option<String>,
    pub generator_processors: Option<String>,
    /// A ratio of less than this is not worth a change: 1.05 is 5 %.
    pub threshold: f64,
    /// The assumed price of a step up the ladder, in cores.
    #[serde(default = "a_step")]
    pub step_cores: f64,
    /// Whether this was the short form, with fewer blocks.
    pub quick: bool,
    /// The user's peak and prices, if they named them. They do not affect the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// The price of a step if the user names none.
pub const A_STEP: f64 = 0.05;

fn a_step() -> f64 {
    A_STEP
}

/// The user's peak load, and the prices of machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Requests per second at the peak.
    pub peak: f64,
    /// The price of a vCPU for an hour, in `currency`.
    pub vcpu_hour: f64,
    /// The price of a GiB of memory for an hour.
    pub gib_hour: f64,
    /// The currency as it is written beside an amount, e.g. `EUR`.
    pub currency: String,
    /// The share of its vCPUs that a pod should use at the peak, above 0 and up to 1.
    pub utilisation: f64,
    /// The size of a pod.
    pub pod_vcpus: f64,
    pub pod_gib: f64,
    /// The least number of servers.
    pub least_pods: u32,
}

/// Where the rate of the open loop comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateFrom {
    /// The user gave it.
    Asked,
    /// This share of the reference row's median throughput in the closed loop.
    ShareOfReference(f64),
}

/// The requests that were sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// Where the requests come from, for people.
    pub source: String,
    /// How many distinct requests made the load.
    pub distinct: usize,
    /// How many of the source's requests were checked but left out of the load, as the reference refuses them (4xx,
    /// 5xx).
    pub refused: usize,
    /// How many of the distinct requests the reference answers differently each time. These are compared without their
    /// bodies, and under load only their status is verified.
    #[serde(default)]
    pub varying: usize,
    /// How often each request was sent.
    #[serde(default)]
    pub order: Order,
    /// The share of requests that repeat earlier ones within one pass through the order, 0..=1. Later passes only
    /// repeat.
    #[serde(default)]
    pub repeated: f64,
}

/// How often each request was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Every template once in each round.
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
