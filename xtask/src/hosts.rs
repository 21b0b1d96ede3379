//! The tests of each host, as described by `hosts/*/ci.toml`. A new host is found by this file. The minimal host's file
//! names only the tools that it needs: `tierup` does not list it, so it has no servers to test.

use std::fs;

use serde::{Deserialize, de::DeserializeOwned};
use tierup_codegen::Command;

use crate::repository::root;

/// The host that `tierup` does not list.
pub(crate) const MINIMAL: &str = "conformance/minimal-host";

/// How CI tests a host's servers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HostTests {
    #[serde(skip)]
    pub(crate) host: String,
    pub(crate) tools: Tools,
    server: ServerTests,
}

/// Programs that all tests of the host need.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tools {
    /// A description of the tools, for people.
    pub(crate) what: String,
    /// A command that succeeds if the tools are installed, and prints the version of the one that may be too old.
    pub(crate) check: Vec<String>,
    /// The oldest version that passes the tests; empty for any.
    #[serde(default)]
    pub(crate) minimum: String,
    /// The packages of Debian and Ubuntu that contain the tools.
    pub(crate) packages: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MinimalTests {
    tools: Tools,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerTests {
    /// A path that exists in a server's folder if the server has tests.
    mark: String,
    /// The command, run in that folder. A program with a `/` in its name is relative to it.
    command: Vec<String>,
}

/// All hosts, by name.
///
/// # Panics
/// If a host's file cannot be read, as no test could run.
pub(crate) fn all() -> Vec<HostTests> {
    let entries = fs::read_dir(root().join("hosts")).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.into_iter().map(|name| tests_of(&name)).collect()
}

/// One host, by name.
///
/// # Panics
/// Like [`all`].
pub(crate) fn tests_of(host: &str) -> HostTests {
    HostTests { host: host.to_owned(), ..read(&format!("hosts/{host}/ci.toml")) }
}

/// The tools that the minimal host needs.
///
/// # Panics
/// Like [`all`].
pub(crate) fn tools_of_minimal() -> Tools {
    read::<MinimalTests>(&format!("{MINIMAL}/ci.toml")).tools
}

fn read<T: DeserializeOwned>(file: &str) -> T {
    let text = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

impl HostTests {
    /// The tests of a project's server, if it has any.
    pub(crate) fn of_server(&self, project: &str) -> Option<Command> {
        let folder = format!("{project}/{}", self.host);
        root().join(&folder).join(&self.server.mark).exists().then(|| command(&self.server.command, &folder))
    }
}

fn command(words: &[String], folder: &str) -> Command {
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(program, rest)| (program, rest));
    // The program is relative to its working directory. Only some systems resolve it there, so make it absolute.
    let program = match program.contains('/') {
        true => root().join(folder).join(program).display().to_string(),
        false => program.to_owned(),
    };
    Command { folder: folder.into(), ..Command::new(&program, arguments.iter().map(String::as_str)) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_host_describes_its_tests() {
        let all = all();
        assert!(all.len() >= 4, "{all:?}");
        for host in &all {
            assert!(host.of_server("conformance").is_some(), "{}", host.host);
        }
    }

    #[test]
    fn a_servers_program_is_found_in_its_folder() {
        let python = tests_of("python");
        let server = python.of_server("conformance").unwrap();
        assert_eq!(server.program, root().join("conformance/python/.venv/bin/python").display().to_string());
        assert_eq!(server.folder, Path::new("conformance/python"));
    }

    #[test]
    fn the_minimal_host_describes_its_tools() {
        assert!(tools_of_minimal().check.contains(&"perl".to_owned()));
    }
}
