//! A Composer package.

use std::fs;

use super::{Elsewhere, only_some_have_core, packaged, unusual};
use crate::passed;

const OF_PHP: &[&str] = &["composer", "gzip", "php", "sh", "tar"];

/// The name and the version are written differently in PHP, or are not stable.
#[test]
fn a_composer_package_runs_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    let project = unusual(folder.path(), "php");
    let has_core = only_some_have_core(&project);
    let is_made = |name: &&str| has_core || !name.contains("core");
    let (table, file) = packaged(&project, "php");
    for name in [" green-slug ", " core.so ", " native.so "].into_iter().filter(is_made) {
        let is_there = |line: &str| line.contains(name) && line.contains(" ran ");
        assert!(
            table.lines().any(|line| is_there(line) && line.contains(" PHP 8.") == name.contains(".so")),
            "{table}"
        );
    }
    assert!(file.ends_with("dist/green-slug-0.1.0-beta.1-composer.tar.gz"), "{table}");

    let elsewhere = Elsewhere::new(folder.path(), OF_PHP);
    fs::create_dir(elsewhere.folder.join("package")).unwrap();
    passed("tar", &elsewhere.run("tar", &["-xzf", &file.display().to_string(), "-C", "package"], &[]));
    // Repositories of the type `artifact` need PHP's extension zip.
    let copied = r#"{ "type": "path", "url": "package", "options": { "symlink": false } }"#;
    let server = format!(r#"{{ "repositories": [{copied}, {{ "packagist.org": false }}] }}"#);
    fs::write(elsewhere.folder.join("composer.json"), server).unwrap();
    let composer = |words: &[&str]| {
        let home =
            [("COMPOSER_HOME", "composer"), ("COMPOSER_ALLOW_SUPERUSER", "1"), ("COMPOSER_DISABLE_NETWORK", "1")];
        passed("composer", &elsewhere.run("composer", words, &home))
    };
    composer(&["require", "--no-interaction", "tierup/green-slug:0.1.0-beta.1"]);
    let licenses = composer(&["licenses", "--no-interaction"]);
    assert!(licenses.contains("MIT") && licenses.contains("Zlib"), "{licenses}");
    let installed = elsewhere.folder.join("vendor/tierup/green-slug");
    assert!(installed.join("THIRD-PARTY-LICENSES.txt").exists());
    composer(&["validate", "--no-interaction", "--no-check-publish", "vendor/tierup/green-slug/composer.json"]);
    let extension = |tier: &str| elsewhere.run("php", &["vendor/bin/green-slug-extension", tier], &[]);
    let call = |tier: &str, variables: &[(&str, &str)]| {
        let script = "require 'vendor/autoload.php'; $own = fn($text) => 'mine'; GreenSlug\\Rust::with(baseline: $own);\n\
            $rust = GreenSlug\\Rust::with(baseline: $own);\n\
            echo $rust->tier(), ' ', $rust->slugify('Hello, World!'), ' ', $rust->metrics()['instead'];";
        let line = extension(tier);
        let line = String::from_utf8(line.stdout).unwrap();
        let loads = if line.is_empty() { vec![] } else { vec!["-d", line.trim()] };
        let words = [&["-n"], &loads[..], &["-d", "display_errors=stderr", "-r", script]].concat();
        elsewhere.run("php", &words, variables)
    };
    for tier in ["1:pool", "1:spawn", "2:core", "3:native"].into_iter().filter(is_made) {
        assert_eq!(passed(tier, &call(tier, &[("TIERUP_TIER", tier)])), format!("{tier} hello-world "));
    }
    let refused = extension("1:pool");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("1:pool has no extension: use 3:native or 2:core"), "{said}");

    // The files of another C library: `program`, of a shell, which answers, and the extension, which does not load.
    let here = table.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    let artifacts = installed.join("artifacts");
    let there = artifacts.join(here.replace("-gnu", "-musl"));
    fs::rename(artifacts.join(here), &there).unwrap();
    fs::create_dir(artifacts.join(here)).unwrap();
    for name in ["green-slug", "native.so", "core.so"] {
        fs::copy("/usr/bin/false", artifacts.join(here).join(name)).unwrap();
    }
    for tier in ["1:pool", "3:native"] {
        assert_eq!(passed(tier, &call(tier, &[("TIERUP_TIER", tier)])), format!("{tier} hello-world "));
    }
    fs::copy("/usr/bin/false", there.join("native.so")).unwrap();
    fs::copy("/usr/bin/false", there.join("green-slug")).unwrap();
    let said = String::from_utf8_lossy(&extension("3:native").stderr).into_owned();
    assert!(said.starts_with("this PHP cannot load the extension of 3:native:\n"), "{said}");
    assert!(
        [here, &here.replace("-gnu", "-musl")].iter().all(|one| said.contains(&format!("/{one}/native.so: "))),
        "{said}"
    );
    let fails = call("1:pool", &[("TIERUP_TIER", "3:native")]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    assert!(
        !fails.status.success() && why.contains("green-slug cannot run at tier 3:native: PHP has not loaded"),
        "{why}"
    );
    let falls_back = call("1:pool", &[("TIERUP_TIER", "3:native"), ("TIERUP_FALLBACK", "1:spawn,0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    assert!(noted.lines().count() == 1 && noted.ends_with("; falling back to tier 0\n"), "{noted}");
    let answer = passed("fallback", &falls_back);
    assert!(answer.starts_with("0 mine green-slug cannot run at tier 3:native: "), "{answer}");
    let lost = call("1:pool", &[("TIERUP_TIER", "1:spawn")]);
    let why = String::from_utf8_lossy(&lost.stderr).into_owned();
    assert!(why.contains("none of the package's programs runs here:\n"), "{why}");
    fs::remove_dir_all(&artifacts).unwrap();
    let missing = String::from_utf8_lossy(&call("1:pool", &[("TIERUP_TIER", "1")]).stderr).into_owned();
    assert!(missing.contains("install the package again, or ask its maker for another one"), "{missing}");
}
