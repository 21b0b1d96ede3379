//! What is known about a machine without `/proc`; the rest is `None`.

use std::thread::available_parallelism;

use super::MachineCpu;
use crate::record::Environment;

pub(crate) fn machine_cpu() -> Option<MachineCpu> {
    None
}

pub(crate) fn machine() -> Environment {
    Environment {
        processor: std::env::consts::ARCH.to_owned(),
        processors: available_parallelism().map_or(1.0, |count| count.get() as f64),
        kernel: std::env::consts::OS.to_owned(),
        lacks: vec!["CPU and memory of servers (read from /proc, so Linux only)".to_owned()],
        ..Environment::default()
    }
}
