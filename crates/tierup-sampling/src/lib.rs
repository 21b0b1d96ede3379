//! Samples a server under load with the sensor of its host, in blocks, and measures how much the sensor slows it.
//!
//! In: a server that can be started, requests, and a [`Sensor`](tierup_codegen::Sensor), whose files are in a
//! [`Private`] folder. Out: [`Taken`], the sensor's profiles as it wrote them with the counts of the same time, which
//! can be assembled into one [`Profile`](tierup_profile::Profile). [`witness`] sends single requests instead, while a
//! [`Witness`](tierup_codegen::Witness) sees the arguments of functions.

mod assembled;
mod error;
mod fetch;
mod private;
#[cfg(target_os = "linux")]
mod prompt;
mod run;
mod sampler;
mod slice;
mod soon;
mod taken;
mod unsampled;
mod watch;
mod witnessing;

pub use error::Error;
pub use fetch::{Fetching, fetch, own_pprof};
pub use private::Private;
pub use run::{BLOCKS, Budget, Event, Observer, Plan, take};
pub use taken::{Block, Part, RouteSlices, Taken};
pub use unsampled::Unsampled;
pub use watch::{Watching, watch};
pub use witnessing::{WitnessPlan, Witnessed, witness};
