//! A caller starts its driver again after a call that ended it.

#![cfg(unix)]

use std::time::Duration;

use tierup_codegen::Command;
use tierup_runner::{Call, CallEnding, Caller, Interrupts};

/// A frame for `printf`, with this outcome, no time and no content.
fn frame(outcome: u8) -> String {
    format!(r"\015\0\0\0\00{outcome}\0\0\0\0\0\0\0\0\0\0\0\0")
}

#[test]
fn a_call_that_ends_the_driver_does_not_end_the_caller() {
    let folder = tempfile::tempdir().expect("there is room");
    let (ready, ok) = (frame(4), frame(0));
    // The first process ends before it answers; the second answers two calls.
    let script = format!(
        "if [ -e started ]; then printf '{ready}{ok}{ok}' >&4; cat <&3 >/dev/null; else : > started; printf '{ready}' >&4; exit 7; fi"
    );
    let interrupts = Interrupts::watch();
    let mut caller = Caller::new(Command::new("sh", ["-c", &script]), folder.path().to_owned());
    caller.start().expect("sh starts");
    let call = Call { row: "3:native", function: 0, repeat: 1, arguments: &[], patience: Duration::from_secs(60) };
    let error = caller.call(&call, &interrupts).expect_err("it ended");
    assert!(error.to_string().contains("failed"), "{error}");
    for _ in 0..2 {
        let answer = caller.call(&call, &interrupts).expect("another driver answers");
        assert_eq!(answer.ending, CallEnding::Ok(Vec::new()));
    }
}
