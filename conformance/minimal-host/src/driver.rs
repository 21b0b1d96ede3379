//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use tierup_codegen::{Command, Files, HostSettings, Project, source::fill};

use crate::names::{self, literal};

/// Its files, below `.tierup/perl/`, and the command that starts it, in `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    // A package of another name has been refused before its driver is asked for.
    let module = names::module(&project.interface.package).unwrap_or_default();
    let driver = fill(
        include_str!("../templates/driver/driver.pl"),
        &[
            ("baselines", &settings.baseline_entries(literal)),
            ("folder", &literal(&settings.folder.display().to_string())),
            ("module", &module),
        ],
    );
    (Files::new().with("driver/driver.pl", driver), Command::new("perl", ["perl/driver/driver.pl"]))
}
