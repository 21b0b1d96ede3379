//! A server that can be started, and one that runs.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::processors::Processors;

/// A server that can be started, more than once.
pub trait Subject {
    /// Starts it and waits until it listens. Only the caller knows a request and can find out whether it answers: see
    /// [`wait_until_it_answers`](crate::wait_until_it_answers).
    ///
    /// # Errors
    /// If it does not listen, or the user interrupts. Then nothing of it runs.
    fn start(&self, starting: &Starting<'_>) -> Result<Box<dyn Running>, Trouble>;

    /// Whether its processes are started here: only those can be kept on processors, or be given an environment.
    fn starts_processes(&self) -> bool {
        true
    }
}

/// The conditions of a start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Starting<'a> {
    /// The processors that it is kept on.
    pub pinned: Option<&'a Processors>,
    /// Variables beside those of its command.
    pub environment: &'a [(String, String)],
}

/// A server that runs. Dropping it ends it if it was started here. Several end side by side, on threads.
pub trait Running: Send {
    fn address(&self) -> SocketAddr;

    /// The value of the `Host` header.
    fn authority(&self) -> String;

    /// The root of the server's processes, if it is on this machine and known.
    fn pid(&self) -> Option<u32>;

    /// The last lines that it printed.
    fn log(&self) -> Vec<String>;

    /// How it ended, if it has.
    fn ended(&mut self) -> Option<String>;

    /// Ends it, if it was started here.
    fn stop(self: Box<Self>);
}

/// Why a server cannot be asked any further.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// E.g. `it did not answer within 30 s`.
    pub what: String,
    /// The last lines of its log.
    pub log: Vec<String>,
}
