//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use tierup_codegen::{Command, Files, HostSettings, Project, source::fill};

use crate::names;
use crate::source::literal;

/// Its files, below `.tierup/ruby/`, and the command that starts it, in `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    let package = &project.interface.package;
    let baselines = match settings.baseline_entries(literal) {
        none if none.is_empty() => "{}".to_owned(),
        entries => format!("{{ {entries} }}"),
    };
    let driver = fill(
        include_str!("../templates/driver/driver.rb"),
        &[
            ("baselines", &baselines),
            ("folder", &literal(&settings.folder.display().to_string())),
            ("gem", &literal(&names::gem(package))),
            ("module", &names::module(package)),
        ],
    );
    (Files::new().with("driver/driver.rb", driver), Command::new("ruby", ["ruby/driver/driver.rb"]))
}
