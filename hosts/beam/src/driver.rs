//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use tierup_codegen::{Command, Files, HostSettings, Project, quoted, source::fill};

use crate::names;
use crate::source::literal;

/// Its files, below `.tierup/beam/`, and the command that starts it, in `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    let package = &project.interface.package;
    let baselines = format!("%{{{}}}", settings.baseline_entries(literal));
    let driver = fill(
        include_str!("../templates/driver/driver.exs"),
        &[("baselines", &baselines), ("module", &names::module(package))],
    );
    let start = fill(
        include_str!("../templates/driver/start.sh"),
        &[("application", &names::application(package)), ("folder", &quoted(&settings.folder.display().to_string()))],
    );
    let files = Files::new().with("driver/driver.exs", driver).with("driver/start.sh", start);
    // A crash dump would be a file in the server's folder.
    let environment = vec![("ERL_CRASH_DUMP_SECONDS".to_owned(), "0".to_owned())];
    (files, Command { environment, ..Command::new("sh", ["beam/driver/start.sh"]) })
}
