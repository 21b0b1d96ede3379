//! Whether calls belong to a request, by a header that the server forwards.
//!
//! In: requests as they begin, and the records of their calls. Out: why a record cannot be used, if so: another request
//! had the same header meanwhile, or there were calls without the header on a route whose calls never carried it.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tierup_subject::{KeyWatch, Passage, Record, Relay};

use crate::collector::Route;

const SHARED: &str = "effects not attributable, as another request had the same header at that time";
const UNMARKED: &str = "effects not attributable, as calls to another service did not carry the header of any request";

/// Routes whose calls have carried the header.
#[derive(Debug, Default)]
pub(super) struct Marked(Mutex<BTreeSet<Route>>);

impl Marked {
    fn add(&self, route: Route) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(route);
    }

    fn has(&self, route: Route) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&route)
    }
}

/// A request whose calls are recorded by its header.
#[derive(Debug)]
pub(super) struct ByHeader {
    route: Route,
    watch: KeyWatch,
    /// How many calls without any request's header there were before this request.
    unmarked: u64,
}

impl ByHeader {
    /// `None` if another request has the header, or had it less than `settle` ago and may still be calling.
    pub(super) fn begin(passage: &Passage, route: Route, relay: &Relay, settle: Duration) -> Option<ByHeader> {
        (passage.unused() >= settle).then(|| ByHeader { route, watch: passage.watch(), unmarked: relay.unmarked() })
    }

    /// Whether the recorded calls are those of this request.
    pub(super) fn check(&self, record: &Record, relay: &Relay, marked: &Marked) -> Result<(), &'static str> {
        if self.watch.is_shared() {
            return Err(SHARED);
        }
        if !record.calls.is_empty() {
            marked.add(self.route);
        } else if relay.unmarked() != self.unmarked && !marked.has(self.route) {
            return Err(UNMARKED);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, Method};
    use tierup_subject::Attribution;

    use super::*;
    use crate::collector::Collector;

    #[test]
    fn a_header_cannot_be_reused_while_its_last_request_may_still_call() {
        let by = Attribution::header("x-request-id").expect("a name");
        let relay =
            Relay::start("STORE", "http://127.0.0.1:1".parse().expect("an address"), by, 100).expect("it starts");
        let headers: HeaderMap =
            [("x-request-id".parse().expect("a name"), "a".parse().expect("a value"))].into_iter().collect();
        let route = Collector::new(&[]).0.counter().route(&Method::POST, "/");
        let long = Duration::from_secs(3600);
        let first = relay.begin(&headers).expect("it has a key");
        assert!(ByHeader::begin(&first, route, &relay, long).is_some());
        drop(first);
        let second = relay.begin(&headers).expect("it has a key");
        assert!(ByHeader::begin(&second, route, &relay, long).is_none());
        assert!(ByHeader::begin(&second, route, &relay, Duration::ZERO).is_some());
        let third = relay.begin(&headers).expect("it has a key");
        assert!(ByHeader::begin(&third, route, &relay, Duration::from_nanos(1)).is_none());
        assert!(relay.begin(&HeaderMap::new()).is_none());
    }
}
