//! Flags for a shadow's evidence and metrics.

use std::{
    net::{SocketAddr, TcpListener},
    str::FromStr,
};

use clap::Args;
use tierup_rollout::Side;

use crate::{failure::Result, metrics};

#[derive(Args)]
#[group(skip)]
pub(super) struct Flags {
    /// The size of all evidence files in the state folder, in MiB; the oldest are removed, those of earlier runs too
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    evidence_limit: u64,
    /// The address for Prometheus: http://ADDRESS/metrics. Routes and counts are shown to everybody who can reach it. /livez and
    /// /readyz answer an orchestrator's probes there
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,
    /// Processes whose CPU time counts as a server's, where tierup did not start it, e.g. `control=812,candidate=907`
    #[arg(long, value_delimiter = ',', value_name = "SIDE=PID,…")]
    pids: Vec<Process>,
}

/// A process of a side.
#[derive(Debug, Clone, Copy)]
struct Process {
    side: Side,
    pid: u32,
}

impl FromStr for Process {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Process, String> {
        let wrong = || format!("must be `control=PID`, `candidate=PID` or `twin=PID`, got `{text}`");
        let (side, pid) = text.split_once('=').ok_or_else(wrong)?;
        let side = match side {
            "control" => Side::Control,
            "candidate" => Side::Candidate,
            "twin" => Side::Twin,
            _ => return Err(wrong()),
        };
        let pid = pid.parse().ok().filter(|pid| *pid > 0).ok_or_else(wrong)?;
        Ok(Process { side, pid })
    }
}

impl Flags {
    /// The limit of the evidence, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.evidence_limit << 20
    }

    /// The processes from `--pids`.
    pub(super) fn processes(&self) -> Vec<(Side, u32)> {
        self.pids.iter().map(|process| (process.side, process.pid)).collect()
    }

    /// The socket for Prometheus, if an address is given.
    pub(super) fn metrics(&self) -> Result<Option<TcpListener>> {
        metrics::bind(self.metrics)
    }
}
