//! Clients' connections, as metrics and the operator see them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The clients' connections of one proxy.
#[derive(Debug, Default)]
pub struct Connections {
    /// Those that are open now.
    pub open: AtomicU64,
    /// The most that may be.
    pub limit: AtomicU64,
    /// Those that rested and were closed so that a new client had a place.
    pub closed: AtomicU64,
    /// New clients that waited longer than two seconds for a place, as all were in use.
    pub waited: AtomicU64,
}

impl Connections {
    /// What the operator should know: one line for each kind of trouble, which stays the same.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let limit = self.limit.load(Relaxed);
        let closed = (self.closed.load(Relaxed) > 0).then(|| {
            format!(
                "warning: all {limit} places for clients are taken: for each new client, the connection that has \
                 rested longest is closed; --connections allows more"
            )
        });
        let waited = (self.waited.load(Relaxed) > 0).then(|| {
            format!(
                "warning: all {limit} places for clients are in use: new clients wait until one is free; --connections \
                 allows more"
            )
        });
        closed.into_iter().chain(waited)
    }
}
