//! Processes on systems without `/proc`: nothing is known of them.

use super::{MemorySample, ProcessesCpu, ThreadCpu};

/// Nothing can be seen of them.
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

/// Nobody tells.
pub fn name_of(_pid: u32) -> Option<String> {
    None
}

/// Nobody tells.
pub fn parent_of(_pid: u32) -> Option<u32> {
    None
}

/// Nobody tells.
pub fn cpu_of(_pid: u32) -> Option<std::time::Duration> {
    None
}

/// Nobody tells.
pub fn threads_of(_pids: &[u32]) -> Vec<ThreadCpu> {
    Vec::new()
}
