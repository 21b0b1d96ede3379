//! Where there is no `/proc`: what is not known is not answered.

use std::thread::available_parallelism;

use super::{MachineCpu, ProcessesCpu};
use crate::record::{Environment, MemorySample};

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

    pub fn memory(&mut self) -> MemorySample {
        MemorySample::default()
    }

    pub fn resident(&self) -> u64 {
        0
    }
}

pub fn machine_cpu() -> Option<MachineCpu> {
    None
}

pub fn machine() -> Environment {
    Environment {
        processor: std::env::consts::ARCH.to_owned(),
        processors: available_parallelism().map_or(1.0, |count| count.get() as f64),
        kernel: std::env::consts::OS.to_owned(),
        lacks: vec!["CPU and memory of servers (read from /proc, so Linux only)".to_owned()],
        ..Environment::default()
    }
}
