//! A program together with all its descendants: cluster workers, pool workers, their children.
//!
//! A [`Tree`] has its own process group, so that Ctrl-C reaches only tierup, which decides what happens. If a
//! descendant leaves the group, an inherited environment variable still tells which tree it belongs to.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), path = "tree/unseen.rs")]
mod processes;
#[cfg(unix)]
mod unix;

use std::{
    process::Command,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{SystemTime, UNIX_EPOCH},
};

#[cfg(not(unix))]
pub(crate) use other::{Tree, ending};
#[cfg(unix)]
pub(crate) use processes::Members;
#[cfg(unix)]
pub(crate) use unix::{Tree, ending};

/// The variable that marks a tree's processes. It names all trees that a process is in, separated by `:`.
const MARK: &str = "TIERUP_PROCESS_TREE";

/// A polite request to exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The signal of Ctrl-C.
    Interrupt,
    /// The signal of service managers.
    Terminate,
}

/// Gives a command a mark that is unique on this machine, in addition to the marks that it inherits.
fn mark(command: &mut Command) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let own = format!("{}-{}-{now}", std::process::id(), COUNT.fetch_add(1, Relaxed));
    let all = match std::env::var(MARK) {
        Ok(inherited) => format!("{inherited}:{own}"),
        Err(_) => own.clone(),
    };
    command.env(MARK, all);
    own
}
