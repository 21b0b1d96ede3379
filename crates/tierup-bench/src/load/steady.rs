//! The throughput of a closed loop, without the waves that its start causes.
//!
//! All connections send their first request at the same moment. A server that takes 300 ms for every request then
//! answers all of them at the same moment too, again and again: in a slice of 700 ms, two waves end, and the third
//! would not count, though it is a third done. So a request counts by the share of its time that lies within the slice.
//! The beginning, until every connection has received its first answer, is left out: if requests wait for each other,
//! the server answers the first in line sooner than ever after, and their shares would be too large.

use std::{cell::Cell, time::Instant};

/// The right answers of one worker's connections.
pub(super) struct Steady {
    ends: Instant,
    /// Counting starts at this time even if some connections have not received an answer.
    latest: Instant,
    /// How many connections have not received an answer yet.
    waiting: Cell<usize>,
    since: Cell<Option<Instant>>,
    answers: Cell<f64>,
}

/// One exchange of a connection.
pub(super) struct Exchange {
    pub(super) sent: Instant,
    pub(super) ended: Instant,
    /// Whether it is the first of its connection.
    pub(super) first: bool,
    /// Whether the answer was right.
    pub(super) right: bool,
}

impl Steady {
    pub(super) fn new(began: Instant, ends: Instant, connections: usize) -> Steady {
        let latest = began + ends.saturating_duration_since(began) / 2;
        Steady { ends, latest, waiting: Cell::new(connections), since: Cell::new(None), answers: Cell::new(0.0) }
    }

    /// Records an exchange. Must be called in the order in which exchanges end.
    pub(super) fn note(&self, exchange: &Exchange) {
        let Exchange { sent, ended, first, right } = *exchange;
        if first {
            self.waiting.set(self.waiting.get().saturating_sub(1));
        }
        if self.since.get().is_none() {
            if ended >= self.latest {
                self.since.set(Some(self.latest));
            } else if self.waiting.get() == 0 {
                self.since.set(Some(ended));
            }
        }
        // Before counting starts, no exchange that ends lies within.
        let Some(since) = self.since.get().filter(|_| right) else { return };
        let within = ended.min(self.ends).saturating_duration_since(sent.max(since));
        let whole = ended.saturating_duration_since(sent);
        if !whole.is_zero() {
            self.answers.set(self.answers.get() + within.as_secs_f64() / whole.as_secs_f64());
        }
    }

    /// Right answers per second.
    pub(super) fn throughput(&self) -> f64 {
        let seconds = self.ends.saturating_duration_since(self.since.get().unwrap_or(self.latest)).as_secs_f64();
        if seconds > 0.0 { self.answers.get() / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const CONNECTIONS: usize = 100;
    const LENGTH: f64 = 0.7;

    /// The throughput of a slice. `answered` is the time of an answer, by its request's number and sending time.
    fn throughput(answered: impl Fn(usize, f64) -> f64) -> f64 {
        let began = Instant::now();
        let at = |seconds: f64| began + Duration::from_secs_f64(seconds);
        let steady = Steady::new(began, at(LENGTH), CONNECTIONS);
        let mut sent = vec![0.0; CONNECTIONS];
        for place in 0.. {
            let connection = place % CONNECTIONS;
            if sent.iter().all(|sent| *sent >= LENGTH) {
                break;
            }
            if sent[connection] >= LENGTH {
                continue;
            }
            let ended = answered(place, sent[connection]);
            let (first, right) = (place < CONNECTIONS, true);
            steady.note(&Exchange { sent: at(sent[connection]), ended: at(ended), first, right });
            sent[connection] = ended;
        }
        steady.throughput()
    }

    fn about(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 0.01
    }

    #[test]
    fn throughput_of_a_waiting_server_equals_that_of_a_longer_slice() {
        for latency in [0.01, 0.2, 0.3, 0.349, 0.351, 0.4, 0.6, 0.9] {
            let (found, right) = (throughput(|_, sent| sent + latency), CONNECTIONS as f64 / latency);
            assert!(about(found, right), "{found} instead of {right}");
        }
    }

    #[test]
    fn throughput_of_a_computing_server_is_what_it_computes() {
        for right in [300.0, 500.0, 1000.0, 20_000.0] {
            let found = throughput(|place, _| (place + 1) as f64 / right);
            assert!(about(found, right), "{found} instead of {right}");
        }
    }

    #[test]
    fn wrong_answers_do_not_count() {
        let began = Instant::now();
        let ends = began + Duration::from_secs(1);
        let steady = Steady::new(began, ends, 1);
        steady.note(&Exchange { sent: began, ended: ends, first: true, right: false });
        assert!(steady.throughput() == 0.0);
    }
}
