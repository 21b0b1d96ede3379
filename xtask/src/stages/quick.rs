//! The inner loop: tests in minutes what the changes since `main` affect, and lists what only the full run tests.

use std::collections::BTreeSet;

use crate::{
    changes::{Package, Reached, reached},
    packages, programs,
    repository::answer,
    stages::{conformance, examples, rust},
    step::Report,
    tools,
};

pub(crate) fn run(report: &mut Report) {
    let files = match changed_files() {
        Ok(files) => files,
        Err(reason) => return report.check("what changed", false, &reason),
    };
    if files.is_empty() {
        report.say("nothing changed since main: there is nothing to test; `cargo xtask test` tests everything");
        return report.check("what changed", true, "");
    }
    let packages = packages::all();
    if packages.is_empty() {
        return report.check("the packages of the workspace", false, "`cargo metadata` names none");
    }
    let reached = reached(&files, &packages);
    report.say(&format!("{} files changed; they reach: {}", files.len(), named(&reached)));
    rust::format(report);
    reached.wasm_tools.iter().for_each(|tool| rust::wasm_tool(report, tool));
    if !reached.changed.is_empty() {
        of_packages(report, &reached);
    }
    if !reached.hosts.is_empty() {
        conformance::of_hosts(report, &reached.hosts);
    }
    say_what_is_left(report, &reached, &packages);
}

/// Packages whose tests run HAProxy, nginx, Envoy and Postgres.
const BEHIND_LOAD_BALANCERS: [&str; 2] = ["tierup", "tierup-ramp"];

/// Whether to run a test program: all of a changed package, and of its users those that start no servers. The others
/// are only compiled and linted.
fn is_run(package: &str, is_of_servers: bool, reached: &Reached) -> bool {
    reached.changed.contains(package) || reached.users.contains(package) && !is_of_servers
}

/// Lints all packages, and runs the tests. Tests of hosts need all the hosts' tools, as they run generated code.
fn of_packages(report: &mut Report, reached: &Reached) {
    let mut tested = reached.changed.union(&reached.users);
    let hosts_run = reached.changed.contains("tierup") || tested.any(|name| name.starts_with("tierup-host-"));
    let balancers_run = BEHIND_LOAD_BALANCERS.iter().any(|name| reached.changed.contains(*name));
    let have_tools = if hosts_run { tools::of_all_hosts(report) && tools::perf(report) } else { tools::rust(report) };
    if !have_tools || balancers_run && !tools::load_balancers(report) {
        return;
    }
    let tests = packages::integration_tests();
    let of_servers = |test: &str| programs::OF_SERVERS.contains(&test);
    let wanted = tests.iter().filter(|(package, test)| is_run(package, of_servers(test), reached));
    let wanted: BTreeSet<&str> = wanted.map(|(_, test)| test.as_str()).collect();
    let targets = wanted.into_iter().flat_map(|test| ["--test", test]);
    if let Some(mut built) =
        programs::build(report, &["--lib", "--bins"].into_iter().chain(targets).collect::<Vec<_>>())
    {
        built.retain(|program| is_run(&program.package, program.is_of_servers(), reached));
        programs::run(report, built);
    }
}

fn say_what_is_left(report: &Report, reached: &Reached, packages: &[Package]) {
    let hosts: BTreeSet<String> = examples::host_tests("conformance").into_iter().map(|(host, _)| host).collect();
    let hosts: Vec<&str> = hosts.difference(&reached.hosts).map(String::as_str).collect();
    let not_reached: Vec<&str> =
        packages.iter().map(|package| &*package.name).filter(|name| !is_run(name, false, reached)).collect();
    let mut left = vec![
        "examples, end-to-end, browser, documents".to_owned(),
        "the minimal host and the race detector of conformance".to_owned(),
    ];
    if !hosts.is_empty() {
        left.push(format!("conformance of {}", hosts.join(", ")));
    }
    if !not_reached.is_empty() {
        left.push(format!("tests of {}", not_reached.join(", ")));
    }
    if !reached.users.is_empty() {
        let users = reached.users.iter().cloned().collect::<Vec<_>>().join(", ");
        left.push(format!("tests that start servers ({}) of {users}", programs::OF_SERVERS.join(", ")));
    }
    if !reached.elsewhere.is_empty() {
        left.push(format!("whatever tests {}", reached.elsewhere.join(", ")));
    }
    report.say("left to the full run (`cargo xtask test`):");
    left.iter().for_each(|line| report.say(&format!("- {line}")));
}

fn named(reached: &Reached) -> String {
    let conformance = reached.hosts.iter().map(|host| format!("conformance of {host}"));
    let tools = reached.wasm_tools.iter().map(|tool| (*tool).to_owned());
    let users = reached.users.iter().map(|name| format!("{name} (uses it)"));
    let all: Vec<String> = reached.changed.iter().cloned().chain(users).chain(tools).chain(conformance).collect();
    if all.is_empty() { "no crate and no host".to_owned() } else { all.join(", ") }
}

/// The files that differ from the point where this branch left `main`, committed or not.
fn changed_files() -> Result<Vec<String>, String> {
    let base = ["main", "origin/main"].into_iter().find_map(|main| answer("git", &["merge-base", "HEAD", main]));
    let base = base.ok_or("git finds neither `main` nor `origin/main` to compare with: fetch it")?;
    let changed = answer("git", &["diff", "--name-only", "--no-renames", base.trim()]);
    let new = answer("git", &["ls-files", "--others", "--exclude-standard"]);
    let (changed, new) = changed.zip(new).ok_or("git cannot list the changed files")?;
    let files: BTreeSet<&str> = changed.lines().chain(new.lines()).collect();
    Ok(files.into_iter().map(str::to_owned).collect())
}
