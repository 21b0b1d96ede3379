//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use tierup_codegen::{Command, Files, HostSettings, Project};

use crate::names::{self, literal};

/// Its files, below `.tierup/perl/`, and the command that starts it, in `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    // A package of another name has been refused before its driver is asked for.
    let module = names::module(&project.interface.package).unwrap_or_default();
    let driver = include_str!("../templates/driver/driver.pl")
        .replace("MODULE", &module)
        .replace("'FOLDER'", &literal(&settings.folder.display().to_string()))
        .replace("BASELINES", &settings.baseline_entries(literal));
    (Files::new().with("driver/driver.pl", driver), Command::new("perl", ["perl/driver/driver.pl"]))
}
