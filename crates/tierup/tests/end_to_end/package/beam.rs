//! An application of Elixir.

use std::fs;

use super::{Elsewhere, only_some_have_core, packaged, unusual};
use crate::passed;

const OF_BEAM: &[&str] =
    &["basename", "dirname", "elixir", "env", "erl", "gzip", "mix", "readlink", "sed", "sh", "tar"];

/// The application is called otherwise than the crate.
#[test]
fn an_application_runs_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    let project = unusual(folder.path(), "beam");
    let has_core = only_some_have_core(&project);
    let is_made = |name: &&str| has_core || !name.contains("core");
    let (table, file) = packaged(&project, "beam");
    for name in [" green-slug ", " core-", " native-"].into_iter().filter(is_made) {
        assert!(table.lines().any(|line| line.contains(name) && line.contains(" ran ")), "{table}");
    }
    assert!(file.ends_with("dist/green-slug-0.1.0-beta.1-mix.tar.gz"), "{table}");

    let elsewhere = Elsewhere::new(folder.path(), OF_BEAM);
    let installed = elsewhere.folder.join("deps/green_slug");
    fs::create_dir_all(&installed).unwrap();
    passed("tar", &elsewhere.run("tar", &["-xzf", &file.display().to_string(), "-C", "deps/green_slug"], &[]));
    assert!(installed.join("THIRD-PARTY-LICENSES.txt").exists());
    let server = "defmodule Server.MixProject do\n  use Mix.Project\n\n  \
        def project, do: [app: :server, version: \"0.1.0\", deps: [{:green_slug, path: \"deps/green_slug\"}]]\nend\n";
    fs::write(elsewhere.folder.join("mix.exs"), server).unwrap();
    passed("mix", &elsewhere.run("mix", &["compile"], &[]));
    let call = |variables: &[(&str, &str)]| {
        let script = "GreenSlug.bind(baseline: fn _ -> \"mine\" end)\n\
            IO.puts(\"#{GreenSlug.tier()} #{GreenSlug.slugify!(\"Hello, World!\")} #{GreenSlug.metrics().instead}\")";
        elsewhere.run("mix", &["run", "-e", script], variables)
    };
    for tier in ["1:pool", "1:spawn", "2:core", "3:native"].into_iter().filter(is_made) {
        assert_eq!(passed(tier, &call(&[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }
    let script = "io:put_chars([element(2, 'Elixir.GreenSlug':slugify(<<\"From Erlang\">>)), 'Elixir.GreenSlug':tier()]), halt().";
    let elixir = fs::canonicalize(elsewhere.programs.join("elixir")).unwrap();
    let libraries = format!("_build/dev/lib:{}/lib", elixir.ancestors().nth(2).unwrap().display());
    let erlang = elsewhere.run("erl", &["-noshell", "-eval", script], &[("ERL_LIBS", &libraries)]);
    assert_eq!(passed("erl", &erlang), "from-erlang3:native");

    // The files of another C library: a program that ends with an error.
    let here = table.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    let other = here.replace("-gnu", "-musl");
    let (here, there) = (installed.join("priv").join(here), installed.join("priv").join(other));
    fs::rename(&here, &there).unwrap();
    let native = table.split_whitespace().find(|word| word.starts_with("native-")).unwrap();
    let spoil = |folder: &std::path::Path| {
        fs::create_dir_all(folder.join("artifacts")).unwrap();
        for name in ["artifacts/green-slug", native] {
            fs::copy("/usr/bin/false", folder.join(name)).unwrap();
        }
    };
    spoil(&here);
    for tier in ["1:pool", "3:native"] {
        assert_eq!(passed(tier, &call(&[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }
    spoil(&there);
    let fails = call(&[]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    assert!(!fails.status.success() && why.contains("green-slug cannot run at tier 3:native: "), "{why}");
    assert!(
        [&here, &there].iter().all(|one| why.contains(&format!("{native} cannot be loaded"))
            && why.contains(&*one.file_name().unwrap().to_string_lossy())),
        "{why}"
    );
    let falls_back = call(&[("TIERUP_FALLBACK", "1:pool, 0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    assert!(noted.lines().count() == 1 && noted.ends_with("; falling back to tier 0\n"), "{noted}");
    let answer = passed("fallback", &falls_back);
    assert!(answer.starts_with("0 mine green-slug cannot run at tier 3:native: "), "{answer}");
    let lost = String::from_utf8_lossy(&call(&[("TIERUP_TIER", "1")]).stderr).into_owned();
    assert!(lost.contains("artifacts/green-slug does not start (1): "), "{lost}");
    [&here, &there].into_iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
    let missing = String::from_utf8_lossy(&call(&[("TIERUP_TIER", "1")]).stderr).into_owned();
    assert!(missing.contains("install the package again, or ask its maker for another one"), "{missing}");
}
