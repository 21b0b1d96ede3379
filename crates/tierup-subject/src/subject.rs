//! What can be measured: something that can be started and then has an address.

use std::net::SocketAddr;

use crate::{processors::Processors, record::Trouble};

/// A server that is started anew for every block.
pub trait Subject {
    /// Starts it and waits until it listens. That it answers is waited for by the caller, who knows a request.
    ///
    /// # Errors
    /// Where it does not listen; then nothing of it runs.
    fn start(&mut self, pinned: Option<&Processors>) -> Result<Box<dyn Running>, Trouble>;

    /// Whether its processes are started here: only those can be kept on processors.
    fn starts_processes(&self) -> bool {
        true
    }
}

/// A server that runs. Dropping it ends it, where it was started here. Several are ended side by side, on threads.
pub trait Running: Send {
    fn address(&self) -> SocketAddr;

    /// What the `Host` header says.
    fn authority(&self) -> String;

    /// The process whose tree is the server's, where it is on this machine and known.
    fn pid(&self) -> Option<u32>;

    /// The last lines that it printed.
    fn log(&self) -> Vec<String>;

    /// How it ended, if it has.
    fn ended(&mut self) -> Option<String>;

    /// Ends it, where it was started here.
    fn stop(self: Box<Self>);
}

/// A server that runs already and goes on running: somebody else's.
#[derive(Debug, Clone)]
pub struct Standing {
    pub address: SocketAddr,
    pub authority: String,
    pub pid: Option<u32>,
}

impl Subject for Standing {
    fn start(&mut self, _pinned: Option<&Processors>) -> Result<Box<dyn Running>, Trouble> {
        Ok(Box::new(self.clone()))
    }

    fn starts_processes(&self) -> bool {
        false
    }
}

impl Running for Standing {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn authority(&self) -> String {
        self.authority.clone()
    }

    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn log(&self) -> Vec<String> {
        Vec::new()
    }

    fn ended(&mut self) -> Option<String> {
        None
    }

    fn stop(self: Box<Self>) {}
}
