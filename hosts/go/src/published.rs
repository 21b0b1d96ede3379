//! The module for users without Rust: the files of `package`, with a program and an object file for each platform. Go
//! selects files by the platform in their name or build constraint.

use tierup_codegen::{
    BuiltFor, Command, Files, Libc, Pack, Parts, Project, Publishable,
    source::{fill, published as without_builds, swap},
};

use crate::{names, native::architecture, package};

/// The module's archive, to be unpacked into a repository or beside a server.
///
/// # Errors
/// If the module cannot have files for one of the platforms, or if [`package::package`] fails.
pub(crate) fn published(project: &Project, parts: &Parts<'_>) -> Result<Publishable, String> {
    let reason = "it can have files for linux-x64-gnu and linux-arm64-gnu, and runs 2:core everywhere";
    parts.only(|machine| machine.libc == Some(Libc::Gnu), reason)?;
    let interface = &project.interface;
    let (module, package) = (names::checked_module(&interface.package)?, names::package(&interface.package));
    let mut files = package::package(project)?;
    let documents = parts.about.documents();
    parts.common.iter().chain(documents.iter()).for_each(|(name, content)| files.add(name, content));
    let of = |built: &BuiltFor| architecture(&built.target.machine()).unwrap_or_default();
    let all: Vec<_> = parts.built.iter().map(of).collect();
    for built in parts.built {
        let architecture = of(built);
        for (name, content) in built.files.iter() {
            let text = str::from_utf8(content).ok();
            match (name, text) {
                ("internal/built/program/program", _) => {
                    files.add(format!("internal/built/program/program_linux_{architecture}"), content);
                }
                ("internal/built/program/built.go", Some(text)) => {
                    let embeds = swap(text, "//go:embed program", &format!("//go:embed program_linux_{architecture}"));
                    files.add(format!("internal/built/program/built_linux_{architecture}.go"), embeds);
                }
                // The code that calls the object files is the same for all platforms, but for its build constraint.
                (name, Some(text)) if files.get(name).is_none() && name.ends_with(".go") => {
                    let one = format!("cgo && linux && {architecture}\n");
                    files.add(name, swap(text, &one, &format!("cgo && linux && ({})\n", all.join(" || "))));
                }
                (name, Some(_)) if files.get(name).is_some() => {}
                (name, _) => files.add(name, content),
            }
        }
    }
    let files = told(&files, package::readme(project, &format!("{INSTALLED}{}", about(project, parts))));
    let file = format!("{}-{}-go.tar.gz", interface.package, interface.version);
    let server = fill(
        include_str!("../templates/published/server.go"),
        &[
            ("check", if project.health.is_some() { "CheckHealth" } else { "Ready" }),
            ("module", &module),
            ("package", &package),
        ],
    );
    let manifest =
        format!("module server\n\nrequire {module} v0.0.0\n\nreplace {module} => ../module\n{}", package::REQUIREMENTS);
    let server_of = r#"printf %s "$0" >server/go.mod && printf %s "$1" >server/server.go && cp module/go.sum server"#;
    let go = |words: &[&str]| {
        let environment =
            [("GOWORK", "off"), ("GOFLAGS", "-mod=readonly")].map(|(name, value)| (name.into(), value.into()));
        Command { environment: environment.into(), ..Command::new("go", words.iter().copied()) }
    };
    let mut trial = vec![
        Command::new("mkdir", ["module", "server"]),
        Command::new("tar", ["-xzf", &*file, "-C", "module"]),
        Command::new("sh", ["-c", server_of, &*manifest, &*server]),
        go(&["vet", "-C", "module", "./..."]),
        go(&["mod", "vendor", "-C", "server"]),
        go(&["build", "-C", "server", "-mod=vendor", "-o", "../call", "."]),
    ];
    trial.extend(parts.tried().map(|tier| Command::new("./call", [tier])));
    Ok(Publishable { file, files, pack: Pack::TarGz, trial, only_for: None })
}

/// The crate's version, licence and source for the README, as a module has no other place for them.
fn about(project: &Project, parts: &Parts<'_>) -> String {
    let repository = parts.about.repository.iter().map(|url| format!(" Source: <{url}>."));
    let (version, license) = (&project.interface.version, &parts.about.license);
    format!("\nVersion {version}. Licence: {license}.{}\n", repository.collect::<String>())
}

/// Replaces hints to build: users of this module cannot build it.
fn told(files: &Files, readme: String) -> Files {
    let files = files.iter().filter(|(name, _)| *name != "README.md");
    files.fold(Files::new().with("README.md", readme), |all, (name, content)| match str::from_utf8(content) {
        Ok(text) if name.ends_with(".go") => all.with(name, without_builds(text)),
        _ => all.with(name, content),
    })
}

const INSTALLED: &str = "\
What was built becomes part of your program, which then runs without this folder. `1:pool`, `1:spawn` and `3:native` need Linux
with glibc, and `3:native` a compilation with cgo (`CGO_ENABLED=1` and a C compiler). Elsewhere, choose `TIERUP_TIER=2:core`, or list
it in `TIERUP_FALLBACK`; without either, `Bind` returns an `*UnavailableError`.
";

#[cfg(test)]
mod tests {
    use tierup_codegen::Target;

    use super::*;
    use crate::parts::{check, text, with_parts};

    #[test]
    fn each_platform_has_its_files_and_all_share_the_code_that_calls_them() {
        let targets = [Target::ALL[0], Target::ALL[1]];
        let made = with_parts(&targets, "", |project, parts| {
            let built = [("amd64", targets[0]), ("arm64", targets[1])].map(|(architecture, target)| {
                let condition = format!("//go:build cgo && linux && {architecture}\n");
                let files = Files::new()
                    .with("internal/built/program/program", b"\xff")
                    .with("internal/built/program/built.go", "//go:embed program\nvar bytes []byte\n")
                    .with("internal/built/native/built.go", condition)
                    .with(format!("internal/built/native/linked/rust_linux_{architecture}.syso"), b"\xff");
                BuiltFor { target, files }
            });
            let refused = published(project, &Parts { targets: &Target::ALL, ..*parts }).unwrap_err();
            assert!(refused.ends_with("leave out linux-x64-musl"), "{refused}");
            let parts = Parts { built: &built, ..*parts };
            let tried = |has_core| {
                let made = published(project, &Parts { has_core, ..parts }).unwrap();
                made.trial.iter().any(|command| command.arguments == ["2:core"])
            };
            assert!(tried(true) && !tried(false));
            published(project, &parts).unwrap()
        });
        check(&made);
        assert_eq!(made.file, "word-count-1.2.0-rc.1-go.tar.gz");
        assert_eq!(text(&made, "internal/built/native/built.go"), "//go:build cgo && linux && (amd64 || arm64)\n");
        for architecture in ["amd64", "arm64"] {
            let embeds = text(&made, &format!("internal/built/program/built_linux_{architecture}.go"));
            assert!(embeds.starts_with(&format!("//go:embed program_linux_{architecture}\n")), "{embeds}");
            for name in ["program/program_linux_{}", "native/linked/rust_linux_{}.syso"] {
                let name = format!("internal/built/{}", name.replace("{}", architecture));
                assert!(made.files.get(&name).is_some(), "{name}");
            }
        }
        let readme = text(&made, "README.md");
        let end = "\nVersion 1.2.0-rc.1. Licence: MIT OR Zlib. Source: <https://a.example/count>.\n";
        assert!(!readme.contains("tierup build") && readme.ends_with(end), "{readme}");
    }
}
