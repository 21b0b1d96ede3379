//! The workspace's test programs. One call of cargo builds them for the whole workspace: for single packages,
//! dependencies would have other features and be compiled again. xtask runs the programs itself, so that each has its
//! own line and time, and several run at a time.

use std::{collections::VecDeque, path::PathBuf, thread};

use serde_json::Value;
use tierup_codegen::Command;

use crate::{
    cargo::{cargo, without_figures},
    step::Report,
    timings::Run,
    tools,
};

/// One test program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) package: String,
    /// The integration test's name; `None` for the unit tests of a library or a program.
    pub(crate) test: Option<String>,
    file: PathBuf,
    /// The package's folder, the working directory as with cargo.
    folder: PathBuf,
}

/// Tests that start servers, and mostly wait for them. They run beside tests that compute or compile.
pub(crate) const OF_SERVERS: [&str; 8] =
    ["commands", "envoy", "haproxy", "load_balancers", "nginx", "postgres", "proxy", "real_servers"];

impl Program {
    pub(crate) fn is_of_servers(&self) -> bool {
        self.test.as_deref().is_some_and(|test| OF_SERVERS.contains(&test))
    }

    fn name(&self) -> String {
        let test = self.test.as_ref().map(|test| format!(": {test}")).unwrap_or_default();
        format!("tests of {}{test}", self.package)
    }

    fn command(&self) -> Command {
        let mut command = Command { folder: self.folder.clone(), ..Command::new(&self.file.display().to_string(), []) };
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.is_of_servers() { processors * 2 } else { processors };
        let variables = [
            ("CARGO", "cargo".to_owned()),
            ("CARGO_MANIFEST_DIR", self.folder.display().to_string()),
            ("RUST_TEST_THREADS", threads.to_string()),
        ];
        command.environment.extend(variables.map(|(name, value)| (name.to_owned(), value)));
        without_figures(command)
    }
}

/// Builds the test programs that `targets` selects, linted by clippy, and lists them.
pub(crate) fn build(report: &mut Report, targets: &[&str]) -> Option<Vec<Program>> {
    let place = ["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"];
    let command = cargo(place.into_iter().chain(targets.iter().copied()));
    let mut programs = Vec::new();
    let passed = tools::component(report, "clippy")
        && report.step_reading("clippy and build of the workspace", &command, |line| programs.extend(program(line)));
    passed.then_some(programs)
}

/// The test program that a line of cargo's JSON messages is about, if any.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let target = &message["target"];
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let folder = PathBuf::from(text(&message["manifest_path"])?).parent()?.to_owned();
    let package = text(&message["package_id"])?;
    // `path+file:///…/crates/tierup#0.1.0`, or `…/crates/a#b@0.1.0` if the folder's name differs.
    let (place, version) = package.rsplit_once('#')?;
    let package = match version.split_once('@') {
        Some((name, _)) => name,
        None => place.rsplit('/').next()?,
    };
    let is_integration = target["kind"].as_array()?.iter().any(|kind| kind == "test");
    let test = if is_integration { text(&target["name"]) } else { None };
    Some(Program { package: package.to_owned(), test, file: PathBuf::from(text(&message["executable"])?), folder })
}

/// Runs the programs, two at a time: one that starts servers and one that does not, while both kinds last. The slowest
/// of the last run start first.
pub(crate) fn run(report: &mut Report, programs: Vec<Program>) {
    let last = Run::last().unwrap_or_default();
    let mut steps: Vec<_> =
        programs.iter().map(|program| (program.is_of_servers(), program.name(), program.command())).collect();
    steps.sort_by(|(_, a, _), (_, b, _)| last.wall(b).total_cmp(&last.wall(a)));
    let (servers, others): (VecDeque<_>, VecDeque<_>) =
        steps.into_iter().partition(|(is_of_servers, ..)| *is_of_servers);
    let without_kind = |steps: VecDeque<(bool, String, Command)>| {
        steps.into_iter().map(|(_, name, command)| (name, command)).collect()
    };
    report.two_lanes([without_kind(servers), without_kind(others)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages;

    /// A renamed test would run in the wrong lane.
    #[test]
    fn the_tests_of_servers_exist() {
        let all = packages::integration_tests();
        let missing: Vec<_> = OF_SERVERS.into_iter().filter(|test| !all.iter().any(|(_, one)| one == test)).collect();
        assert!(missing.is_empty(), "no integration tests of a plain `cargo test`: {missing:?}");
    }

    #[test]
    fn programs_are_read_from_cargos_messages() {
        let line = |kind: &str, name: &str, id: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///w/{id}","manifest_path":"/w/crates/a/Cargo.toml","target":{{"kind":["{kind}"],"name":"{name}"}},"profile":{{"test":{test}}},"executable":"/w/target/{name}-1"}}"#
            )
        };
        let unit = program(&line("lib", "a_b", "crates/a-b#0.1.0", true)).unwrap();
        assert_eq!((&*unit.package, &unit.test, unit.name()), ("a-b", &None, "tests of a-b".to_owned()));
        let integration = program(&line("test", "commands", "hosts/node#tierup-host-node@0.1.0", true)).unwrap();
        assert!(integration.is_of_servers());
        assert_eq!(integration.name(), "tests of tierup-host-node: commands");
        assert_eq!(integration.folder, PathBuf::from("/w/crates/a"));
        assert_eq!(program(&line("bin", "a", "crates/a#0.1.0", false)), None);
        assert_eq!(program("   Compiling a"), None);
    }
}
