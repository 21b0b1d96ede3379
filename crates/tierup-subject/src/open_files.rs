//! The limit of open files, which connections count towards: shells give a soft limit of 1,024 and mostly a far higher
//! hard limit, up to which a process may raise the soft one.
//!
//! Only this process's limit changes. A server that it starts gets the limit that the user's shell gave us
//! ([`as_found`]), as it would without us: some programs raise it themselves, others take their time over every file
//! they could have open, or have tables for no more than 1,024. (Go's runtime also raises its own limit, and gives the
//! original one to what it starts.)

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[cfg(not(unix))]
use self::unlimited::{Resource, Rlimit, getrlimit, setrlimit};

/// The limit that this process was started with.
static FOUND: OnceLock<Rlimit> = OnceLock::new();
/// Held while the limit is lowered or raised.
static TURN: Mutex<()> = Mutex::new(());

/// Descriptors other than connections: for worker threads to wait with, servers' pipes, reports, the standard streams.
const OTHERS: u64 = 200;

/// This process cannot have as many open files as it needs.
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
    /// The soft limit that servers are started with; `None` if there is no limit.
    pub found: Option<u64>,
    pub needed: u64,
}

/// Raises this process's soft limit as far as this many connections need.
///
/// # Errors
/// If the hard limit is lower.
pub fn reserve(connections: usize) -> Result<Reserved, TooFew> {
    let needed = connections as u64 + OTHERS;
    let found = *FOUND.get_or_init(|| getrlimit(Resource::Nofile));
    if let Some(limit) = found.maximum.filter(|limit| *limit < needed) {
        return Err(TooFew { connections, needed, limit });
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let now = getrlimit(Resource::Nofile);
    if now.current.is_some_and(|current| current < needed) {
        // Up to the hard limit, this cannot be refused. If it is all the same, connections fail and are reported.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(needed), ..now });
    }
    Ok(Reserved { found: found.current, needed })
}

/// While this lives, this process has the soft limit that it was started with, and whatever it starts inherits that.
/// Files that are open beyond it stay open. Threads take turns: each would otherwise mistake the other's lowered limit
/// for the raised one.
#[must_use]
pub fn as_found() -> AsFound {
    let lowered = FOUND.get().map(|found| {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let raised = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: found.current, ..raised });
        (raised, turn)
    });
    AsFound { lowered }
}

/// See [`as_found`].
#[derive(Debug)]
pub struct AsFound {
    lowered: Option<(Rlimit, MutexGuard<'static, ()>)>,
}

impl Drop for AsFound {
    fn drop(&mut self) {
        if let Some((raised, _turn)) = self.lowered.take() {
            let _ = setrlimit(Resource::Nofile, raised);
        }
    }
}

/// Windows has no such limit.
#[cfg(not(unix))]
mod unlimited {
    use std::io;

    pub(super) enum Resource {
        Nofile,
    }

    #[derive(Debug, Clone, Copy)]
    pub(super) struct Rlimit {
        pub(super) current: Option<u64>,
        pub(super) maximum: Option<u64>,
    }

    pub(super) fn getrlimit(_: Resource) -> Rlimit {
        Rlimit { current: None, maximum: None }
    }

    pub(super) fn setrlimit(_: Resource, _: Rlimit) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{sync::mpsc, thread, time::Duration};

    use super::*;

    #[test]
    fn starts_on_several_threads_leave_the_limit_raised() {
        let before = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: Some(256), ..before }).unwrap();
        let reserved = reserve(100).unwrap();
        assert_eq!((reserved.found, reserved.needed), (Some(256), 300));
        let current = || getrlimit(Resource::Nofile).current;
        let (tell, told) = mpsc::channel::<()>();
        let first = as_found();
        assert_eq!(current(), Some(256));
        let second = thread::spawn(move || {
            let _second = as_found();
            told.recv().unwrap();
        });
        // Long enough for the other thread to lower it too, if it could.
        thread::sleep(Duration::from_millis(100));
        drop(first);
        tell.send(()).unwrap();
        second.join().unwrap();
        assert_eq!(current(), Some(300));
        setrlimit(Resource::Nofile, before).unwrap();
    }
}
