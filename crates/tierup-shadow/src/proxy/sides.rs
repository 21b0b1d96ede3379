//! The servers of one thread: control, and if requests are shared, the candidate and its twin.
//!
//! In: a request and its assigned side. Out: an answer, and the side that gave it. Control answers instead if a side
//! certainly did not get the request; or if it broke off, and the request may be repeated.

use std::{cell::RefCell, rc::Rc};

use hyper::{Request, Response, body::Body as _, body::Incoming, http::request};
use tierup_rollout::{Side, Weights};

use super::{
    live::Live,
    request_body::FromClient,
    upstream::{Failed, Lease, Unanswered, Upstream, spare},
};
use crate::{
    copy::Recording,
    in_force::Assigned,
    network::{Client, Witness},
    steer::Steer,
};

/// One thread's servers.
pub(crate) struct Sides {
    pub(crate) control: Rc<Upstream>,
    pub(crate) shared: Option<Alternatives>,
    /// Control's processes that get one request of the sample at a time.
    pub(crate) lanes: Vec<Rc<Upstream>>,
}

/// The other servers that answer, and what decides between them.
pub(crate) struct Alternatives {
    pub(crate) steer: Steer,
    pub(crate) candidate: Option<Live>,
    pub(crate) twin: Option<Live>,
}

/// An answer that is arriving.
pub(crate) struct Answering {
    pub(crate) response: Response<Incoming>,
    pub(crate) lease: Lease,
    /// The side that gives the answer.
    pub(crate) by: Assigned,
    /// The side that got the request first, and closed the connection before it answered.
    pub(crate) broken: Option<Assigned>,
}

impl Sides {
    /// The side that answers this request of this client.
    pub(crate) fn assign(&self, head: &request::Parts, client: impl FnOnce() -> Client) -> Assigned {
        let Some(shared) = &self.shared else { return Assigned::CONTROL };
        let assigned = shared.steer.assign(head, client);
        match assigned.side {
            Side::Control => assigned,
            // The server does not exist, so its weights gave it no chance.
            side if shared.live(side).is_none() => Assigned::CONTROL,
            _ => assigned,
        }
    }

    /// The client as which evidence counts the sender of this request.
    pub(crate) fn witness<'a>(&self, head: &'a request::Parts, client: Client) -> Witness<'a> {
        let steer = self.shared.as_ref().map(|shared| &shared.steer);
        steer.map_or_else(|| Witness::of_address(client.address), |steer| steer.witness(head, client))
    }

    /// Sends a request to its assigned side, or to its lane.
    pub(crate) async fn send(
        &self,
        assigned: Assigned,
        in_lane: Option<(usize, &RefCell<Recording>)>,
        request: Request<FromClient>,
    ) -> Result<Answering, (Unanswered, Assigned)> {
        if let Some((number, copy)) = in_lane {
            return self.by_lane(assigned, number, copy, request).await;
        }
        let live = self.shared.as_ref().and_then(|shared| shared.live(assigned.side));
        let Some(live) = live else { return self.by_control(assigned, None, request).await };
        // Its own bucket did not choose control, so a bad answer here is no evidence against control.
        let instead = Assigned { side: Side::Control, weights: Weights::CONTROL_ONLY, ..assigned };
        if !live.may_be_tried() {
            return self.by_control(instead, None, request).await;
        }
        let is_repeatable = request.method().is_idempotent() && request.body().is_end_stream();
        let spare = is_repeatable.then(|| spare(&request));
        match live.send(request).await {
            Ok((response, lease)) => Ok(Answering { response, lease, by: assigned, broken: None }),
            Err(Failed { why, unsent: Some(unsent) }) => {
                let broken = matches!(why, Unanswered::BrokeOff(_)).then_some(assigned);
                self.by_control(instead, broken, *unsent).await
            }
            Err(Failed { why: Unanswered::BrokeOff(why), unsent: None }) => match spare {
                Some(spare) => self.by_control(instead, Some(assigned), spare).await,
                None => Err((Unanswered::BrokeOff(why), assigned)),
            },
            Err(Failed { why, unsent: None }) => Err((why, assigned)),
        }
    }

    /// Sends a request to a lane. If the lane cannot be reached, control answers instead.
    async fn by_lane(
        &self,
        by: Assigned,
        number: usize,
        copy: &RefCell<Recording>,
        request: Request<FromClient>,
    ) -> Result<Answering, (Unanswered, Assigned)> {
        let Some(lane) = self.lanes.get(number) else { return self.by_control(by, None, request).await };
        match lane.send(request).await {
            Ok((response, lease)) => Ok(Answering { response, lease, by, broken: None }),
            Err(Failed { unsent: Some(unsent), .. }) => {
                copy.borrow_mut().leave_lane();
                self.by_control(by, None, *unsent).await
            }
            Err(Failed { why, unsent: None }) => Err((why, by)),
        }
    }

    async fn by_control(
        &self,
        by: Assigned,
        broken: Option<Assigned>,
        request: Request<FromClient>,
    ) -> Result<Answering, (Unanswered, Assigned)> {
        match self.control.send(request).await {
            Ok((response, lease)) => Ok(Answering { response, lease, by, broken }),
            // The missing answer is counted, but is not evidence against either side.
            Err(Failed { why: Unanswered::NoRoom, .. }) => {
                Err((Unanswered::NoRoom, Assigned { weights: Weights::CONTROL_ONLY, ..by }))
            }
            Err(failed) => Err((failed.why, by)),
        }
    }

    /// Tries again to reach the sides that could not be reached. Call it now and then.
    pub(crate) async fn look_again(&self) {
        let Some(Alternatives { candidate, twin, .. }) = &self.shared else { return };
        let look = async |live: &Option<Live>| {
            if let Some(live) = live {
                live.look_again().await;
            }
        };
        tokio::join!(look(candidate), look(twin));
    }

    /// Closes connections that have been idle for long. Call it now and then.
    pub(crate) fn sweep(&self) {
        self.control.sweep();
        self.lanes.iter().for_each(|lane| lane.sweep());
        let live = self.shared.iter().flat_map(|shared| [&shared.candidate, &shared.twin]).flatten();
        live.for_each(Live::sweep);
    }
}

impl Alternatives {
    fn live(&self, side: Side) -> Option<&Live> {
        match side {
            Side::Control => None,
            Side::Candidate => self.candidate.as_ref(),
            Side::Twin => self.twin.as_ref(),
        }
    }
}
