//! The generated server's writer of standard error, in an order of events that no request can bring about.

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a module of a program, of which only the writer's progress is looked at"
)]
#[path = "../templates/server/stderr.rs"]
mod stderr;

use stderr::Progress;

#[test]
fn a_writer_without_progress_is_stuck_until_it_advances() {
    let writer = Progress::new();
    assert!(!writer.is_stuck());
    let before = writer.now();
    writer.waited_in_vain(before);
    assert!(writer.is_stuck());
    writer.advance();
    assert!(!writer.is_stuck());
}

/// The writer advances just when the waiting thread gives up.
#[test]
fn a_writer_that_advances_during_a_failed_wait_is_not_stuck() {
    let writer = Progress::new();
    let before = writer.now();
    writer.advance();
    writer.waited_in_vain(before);
    assert!(!writer.is_stuck());
}
