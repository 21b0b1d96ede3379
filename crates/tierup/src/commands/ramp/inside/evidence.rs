//! The counts of processes by file and process, so that a judge can tell which are new. In: the folder beside a control
//! file. Out: counts.

use std::{collections::BTreeMap, fs, path::Path};

use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};
use tierup_check::Inside;
use tierup_project::Loaded;
use tierup_rollout::InsideCounts;

use crate::{
    commands::shadow::{evidence_inside, found_inside},
    failure::Result,
};

pub(super) type Parts = BTreeMap<String, InsideCounts>;

/// All evidence; empty before the first call, when there is no folder yet.
pub(super) fn found(file: &Path, loaded: &Loaded) -> Result<Inside> {
    if evidence_inside(file).is_dir() { found_inside(file, loaded) } else { Ok(Inside::default()) }
}

pub(super) fn parts(inside: &Inside) -> Parts {
    let files = inside.files.iter().map(|(name, counts)| (format!("file {name}"), compared(counts)));
    let hosts = inside.hosts.iter().map(|(name, counts)| (format!("process {name}"), called(counts)));
    files.chain(hosts).collect()
}

/// The comparisons in one evidence file.
fn compared(counts: &BTreeMap<String, u64>) -> InsideCounts {
    let of = |name| counts.get(name).copied().unwrap_or_default();
    let different = of("different").saturating_sub(of("alike"));
    InsideCounts { compared: of("compared"), different, ..InsideCounts::default() }
}

/// The calls of one process.
fn called(counts: &BTreeMap<String, u64>) -> InsideCounts {
    let of = |name| counts.get(name).copied().unwrap_or_default();
    InsideCounts {
        calls: of("calls"),
        sampled: of("sampled"),
        too_large: of("too_large"),
        different: of("refused").saturating_add(of("erred")),
        shared: of("shared"),
        panics: of("panics"),
        timeouts: of("timeouts"),
        lost: of("lost"),
        pairs: of("pairs"),
        ahead: of("ahead"),
        behind: of("behind"),
        squares: of("squares"),
        control_ns: of("control_ns"),
        candidate_ns: of("candidate_ns"),
        ..InsideCounts::default()
    }
}

/// Counts processes that died in a call of a ramp's candidate (`3:native 3f2a9c01`), before any other one starts.
pub(super) fn deaths(file: &Path, candidate: &str) -> u64 {
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let entries = fs::read_dir(evidence_inside(file)).into_iter().flatten().flatten();
    entries.filter(|entry| is_death(&entry.path(), candidate, &machine)).count() as u64
}

/// Packages write `PID-…-MACHINE.call` (such as Node's `deaths.js`), and rename it if the process died in a call.
fn is_death(path: &Path, candidate: &str, machine: &str) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    if !text.ends_with(&format!(" {candidate}\n")) {
        return false;
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("died") => true,
        Some("call") => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let process = name.split('-').next().and_then(|number| Pid::from_raw(number.parse().ok()?));
            text.starts_with('1')
                && name.ends_with(&format!("-{machine}"))
                && process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
        }
        _ => false,
    }
}
