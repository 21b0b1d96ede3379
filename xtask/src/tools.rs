//! The programs that the stages need: installed where that is possible, named where it is not, never done without.

use std::process;

use tierup_codegen::Command;

use crate::step::{Report, root};

/// A component of the pinned toolchain.
pub(crate) fn component(report: &mut Report, name: &str) -> bool {
    let program = if name == "rustfmt" { "fmt" } else { name };
    runs("cargo", &[program, "--version"])
        || install(report, &format!("the component {name}"), &Command::new("rustup", ["component", "add", name]))
}

/// A compiler for C, which Rust links with, and the wasm target, which the pinned toolchain names.
pub(crate) fn rust(report: &mut Report) -> bool {
    runs("cc", &["--version"]) || system(report, "a C compiler", &["build-essential"])
}

/// What all hosts and their packages need.
pub(crate) fn of_all_hosts(report: &mut Report) -> bool {
    [rust, node, python, go, java].into_iter().all(|tool| tool(report))
}

/// Node 18 or newer with npm.
fn node(report: &mut Report) -> bool {
    if !runs("node", &["--version"]) || !runs("npm", &["--version"]) {
        return system(report, "Node.js with npm", &["nodejs", "npm"]);
    }
    let version = output("node", &["--version"]);
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    let new_enough = major.is_some_and(|major| major >= 18);
    if !new_enough {
        report.check(
            "Node.js 18 or newer",
            false,
            &format!("this is {}: get a newer one from https://nodejs.org", version.trim()),
        );
    }
    new_enough
}

/// Python 3.9 or newer, which can make virtual environments.
fn python(report: &mut Report) -> bool {
    let check = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 9))";
    runs("python3", &["-c", check]) || system(report, "Python 3.9 or newer with venv", &["python3", "python3-venv"])
}

/// Chromium, by any of its names.
pub(crate) fn chromium(report: &mut Report) -> bool {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().any(|name| runs(name, &["--version"])) || system(report, "Chromium", &["chromium"])
}

pub(crate) fn cargo_deny(report: &mut Report) -> bool {
    runs("cargo", &["deny", "--version"])
        || install(report, "cargo-deny", &Command::new("cargo", ["install", "--locked", "cargo-deny"]))
}

/// `npm test` in a folder, with a report that can be counted.
pub(crate) fn npm_test(folder: &str) -> Command {
    Command { folder: folder.into(), ..Command::new("npm", ["test"]) }
}

/// Go 1.21 or newer, which gets the toolchain that a module asks for.
fn go(report: &mut Report) -> bool {
    runs("go", &["version"]) || system(report, "Go", &["golang-go"])
}

/// All that Go has to say of a module: what is suspicious, what is not formatted, and its tests.
pub(crate) fn go_test(folder: &str) -> Command {
    // `tee /dev/stderr` would empty the file that standard error may be.
    let all = "go vet ./... && wrong=$(gofmt -l .) && echo \"$wrong\" && test -z \"$wrong\" && go test ./...";
    Command { folder: folder.into(), ..Command::new("sh", ["-c", all]) }
}

/// The tests of a module of Go's in which goroutines meet, with every access to memory watched: at a tenth of the speed, so
/// without the one that takes times.
pub(crate) fn go_race(folder: &str) -> Command {
    let where_they_meet = "AtOnce|WhileACallHangs|Killed|Closed|Trapped";
    Command { folder: folder.into(), ..Command::new("go", ["test", "-race", "-run", where_they_meet, "./..."]) }
}

/// A JDK of 17 or newer, and Maven.
fn java(report: &mut Report) -> bool {
    let has_both = runs("javac", &["-version"]) && runs("mvn", &["--version"]);
    if !has_both && !system(report, "a JDK with Maven", &["openjdk-17-jdk-headless", "maven"]) {
        return false;
    }
    let version = output("javac", &["-version"]);
    let new_enough = feature(&version).is_some_and(|feature| feature >= 17);
    if !new_enough {
        let why = format!("this is {}: get a newer one from https://adoptium.net", version.trim());
        report.check("a JDK of 17 or newer", false, &why);
    }
    new_enough
}

/// The number behind `javac`: 17 of `javac 17.0.15`.
fn feature(version: &str) -> Option<u32> {
    version.split_whitespace().nth(1)?.split(['.', '-', '+']).next()?.parse().ok()
}

/// The tests of a project's server in Java, built with the package that it depends on.
pub(crate) fn java_test(folder: &str) -> Command {
    let quietly = ["--batch-mode", "--quiet", "--file", "../.tierup/java/with-server", "test"];
    Command { folder: folder.into(), ..Command::new("mvn", quietly) }
}

/// The same in a Java of 22 or newer, which calls native code by foreign functions rather than JNI. Where there is none,
/// that is a failure: nothing else would notice what breaks there.
pub(crate) fn java_foreign_test(report: &mut Report, folder: &str) -> Option<Command> {
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
    let mut command = java_test(folder);
    command.arguments.push(format!("-Djvm={}", home.join("bin/java").display()));
    Some(command)
}

/// pytest in a folder, in the environment that `tierup build` made there.
pub(crate) fn pytest(folder: &str) -> Command {
    // Relative to the folder that it runs in, which only some systems look up there: so by its whole path.
    let python = root().join(folder).join(".venv/bin/python").display().to_string();
    let quietly = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "tests"];
    Command { folder: folder.into(), ..Command::new(&python, quietly) }
}

/// The tests that come with the package of a project, in the environment of the project's Python server.
pub(crate) fn self_test(project: &str) -> Command {
    let python = root().join(project).join("python/.venv/bin/python").display().to_string();
    let folder = format!("{project}/.tierup/python/tests").into();
    Command { folder, ..Command::new(&python, ["-m", "unittest", "discover"]) }
}

/// The tests that come with the package of a project, in Java.
pub(crate) fn java_self_test(project: &str) -> Command {
    let quietly = ["--batch-mode", "--quiet", "test", "--activate-profiles", "self-test"];
    Command { folder: format!("{project}/.tierup/java").into(), ..Command::new("mvn", quietly) }
}

/// Installs packages of the system where that needs no questions: as root, where there is apt.
fn system(report: &mut Report, what: &str, packages: &[&str]) -> bool {
    let is_root = output("id", &["-u"]).trim() == "0";
    if is_root && runs("apt-get", &["--version"]) {
        println!("{what} is missing and is installed now");
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
    println!("{what} is missing and is installed now");
    report.step(&format!("install {what}"), command)
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = process::Command::new(program);
    command.args(arguments).current_dir(root()).output().is_ok_and(|output| output.status.success())
}

/// What a program prints, where it succeeds.
pub(crate) fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = process::Command::new(program).args(arguments).current_dir(root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = process::Command::new(program).args(arguments).current_dir(root()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}
