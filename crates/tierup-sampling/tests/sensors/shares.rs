//! Checks whether shares are true: the servers of `conformance/profile` have five functions of known cost, and measure
//! them. Other tests may keep the machine busy, so only shares that are far apart must be told apart here;
//! `conformance/profile/run.py` measures the errors.

use std::{collections::BTreeMap, fs, time::Duration};

use tierup_profile::{Naming, What, rank};

use crate::common::Server;

/// Shares that differ by more than this must be in the right order.
const APART: f64 = 0.15;
/// The largest error of a share.
const OFF: f64 = 0.2;

/// `names` are the functions, in the order of the file TRUTH; `blind` is one that the sensor cannot see.
fn shares_are_near(server: &Server, names: [&str; 5], blind: Option<&str>) {
    let (taken, sensor, left) = server.profile_for(Duration::from_secs(8), &["/"], None);
    let naming = Naming { rules: server.host.frames(), own: &[], maps: None };
    let profile = taken.unwrap().profile(&sensor, &left.private, naming).unwrap();
    let ranking = rank(&profile);
    let last = |function: &str| function.rsplit('.').next().unwrap_or_default().to_owned();
    let found: BTreeMap<String, f64> =
        ranking.functions.iter().map(|function| (last(&function.frame.function), function.owned.value)).collect();

    let truth = fs::read_to_string(left.folder.path().join("truth")).unwrap();
    let lines: Vec<Vec<f64>> =
        truth.lines().map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect()).collect();
    let (first, end) = (lines.iter().find(|line| line[2..].iter().sum::<f64>() > 0.0).unwrap(), lines.last().unwrap());
    let cpu = end[1] - first[1];
    let known = names.iter().enumerate().filter(|(_, name)| Some(**name) != blind);
    let shares: Vec<(&str, f64, f64)> = known
        .map(|(place, name)| {
            let found = found.get(*name).copied().unwrap_or(0.0);
            (*name, (end[place + 2] - first[place + 2]) / cpu, found)
        })
        .collect();
    for (name, truth, found) in &shares {
        assert!((truth - found).abs() < OFF, "{name}: {shares:?}");
        for (other, less, seen) in shares.iter().filter(|(_, less, _)| truth - less > APART) {
            assert!(found > seen, "{name} takes {truth}, {other} {less}: {shares:?}");
        }
    }
    let rest: f64 = ranking.rest.iter().map(|rest| rest.share.value).sum();
    let own: f64 = ranking.functions.iter().map(|function| function.itself.value).sum();
    assert!((rest + own - 1.0).abs() < 1e-6);
    let unseen: f64 = ranking.rest.iter().filter(|rest| rest.what == What::Unseen).map(|rest| rest.share.value).sum();
    assert!(unseen < 0.5 && ranking.unnamed() < 0.1, "{unseen} of the CPU is not seen: {:?}", ranking.rest);
    left.is_nothing();
}

#[test]
fn node() {
    let server = Server {
        host: tierup_host_node::node(),
        folder: "../../../../conformance/profile/node",
        install: &[],
        prepare: &[],
        start: "TRUTH=truth exec node server.js",
    };
    shares_are_near(&server, ["light", "awaited", "inWorker", "small", "native"], None);
}

#[test]
fn python() {
    let server = Server {
        host: tierup_host_python::python(),
        folder: "../../../../conformance/profile/python",
        install: &["python3 -m venv .venv", ".venv/bin/pip install --quiet --disable-pip-version-check py-spy==0.4.3"],
        prepare: &[],
        start: "TRUTH=truth exec .venv/bin/python server.py",
    };
    shares_are_near(&server, ["light", "awaited", "in_worker", "small", "native"], Some("native"));
}

#[test]
fn go() {
    let server = Server {
        host: tierup_host_go::go(),
        folder: "../../../../conformance/profile/go",
        install: &[],
        prepare: &["go", "build", "-o", "server", "."],
        start: "TRUTH=truth exec ./server",
    };
    shares_are_near(&server, ["light", "awaited", "inWorker", "small", "native"], None);
}

#[test]
fn java() {
    let server = Server {
        host: tierup_host_java::java(),
        folder: "../../../../conformance/profile/java",
        install: &[],
        prepare: &["javac", "-d", "classes", "Server.java"],
        start: "TRUTH=truth exec java -cp classes Server",
    };
    shares_are_near(&server, ["light", "awaited", "inWorker", "small", "nativeCode"], None);
}

#[test]
fn php() {
    let server = Server {
        host: tierup_host_php::php(),
        folder: "../../../../conformance/profile/php",
        install: &[],
        prepare: &[],
        start: "TRUTH=truth exec php server.php",
    };
    shares_are_near(&server, ["light", "awaited", "in_worker", "small", "native"], None);
}
