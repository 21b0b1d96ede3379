//! The workers of `1:pool` and the companion that starts them, in every language: whatever ends, calls are answered again, no
//! answer is wrong, and no process is left. When workers are started is tested in `crates/tierup-codegen/tests/companion/`.

use std::{
    fs,
    os::unix::net::UnixListener,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use rustix::process::Signal;
use tierup_codegen::{Row, Variant, abi::Value};
use tierup_parity::Outcome;

use crate::{
    processes::Kind,
    server::{NO_ROLLOUT, Scenario, Server, text},
};

pub(crate) const SCENARIOS: &[Scenario] = &[
    ("a killed companion is started anew, and its workers live on", NO_ROLLOUT, anew),
    ("kills at random lose calls, but give no wrong answer", NO_ROLLOUT, random),
    ("a worker that reads no more is given up", NO_ROLLOUT, stopped),
    ("a companion that somebody else has started is used", NO_ROLLOUT, foreign),
    ("a worker that ends while it is greeted is an error of tierup's", NO_ROLLOUT, greeted),
    ("nothing outlives a killed server", NO_ROLLOUT, orphans),
];

const POOL: Row = Row::Variant(Variant::Pool);

/// The companion belongs to the package, and has the pool's workers. PHP has one worker for each process, and the BEAM has
/// a pool of its own.
fn has_companion(server: &Server<'_>) -> bool {
    !server.is("php") && !server.is("beam")
}

#[track_caller]
fn echoes(server: &mut Server<'_>, words: &str) {
    let found = server.at(&POOL, "echo_text", &[text(words)]);
    assert_eq!(found, Outcome::Ok(Some(text(words))));
}

fn anew(mut server: Server<'_>) {
    if !has_companion(&server) {
        return;
    }
    server.spawn(&[("TIERUP_WORKERS", "2")]);
    echoes(&mut server, "first");
    let processes = server.processes();
    processes.are(2, Kind::Worker);
    let workers = processes.of(Kind::Worker);
    let calls: Vec<_> = (0..40).map(|seed| ("churn", vec![Value::Integer(seed), Value::Integer(1_000_000)])).collect();
    let found = thread::scope(|scope| {
        let made = scope.spawn(|| server.together(&POOL, &calls));
        assert_eq!(processes.kill(Kind::Companion), 1);
        made.join().unwrap()
    });
    assert!(found.iter().all(|it| matches!(it, Outcome::Ok(_))), "{found:?}");
    echoes(&mut server, "without a companion");
    assert_eq!(processes.of(Kind::Worker), workers);
    processes.kill(Kind::Worker);
    // No call goes to a worker that has ended, although the package may not know of the end yet.
    for number in 0..3 {
        echoes(&mut server, &number.to_string());
    }
    assert_eq!(processes.of(Kind::Companion).len(), 1);
    assert_eq!(server.close(&POOL).counts(), "45 calls");
    processes.are(0, Kind::Any);
}

fn random(mut server: Server<'_>) {
    server.spawn(&[("TIERUP_WORKERS", "4")]);
    echoes(&mut server, "first");
    let processes = server.processes();
    for round in 0..10 {
        let words: Vec<_> = (0..200).map(|call| text(format!("{round} {call}"))).collect();
        let calls: Vec<_> = words.iter().map(|words| ("echo_text", vec![words.clone()])).collect();
        let found = thread::scope(|scope| {
            let made = scope.spawn(|| server.together(&POOL, &calls));
            let kind = if round % 4 == 3 { Kind::Companion } else { Kind::Worker };
            let all = processes.of(kind);
            processes.kill_these(&all[..all.len().min(2)]);
            made.join().unwrap()
        });
        for (found, words) in found.into_iter().zip(words) {
            assert!(matches!(found, Outcome::Lost(_)) || found == Outcome::Ok(Some(words)), "{found:.300}");
        }
        // If the kill hits a companion that is starting, calls fail for half a second.
        server.answers(&POOL);
    }
}

fn stopped(mut server: Server<'_>) {
    server.spawn(&[("TIERUP_WORKERS", "1"), ("TIERUP_CALL_TIMEOUT", "3")]);
    server.answers(&POOL);
    let processes = server.processes();
    let workers = processes.of(Kind::Worker);
    assert_eq!(processes.signal(Kind::Worker, Signal::STOP), 1);
    let found = server.at(&POOL, "echo_bytes", &[Value::Bytes(vec![0; 16 << 20])]);
    let Outcome::Lost(words) = found else { panic!("{found:.300}") };
    assert!(words.contains("the call took longer than 3 s (TIERUP_CALL_TIMEOUT)"), "{words}");
    server.answers(&POOL);
    processes.kill_these(&workers);
    server.answers(&POOL);
}

/// A companion of the operator's.
struct Operator(Child);

impl Operator {
    /// Starts the program of a running companion on this socket.
    fn like_that_of(server: &Server<'_>, socket: &Path) -> Operator {
        let companion = server.processes().of(Kind::Companion)[0].as_raw_nonzero();
        let line = fs::read_to_string(format!("/proc/{companion}/cmdline")).unwrap();
        let abi = line.split('\0').nth(2).unwrap();
        let program = socket.with_extension("program");
        fs::copy(format!("/proc/{companion}/exe"), &program).unwrap();
        let mut command = Command::new(program);
        command.arg("--tierup-listen").arg(socket).arg(abi).stdin(Stdio::null());
        Operator(command.spawn().unwrap())
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn foreign(mut server: Server<'_>) {
    if !has_companion(&server) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    server.spawn(&[]);
    echoes(&mut server, "own");
    let operator = Operator::like_that_of(&server, &socket);
    server.spawn(&[("TIERUP_POOL_SOCKET", socket.to_str().unwrap())]);
    server.answers(&POOL);
    assert_eq!(server.processes().of(Kind::Companion), []);
    drop(operator);
    server.spawn(&[("TIERUP_POOL_SOCKET", socket.to_str().unwrap())]);
    let found = server.at(&POOL, "echo_text", &[text("late")]);
    let nobody = format!("nobody listens on {} (TIERUP_POOL_SOCKET): does its program run?", socket.display());
    assert_eq!(found, Outcome::Lost(nobody));
}

fn greeted(mut server: Server<'_>) {
    if !has_companion(&server) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    thread::spawn(move || listener.incoming().for_each(drop));
    server.spawn(&[("TIERUP_POOL_SOCKET", socket.to_str().unwrap())]);
    let found = server.at(&POOL, "echo_text", &[text("x")]);
    assert!(matches!(&found, Outcome::Lost(words) if words.contains("ended before")), "{found}");
}

fn orphans(mut server: Server<'_>) {
    server.spawn(&[("TIERUP_WORKERS", "2")]);
    echoes(&mut server, "first");
    let processes = server.processes();
    thread::scope(|scope| {
        // A worker in an endless call does not see the end of its connection.
        let hung = scope.spawn(|| server.call(&POOL, "hang_on", &[text("really")]));
        // The call may need longer to reach the worker: then the test finds less.
        thread::sleep(Duration::from_secs(1));
        processes.kill(Kind::Server);
        assert_eq!(hung.join().unwrap(), None);
    });
    // In PHP, the companion outlives its server for a while.
    processes.are(0, Kind::Worker);
    if has_companion(&server) {
        processes.are(0, Kind::Any);
    }
}
