//! The message of a panic's answer: tests the template under every call as it is.

#[allow(dead_code, unreachable_pub, reason = "a template, which is a module of another crate")]
#[path = "../templates/calls/guard.rs"]
mod guard;
#[allow(unreachable_pub, reason = "a template, which is a module of another crate")]
#[path = "../templates/calls/place.rs"]
mod place;

use std::panic;

use expect_test::{Expect, expect};
use guard::guarded;

fn check(call: impl FnOnce(), expected: Expect) {
    let answer = guarded(call).expect_err("it panics");
    // Only the place's file: lines of this test move.
    let shown = match answer.split_once(", at ") {
        Some((said, at)) => format!("{said}, at {}", at.split(':').next().unwrap_or(at)),
        None => answer,
    };
    expected.assert_eq(&shown);
}

/// Catches a panic, as the user's code may.
fn caught(said: &'static str) {
    let outcome = panic::catch_unwind(|| panic!("{said}"));
    assert!(outcome.is_err());
}

#[test]
fn a_panic_has_its_message_and_place() {
    let number = 7;
    check(|| panic!("at once"), expect!["at once, at crates/tierup-codegen/tests/guard.rs"]);
    check(|| panic!("number {number}"), expect!["number 7, at crates/tierup-codegen/tests/guard.rs"]);
    check(|| panic::panic_any(number), expect!["panicked, at crates/tierup-codegen/tests/guard.rs"]);
}

#[test]
fn a_caught_panic_is_not_another_calls_answer() {
    assert_eq!(guarded(|| caught("the password of another caller")), Ok(()));
    check(|| panic::resume_unwind(Box::new("thrown on")), expect!["thrown on"]);
    check(|| panic::resume_unwind(Box::new("thrown on".to_owned())), expect!["thrown on"]);
    check(|| panic::resume_unwind(Box::new(7)), expect!["panicked"]);
}

#[test]
fn a_caught_panic_is_not_its_own_calls_answer() {
    let call = || {
        caught("caught");
        panic::resume_unwind(Box::new("thrown on"));
    };
    check(call, expect!["thrown on"]);
}

/// rayon carries a panic from the thread where it happened to the one that waits for it.
#[test]
fn a_panic_of_another_thread_keeps_its_text() {
    let call = || {
        caught("caught");
        let outcome = std::thread::spawn(|| panic!("over there")).join();
        panic::resume_unwind(outcome.expect_err("it panicked"));
    };
    check(call, expect!["over there"]);
}
