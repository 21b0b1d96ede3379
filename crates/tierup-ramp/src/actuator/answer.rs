//! One answer, as a load balancer logs it, and its part in the evidence.

use std::{net::IpAddr, time::Duration};

use tierup_rollout::{Bucket, Side, Weights, evidence::BadKind};

/// A client that leaves without an answer sooner than this may have left for any reason, as in tierup's own proxy.
pub(crate) const LEAST_WAIT: Duration = Duration::from_secs(1);

/// An answer to one client's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The server that the weights chose for the client.
    pub(crate) side: Side,
    /// `None`: a status below 500.
    pub(crate) bad: Option<BadKind>,
    /// Until the answer's head arrived, where one did.
    pub(crate) took: Option<Duration>,
    /// In force when the server was chosen.
    pub(crate) weights: Weights,
    /// The client.
    pub(crate) client: Bucket,
    /// Where it connected from, if the log says so.
    pub(crate) address: Option<IpAddr>,
}

/// The side of a server's name.
pub(crate) fn side(name: &str) -> Option<Side> {
    [Side::Control, Side::Candidate, Side::Twin].into_iter().find(|side| side.name() == name)
}
