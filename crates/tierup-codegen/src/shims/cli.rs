//! Tier 1: the functions as a program. The same binary serves people (a command line made from the signatures),
//! `1:spawn` (one call and out) and `1:pool` (a companion, which starts a worker for each connection).

mod human;

use super::{build_native, manifest};
use crate::{Files, Machine, Project, Recipe, Step};

/// The crate `cli/`, and the build that leaves `<package>` in [`super::built_native`].
pub fn cli(project: &Project, machine: &Machine) -> Recipe {
    let interface = &project.interface;
    let dependency = crate::rust::dependency(interface, &project.crate_folder);
    let rest = format!(
        r#"[[bin]]
name = {:?}
path = "src/main.rs"

[dependencies]
{dependency}
clap = {{ version = "4.6", default-features = false, features = ["std", "help", "usage", "error-context", "string"] }}
tierup-calls = {{ path = "../calls" }}
tierup-json = {{ path = "../json" }}

[target.'cfg(unix)'.dependencies]
rustix = {{ version = "1", features = ["event", "fs", "net", "process", "stdio"] }}
"#,
        interface.package
    );
    let files = Files::new()
        .with("cli/Cargo.toml", manifest(interface, "tierup-cli", &rest))
        .with("cli/src/main.rs", include_str!("../../templates/cli/main.rs"))
        .with("cli/src/call.rs", include_str!("../../templates/cli/call.rs"))
        .with("cli/src/candidate.rs", include_str!("../../templates/cli/candidate.rs"))
        .with("cli/src/inherited.rs", include_str!("../../templates/cli/inherited.rs"))
        .with("cli/src/worker.rs", include_str!("../../templates/cli/worker.rs"))
        .with("cli/src/listen.rs", include_str!("../../templates/cli/listen.rs"))
        .with("cli/src/companion.rs", include_str!("../../templates/cli/companion.rs"))
        .with("cli/src/evidence.rs", include_str!("../../templates/cli/evidence.rs"))
        .with("cli/src/handover.rs", include_str!("../../templates/cli/handover.rs"))
        .with("cli/src/pipes.rs", include_str!("../../templates/cli/pipes.rs"))
        .with("cli/src/shadow.rs", include_str!("../../templates/cli/shadow.rs"))
        .with("cli/src/start.rs", include_str!("../../templates/cli/start.rs"))
        .with("cli/src/starts.rs", include_str!("../../templates/cli/starts.rs"))
        .with("cli/src/arguments.rs", include_str!("../../templates/cli/arguments.rs"))
        .with("cli/src/human.rs", human::human(interface));
    Recipe { files, steps: vec![Step::Run(build_native("tierup-cli", machine))] }
}
