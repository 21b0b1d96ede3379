//! The Composer package for others to install, with the files of all platforms. `Built.php` takes those that run.

use serde_json::json;
use tierup_codegen::{
    Command, Pack, Parts, Project, Publishable, Target,
    source::{fill, fill_shared},
};

use crate::{names, package};

/// The package's archive, to be unpacked beside a server, or for a repository of the type `artifact`.
///
/// # Errors
/// If there is no extension for one of the platforms.
pub(crate) fn archive(project: &Project, parts: &Parts<'_>) -> Result<Publishable, String> {
    parts.only_with_headers("PHP")?;
    let interface = &project.interface;
    let (package, namespace) = (&interface.package, names::namespace(&interface.package));
    let (composer, version) = (names::composer(package), package::version(&interface.version));
    let script = fill_shared(
        include_str!("../templates/published/extension.php"),
        &[("namespace", &namespace), ("package", package)],
    );
    let own = package::package(project)
        .with_other("README.md", package::readme(project, &installed(package)))
        .with_other("composer.json", package::manifest(project, Some(parts.about)));
    let place = |target: &Target, name: &str| {
        Some(format!("artifacts/{}/{}", target.name, name.trim_start_matches("artifacts/")))
    };
    let files = parts.files(&own, place).with(package::script(package), script);
    let file = format!("{package}-{version}-composer.tar.gz");
    // With Composer's files in this folder alone, it knows no other package, and asks nobody.
    let environment =
        [("COMPOSER_HOME", "composer"), ("COMPOSER_ALLOW_SUPERUSER", "1"), ("COMPOSER_DISABLE_NETWORK", "1")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let copied = json!({ "type": "path", "url": "package", "options": { "symlink": false } });
    let server = json!({ "repositories": [copied, { "packagist.org": false }] });
    let require = ["require", "--no-interaction", "--no-progress", &*format!("{composer}:{version}")];
    let mut trial = vec![
        Command::new("mkdir", ["package"]),
        Command::new("tar", ["-xzf", &*file, "-C", "package"]),
        Command::new("sh", ["-c", r#"printf %s "$0" >composer.json"#, &*server.to_string()]),
        Command { environment: environment.into(), ..Command::new("composer", require) },
    ];
    let check = if project.health.is_some() { "checkHealth" } else { "ready" };
    let script = fill(
        r#"require "vendor/autoload.php"; $rust = {{namespace}}\Rust::with(tier: $argv[1]); $rust->ready(); $rust->{{check}}(); $rust->close();"#,
        &[("check", check), ("namespace", &namespace)],
    );
    let extension = format!("vendor/{}", package::script(package));
    // With `-n`, PHP has no other extension.
    let run = r#"exec php -n -d "$(php -n "$1" "$2")" -r "$0" -- "$2""#;
    trial.extend(parts.tried().map(|tier| match tier {
        "1:pool" => Command::new("php", ["-n", "-r", &*script, "--", tier]),
        _ => Command::new("sh", ["-c", run, &*script, &*extension, tier]),
    }));
    Ok(Publishable { file, files, pack: Pack::TarGz, trial, only_for: None })
}

/// How a server loads the package, for the README.
fn installed(package: &str) -> [(&'static str, String); 2] {
    let extension = format!("the line that `vendor/bin/{package}-extension` prints, or `… 2:core` for the next");
    [("autoload", "require 'vendor/autoload.php';".to_owned()), ("extension", extension)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{check, text, with_parts};

    #[test]
    fn a_package_has_the_files_of_each_platform() {
        let targets = [Target::ALL[0], Target::ALL[3]];
        let made = with_parts(&targets, "artifacts/native.so", |project, parts| {
            let other = [Target::ALL[5]];
            let refused = archive(project, &Parts { targets: &other, ..*parts }).unwrap_err();
            assert!(refused.contains("this machine's PHP") && refused.ends_with("leave out darwin-arm64"), "{refused}");
            archive(project, parts).unwrap()
        });
        check(&made);
        assert_eq!(made.file, "word-count-1.2.0-rc.1-composer.tar.gz");
        for target in targets {
            assert_eq!(text(&made, &format!("artifacts/{}/native.so", target.name)), target.name);
        }
        let manifest: serde_json::Value = serde_json::from_str(&text(&made, "composer.json")).unwrap();
        assert_eq!(manifest["license"], json!(["MIT", "Zlib"]));
        assert_eq!(manifest["description"], "Counts <words> & lines.");
        assert_eq!(manifest["support"]["source"], "https://a.example/count");
        assert_eq!(manifest["bin"], json!(["bin/word-count-extension"]));
        let script = text(&made, "bin/word-count-extension");
        assert!(
            script.starts_with("#!/usr/bin/env php\n<?php\n")
                && script.contains("\"' . WordCount\\Internal\\Extension::"),
            "{script}"
        );
        let readme = text(&made, "README.md");
        assert!(readme.contains("\nrequire 'vendor/autoload.php';\n") && !readme.contains(".tierup/"), "{readme}");
    }
}
