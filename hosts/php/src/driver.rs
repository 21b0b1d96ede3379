//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use tierup_codegen::{Command, Files, HostSettings, Project, source::fill};

use crate::names::{self, literal};

/// Its files, below `.tierup/php/`, and the command that starts it, in `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    let driver = fill(
        include_str!("../templates/driver/driver.php"),
        &[
            ("baselines", &settings.baseline_entries(literal)),
            ("folder", &literal(&settings.folder.display().to_string())),
            ("namespace", &names::namespace(&project.interface.package)),
        ],
    );
    let files = Files::new()
        .with("driver/driver.php", driver)
        .with("driver/baseline.php", include_str!("../templates/driver/baseline.php"))
        .with("driver/start.sh", include_str!("../templates/driver/start.sh"));
    (files, Command::new("sh", ["php/driver/start.sh"]))
}
