//! Whether this machine has everything that tierup and its hosts need.
//!
//! In: the hosts. Out: the state of each tool, and the command that installs it.

use std::path::Path;

use tierup_codegen::{Command, Host, Tool};
use tierup_runner::{capture, free_space};

use crate::{WASM_TARGET, has_target, needs};

/// The approximate size of a build of every variant, with a large dependency or two.
const DISK: u64 = 3 << 30;

/// A tool or a resource, with its state.
pub struct Requirement {
    pub what: String,
    /// `rust`, or the name of the host that needs it.
    pub whom: &'static str,
    /// The version; `None` if the tool is missing or names no version.
    pub version: Option<String>,
    pub minimum: &'static str,
    /// Whether the tool is there and new enough.
    pub fine: bool,
    /// Whether tierup is not ready without it.
    pub counts: bool,
    pub purpose: &'static str,
    /// The command that installs the tool.
    pub install: String,
}

impl Requirement {
    fn is_missing(&self) -> bool {
        !self.fine && self.version.is_none()
    }
}

/// Checks the tools of Rust and of these hosts, and the disk space in the current folder.
pub fn requirements(hosts: &[&dyn Host]) -> Vec<Requirement> {
    let mut requirements: Vec<_> = needs::rust().iter().map(|tool| tool_requirement("rust", tool)).collect();
    requirements.insert(3, wasm_target());
    requirements.extend(disk());
    requirements.extend(of_hosts(hosts));
    requirements
}

/// Nobody needs every host: if one is ready, a host without any of its tools counts as unused.
fn of_hosts(hosts: &[&dyn Host]) -> Vec<Requirement> {
    let of_host =
        |host: &dyn Host| host.tools().iter().map(|tool| tool_requirement(host.name(), tool)).collect::<Vec<_>>();
    // A profile is one command among many, so a missing sensor does not make tierup unready.
    let sensors = hosts.iter().flat_map(|host| {
        let tools = host.sensor_tools();
        tools
            .iter()
            .map(|tool| Requirement { counts: false, ..tool_requirement(host.name(), tool) })
            .collect::<Vec<_>>()
    });
    let of_none = needs::sensors();
    // Only Linux has perf.
    let of_none = of_none.iter().filter(|_| cfg!(target_os = "linux")).map(|tool| tool_requirement("profile", tool));
    let of_none = of_none.map(|requirement| Requirement { counts: false, ..requirement });
    let sensors: Vec<_> = sensors.chain(of_none).collect();
    let mut hosts: Vec<_> = hosts.iter().copied().map(of_host).collect();
    if hosts.iter().any(|requirements| requirements.iter().all(|finding| finding.fine)) {
        let unused = |requirements: &&mut Vec<Requirement>| requirements.iter().all(Requirement::is_missing);
        for finding in hosts.iter_mut().filter(unused).flatten() {
            finding.counts = false;
        }
    }
    hosts.into_iter().flatten().chain(sensors).collect()
}

fn tool_requirement(whom: &'static str, tool: &Tool) -> Requirement {
    let command = Command::new(tool.program, tool.version_arguments.iter().copied());
    let output = capture(&command, Path::new("."));
    let version = output.as_ref().ok().and_then(|output| needs::version(output)).map(str::to_owned);
    let fine = match (&output, &version) {
        (Err(_), _) => false,
        (Ok(_), Some(version)) => needs::is_enough(version, tool.minimum),
        // The tool runs, but does not print a version.
        (Ok(_), None) => true,
    };
    Requirement {
        what: [Some(tool.program), tool.part].into_iter().flatten().collect::<Vec<_>>().join(" "),
        whom,
        version,
        minimum: tool.minimum,
        fine,
        counts: true,
        purpose: tool.purpose,
        install: tool.install.to_owned(),
    }
}

fn wasm_target() -> Requirement {
    let fine = has_target(Path::new("."), &[]);
    Requirement {
        what: WASM_TARGET.to_owned(),
        whom: "rust",
        version: fine.then(|| "installed".to_owned()),
        minimum: "",
        fine,
        counts: true,
        purpose: "builds tier 2; `tierup build` adds it",
        install: format!("rustup target add {WASM_TARGET}"),
    }
}

fn disk() -> Option<Requirement> {
    let free = free_space(Path::new("."))?;
    Some(Requirement {
        what: "disk space".to_owned(),
        whom: "rust",
        version: Some(format!("{} GiB", free >> 30)),
        minimum: "3 GiB",
        fine: free >= DISK,
        counts: true,
        purpose: "for build output, in this folder",
        install: "free some disk space, e.g. with `cargo clean` in unused projects".to_owned(),
    })
}
