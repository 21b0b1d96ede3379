//! For systems where tierup cannot list the machine's processes.

use rustix::process::Pid;

/// Finds no processes.
#[derive(Debug)]
pub(crate) struct Members;

impl Members {
    pub(crate) fn new(_: Pid, _: &str) -> Members {
        Members
    }

    pub(crate) fn look_up(&mut self) -> Vec<Pid> {
        Vec::new()
    }
}
