//! A server in Node, sampled by its host's sensor in every process and thread, with nothing left behind.

use std::collections::BTreeSet;

use serde_json::Value;
use tierup_codegen::THE_SENSOR;
use tierup_sampling::{Error, Part, Taken};

use crate::common::Server;

/// The server of `tests/servers/node`, started by this shell command.
fn node(start: &'static str) -> Server {
    Server { host: tierup_host_node::node(), folder: "node", install: &[], prepare: &[], start }
}

/// Names of the functions that the profile's samples hit.
fn functions(part: &Part) -> BTreeSet<String> {
    let profile: Value = serde_json::from_slice(&part.profile).unwrap();
    let sampled: BTreeSet<u64> = profile["samples"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    let nodes = profile["nodes"].as_array().unwrap().iter();
    let hit = nodes.filter(|node| node["id"].as_u64().is_some_and(|id| sampled.contains(&id)));
    hit.filter_map(|node| node["callFrame"]["functionName"].as_str()).map(str::to_owned).collect()
}

#[test]
fn every_process_and_thread_is_sampled() {
    // The server refuses the last request, so it is not part of the load.
    let (taken, left) = node("exec node server.js").profile(&["/", "/thread", "/missing"]);
    let taken = taken.unwrap();
    // Half of the requests allocate 256 KiB in growing lists, and what HTTP needs.
    let allocated = taken.allocated_per_request().unwrap().value;
    assert!((131_072.0..2_000_000.0).contains(&allocated), "{allocated}");
    let routes = taken.routes().unwrap().routes;
    assert!(
        routes.len() == 2 && routes.iter().all(|route| route.requests == 0.5 && route.cpu.value > 0.0),
        "{routes:?}"
    );
    let Taken { blocks, notes, .. } = taken;
    assert!(notes.is_empty(), "{notes:?}");
    for block in &blocks {
        // The server has a primary, two workers, and a thread in each worker.
        let processes: BTreeSet<_> = block.parts.iter().map(|part| part.process).collect();
        assert_eq!((block.parts.len(), processes.len()), (5, 3));
        let all = |thread: bool| -> BTreeSet<String> {
            let parts = block.parts.iter().filter(|part| (part.thread != Some(0)) == thread);
            parts.flat_map(functions).collect()
        };
        assert!(all(false).contains("spinInProcess") && !all(false).contains("spinInThread"));
        assert!(all(true).contains("spinInThread") && !all(true).contains("spinInProcess"));
        assert!(block.sampled.answered > 0 && block.plain.answered > 0);
    }
    assert_eq!(blocks.len(), 5);
    if cfg!(target_os = "linux") {
        let all: f64 = blocks.iter().map(|block| block.cpu.unwrap().as_secs_f64()).sum();
        // The threads' CPU times add up to that of the tree. One block on a busy machine may be far from the mean.
        let parts = blocks.iter().flat_map(|block| &block.parts);
        let threads: f64 = parts.map(|part| part.cpu.unwrap().as_secs_f64()).sum();
        assert!(threads > all * 0.3 && threads < all * 1.1, "{threads} of {all}");
        // V8's threads are named, even if Node does not name them, and threads with an agent are not among them.
        let rows: BTreeSet<_> = blocks.iter().flat_map(|block| &block.unsampled).map(|one| &*one.what).collect();
        assert!(rows.contains(THE_SENSOR) && rows.iter().any(|what| what.starts_with("V8's own")), "{rows:?}");
        let unsampled: f64 = blocks.iter().flat_map(|block| &block.unsampled).map(|one| one.cpu.as_secs_f64()).sum();
        assert!(unsampled < all * 0.7, "{unsampled} of {all}: {blocks:?}");
    }
    left.is_nothing();
}

#[test]
fn a_server_without_the_sensor_says_so() {
    let (taken, left) = node("unset NODE_OPTIONS; exec node server.js").profile(&["/"]);
    let error = taken.unwrap_err();
    assert!(matches!(error, Error::NoProcess { why: None, .. }), "{error}");
    left.is_nothing();
}

#[test]
fn a_server_that_ends_leaves_nothing() {
    let (taken, left) = node("node server.js & sleep 2; kill -9 $!; exit 3").profile(&["/"]);
    assert!(taken.is_err());
    left.is_nothing();
}
