//! A server in Elixir, sampled by one of its own BEAM processes.

use std::process::Command;

use tierup_codegen::{HostSettings, InstallBy};
use tierup_runner::Quiet;
use tierup_sampling::Private;

use crate::common::{Disk, Server};

/// In a release, no module is loaded by its name, and the BEAM exits if its flags name a module that cannot be loaded.
#[test]
fn a_release_runs_with_the_sensor_and_without_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let settings = HostSettings {
        folder: folder.path().to_owned(),
        install: InstallBy::Nobody,
        start: vec!["erl".to_owned()],
        ..HostSettings::default()
    };
    let private = Private::new().unwrap();
    let sensor = tierup_host_beam::beam().sensor(&settings, &Disk(folder.path()), private.path()).unwrap();
    let is_loaded = || {
        let mut erl = Command::new("erl");
        erl.args([
            "-mode",
            "embedded",
            "-noshell",
            "-eval",
            "io:format(\"~p\", [code:is_loaded(tierup_profile)]), init:stop().",
        ]);
        erl.envs(sensor.environment.iter().map(|variable| (variable.name, &variable.value)));
        let output = erl.current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(is_loaded(), "false");
    private.prepare(&sensor.files, &sensor.preparation, &mut Quiet).unwrap();
    assert!(is_loaded().contains("tierup_profile"));
    private.remove().unwrap();
}

#[test]
fn stacks_of_the_beam_are_weighted_by_running_processes() {
    let server = Server {
        host: tierup_host_beam::beam(),
        folder: "beam",
        install: &[],
        prepare: &["elixirc", "server.ex"],
        // The first process is not the BEAM.
        start: "elixir -pa . -e 'Server.start()' > said 2>&1 & wait",
    };
    let (taken, left) = server.profile(&["/"]);
    let taken = taken.unwrap();
    assert_eq!((taken.blocks.len(), taken.notes.len()), (5, 0), "{:?}", taken.notes);
    let parts = taken.blocks.iter().map(|block| {
        let [part] = &block.parts[..] else { panic!("one BEAM: {}", block.parts.len()) };
        assert!(part.process.is_some() && part.cpu.is_some());
        part
    });
    // On a busy machine, a short block has few samples.
    let text: String = parts.map(|part| String::from_utf8(part.profile.clone()).unwrap()).collect();
    let weight = |function: &str| -> f64 {
        let stacks = text.lines().filter_map(|line| line.rsplit_once(' '));
        // These stacks belong to running processes; those of waiting ones name what they wait for.
        let with = stacks.filter(|(stack, _)| stack.contains(function) && !stack.contains("(waiting)"));
        with.filter_map(|(_, weight)| weight.parse::<f64>().ok()).sum()
    };
    let (long, short) = (weight("Spinning.long/0 ("), weight("Spinning.short/0 ("));
    assert!(long > short && short > 0.0, "{long} and {short}:\n{text}");
    assert!((long + short) * 2.0 > weight(""), "{text}");
    // Stacks begin at the root, and files are named.
    let whole = |line: &str| line.starts_with("Server.serve/1 (") && line.contains("server.ex:");
    assert!(text.lines().any(whole), "{text}");
    let said = std::fs::read_to_string(left.folder.path().join("said")).unwrap();
    assert!(!said.contains("tierup"), "the server's own output has words of the sensor: {said}");
    left.is_nothing();
}
