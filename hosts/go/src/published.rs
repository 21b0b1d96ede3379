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
    if let Some(target) = parts.targets.iter().find(|target| target.machine().libc != Some(Libc::Gnu)) {
        return Err(format!(
            "it can have files for linux-x64-gnu and linux-arm64-gnu, and runs 2:core everywhere; leave out {}",
            target.name
        ));
    }
    let interface = &project.interface;
    let (module, package) = (names::checked_module(&interface.package)?, names::package(&interface.package));
    let mut files = package::package(project)?;
    let licenses = parts.about.licenses.iter();
    parts.common.iter().chain(licenses).for_each(|(name, content)| files.add(name, content));
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
    // Some crates do not compile to Wasm.
    let has_core = parts.common.get("internal/built/core/core.wasm").is_some();
    let tiers = ["1:pool", "2:core", "3:native"].into_iter().filter(|tier| *tier != "2:core" || has_core);
    trial.extend(tiers.map(|tier| Command::new("./call", [tier])));
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
    use tierup_codegen::{About, Target};
    use tierup_model::Interface;

    use super::*;

    #[test]
    fn each_platform_has_its_files_and_all_share_the_code_that_calls_them() {
        let interface = Interface { package: "word-count".into(), version: "1.2.0".into(), ..Interface::default() };
        let project = Project { interface, ..Project::default() };
        let licenses = Files::new().with("LICENSE", "as you like");
        let about = About { licenses, license: "MIT".into(), ..About::default() };
        let built = [("amd64", Target::ALL[0]), ("arm64", Target::ALL[1])].map(|(architecture, target)| {
            let condition = format!("//go:build cgo && linux && {architecture}\n");
            let files = Files::new()
                .with("internal/built/program/program", b"\xff")
                .with("internal/built/program/built.go", "//go:embed program\nvar bytes []byte\n")
                .with("internal/built/native/built.go", condition)
                .with(format!("internal/built/native/linked/rust_linux_{architecture}.syso"), b"\xff");
            BuiltFor { target, files }
        });
        let common = Files::new().with("built.json", "{}").with("internal/built/core/core.wasm", "a module");
        let targets = built.each_ref().map(|built| built.target);
        let parts = Parts { about: &about, targets: &targets, built: &built, common: &common, keeps_floors: true };
        let made = published(&project, &parts).unwrap();
        assert_eq!(made.file, "word-count-1.2.0-go.tar.gz");
        let text = |name: &str| String::from_utf8_lossy(made.files.get(name).unwrap()).into_owned();
        assert_eq!(text("internal/built/native/built.go"), "//go:build cgo && linux && (amd64 || arm64)\n");
        for architecture in ["amd64", "arm64"] {
            let embeds = text(&format!("internal/built/program/built_linux_{architecture}.go"));
            assert!(embeds.starts_with(&format!("//go:embed program_linux_{architecture}\n")), "{embeds}");
            for name in ["program/program_linux_{}", "native/linked/rust_linux_{}.syso"] {
                let name = format!("internal/built/{}", name.replace("{}", architecture));
                assert!(made.files.get(&name).is_some(), "{name}");
            }
        }
        for name in ["LICENSE", "built.json", "internal/built/core/core.wasm"] {
            assert!(made.files.get(name).is_some(), "{name}");
        }
        let tells =
            made.files.iter().filter(|(_, content)| String::from_utf8_lossy(content).contains("run `tierup build"));
        assert_eq!(tells.count(), 0);
        let readme = text("README.md");
        assert!(!readme.contains("tierup build") && readme.ends_with("\nVersion 1.2.0. Licence: MIT.\n"), "{readme}");
        let tried = |made: &Publishable| made.trial.iter().any(|command| command.arguments == ["2:core"]);
        let without = Files::new().with("built.json", "{}");
        let without = Parts { about: &about, targets: &targets, built: &built, common: &without, keeps_floors: true };
        assert!(tried(&made) && !tried(&published(&project, &without).unwrap()));
        let refused = published(&project, &Parts { targets: &Target::ALL, ..parts }).unwrap_err();
        assert!(refused.ends_with("leave out linux-x64-musl"), "{refused}");
    }
}
