//! `perf` on these test servers: where it is allowed, their functions have names, and nothing is left behind.

use std::path::Path;

use tierup_codegen::{Host, MAP, PID};
use tierup_sampling::Taken;

use crate::common::{Left, Server};

fn perf(server: &Server) -> (Taken, Left) {
    let (taken, left) = server.profile_with(&["/"], Some("perf"));
    (taken.unwrap(), left)
}

/// The share of samples that contain this function, of those in the server's own code. How much the runtime does beside it,
/// such as compiling, depends on the machine.
fn share(taken: &Taken, host: &dyn Host, function: &str) -> f64 {
    let (mut with, mut all) = (0.0, 0.0);
    for part in taken.blocks.iter().flat_map(|block| &block.parts) {
        let naming = tierup_profile::Naming { rules: host.frames(), own: &[], maps: None };
        let reading = tierup_profile::Reading { name: "perf", naming, seconds_per_sample: Some(0.005), torn: true };
        let profile = tierup_profile::read_part(&part.profile, &reading).unwrap();
        for sample in profile.samples() {
            let own =
                || profile.leaf_first(sample.stack).map(|id| profile.frame_of(id)).filter(|frame| frame.kind.is_own());
            if own().next().is_some() {
                all += sample.weight;
            }
            if own().any(|frame| frame.function == function) {
                with += sample.weight;
            }
        }
    }
    with / all
}

/// The perf maps of the sampled processes.
fn maps(taken: &Taken) -> Vec<String> {
    let texts = taken.blocks.iter().flat_map(|block| &block.parts).map(|part| String::from_utf8_lossy(&part.profile));
    let pids = texts.flat_map(|text| {
        let processes = text.lines().filter_map(|line| line.strip_prefix("process ")?.split(':').next());
        processes.map(str::to_owned).collect::<Vec<_>>()
    });
    pids.map(|pid| MAP.replace(PID, &pid)).filter(|map| Path::new(map).exists()).collect()
}

#[test]
fn perf_samples_node_in_all_processes() {
    let server = Server {
        host: tierup_host_node::node(),
        folder: "node",
        install: &[],
        prepare: &[],
        start: "node server.js & wait",
    };
    let (taken, left) = perf(&server);
    assert!(share(&taken, server.host, "spinInProcess") > 0.05);
    assert_eq!(maps(&taken), [""; 0]);
    left.is_nothing();
}

#[test]
fn perf_samples_go_without_a_change_of_the_build() {
    let server = Server {
        host: tierup_host_go::go(),
        folder: "go",
        install: &[],
        prepare: &["go", "build", "-o", "server", "."],
        start: "exec ./server",
    };
    let (taken, left) = perf(&server);
    assert!(share(&taken, server.host, "main.spin") > 0.3);
    left.is_nothing();
}

#[test]
fn perf_samples_java() {
    let server = Server {
        host: tierup_host_java::java(),
        folder: "java",
        install: &[],
        prepare: &["javac", "-d", "classes", "Server.java"],
        start: "java -cp classes Server & wait",
    };
    let (taken, left) = perf(&server);
    assert!(share(&taken, server.host, "Server.spin") > 0.3);
    assert_eq!(maps(&taken), [""; 0]);
    left.is_nothing();
}

#[test]
fn perf_samples_the_beam_with_the_files_of_its_modules() {
    let server = Server {
        host: tierup_host_beam::beam(),
        folder: "beam",
        install: &[],
        prepare: &["elixirc", "server.ex"],
        start: "elixir -pa . -e 'Server.start()' > said 2>&1 & wait",
    };
    let (taken, left) = perf(&server);
    assert!(share(&taken, server.host, "Spinning.steps/1") > 0.3);
    let text = String::from_utf8_lossy(&taken.blocks[0].parts[0].profile);
    assert!(text.contains("/server.ex:0)"), "{text}");
    assert_eq!(maps(&taken), [""; 0]);
    left.is_nothing();
}
