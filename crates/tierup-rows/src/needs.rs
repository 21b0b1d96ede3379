//! The programs that tierup and its hosts need, and the command that installs each.

use std::path::Path;

use tierup_codegen::{Command, Host, Tool};
use tierup_project::Loaded;
use tierup_runner::{Error, capture};

/// The first of a host's programs that is missing on this machine.
pub fn missing(host: &dyn Host) -> Option<&'static str> {
    let is_missing = |tool: &Tool| {
        let command = Command::new(tool.program, tool.version_arguments.iter().copied());
        matches!(capture(&command, Path::new(".")), Err(Error::Missing { .. }))
    };
    host.tools().iter().find(|tool| is_missing(tool)).map(|tool| tool.program)
}

/// The programs that every project needs for its Rust code.
pub fn rust() -> Vec<Tool> {
    let rustup = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh";
    let cargo = Tool {
        program: "cargo",
        part: None,
        purpose: "builds every tier",
        version_arguments: &["--version"],
        minimum: MINIMUM_RUST,
        install: rustup,
    };
    vec![
        Tool { program: "rustup", purpose: "installs the wasm target", minimum: "1.25.0", ..cargo.clone() },
        cargo.clone(),
        Tool { program: "rustc", ..cargo },
        Tool {
            program: "cc",
            part: None,
            purpose: "links programs and native add-ons",
            version_arguments: &["--version"],
            minimum: "",
            install: if cfg!(target_os = "macos") {
                "xcode-select --install"
            } else {
                "apt-get install build-essential"
            },
        },
    ]
}

/// The programs of `tierup profile` that belong to no host.
pub fn sensors() -> Vec<Tool> {
    let install = "apt-get install linux-perf";
    let perf = Tool {
        program: "perf",
        part: None,
        purpose: "samples tier 4, Go with --pid, and any host with --sensor perf",
        version_arguments: &["--version"],
        minimum: "",
        install,
    };
    let allowed = Tool {
        part: Some("record"),
        purpose: "whether perf is allowed to sample",
        // The command samples a program that exits at once.
        version_arguments: &["record", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"],
        install: "sudo sysctl kernel.perf_event_paranoid=1",
        ..perf
    };
    vec![perf, allowed]
}

/// The oldest Rust that builds what tierup generates.
pub const MINIMUM_RUST: &str = "1.88.0";

/// The hint for a missing program, if Rust or one of these hosts needs it.
pub fn install(program: &str, hosts: &[&dyn Host]) -> Option<String> {
    let of_hosts = hosts.iter().flat_map(|host| host.tools().into_iter().chain(host.sensor_tools()));
    let tool = rust().into_iter().chain(of_hosts).find(|tool| tool.program == program)?;
    Some(format!("get it with: {}\n      `tierup doctor` lists everything that is needed", tool.install))
}

/// The version in a program's version line: the first numbers with dots.
pub fn version(line: &str) -> Option<&str> {
    line.split(|c: char| !c.is_ascii_digit() && c != '.')
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.') && !numbers(word).is_empty())
}

/// Whether a version is as new as `minimum` or newer.
pub fn is_enough(version: &str, minimum: &str) -> bool {
    numbers(version) >= numbers(minimum)
}

fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map_while(|number| number.parse().ok()).collect()
}

/// The programs that run the servers, with their versions.
pub fn versions(loaded: &Loaded) -> Vec<(String, String)> {
    let hosts = loaded.hosts.iter().flat_map(|(host, _)| host.tools()).filter(|tool| tool.part.is_none());
    let rustc = rust().into_iter().filter(|tool| tool.program == "rustc");
    let with_version = |tool: Tool| {
        let command = Command::new(tool.program, tool.version_arguments.iter().copied());
        let line = capture(&command, &loaded.folder).ok()?;
        Some((tool.program.to_owned(), version(&line)?.to_owned()))
    };
    hosts.chain(rustc).filter_map(with_version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_compared() {
        assert_eq!(version("v20.20.2"), Some("20.20.2"));
        assert_eq!(version("cargo 1.95.0 (f2d3ce0bd 2026-03-21)"), Some("1.95.0"));
        assert_eq!(version("cc (Debian 12.2.0-14) 12.2.0"), Some("12.2.0"));
        assert_eq!(version("no number"), None);
        assert!(is_enough("20.20.2", "18.0.0") && is_enough("18.0.0", "18.0.0") && is_enough("1.2", ""));
        assert!(!is_enough("9.10.0", "18.0.0"));
    }
}
