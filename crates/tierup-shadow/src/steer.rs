//! Which side answers a request: control, the candidate or its twin. In: the control file, and for each request its
//! head and its client's address. Out: [`Assigned`].
//!
//! Control answers unless all of this holds: a control file in force gives weights, the request is safe or of a route
//! that may ramp, and its client has a key. Then the client's bucket decides, so that the client stays on its side. The
//! weights are those at the time when the request's head was read.

mod seen;
mod sticky;
mod watch;

use std::{io, path::PathBuf, sync::Arc, time::Instant};

use hyper::{header::UPGRADE, http::request};
use tierup_rollout::{Peers, Sticky, Weights, network};

use self::{sticky::ClientKey, watch::Watch};
use crate::{
    in_force::{Assigned, InForce, Published, Reader},
    network::{Client, Witness},
    pacing::Pacing,
    routes::Routes,
    sample::Safe,
};

/// How requests are shared between the servers.
#[derive(Debug)]
pub struct Steering {
    published: Arc<Published>,
    by: Arc<By>,
    /// Keeps the value in force up to date.
    _watch: Watch,
}

#[derive(Debug)]
struct By {
    key: Option<ClientKey>,
    /// The requests that are shared: GET, HEAD, and those of routes that may ramp.
    may_ramp: Safe,
    peers: Peers,
}

impl Steering {
    /// Follows the control file at this path. Requests other than GET, HEAD and those of `routes` go to control, and
    /// without `sticky` all requests do. The pacing is told what is in force.
    ///
    /// # Errors
    /// If the system has no threads left.
    pub fn follow(
        control_file: PathBuf,
        sticky: Option<Sticky>,
        routes: Routes,
        pacing: Pacing,
    ) -> io::Result<Steering> {
        let (published, watch) = Watch::start(control_file, pacing)?;
        let key = sticky.as_ref().and_then(ClientKey::new);
        Ok(Steering {
            published,
            by: Arc::new(By { key, may_ramp: Safe(routes), peers: Peers::default() }),
            _watch: watch,
        })
    }

    /// The weights and settings that are in force now.
    pub fn in_force(&self) -> Arc<InForce> {
        self.published.get()
    }

    /// A view of the control file for one thread.
    pub(crate) fn steer(&self) -> Steer {
        Steer { reader: Reader::new(Arc::clone(&self.published)), by: Arc::clone(&self.by) }
    }
}

/// One thread's view of the control file.
#[derive(Debug)]
pub(crate) struct Steer {
    reader: Reader,
    by: Arc<By>,
}

impl Steer {
    /// The side that answers this request of this client.
    pub(crate) fn assign(&self, head: &request::Parts, client: impl FnOnce() -> Client) -> Assigned {
        self.reader.with(|in_force| {
            let Some(buckets) = in_force.buckets.as_ref().filter(|_| in_force.weights != Weights::CONTROL_ONLY) else {
                return Assigned::CONTROL;
            };
            let weights = in_force.weights_at(Instant::now());
            // If only control could answer, its bad answers are no evidence, so the request gets no weights.
            if weights == Weights::CONTROL_ONLY || !self.by.may_ramp(head) {
                return Assigned::CONTROL;
            }
            let client = client();
            let Some(key) = self.by.key.as_ref().and_then(|key| key.of(&head.headers, || client.address)) else {
                return Assigned::CONTROL;
            };
            let bucket = buckets.of(&key);
            let network = client.is_network(&self.by.peers).then(|| buckets.of(&network(client.address)));
            Assigned { side: bucket.side(weights), weights, bucket: Some(bucket), network }
        })
    }
}

impl Steer {
    /// The client as which evidence counts the sender of this request.
    pub(crate) fn witness<'a>(&self, head: &'a request::Parts, client: Client) -> Witness<'a> {
        let key = self.by.key.as_ref().and_then(|key| key.of(&head.headers, || client.address));
        client.witness(&self.by.peers, key)
    }
}

impl By {
    fn may_ramp(&self, head: &request::Parts) -> bool {
        // After an upgrade the bytes are not HTTP, so they were never compared.
        !head.headers.contains_key(UPGRADE) && self.may_ramp.has(head)
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request;
    use tierup_rollout::{Buckets, Part, RampKey, Side};

    use super::*;
    use crate::network::KnownBy;

    fn steer(sticky: Option<&str>, weights: Weights) -> Steer {
        let in_force = InForce {
            weights,
            buckets: Some(Buckets::new(&RampKey::new([1; 16]))),
            until: Some(Instant::now() + std::time::Duration::from_secs(600)),
            ..InForce::default()
        };
        let key = sticky.and_then(|text| ClientKey::new(&text.parse().expect("a key")));
        let routes = Routes::new(&["POST /orders".to_owned()]).expect("a route");
        let by = Arc::new(By { key, may_ramp: Safe(routes), peers: Peers::default() });
        Steer { reader: Reader::new(Arc::new(Published::new(in_force))), by }
    }

    fn assigned(steer: &Steer, method: &str, target: &str, user: &str, more: &'static str) -> Assigned {
        let mut request = Request::builder().method(method).uri(target).header("x-user", user);
        if !more.is_empty() {
            request = request.header(more, "websocket");
        }
        let head = request.body(()).expect("a request").into_parts().0;
        steer.assign(&head, || Client { address: [127, 0, 0, 1].into(), known_by: KnownBy::Connection })
    }

    const ALL: Weights = Weights { candidate: Part::ALL, twin: Part::NONE };

    #[test]
    fn only_requests_that_may_ramp_and_have_a_key_are_shared() {
        let all = steer(Some("header:x-user"), ALL);
        for (method, target) in [("GET", "/"), ("HEAD", "/x"), ("POST", "/orders")] {
            let found = assigned(&all, method, target, "anna", "");
            assert_eq!((found.side, found.weights), (Side::Candidate, ALL), "{method} {target}");
            assert!(found.bucket.is_some());
        }
        for (method, target, user, more) in [
            ("POST", "/other", "anna", ""),
            ("DELETE", "/orders", "anna", ""),
            ("OPTIONS", "/", "anna", ""),
            ("GET", "/", "", ""),
            ("GET", "/", "anna", "upgrade"),
            ("POST", "/orders", "anna", "upgrade"),
        ] {
            assert_eq!(assigned(&all, method, target, user, more), Assigned::CONTROL, "{method} {target} {user}");
        }
        assert_eq!(assigned(&steer(None, ALL), "GET", "/", "anna", ""), Assigned::CONTROL, "no key: control");
        assert_eq!(assigned(&steer(Some("address"), Weights::CONTROL_ONLY), "GET", "/", "", ""), Assigned::CONTROL);
        assert_eq!(assigned(&steer(Some("address"), ALL), "GET", "/", "", "").side, Side::Candidate);
    }

    #[test]
    fn clients_are_shared_by_weight_and_stay_on_their_side() {
        let shared = steer(Some("header:x-user"), Weights::with_twin("20%".parse().expect("a part")));
        let mut of = [0; 3];
        for user in 0..5_000 {
            let user = user.to_string();
            let first = assigned(&shared, "GET", "/", &user, "").side;
            assert_eq!(assigned(&shared, "HEAD", "/else", &user, "").side, first);
            of[first as usize] += 1;
        }
        // The tolerance is ten standard deviations of a binomial.
        assert!((720..1_280).contains(&of[Side::Candidate as usize]), "{of:?}");
        assert!((720..1_280).contains(&of[Side::Twin as usize]), "{of:?}");
    }
}
