//! A gem.

use std::fs;

use super::{Elsewhere, only_some_have_core, packaged, unusual};
use crate::passed;

const OF_RUBY: &[&str] = &["sh", "env", "ruby", "gem"];

/// The name, the version and the folder are written differently in Ruby, or need quotes.
#[test]
fn a_gem_runs_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("my projects");
    fs::create_dir(&place).unwrap();
    let project = unusual(&place, "ruby");
    let has_core = only_some_have_core(&project);
    let is_made = |name: &&str| has_core || !name.contains("core");
    let (table, file) = packaged(&project, "ruby");
    for name in [" green-slug ", " green_slug_core.", " green_slug_native."].into_iter().filter(is_made) {
        let is_there = |line: &str| line.contains(name) && line.contains(" ran ");
        assert!(table.lines().any(|line| is_there(line) && line.contains(" Ruby 3.") == name.contains('_')), "{table}");
    }
    let name = file.file_name().unwrap().to_string_lossy();
    assert!(name.starts_with("green_slug-0.1.0.pre.beta.1-"), "{name}");
    #[cfg(target_os = "linux")]
    crate::image::a_ruby_server_runs_from_its_image(&project);

    let elsewhere = Elsewhere::new(folder.path(), OF_RUBY);
    let install = ["install", "--local", "--no-document", "--install-dir", "gems", &file.display().to_string()];
    passed("gem install", &elsewhere.run("gem", &install, &[]));
    let in_ruby = |script: &str, variables: &[(&str, &str)]| {
        let gems = [("GEM_HOME", "gems"), ("GEM_PATH", "gems")];
        elsewhere.run("ruby", &["-w", "-e", script], &[&gems, variables].concat())
    };
    let spec = "spec = Gem::Specification.find_by_name('green_slug')\n\
        puts spec.version == Gem::Version.new('0.1.0-beta.1'), spec.licenses, spec.metadata['source_code_uri'], spec.gem_dir";
    let said = passed("the specification", &in_ruby(spec, &[]));
    let said: Vec<_> = said.lines().collect();
    assert_eq!(said[..4], ["true", "MIT", "Zlib", "https://a.example/slug"]);
    let installed = elsewhere.folder.join(said[4]);
    assert!(installed.join("THIRD-PARTY-LICENSES.txt").exists() && !installed.join("green_slug.gemspec").exists());
    let call = |variables: &[(&str, &str)]| {
        let script = "require 'green_slug'\n\
            GreenSlug.with(baseline: ->(_) { 'mine' })\nrust = GreenSlug.with(baseline: ->(_) { 'mine' })\n\
            puts \"#{rust.tier} #{rust.slugify('Hello, World!')} #{rust.metrics[:instead]}\"\nrust.close";
        in_ruby(script, variables)
    };
    for tier in ["1:pool", "1:spawn", "2:core", "3:native", "3:async"].into_iter().filter(is_made) {
        assert_eq!(passed(tier, &call(&[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }

    let artifacts = fs::read_dir(installed.join("artifacts")).unwrap().map(|entry| entry.unwrap().path());
    let native = artifacts.into_iter().find(|path| path.to_string_lossy().contains("_native.")).unwrap();
    fs::write(&native, "broken").unwrap();
    let fails = call(&[]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    let reason = format!("green-slug cannot run at tier 3:native: {}: ", native.display());
    assert!(!fails.status.success() && why.contains(&reason), "{why}");
    let falls_back = call(&[("TIERUP_FALLBACK", "2:core,1:spawn,0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    let row = if has_core { "2:core" } else { "1:spawn" };
    assert!(noted.lines().count() == 1 && noted.ends_with(&format!("; falling back to tier {row}\n")), "{noted}");
    let answer = passed("fallback", &falls_back);
    assert!(answer.starts_with(&format!("{row} hello-world {reason}")), "{answer}");
    fs::remove_file(&native).unwrap();
    let missing = String::from_utf8_lossy(&call(&[]).stderr).into_owned();
    assert!(missing.contains("is missing: install the package again, or ask its maker for another one"), "{missing}");
}
