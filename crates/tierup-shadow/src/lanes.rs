//! Requests with side effects: which calls to other services belong to which request.
//!
//! In: control's servers behind [`Relay`](tierup_subject::Relay)s, the candidate's behind
//! [`Double`](tierup_subject::Double)s. Out: the record of control's calls for a sampled request, and the candidate's
//! for its copy.
//!
//! A *lane* is a process that gets one request at a time, so that all its calls belong to that request. `control.rs`
//! hands out control's lanes, `candidate.rs` the candidate's. If the server forwards a header, one process of each is
//! enough, and requests may overlap. `by_header.rs` decides whose calls can then be told apart.

mod by_header;
mod candidate;
mod control;
mod settle;

use std::time::Duration;

pub use candidate::{Doubles, Rules};
pub use control::ControlLanes;
pub(crate) use {
    candidate::{Seat, Seats},
    control::{NoLane, Taken},
};

/// How long a lane rests if its request was not answered: its process may still be working, and make calls.
const SPOILT: Duration = Duration::from_secs(10);
/// How long to wait for a call of one server if the other made more: on a busy machine, a call after the answer may be
/// late. A later call still belongs to no request.
const LATE: Duration = Duration::from_secs(1);
/// How long calls may go on after an answer.
const LONGEST: Duration = Duration::from_secs(30);
/// How often to look while a call is under way.
const LOOK: Duration = Duration::from_millis(5);

/// Waits until the calls of a request have ended. `quiet_in` gives the time without calls that is still needed, or
/// `None` while a call is under way. Returns `false` if they go on for too long.
async fn settled(quiet_in: impl Fn() -> Option<Duration>) -> bool {
    let all = async {
        loop {
            match quiet_in() {
                Some(Duration::ZERO) => return,
                Some(rest) => tokio::time::sleep(rest).await,
                None => tokio::time::sleep(LOOK).await,
            }
        }
    };
    tokio::time::timeout(LONGEST, all).await.is_ok()
}

/// Waits for the server that has made fewer calls.
pub(crate) async fn wait_for_late_calls(control: &Taken, candidate: &Seat) {
    let all = async {
        while control.calls() != candidate.calls() {
            tokio::time::sleep(LOOK).await;
        }
    };
    // If the numbers stay different, comparing finds that.
    let _ = tokio::time::timeout(LATE, all).await;
}
