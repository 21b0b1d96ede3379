//! One request: it is refused, or passed on to its assigned server, whose answer goes to the client.

use std::{cell::RefCell, error::Error as _, pin::pin, rc::Rc, time::Duration};

use http_body_util::Either;
use hyper::{
    Request, Response, StatusCode, Version,
    body::{Body as _, Incoming},
    header::{CONTENT_TYPE, HOST, HeaderValue, TRANSFER_ENCODING},
    upgrade::{self, OnUpgrade},
};
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use tierup_rollout::Weights;
use tokio::{io::copy_bidirectional, time::timeout};

use super::{
    account::Account,
    admission::Admission,
    forwarded::Peer,
    hops,
    places::UnderWay,
    refusal::{Refusal, ToClient, no_content, refuse},
    request_body::{FromClient, Stalled},
    response_body::{Owed, from_control},
    sides::{Answering, Sides},
    upstream::Unanswered,
};
use crate::{
    collector::Counter,
    copy::{CopyDesk, NotCopied, Recording},
    in_force::Assigned,
};

/// What a thread needs to answer requests.
pub(crate) struct Serving {
    pub(crate) sides: Sides,
    /// The trusted proxies before this one.
    pub(crate) trusted: Rc<[IpNet]>,
    /// The value of `Host` if a client sends none.
    pub(crate) authority: HeaderValue,
    pub(crate) counter: Rc<Counter>,
    pub(crate) copies: Option<CopyDesk>,
    pub(crate) progress: Duration,
    pub(crate) patience: Duration,
    /// Set if a load balancer only mirrors its requests to this proxy.
    pub(crate) mirrored: Option<Rc<Admission>>,
}

/// Two connections that speak another protocol, once both have switched.
#[derive(Default)]
pub(crate) struct Tunnel(RefCell<Option<Switch>>);

struct Switch {
    client: OnUpgrade,
    control: OnUpgrade,
    /// The request is under way until the tunnel ends, as its server may go on making calls.
    request: Option<Rc<RefCell<Recording>>>,
}

impl Tunnel {
    /// Passes the bytes of the other protocol on, if both sides have switched.
    pub(crate) async fn run(&self) {
        let Some(Switch { client, control, request: _request }) = self.0.take() else { return };
        let (Ok(client), Ok(control)) = tokio::join!(client, control) else { return };
        // Both sides notice how it ends.
        let _ = copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(control)).await;
    }
}

/// Passes a request on, and its answer back.
pub(crate) async fn exchange(
    mut request: Request<Incoming>,
    serving: &Serving,
    peer: &Peer,
    tunnel: &Tunnel,
    under_way: UnderWay,
) -> Response<ToClient> {
    if let Err(refusal) = refuse(&mut request) {
        return refusal.answer();
    }
    // A mirrored connection cannot become a tunnel: its client speaks elsewhere.
    let is_upgrade = serving.mirrored.is_none() && hops::asks_for_upgrade(request.headers());
    let upgrading = is_upgrade.then(|| upgrade::on(&mut request));

    let (mut head, incoming) = request.into_parts();
    let assigned = serving.sides.assign(&head, || peer.client(&head.headers, &serving.trusted));
    let route = serving.counter.route(&head.method, head.uri.path());
    let witness = || serving.sides.witness(&head, peer.client(&head.headers, &serving.trusted));
    serving.counter.used(route, witness);
    let copy = serving.copies.as_ref().and_then(|copies| copies.begin(&head, route, assigned.side, witness));
    hops::strip_request(&mut head.headers, is_upgrade);
    if let Some(admission) = &serving.mirrored {
        let mut recording = copy.as_ref().map(|copy| copy.borrow_mut());
        if !admission.admits(recording.as_deref_mut()) {
            return no_content();
        }
        head.headers.insert(hops::SHADOW, HeaderValue::from_static("1"));
    }
    let mut account = Account::new(Rc::clone(&serving.counter), route, assigned, under_way);
    // HTTP/1.0 needs no `Host`, HTTP/1.1 does.
    head.headers.entry(HOST).or_insert_with(|| serving.authority.clone());
    peer.forward(&mut head.headers);
    head.version = Version::HTTP_11;
    copy.iter().for_each(|copy| copy.borrow_mut().asked(&head.headers));
    if !incoming.is_end_stream() && incoming.size_hint().exact().is_none() {
        // Without this header, hyper sends no body with a GET.
        head.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    let body = FromClient::new(incoming, serving.progress, copy.clone(), &account);

    let in_lane = copy.as_ref().and_then(|copy| Some((copy.borrow().lane()?, &**copy)));
    let answering = serving.sides.send(assigned, in_lane, Request::from_parts(head, body));
    let Answering { response, lease, by, broken } = match patiently(answering, serving, assigned, &mut account).await {
        Ok(answering) => answering,
        Err((why, by)) => {
            let refusal = refusal(&why);
            account.by(by);
            match refusal {
                Refusal::BodyStalled | Refusal::BodyBroken => account.cancel(),
                _ => account.broke_off(),
            }
            return refusal.answer();
        }
    };
    account.by(by);
    if by.side != assigned.side {
        copy.iter().for_each(|copy| copy.borrow_mut().give_up(NotCopied::Instead));
    }
    broken.into_iter().for_each(|broken| account.also_broke_off(broken));
    let (mut head, incoming) = response.into_parts();
    account.answered(head.status);
    // The version is this proxy's own (RFC 9112, section 2.3); hyper answers a client with HTTP/1.0 in HTTP/1.0.
    head.version = Version::HTTP_11;
    let give_up = || copy.iter().for_each(|copy| copy.borrow_mut().give_up(NotCopied::Stream));
    if head.status == StatusCode::SWITCHING_PROTOCOLS {
        give_up();
        return switched(Response::from_parts(head, incoming), upgrading, copy, tunnel);
    }
    hops::strip(&mut head.headers, false);
    let owed = if head.headers.get(CONTENT_TYPE).is_some_and(is_event_stream) {
        give_up();
        Owed::Nothing
    } else if by.weights == Weights::CONTROL_ONLY {
        Owed::Rest
    } else {
        Owed::InTime(serving.patience)
    };
    copy.iter().for_each(|copy| copy.borrow_mut().answered(&head));
    Response::from_parts(head, Either::Right(from_control(incoming, lease, copy, account, owed)))
}

/// Waits for an answer as long as the client does. If it has not begun in time, it counts as bad then: a request that
/// no server ever answers must not stay unseen until its client leaves.
async fn patiently<T>(
    answer: impl Future<Output = T>,
    serving: &Serving,
    assigned: Assigned,
    account: &mut Account,
) -> T {
    // Only requests that were assigned by chance are evidence; others need no timer.
    if assigned.weights == Weights::CONTROL_ONLY {
        return answer.await;
    }
    let mut answer = pin!(answer);
    // The wait begins once the client has sent its whole request.
    let mut rest = serving.patience;
    while rest > Duration::ZERO {
        if let Ok(answer) = timeout(rest, answer.as_mut()).await {
            return answer;
        }
        rest = serving.patience.saturating_sub(account.waited().unwrap_or_default());
    }
    account.timed_out();
    answer.await
}

fn refusal(why: &Unanswered) -> Refusal {
    match why {
        Unanswered::Unreachable => Refusal::ControlUnreachable,
        Unanswered::TimedOut => Refusal::ControlTimedOut,
        Unanswered::NoRoom => Refusal::NoRoom,
        Unanswered::BrokeOff(error) => match error.source() {
            Some(cause) if cause.is::<Stalled>() => Refusal::BodyStalled,
            // hyper gives this cause if the client's body fails, which this proxy sends on; a server's answer fails without it.
            Some(cause) if error.is_user() && cause.is::<hyper::Error>() => Refusal::BodyBroken,
            _ => Refusal::ControlBrokeOff,
        },
    }
}

pub(super) fn is_event_stream(content_type: &HeaderValue) -> bool {
    let text = b"text/event-stream";
    content_type.as_bytes().get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
}

/// After this answer, both sides speak another protocol.
fn switched(
    mut response: Response<Incoming>,
    client: Option<OnUpgrade>,
    request: Option<Rc<RefCell<Recording>>>,
    tunnel: &Tunnel,
) -> Response<ToClient> {
    let Some(client) = client else { return Refusal::ControlBrokeOff.answer() };
    tunnel.0.replace(Some(Switch { client, control: upgrade::on(&mut response), request }));
    let (mut head, _) = response.into_parts();
    hops::strip(&mut head.headers, true);
    Response::from_parts(head, Either::Left(http_body_util::Full::default()))
}
