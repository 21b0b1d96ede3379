//! The hosts that this tierup supports, one line each. Each is also a dependency in this crate's `Cargo.toml`.

use std::{path::Path, sync::Arc};

use tierup_codegen::Host;
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_rows::{ProjectHost, needs};
use tierup_runner::Observer;

/// The hosts, in the order of all tables.
pub fn all() -> Vec<&'static dyn Host> {
    vec![
        tierup_host_node::node(),
        tierup_host_python::python(),
        tierup_host_go::go(),
        tierup_host_java::java(),
        tierup_host_ruby::ruby(),
        tierup_host_php::php(),
        tierup_host_beam::beam(),
    ]
}

/// A host by its name in `tierup.toml`.
pub fn find(name: &str) -> Option<&'static dyn Host> {
    all().into_iter().find(|host| host.name() == name)
}

/// The name for all hosts of a project.
const ALL: &str = "all";

/// Reads the project in a folder.
///
/// # Errors
/// All errors in `tierup.toml` and the crate's signatures.
pub fn open(folder: &Path) -> Result<Loaded> {
    tierup_project::open(folder, &all())
}

/// The hosts that the user named. By default, and for `all`: all hosts of the project whose programs are installed, as
/// few people have every language. If none is installed, all hosts, so that the command names the missing programs.
pub(crate) fn of_project(loaded: &Loaded, names: &[String], observer: &dyn Observer) -> Result<Vec<&'static dyn Host>> {
    if !names.is_empty() && names != [ALL] {
        return names.iter().map(|name| loaded.asked_host(name).map(|(host, _)| host)).collect();
    }
    let all: Vec<&'static dyn Host> = loaded.hosts.iter().map(|(host, _)| *host).collect();
    if all.len() == 1 {
        return Ok(all);
    }
    let (here, missing): (Vec<_>, Vec<_>) = all.iter().copied().partition(|host| needs::missing(*host).is_none());
    if here.is_empty() {
        return Ok(all);
    }
    for host in missing {
        let tool = needs::missing(host).unwrap_or_default();
        observer.note(&format!("skipping {}: `{tool}` is not installed (see `tierup doctor`)", host.title()));
    }
    Ok(here)
}

/// The named host, or the project's only one.
pub(crate) fn only<'a>(loaded: &'a Arc<Loaded>, name: Option<&str>) -> Result<ProjectHost<'a>> {
    let (host, settings) = match (name, &loaded.hosts[..]) {
        (Some(name), _) => loaded.asked_host(name)?,
        (None, [(host, settings)]) => (*host, settings),
        (None, hosts) => {
            let names: Vec<_> = hosts.iter().map(|(host, _)| host.name()).collect();
            return Err(Failure::usage("this project has several hosts")
                .hint(format!("choose one with --host: {}", names.join(", "))));
        }
    };
    Ok(ProjectHost { loaded, host, settings })
}

/// The hosts to measure. By default only the first, as each host takes the full time.
pub(crate) fn measured(loaded: &Loaded, names: &[String], observer: &dyn Observer) -> Result<Vec<&'static dyn Host>> {
    let mut hosts = of_project(loaded, names, observer)?;
    if names.is_empty() && hosts.len() > 1 {
        hosts.truncate(1);
        observer.note(&format!("measuring only {}; --hosts {ALL} measures all hosts", hosts[0].title()));
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use tierup_codegen::{Files, Machine, Project};
    use tierup_model::Interface;

    use super::*;

    /// The manifest of each generated crate whose build script compiles C code of the project.
    fn manifests_with_c(host: &dyn Host, folder: &str) -> Vec<(String, String)> {
        let interface = Interface {
            package: "sample".into(),
            library: "sample".into(),
            version: "0.1.0".into(),
            ..Interface::default()
        };
        let project = Project { interface, crate_folder: folder.into(), ..Project::default() };
        let machine = Machine::this();
        let recipes = host.supported(&machine).into_iter().map(|variant| host.recipe(&project, variant, &machine));
        let text = |files: &Files, name: &str| String::from_utf8_lossy(files.get(name).unwrap()).into_owned();
        let mut found = Vec::new();
        for files in recipes.map(|recipe| recipe.files) {
            let names: Vec<_> = files.iter().map(|(name, _)| name.to_owned()).collect();
            let crates = names.iter().filter_map(|name| name.strip_suffix("/build.rs"));
            let with_c = crates.filter(|name| text(&files, &format!("{name}/build.rs")).contains("cc::Build"));
            found.extend(with_c.map(|name| (name.to_owned(), text(&files, &format!("{name}/Cargo.toml")))));
        }
        found
    }

    #[test]
    fn projects_that_share_a_build_folder_keep_their_own_c_code() {
        let mut crates = 0;
        for host in all() {
            let all = manifests_with_c(host, "/srv/one").into_iter().zip(manifests_with_c(host, "/srv/other"));
            for ((name, one), (_, other)) in all {
                assert_ne!(one, other, "cargo cannot tell apart the {name} of two projects");
                crates += 1;
            }
        }
        assert!(crates >= 4, "{crates} crates compile C");
    }

    #[test]
    fn costs_of_calls_match_the_measured_ones() {
        let measured = include_str!("../../../conformance/crossings/README.md");
        let known: Vec<_> = all().into_iter().filter_map(|host| Some((host, host.crossing()?))).collect();
        assert!(known.len() >= 4);
        for (host, crossing) in known {
            let row = format!("| {} `{}` | {:.2} [", host.name(), crossing.variant, crossing.microseconds);
            assert!(measured.contains(&row), "there is no row `{row}`");
        }
    }
}
