//! What `TIERUP_WORKERS`, `TIERUP_CALL_TIMEOUT` and `TIERUP_CALL_QUEUE` promise in every language: a call that does not return
//! takes nothing from the next one.

use tierup_codegen::{Row, Variant, abi::Value};
use tierup_parity::Outcome;
use tierup_runner::CallEnding;

use crate::{
    processes::Kind,
    server::{NO_ROLLOUT, Scenario, Server, text},
};

pub(crate) const SCENARIOS: &[Scenario] = &[
    ("calls that do not return are ended, and others are answered", NO_ROLLOUT, endless),
    ("a call too many is refused, and one that waits too long fails", NO_ROLLOUT, queue),
    ("closing gives up calls that do not return", NO_ROLLOUT, close),
    ("limits are numbers", NO_ROLLOUT, numbers),
];

const POOL: Row = Row::Variant(Variant::Pool);
const SPAWN: Row = Row::Variant(Variant::Spawn);
const CORE: Row = Row::Variant(Variant::Core);

fn hang() -> (&'static str, Vec<Value>) {
    ("hang_on", vec![text("really")])
}

/// The words of calls that were lost.
fn lost(outcomes: Vec<Outcome>) -> Vec<String> {
    let words = outcomes.into_iter().map(|outcome| match outcome {
        Outcome::Lost(words) => words,
        outcome => panic!("{outcome}"),
    });
    words.collect()
}

fn endless(mut server: Server<'_>) {
    server.spawn(&[("TIERUP_WORKERS", "2"), ("TIERUP_CALL_TIMEOUT", "2")]);
    let mut rows = vec![POOL, SPAWN];
    // Node makes calls of Wasm in its only thread.
    if !server.is("node") {
        rows.push(CORE);
    }
    let processes = server.processes();
    for row in rows {
        server.answers(&row);
        let open = processes.descriptors();
        // More calls than there are workers.
        let counts: &[usize] = if row == POOL { &[3, 1] } else { &[2] };
        for &count in counts {
            let calls: Vec<_> = (0..count).map(|_| hang()).collect();
            let found = lost(server.together(&row, &calls));
            let took = |words: &String| words.contains("the call took longer than 2 s (TIERUP_CALL_TIMEOUT)");
            let waited =
                |words: &String| words.contains("no worker was free for the call within 2 s (TIERUP_CALL_TIMEOUT)");
            assert!(found.iter().any(took) && found.iter().all(|it| took(it) || waited(it)), "{row}: {found:?}");
            server.answers(&row);
        }
        // Two workers may be connected instead of one.
        server.until("descriptors are given back", |_| processes.descriptors() <= open + usize::from(row == POOL));
        assert!(processes.of(Kind::Worker).len() <= 2, "{row}");
        let found = server.at(&row, "panic_with", &[text("words")]);
        assert!(matches!(found, Outcome::Panic(_)), "{row}: {found}");
        let counted = server.close(&row);
        // A machine may be so busy that the start of a program takes too long, too.
        assert!(counted.get("timeouts").parse::<u32>().unwrap() >= 2, "{row}: {counted:?}");
        assert_eq!(counted.get("lost"), "0", "{row}");
        if row == SPAWN {
            processes.are(0, Kind::Call);
        }
    }
}

fn queue(mut server: Server<'_>) {
    // It makes one call after the other.
    if server.is("php") {
        return;
    }
    server.spawn(&[("TIERUP_WORKERS", "1"), ("TIERUP_CALL_TIMEOUT", "4"), ("TIERUP_CALL_QUEUE", "3")]);
    server.answers(&POOL);
    let calls: Vec<_> = (0..10).map(|_| hang()).collect();
    let found = lost(server.together(&POOL, &calls));
    let refused = "3 calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)";
    let late = "no worker was free for the call within 4 s (TIERUP_CALL_TIMEOUT)";
    let count = |words: &str| found.iter().filter(|found| found.contains(words)).count();
    let counts = [count(refused), count(late), count("the call took longer than 4 s (TIERUP_CALL_TIMEOUT)")];
    assert!(counts[0] > 0 && counts[2] > 0 && counts.iter().sum::<usize>() == 10, "{counts:?}: {found:#?}");
    server.answers(&POOL);
}

fn close(mut server: Server<'_>) {
    // PHP makes one call after the other, and in Elixir there is nothing to close.
    if server.is("php") || server.is("beam") {
        return;
    }
    server.spawn(&[]);
    let rows = [POOL, SPAWN];
    let mut requests = vec![];
    for row in &rows {
        server.answers(row);
        requests.push(server.request(row, "hang_on", &hang().1));
    }
    requests.extend(rows.iter().map(|row| server.close_request(row)));
    for ending in &server.at_once(&requests)[..rows.len()] {
        let CallEnding::Lost(words) = ending else { panic!("{ending:?}") };
        // On a busy machine, a call may come after the end. Go tells how the program of 1:spawn ended.
        assert!(words.contains("closed") || server.is("go") && words.contains("killed"), "{words}");
    }
    server.processes().are(0, Kind::Any);
}

fn numbers(mut server: Server<'_>) {
    let wrong = [
        ("TIERUP_WORKERS", "0"),
        ("TIERUP_CALL_QUEUE", "1.5"),
        ("TIERUP_CALL_TIMEOUT", "1e3"),
        ("TIERUP_CALL_TIMEOUT", "nan"),
        ("TIERUP_START_TIMEOUT", "-1"),
    ];
    for (name, value) in wrong {
        // PHP has one worker for each process, and no queue.
        if server.is("php") && name != "TIERUP_CALL_TIMEOUT" {
            continue;
        }
        server.spawn(&[(name, value)]);
        // Node makes calls of Wasm in its only thread.
        let has_timeout = name == "TIERUP_CALL_TIMEOUT" && !server.is("node");
        for row in [POOL].into_iter().chain(has_timeout.then_some(CORE)) {
            let found = server.at(&row, "echo_text", &[text("x")]);
            let Outcome::Lost(words) = found else { panic!("{row}: {name}={value}: {found}") };
            let is_told = words.contains(&format!("{name} must be a ")) && words.contains(&format!("`{value}`"));
            assert!(is_told, "{row}: {words}");
        }
    }
}
