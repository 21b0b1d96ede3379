//! A row's server within a block.

use std::{sync::Arc, time::Instant};

use tierup_subject::{MemorySample, Running, ServerProcesses};

use crate::{load::Workload, record::WarmUp};

/// Equal parts of a slice whose answers are counted apart.
pub(super) const SLICE_PARTS: usize = 10;

/// A row's server within a block.
pub(super) struct Entrant {
    pub(super) row: usize,
    pub(super) running: Box<dyn Running>,
    pub(super) processes: Option<ServerProcesses>,
    pub(super) workload: Arc<Workload>,
    /// Its warm-up so far, and when it was last loaded for it.
    pub(super) warm_up: WarmUp,
    pub(super) loaded: Instant,
}

impl Entrant {
    pub(super) fn memory(&mut self) -> MemorySample {
        self.processes.as_mut().map(ServerProcesses::memory).unwrap_or_default()
    }
}
