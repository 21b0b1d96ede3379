//! The versions of the programs that run a project's servers, for reports.

use tierup_codegen::{Command, Tool};
use tierup_project::Loaded;
use tierup_runner::capture;

use crate::needs;

/// The programs that run the servers, and the version of each.
pub fn versions(loaded: &Loaded) -> Vec<(String, String)> {
    let hosts = loaded.hosts.iter().flat_map(|(host, _)| host.tools()).filter(|tool| tool.part.is_none());
    let rustc = needs::rust().into_iter().filter(|tool| tool.program == "rustc");
    let version = |tool: Tool| {
        let command = Command::new(tool.program, tool.version_arguments.iter().copied());
        let line = capture(&command, &loaded.folder).ok()?;
        Some((tool.program.to_owned(), needs::version(&line)?.to_owned()))
    };
    hosts.chain(rustc).filter_map(version).collect()
}
