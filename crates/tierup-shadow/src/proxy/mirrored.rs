//! Requests that a load balancer mirrors: `RequestMirror` of the Gateway API, `request_mirror_policies` of Envoy,
//! `mirror` of nginx. Their clients are answered elsewhere, and the load balancer ignores the answer. So control is
//! asked only for requests that are compared, and each of these is extra work for it.

use std::{rc::Rc, time::Duration};

use http_body_util::BodyExt as _;
use hyper::{
    Request, Response,
    body::{Body as _, Incoming},
    header::{CONTENT_TYPE, HOST, HeaderValue},
};
use tokio::time::timeout;

use super::{
    admission::{Admission, Admitted},
    exchange::{Serving, Tunnel, exchange, is_event_stream},
    forwarded::Peer,
    hops::SHADOW,
    places::UnderWay,
    refusal::{ToClient, no_content},
};

/// Envoy and the Gateway API append this to the name of the host.
const SUFFIX: &str = "-shadow";
/// How long control may take for a whole answer: nobody waits for it, and it may have no end.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a request with a body may wait for its answer.
const WITH_BODY: Duration = Duration::from_secs(1);

/// Answers a mirrored request, at once if it has no body: nginx serves the next request of a client's connection only
/// when its mirror has answered. A body can only be read before the answer.
pub(super) async fn take(
    mut request: Request<Incoming>,
    serving: &Rc<Serving>,
    admission: &Rc<Admission>,
    peer: &Peer,
    under_way: UnderWay,
) -> Response<ToClient> {
    // Control's own load balancer may mirror what control is asked here, and so on without end.
    if request.headers().contains_key(SHADOW) {
        return no_content();
    }
    if let Some(host) = request.headers().get(HOST).and_then(without_suffix) {
        request.headers_mut().insert(HOST, host);
    }
    let has_body = !request.body().is_end_stream();
    let (serving, admitted, peer) = (Rc::clone(serving), Admitted::take(admission), peer.clone());
    let asking = tokio::task::spawn_local(timeout(PATIENCE, async move {
        let _admitted = admitted;
        let answer = exchange(request, &serving, &peer, &Tunnel::default(), under_way).await;
        let is_endless = answer.headers().get(CONTENT_TYPE).is_some_and(is_event_stream);
        let mut body = answer.into_body();
        while !is_endless && matches!(body.frame().await, Some(Ok(_))) {}
    }));
    if has_body {
        // The task goes on if its time is over; it fails only if the proxy ends.
        let _ = timeout(WITH_BODY, asking).await;
    }
    no_content()
}

/// The host that the client named; `None` if nothing was appended.
fn without_suffix(host: &HeaderValue) -> Option<HeaderValue> {
    let host = host.to_str().ok()?;
    let whole = || host.strip_suffix(SUFFIX).map(|name| (name, ""));
    let before_port = || {
        let (name, port) = host.split_at(host.rfind(':')?);
        Some((name.strip_suffix(SUFFIX)?, port))
    };
    let (name, port) = whole().or_else(before_port).filter(|(name, _)| !name.is_empty())?;
    HeaderValue::try_from(format!("{name}{port}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_of_a_mirrored_host_is_removed() {
        let host = |text: &'static str| without_suffix(&HeaderValue::from_static(text));
        for (mirrored, named) in [
            ("shop.example-shadow", Some("shop.example")),
            ("shop-shadow:8080", Some("shop:8080")),
            ("[::1]-shadow:8080", Some("[::1]:8080")),
            ("[::1]:8080-shadow", Some("[::1]:8080")),
            ("-shadow", None),
            ("-shadow:80", None),
            ("shop", None),
            ("shadow:80", None),
            ("[::1]", None),
        ] {
            assert_eq!(host(mirrored), named.map(HeaderValue::from_static), "{mirrored}");
        }
    }
}
