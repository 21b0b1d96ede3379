//! Requests that are prepared before the clock runs, and the right answer to each.

use bytes::Bytes;
use tierup_subject::Prepared;

/// The requests to one server, their order, and the right answers.
#[derive(Debug)]
pub struct Workload {
    pub requests: Vec<Prepared>,
    /// Indices into `requests`; the [`Load`](super::Load) says how connections walk along it. Not empty.
    pub order: Vec<u32>,
    /// One for each request.
    pub expected: Vec<Expectation>,
}

/// A right answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub status: u16,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// These bytes, and no others.
    Exactly(Bytes),
    /// It differs from answer to answer, as the check saw; only its status can be verified.
    Varies,
}

impl Workload {
    /// The request at a place in the order, however far along it.
    pub(super) fn at(&self, place: usize) -> (&Prepared, &Expectation) {
        let index = self.order[place % self.order.len()] as usize;
        (&self.requests[index], &self.expected[index])
    }
}
