//! One request: refused, or passed on to control, whose answer goes to the client.

use std::{error::Error as _, rc::Rc, time::Duration};

use http_body_util::Either;
use hyper::{
    Request, Response, StatusCode, Version,
    body::Incoming,
    header::{CONTENT_TYPE, EXPECT, HeaderName, HeaderValue},
    upgrade::{self, OnUpgrade},
};
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;

use super::{
    body::{FromClient, FromControl, Stalled, ToClient},
    forwarded::Peer,
    hops,
    refusal::{Refusal, refuse},
    upstream::{Unanswered, Upstream},
};
use crate::copy::{Copies, NotCopied};

/// The header that copies carry. A client cannot send it.
pub(crate) const SHADOW: HeaderName = HeaderName::from_static("x-tierup-shadow");

/// What a thread needs to answer requests.
pub(crate) struct Lane {
    pub(crate) control: Rc<Upstream>,
    pub(crate) copies: Option<Copies>,
    pub(crate) copy_bytes: usize,
    pub(crate) progress: Duration,
}

/// Passes a request on and its answer back.
pub(crate) async fn exchange(mut request: Request<Incoming>, lane: &Lane, peer: &Peer) -> Response<ToClient> {
    if let Err(refusal) = refuse(&mut request) {
        return refusal.answer();
    }
    let is_upgrade = hops::asks_for_upgrade(request.headers());
    let upgrading = is_upgrade.then(|| upgrade::on(&mut request));
    let version = request.version();

    let (mut head, incoming) = request.into_parts();
    let mut copy = lane.copies.as_ref().and_then(|copies| copies.begin(&head, lane.copy_bytes));
    hops::strip_request(&mut head.headers, is_upgrade);
    // hyper has asked the client for its body, or will when control's connection takes it.
    head.headers.remove(EXPECT);
    head.headers.remove(SHADOW);
    peer.forward(&mut head.headers);
    head.version = Version::HTTP_11;
    if let Some(copy) = &mut copy {
        copy.headers = head.headers.clone();
    }
    let body = FromClient::new(incoming, lane.progress, copy.as_ref().map(|copy| Rc::clone(&copy.body)));

    let (response, lease) = match lane.control.send(Request::from_parts(head, body)).await {
        Ok(answered) => answered,
        Err(why) => return refusal(&why).answer(),
    };
    let (mut head, incoming) = response.into_parts();
    head.version = version;
    if head.status == StatusCode::SWITCHING_PROTOCOLS {
        copy.into_iter().for_each(|copy| copy.given_up(NotCopied::Stream));
        return switched(Response::from_parts(head, incoming), upgrading);
    }
    hops::strip_response(&mut head.headers, false);
    if head.headers.get(CONTENT_TYPE).is_some_and(is_event_stream) {
        copy.take().into_iter().for_each(|copy| copy.given_up(NotCopied::Stream));
    }
    let copying = copy.map(|copy| copy.answered(&head, lane.copy_bytes));
    Response::from_parts(head, Either::Right(FromControl::new(incoming, Some(lease), copying)))
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

/// Both sides speak another protocol from here on: their bytes are passed on as they are.
fn switched(mut response: Response<Incoming>, client: Option<OnUpgrade>) -> Response<ToClient> {
    let Some(client) = client else { return Refusal::ControlBrokeOff.answer() };
    let control = upgrade::on(&mut response);
    let (mut head, _) = response.into_parts();
    hops::strip_response(&mut head.headers, true);
    tokio::task::spawn_local(async move {
        let (Ok(client), Ok(control)) = tokio::join!(client, control) else { return };
        // Both sides notice how it ends.
        let _ = copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(control)).await;
    });
    Response::from_parts(head, Either::Left(http_body_util::Full::default()))
}
