//! A server in Elixir, sampled by a process among its own.

use crate::common::Server;

#[test]
fn stacks_of_the_beam_are_weighted_by_what_runs() {
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
        let with = stacks.filter(|(stack, _)| stack.contains(function));
        with.filter_map(|(_, weight)| weight.parse::<f64>().ok()).sum()
    };
    let (long, short) = (weight("Spinning.long/0 ("), weight("Spinning.short/0 ("));
    assert!(long > short && short > 0.0, "{long} and {short}:\n{text}");
    assert!((long + short) * 2.0 > weight(""), "{text}");
    // Stacks are whole, and files are there.
    let whole = |line: &str| line.starts_with("Server.serve/1 (") && line.contains("server.ex:");
    assert!(text.lines().any(whole), "{text}");
    let said = std::fs::read_to_string(left.folder.path().join("said")).unwrap();
    assert!(!said.contains("tierup"), "the server's own output has words of the sensor: {said}");
    left.is_nothing();
}
