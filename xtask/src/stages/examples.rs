//! Tests every project in `examples/`: its crate's tests, its build, and its servers' tests at every tier.

use std::{env, fs, path::Path, time::Duration};

use tierup_codegen::Command;
use tierup_runner::{Ready, Server, Start, port};

use crate::{
    cargo::{beside_generated, cargo, is_long, without_figures},
    hosts,
    repository::{root, this_machine},
    step::Report,
    tools,
};

/// The host for `check` and `bench`. Its contract test applies to any server of a project.
const MAIN: &str = "node";
/// The contract test, in that host's folder. `TIERUP_URL` gives it the server's address.
const CONTRACT: &str = "test/contract.test.js";

/// Number of hosts to test at a time: their tests wait for timeouts more than they compute.
const CONTRACTS: usize = 3;

/// The project whose servers are tested at every row, as it has one in each host. The servers of the others are tested at
/// their baselines, in the main host also at the rows of [`FEW`], and elsewhere at [`FEWER`]: conformance tests all rows,
/// with the same package.
const AT_EVERY_ROW: &str = "examples/qr";
/// What is built of the others for the main host.
const FEW: &str = "1:spawn,3:native,4";
/// What is built of the others for other hosts: a program that is the same for all.
const FEWER: &str = "1:spawn";

/// Builds all projects, and that of the conformance tests: two at a time, as tools of other languages use one processor.
pub(crate) fn build(report: &mut Report) {
    let projects = [vec!["conformance".to_owned()], projects()].concat();
    report.side_by_side(2, &projects, |report, project| {
        built(report, project);
    });
}

fn built(report: &mut Report, project: &str) -> bool {
    if is_whole(project) {
        return report.step(&format!("{project}: build"), &tierup(["build", project]));
    }
    let hosts: Vec<_> = host_tests(project).into_iter().map(|(host, _)| host).filter(|host| host != MAIN).collect();
    let build = |hosts: &str, rows: &str| tierup(["build", project, "--hosts", hosts, "--tiers", rows]);
    report.step(&format!("{project}: build for {MAIN}"), &build(MAIN, FEW))
        && report.step(&format!("{project}: build for other hosts"), &build(&hosts.join(","), FEWER))
}

/// Whether all variants are tested here. The weekly run does so with every project.
fn is_whole(project: &str) -> bool {
    is_long() || !project.starts_with("examples/") || project == AT_EVERY_ROW
}

pub(crate) fn run(report: &mut Report) {
    if !tools::of_all_hosts(report) {
        return;
    }
    // The stage before has built the program with these features. A plain build has others, and would compile it again.
    let program = ["test", "--workspace", "--test", "conformance", "--no-run"];
    if !report.step("build of tierup", &cargo(program)) {
        return;
    }
    let projects = projects();
    // In parallel, as most steps wait for a server, a timeout or a linker.
    report.side_by_side(projects.len(), &projects, |report, project| example(report, project));
}

fn projects() -> Vec<String> {
    let mut projects: Vec<_> = entries("examples").into_iter().map(|name| format!("examples/{name}")).collect();
    projects.retain(|project| is_project(project));
    projects.sort();
    projects
}

fn example(report: &mut Report, project: &str) {
    // Names the target, as tierup does, so that common dependencies are compiled once.
    let Some(machine) = this_machine() else { return report.check("rustc -vV", false, "it names no host") };
    let test = |folder: &str| {
        let tests = Command::new("cargo", ["test", "--release", "--target", &machine]);
        beside_generated(without_figures(Command { folder: folder.into(), ..tests }))
    };
    report.step(&format!("{project}: the function's tests"), &test(project));
    let server = format!("{project}/server");
    if Path::new(&format!("{server}/Cargo.toml")).is_file() {
        report.step(&format!("{project}: the Rust server's own tests"), &test(&server));
    }
    // All is built already, unless this stage runs alone.
    if !built(report, project) {
        return;
    }
    // Only the main host: the contract tests below cover the servers of other hosts.
    let (cases, hostile) = if is_long() { ("1000", "1000") } else { ("30", "40") };
    let check = ["check", project, "--hosts", MAIN, "--seed", "1", "--cases", cases, "--hostile", hostile];
    let few: &[&str] = if is_long() { &[] } else { &["--tiers", FEW] };
    report.step(&format!("{project}: check"), &tierup(check.iter().chain(few).copied()));
    if is_whole(project) {
        benchmark(report, project);
    }
    // A host's servers run one at a time, as two would build in the same folder.
    report.side_by_side(CONTRACTS, &host_tests(project), |report, (host, tests)| {
        let rows = rows(project, host);
        // The function in the server's own process; with the original one, at least the contract.
        if let Some(row) = rows.last() {
            let mut tests = tests.clone();
            tests.environment.push(("TIERUP_TIER".into(), row.clone()));
            report.step(&format!("{project}: {host}'s tests at {row}"), &tests);
        }
        // The contract is one of the main host's own tests.
        let rest = &rows[..rows.len() - usize::from(host == MAIN)];
        rest.iter().for_each(|row| contract(report, project, host, row));
    });
    contract(report, project, MAIN, "4");
}

/// A short benchmark: every row must be measured without a failure; the figures do not matter. Loads use all processors,
/// so only the weekly run measures every row.
fn benchmark(report: &mut Report, project: &str) {
    let bench = ["bench", project, "--blocks", "2", "--duration", "5s"];
    let few: &[&str] = if is_long() { &[] } else { &["--tiers", "0,3,4"] };
    if !report.step(&format!("{project}: bench"), &tierup(bench.iter().chain(few).copied())) {
        return;
    }
    let text = fs::read_to_string(format!("{project}/.tierup/bench/report.json")).unwrap_or_default();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let blocks = record["blocks"].as_array().cloned().unwrap_or_default();
    let rows: Vec<_> = blocks.iter().flat_map(|block| block["rows"].as_array().cloned().unwrap_or_default()).collect();
    let slices = |row: &serde_json::Value| row["closed"].as_array().cloned().unwrap_or_default();
    let answered = |slice: &serde_json::Value| slice["answered"].as_u64().is_some_and(|count| count > 0);
    let measured = rows.iter().all(|row| !slices(row).is_empty() && slices(row).iter().all(answered));
    report.check(&format!("{project}: every row is in the report"), rows.len() >= 3 && measured, "see report.json");
    if is_long() {
        let ceiling = ["ceiling", project, "--duration", "6s", "--blocks", "2"];
        report.step(&format!("{project}: ceiling"), &tierup(ceiling));
    }
}

/// Runs the contract test against one server at one row.
fn contract(report: &mut Report, project: &str, host: &str, row: &str) {
    let name = format!("{project}: the contract, {host} at {row}");
    // The tests listen at this address, to which the server posts.
    let downstream = downstream_variable(project).and_then(|name| {
        let port = port::free().ok()?;
        Some((name, format!("http://127.0.0.1:{port}")))
    });
    let environment: Vec<_> = downstream.into_iter().chain(under_test(project)).collect();
    let started = port::free().map_err(|error| error.to_string()).and_then(|port| {
        let port_text = port.to_string();
        let command = tierup(["serve", project, "--host", host, "--tier", row, "--port", &port_text]);
        let start = Start {
            command: &command,
            root: &root(),
            environment: &environment,
            port,
            ready: Ready::Answers("/livez".into()),
            deadline: Duration::from_secs(300),
        };
        Server::start(&start).map(|server| (server, port)).map_err(|error| format!("{error}\n{error:?}"))
    });
    match started {
        Ok((server, port)) => {
            let mut tests = Command::new("node", [CONTRACT]);
            tests.folder = Path::new(project).join(MAIN);
            tests.environment.push(("TIERUP_URL".into(), format!("http://127.0.0.1:{port}")));
            tests.environment.push(("TIERUP_TIER".into(), row.to_owned()));
            tests.environment.extend(environment);
            report.step(&name, &tests);
            report.check(&format!("{project}: {host} at {row} stops"), server.stop(Duration::from_secs(20)), "killed");
        }
        Err(reason) => report.check(&name, false, &reason),
    }
}

/// The project's servers that have tests, by host.
pub(crate) fn host_tests(project: &str) -> Vec<(String, Command)> {
    hosts::all().into_iter().filter_map(|host| Some((host.host.clone(), host.of_server(project)?))).collect()
}

/// The rows of a server: its baselines, and every variant that was built.
fn rows(project: &str, host: &str) -> Vec<String> {
    let mut rows = vec!["0".to_owned()];
    // Further baselines are lines of this table, keyed by label.
    let table = format!("[host.{host}.baseline]");
    let settings = fs::read_to_string(format!("{project}/tierup.toml")).unwrap_or_default();
    let own =
        settings.lines().skip_while(|line| line.trim() != table).skip(1).take_while(|line| !line.starts_with('['));
    let labels = own.filter_map(|line| line.trim().strip_prefix("\"0:")?.split_once('"'));
    rows.extend(labels.map(|(label, _)| format!("0:{label}")));
    let record = fs::read_to_string(format!("{project}/.tierup/{host}/built.json")).unwrap_or_default();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap_or_default();
    let variants = record["variants"].as_object().cloned().unwrap_or_default();
    let built = variants.into_iter().filter(|(name, entry)| entry["built"] == true && !name.starts_with('4'));
    rows.extend(built.map(|(name, _)| name));
    rows
}

/// The variable with the address that a server posts to: `env` of `[downstream]`.
fn downstream_variable(project: &str) -> Option<String> {
    let settings = fs::read_to_string(format!("{project}/tierup.toml")).ok()?;
    let table = settings.split("\n[downstream]").nth(1)?;
    let lines = table.lines().take_while(|line| !line.starts_with('['));
    let value = lines.filter_map(|line| line.strip_prefix("env")?.trim_start().strip_prefix('=')).next()?;
    value.split('"').nth(1).map(str::to_owned)
}

/// The variables that a project's servers get in tests only: lines of `NAME=value` in `test.env`.
fn under_test(project: &str) -> Vec<(String, String)> {
    let lines = fs::read_to_string(format!("{project}/test.env")).unwrap_or_default();
    let set = lines.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
    set.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn is_project(folder: &str) -> bool {
    Path::new(&format!("{folder}/tierup.toml")).is_file()
}

fn entries(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The program under test; cargo puts it into the same folder as this one.
fn tierup<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let here = env::current_exe().unwrap_or_default();
    without_figures(Command::new(&here.with_file_name("tierup").display().to_string(), arguments))
}
