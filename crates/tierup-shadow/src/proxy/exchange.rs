//! One request: refused, or passed on to control, whose answer goes to the client.

use std::{cell::RefCell, error::Error as _, rc::Rc, time::Duration};

use http_body_util::Either;
use hyper::{
    Request, Response, StatusCode, Version,
    body::{Body as _, Incoming},
    header::{CONTENT_TYPE, EXPECT, HOST, HeaderValue, TRANSFER_ENCODING},
    upgrade::{self, OnUpgrade},
};
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;

use super::{
    forwarded::Peer,
    hops,
    refusal::{Refusal, ToClient, refuse},
    request_body::{FromClient, Stalled},
    response_body::FromControl,
    upstream::{Unanswered, Upstream},
};
use crate::copy::{CopyDesk, NotCopied, Recording};

/// What a thread needs to answer requests.
pub(crate) struct Lane {
    pub(crate) control: Rc<Upstream>,
    /// Control's processes that have one request of the sample at a time.
    pub(crate) lanes: Vec<Rc<Upstream>>,
    /// `Host` where a client names none.
    pub(crate) authority: HeaderValue,
    pub(crate) copies: Option<CopyDesk>,
    pub(crate) progress: Duration,
}

impl Lane {
    /// Who answers a request: the process of its lane, or control. A lane that has ended is no harm to the client.
    async fn control_for(&self, copy: Option<&Rc<RefCell<Recording>>>) -> &Rc<Upstream> {
        let of_lane = copy.and_then(|copy| self.lanes.get(copy.borrow().lane()?));
        match (copy, of_lane) {
            (Some(_), Some(upstream)) if upstream.is_reached().await => upstream,
            (Some(copy), Some(_)) => {
                copy.borrow_mut().leave_lane();
                &self.control
            }
            _ => &self.control,
        }
    }
}

/// Two connections that speak another protocol, once both have switched.
#[derive(Default)]
pub(crate) struct Tunnel(RefCell<Option<(OnUpgrade, OnUpgrade)>>);

impl Tunnel {
    /// Passes the bytes of the other protocol on, if it came to that.
    pub(crate) async fn run(&self) {
        let Some((client, control)) = self.0.take() else { return };
        let (Ok(client), Ok(control)) = tokio::join!(client, control) else { return };
        // Both sides notice how it ends.
        let _ = copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(control)).await;
    }
}

/// Passes a request on and its answer back.
pub(crate) async fn exchange(
    mut request: Request<Incoming>,
    lane: &Lane,
    peer: &Peer,
    tunnel: &Tunnel,
) -> Response<ToClient> {
    if let Err(refusal) = refuse(&mut request) {
        return refusal.answer();
    }
    let is_upgrade = hops::asks_for_upgrade(request.headers());
    let upgrading = is_upgrade.then(|| upgrade::on(&mut request));

    let (mut head, incoming) = request.into_parts();
    let copy = lane.copies.as_ref().and_then(|copies| copies.begin(&head));
    hops::strip_request(&mut head.headers, is_upgrade);
    // hyper asks the client for its body as soon as control's connection takes it.
    head.headers.remove(EXPECT);
    // HTTP/1.0 needs none, HTTP/1.1 does.
    head.headers.entry(HOST).or_insert_with(|| lane.authority.clone());
    peer.forward(&mut head.headers);
    head.version = Version::HTTP_11;
    copy.iter().for_each(|copy| copy.borrow_mut().asked(&head.headers));
    if !incoming.is_end_stream() && incoming.size_hint().exact().is_none() {
        // Without it hyper sends no body with a GET.
        head.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    let body = FromClient::new(incoming, lane.progress, copy.clone());

    let control = lane.control_for(copy.as_ref()).await;
    let (response, lease) = match control.send(Request::from_parts(head, body)).await {
        Ok(answered) => answered,
        Err(why) => return refusal(&why).answer(),
    };
    let (mut head, incoming) = response.into_parts();
    // It is this proxy's answer (RFC 9112, section 2.3); hyper makes it HTTP/1.0 for a client that speaks that.
    head.version = Version::HTTP_11;
    let give_up = || copy.iter().for_each(|copy| copy.borrow_mut().give_up(NotCopied::Stream));
    if head.status == StatusCode::SWITCHING_PROTOCOLS {
        give_up();
        return switched(Response::from_parts(head, incoming), upgrading, tunnel);
    }
    hops::strip_response(&mut head.headers, false);
    if head.headers.get(CONTENT_TYPE).is_some_and(is_event_stream) {
        give_up();
    }
    copy.iter().for_each(|copy| copy.borrow_mut().answered(&head));
    Response::from_parts(head, Either::Right(FromControl::new(incoming, lease, copy)))
}

fn refusal(why: &Unanswered) -> Refusal {
    match why {
        Unanswered::Unreachable => Refusal::ControlUnreachable,
        Unanswered::TimedOut => Refusal::ControlTimedOut,
        Unanswered::BrokeOff(error) if error.source().is_some_and(|cause| cause.is::<Stalled>()) => {
            Refusal::BodyStalled
        }
        Unanswered::BrokeOff(_) => Refusal::ControlBrokeOff,
    }
}

fn is_event_stream(content_type: &HeaderValue) -> bool {
    let text = b"text/event-stream";
    content_type.as_bytes().get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
}

/// Both sides speak another protocol once the client has this answer.
fn switched(mut response: Response<Incoming>, client: Option<OnUpgrade>, tunnel: &Tunnel) -> Response<ToClient> {
    let Some(client) = client else { return Refusal::ControlBrokeOff.answer() };
    tunnel.0.replace(Some((client, upgrade::on(&mut response))));
    let (mut head, _) = response.into_parts();
    hops::strip_response(&mut head.headers, true);
    Response::from_parts(head, Either::Left(http_body_util::Full::default()))
}
