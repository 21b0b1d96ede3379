//! Requests that a load balancer mirrors: `RequestMirror` of the Gateway API, `request_mirror_policies` of Envoy,
//! `mirror` of nginx. Their clients are answered elsewhere, and the load balancer ignores the answer. So control is
//! asked only for requests that are compared, and each of these is extra work for it.

use std::{cell::Cell, rc::Rc};

use http_body_util::{BodyExt as _, Either, Full};
use hyper::{
    Request, Response, StatusCode,
    body::{Body as _, Incoming},
    header::{HOST, HeaderValue},
};

use super::{
    exchange::{Serving, Tunnel, exchange},
    forwarded::Peer,
    hops::SHADOW,
    places::UnderWay,
    refusal::ToClient,
};
use crate::copy::{NotCopied, Recording};

/// Envoy and the Gateway API append this to the name of the host.
const SUFFIX: &str = "-shadow";

/// The limit of one thread's requests that are under way at control.
pub(crate) struct Mirrored {
    most: usize,
    under_way: Cell<usize>,
}

impl Mirrored {
    pub(crate) fn new(most: usize) -> Mirrored {
        Mirrored { most, under_way: Cell::new(0) }
    }

    /// Whether control is asked: only for a request that is copied, while few enough are under way.
    pub(super) fn admits(&self, copy: Option<&mut Recording>) -> bool {
        let Some(copy) = copy else { return false };
        if self.under_way.get() > self.most {
            copy.give_up(NotCopied::Busy);
        }
        copy.is_open()
    }
}

/// Answers a mirrored request, at once if it has no body: nginx serves the next request of a client's connection only
/// when its mirror has answered.
pub(super) async fn take(
    mut request: Request<Incoming>,
    serving: &Rc<Serving>,
    mirrored: &Rc<Mirrored>,
    peer: &Peer,
    under_way: UnderWay,
) -> Response<ToClient> {
    // Control's own load balancer may mirror what control is asked here, and so on without end.
    if request.headers().contains_key(SHADOW) {
        return nothing();
    }
    if let Some(host) = request.headers().get(HOST).and_then(without_suffix) {
        request.headers_mut().insert(HOST, host);
    }
    let has_body = !request.body().is_end_stream();
    let (serving, mirrored, peer) = (Rc::clone(serving), Rc::clone(mirrored), peer.clone());
    let asking = tokio::task::spawn_local(async move {
        mirrored.under_way.update(|count| count + 1);
        let answer = exchange(request, &serving, &peer, &Tunnel::default(), under_way).await;
        let mut body = answer.into_body();
        while let Some(Ok(_)) = body.frame().await {}
        mirrored.under_way.update(|count| count - 1);
    });
    if has_body {
        // It fails only if the proxy ends.
        let _ = asking.await;
    }
    nothing()
}

/// The answer to every mirrored request.
pub(super) fn nothing() -> Response<ToClient> {
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// The host that the client named; `None` if nothing was appended.
fn without_suffix(host: &HeaderValue) -> Option<HeaderValue> {
    let host = host.to_str().ok()?;
    let (name, port) = host.rfind(':').filter(|_| !host.ends_with(']')).map_or((host, ""), |at| host.split_at(at));
    HeaderValue::try_from(format!("{}{port}", name.strip_suffix(SUFFIX)?)).ok()
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
            ("shop", None),
            ("shadow:80", None),
            ("[::1]", None),
        ] {
            assert_eq!(host(mirrored), named.map(HeaderValue::from_static), "{mirrored}");
        }
    }
}
