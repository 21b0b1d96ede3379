//! One answer, as a load balancer logs it, and what it adds to the evidence.

use std::{net::IpAddr, time::Duration};

use tierup_rollout::{Bucket, Side, Weights, evidence::BadKind};

/// A client that leaves sooner without an answer may have had any reason, as in tierup's own proxy.
pub(crate) const LEAST_WAIT: Duration = Duration::from_secs(1);

/// An answer to one client's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The server that the weights chose for the client.
    pub(crate) side: Side,
    /// `None` for a status below 500.
    pub(crate) bad: Option<BadKind>,
    /// The time until the answer's head, if it arrived.
    pub(crate) took: Option<Duration>,
    /// The weights in force when the server was chosen.
    pub(crate) weights: Weights,
    pub(crate) client: Bucket,
    /// The address from which the client connected, if the log has it.
    pub(crate) address: Option<IpAddr>,
}

/// The side with a server of this name.
pub(crate) fn side(name: &str) -> Option<Side> {
    [Side::Control, Side::Candidate, Side::Twin].into_iter().find(|side| side.name() == name)
}
