//! A server that can be started, and one that runs.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::processors::Processors;

/// A server that can be started, more than once.
pub trait Subject {
    /// Starts the server and waits until it listens. Only the caller knows a request, and can find out whether the
    /// server answers: see [`wait_until_it_answers`](crate::wait_until_it_answers).
    ///
    /// # Errors
    /// If the server does not listen, or the user interrupts. Then none of its processes is left.
    fn start(&self, starting: &Starting<'_>) -> Result<Box<dyn Running>, Trouble>;

    /// Whether tierup starts the server's processes: only those can be kept on processors, or be given an environment.
    fn starts_processes(&self) -> bool {
        true
    }
}

/// The conditions of a start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Starting<'a> {
    /// The processors on which the server is kept.
    pub pinned: Option<&'a Processors>,
    /// Variables that are added to those of its command.
    pub environment: &'a [(String, String)],
}

/// A server that runs. Dropping it ends the server if tierup started it. Several end at the same time, on threads.
pub trait Running: Send {
    fn address(&self) -> SocketAddr;

    /// The value of the `Host` header.
    fn authority(&self) -> String;

    /// The root of the server's processes, if it is on this machine and known.
    fn pid(&self) -> Option<u32>;

    /// The last lines that it printed.
    fn log(&self) -> Vec<String>;

    /// How the server ended, if it has ended.
    fn ended(&mut self) -> Option<String>;

    /// Ends the server, if tierup started it.
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
