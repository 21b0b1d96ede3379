//! The driver: a program that calls every variant and every baseline through the package (`docs/driver.md`).
//!
//! It is where Maven expects a project's tests, so it is compiled with the package but is not in the jar.

use tierup_codegen::{Command, Files, HostSettings, Project, source::fill};

use crate::names;
use crate::package::{TESTS, filled};

/// The driver's files, below `.tierup/java/`, and the command that starts it from `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    let folder = format!("{TESTS}/{}", names::package(&project.interface.package).replace('.', "/"));
    // Without a baseline, the driver needs nothing from the server.
    let (build, server) = match settings.baselines.is_empty() {
        true => ("pom.xml", String::new()),
        false => ("with-server/pom.xml", quoted(&settings.folder.display().to_string())),
    };
    let baselines: Vec<String> = settings
        .baselines
        .iter()
        .map(|(label, name)| format!("{} {}", quoted(label.as_deref().unwrap_or_default()), quoted(name)))
        .collect();
    let start = fill(
        include_str!("../templates/driver/start.sh"),
        &[
            ("baselines", &baselines.join(" ")),
            ("package", &names::package(&project.interface.package)),
            ("project", build),
            ("server", &server),
        ],
    );
    let files = Files::new()
        .with(
            format!("{folder}/TierupDriver.java"),
            filled(include_str!("../templates/driver/TierupDriver.java"), project),
        )
        .with(
            format!("{folder}/TierupBaseline.java"),
            filled(include_str!("../templates/driver/TierupBaseline.java"), project),
        )
        .with("driver/start.sh", start);
    (files, Command::new("sh", ["java/driver/start.sh"]))
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
