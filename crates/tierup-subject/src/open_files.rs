//! The limit of open files, which connections count towards: shells give a soft limit of 1,024 and mostly a far higher
//! hard limit, up to which a process may raise the soft one.
//!
//! Only this process moves. A server that it starts is given the limit that the user's shell gave us ([`as_found`]), as
//! it would be without us: some programs raise it themselves, others take their time over every file they could have
//! open, or have tables for no more than 1,024. (Go's runtime raises its own limit too, and gives what it starts the
//! one it found.)

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limit that this process was started with.
static FOUND: OnceLock<Rlimit> = OnceLock::new();

/// Beside its connections: what the worker threads wait with, the pipes of servers, reports, the standard streams.
const OTHERS: u64 = 200;

/// It cannot have as many open files as it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{connections} connections need {needed} open files, but this process may open only {limit}")]
pub struct TooFew {
    pub connections: usize,
    pub needed: u64,
    /// The hard limit, which only root may raise.
    pub limit: u64,
}

impl TooFew {
    /// How many connections the limit has room for.
    pub fn most_connections(&self) -> u64 {
        self.limit.saturating_sub(OTHERS)
    }
}

/// The limit that was found, and the one that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserved {
    /// The soft limit that servers are started with; `None` where there is none.
    pub found: Option<u64>,
    pub needed: u64,
}

/// Raises this process's soft limit as far as so many connections need.
///
/// # Errors
/// Where the hard limit is lower.
pub fn reserve(connections: usize) -> Result<Reserved, TooFew> {
    let needed = connections as u64 + OTHERS;
    let found = *FOUND.get_or_init(|| getrlimit(Resource::Nofile));
    if let Some(limit) = found.maximum.filter(|limit| *limit < needed) {
        return Err(TooFew { connections, needed, limit });
    }
    let now = getrlimit(Resource::Nofile);
    if now.current.is_some_and(|current| current < needed) {
        // Below the hard limit this may not be refused; where it is all the same, connections will be, and said so.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(needed), ..now });
    }
    Ok(Reserved { found: found.current, needed })
}

/// While this lives, this process has the soft limit that it was started with, and what it starts inherits that. Files
/// that are open beyond it stay open.
#[must_use]
pub fn as_found() -> AsFound {
    let raised = getrlimit(Resource::Nofile);
    if let Some(found) = FOUND.get() {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: found.current, ..raised });
    }
    AsFound { raised }
}

/// See [`as_found`].
#[derive(Debug)]
pub struct AsFound {
    raised: Rlimit,
}

impl Drop for AsFound {
    fn drop(&mut self) {
        let _ = setrlimit(Resource::Nofile, self.raised);
    }
}
