//! The application for others to install: a mix project with the files of all platforms. `built.ex` takes those that run.

use tierup_codegen::{Command, Os, Pack, Parts, Project, Publishable, source::fill};

use crate::{names, package};

/// The project's archive, to be unpacked beside a server.
///
/// # Errors
/// If there are no files for one of the platforms, or if [`package::package`] fails.
pub(crate) fn archive(project: &Project, parts: &Parts<'_>) -> Result<Publishable, String> {
    parts.only(|machine| machine.os != Os::Windows, "the package does not run on Windows")?;
    let interface = &project.interface;
    let own = package::package(project)?.with_other("mix.exs", package::manifest(project, Some(parts.about)));
    let files = parts.files(&own, |target, name| {
        Some(format!("priv/{}/{}", target.name, name.strip_prefix("priv/").unwrap_or(name)))
    });
    let file = format!("{}-{}-mix.tar.gz", interface.package, interface.version);
    let server = fill(
        include_str!("../templates/published/mix.exs"),
        &[("application", &names::application(&interface.package))],
    );
    let check = if project.health.is_some() { "check_health" } else { "ready" };
    let call = |tier: &str| {
        let module = names::module(&interface.package);
        let script = format!("{module}.bind(tier: \"{tier}\"); :ok = {module}.ready(); :ok = {module}.{check}()");
        let environment = vec![("MIX_ENV".to_owned(), "prod".to_owned())];
        Command { environment, ..Command::new("sh", ["-c", r#"cd server && exec mix run -e "$0""#, &*script]) }
    };
    let mut trial = vec![
        Command::new("mkdir", ["package", "server"]),
        Command::new("tar", ["-xzf", &*file, "-C", "package"]),
        Command::new("sh", ["-c", r#"printf %s "$0" >server/mix.exs"#, &*server]),
    ];
    trial.extend(parts.tried().map(call));
    Ok(Publishable { file, files, pack: Pack::TarGz, trial, only_for: None })
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Target;

    use super::*;
    use crate::parts::{check, text, with_parts};

    #[test]
    fn an_application_has_the_files_of_each_platform() {
        let targets = [Target::ALL[0], Target::ALL[5]];
        let made = with_parts(&targets, "priv/artifacts/word-count", |project, parts| {
            let refused = archive(project, &Parts { targets: &Target::ALL, ..*parts }).unwrap_err();
            assert_eq!(refused, "the package does not run on Windows; leave out win32-x64");
            archive(project, parts).unwrap()
        });
        check(&made);
        assert_eq!(made.file, "word-count-1.2.0-rc.1-mix.tar.gz");
        for target in targets {
            assert_eq!(text(&made, &format!("priv/{}/artifacts/word-count", target.name)), target.name);
        }
        let manifest = text(&made, "mix.exs");
        for line in [
            "      app: :word_count,\n      version: \"1.2.0-rc.1\",\n      description: \"Counts <words> & lines.\",\n",
            "        files: [\"lib\", \"priv\", \"mix.exs\", \"README.md\", \"built.json\", \"LICENSE\", \"bom.cdx.json\"],\n",
            "        licenses: [\"MIT\", \"Zlib\"],\n        links: %{\"Source\" => \"https://a.example/count\"}\n",
        ] {
            assert!(manifest.contains(line), "{manifest}");
        }
    }
}
