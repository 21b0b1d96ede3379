//! A driver's calls: how long each may take, and that its start does not count as a call.

use std::{path::Path, time::Duration};

use tierup_codegen::{Command, Row, Variant};
use tierup_runner::{CallEnding, Driver};

/// A frame for `printf`, with this outcome, no time and no content.
fn frame(outcome: u8) -> String {
    format!(r"\015\0\0\0\00{outcome}\0\0\0\0\0\0\0\0\0\0\0\0")
}

fn call(script: &str) -> tierup_runner::Result<CallEnding> {
    let mut driver = Driver::start(&Command::new("sh", ["-c", script]), Path::new("/"), &[]).expect("sh starts");
    let answer = driver.call(&Row::Variant(Variant::Native), 0, 1, &[], Duration::from_millis(300));
    answer.map(|answer| answer.ending)
}

#[test]
fn a_slow_start_does_not_count_as_a_call() {
    let (unknown, ok) = (frame(4), frame(0));
    let ending = call(&format!("sleep 1; printf '{unknown}{ok}' >&4; cat <&3 >/dev/null"));
    assert_eq!(ending.expect("it answers"), CallEnding::Ok(Vec::new()));
}

#[test]
fn a_hanging_call_is_given_up() {
    let unknown = frame(4);
    let error = call(&format!("printf '{unknown}' >&4; exec sleep 60")).expect_err("it does not answer");
    assert!(error.to_string().contains("did not answer within 0.3 s"), "{error}");
}

#[test]
fn an_exited_driver_is_not_waited_for() {
    let error = call("exit 7").expect_err("it ended");
    assert!(error.to_string().contains("`sh -c 'exit 7'` failed"), "{error}");
}

/// The watch needs `/proc`.
#[cfg(target_os = "linux")]
#[test]
fn a_call_that_takes_too_much_memory_is_ended_with_the_reason() {
    // The shell's child fills the memory, as a worker of `1:pool` may.
    takes_too_much("(x=$(head -c 400M /dev/zero | tr '\\0' x); sleep 60); true");
}

/// Workers of `1:pool` in Python, Go and Java have their own sessions.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_in_its_own_session_counts() {
    takes_too_much("setsid --wait sh -c \"x=\\$(head -c 400M /dev/zero | tr '\\\\0' x); sleep 60\"; sleep 60");
}

#[cfg(target_os = "linux")]
#[track_caller]
fn takes_too_much(script: &str) {
    let script = format!("printf '{}' >&4; {script}", frame(4));
    let command = Command::new("sh", ["-c", &script]);
    let mut driver = Driver::start_within(100 << 20, &command, Path::new("/"), &[]).expect("sh starts");
    let patience = Duration::from_secs(50);
    let error = driver.call(&Row::Variant(Variant::Native), 0, 1, &[], patience).expect_err("it is ended");
    assert!(error.to_string().contains("the call took more than 0.1 GiB of memory, and was ended"), "{error}");
}
