//! The parts of a [`Shadow`](crate::Shadow), for tests and measurements that put them together in other ways.

pub use crate::{
    collector::{Answered, Collector, Compared, Connections, Counter, Note, Outcome, Regime, Route, Took},
    copy::{Copied, Copies, NotCopied, Sample},
    descriptors::Descriptors,
    evidence_file::EvidenceFile,
    hidden::Hidden,
    in_force::{Assigned, InForce, Mirrored},
    ledger::{Ledger, Processor},
    mirror::{Candidate, Mirror, ShareError},
    pacing::Pacing,
    processor_time::processor_time,
    proxy::Proxy,
    report::{Decision, Step},
    sample::{Effects, Safe},
    settings::{AddressError, Settings, Sharing},
    steer::Steering,
    summary::Change,
};
