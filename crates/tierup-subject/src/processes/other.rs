//! Processes on systems without `/proc`: all answers are empty.

use super::{MemorySample, ProcessesCpu, ThreadCpu};

/// A server's processes, of which this system shows nothing.
#[derive(Debug)]
pub struct ServerProcesses;

impl ServerProcesses {
    pub fn new(_root: u32) -> ServerProcesses {
        ServerProcesses
    }

    pub fn cpu(&mut self) -> Option<ProcessesCpu> {
        None
    }

    pub fn pids(&mut self) -> Vec<u32> {
        Vec::new()
    }

    pub fn memory(&mut self) -> MemorySample {
        MemorySample::default()
    }

    pub fn resident(&self) -> u64 {
        0
    }
}

/// Not known on this system.
pub fn name_of(_pid: u32) -> Option<String> {
    None
}

/// Not known on this system.
pub fn parent_of(_pid: u32) -> Option<u32> {
    None
}

/// Not known on this system.
pub fn cpu_of(_pid: u32) -> Option<std::time::Duration> {
    None
}

/// Not known on this system.
pub fn threads_of(_pids: &[u32]) -> Vec<ThreadCpu> {
    Vec::new()
}
