//! The servers that one thread passes requests on to: control, and where requests are shared, the candidate and its twin.
//!
//! In: a request and the side that it is assigned to. Out: an answer, and who gave it. Control answers in the place of a
//! side that certainly did not get the request, and in the place of one that broke off if the request may be repeated.

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
    /// Control's processes that have one request of the sample at a time.
    pub(crate) lanes: Vec<Rc<Upstream>>,
}

/// Who else answers, and what decides.
pub(crate) struct Alternatives {
    pub(crate) steer: Steer,
    pub(crate) candidate: Option<Live>,
    pub(crate) twin: Option<Live>,
}

/// An answer that arrives.
pub(crate) struct Answering {
    pub(crate) response: Response<Incoming>,
    pub(crate) lease: Lease,
    /// Who gives it.
    pub(crate) by: Assigned,
    /// Another side was asked before, and broke off.
    pub(crate) broken: Option<Assigned>,
}

impl Sides {
    /// Who is to answer this request of this client.
    pub(crate) fn assign(&self, head: &request::Parts, client: impl FnOnce() -> Client) -> Assigned {
        let Some(shared) = &self.shared else { return Assigned::CONTROL };
        let assigned = shared.steer.assign(head, client);
        match assigned.side {
            Side::Control => assigned,
            // Weights of a server that is not there are no chance that it had.
            side if shared.live(side).is_none() => Assigned::CONTROL,
            _ => assigned,
        }
    }

    /// Whose request this is, if it comes from there.
    pub(crate) fn witness<'a>(&self, head: &'a request::Parts, client: Client) -> Witness<'a> {
        let steer = self.shared.as_ref().map(|shared| &shared.steer);
        steer.map_or_else(|| Witness::of_address(client.address), |steer| steer.witness(head, client))
    }

    /// Sends a request to the side that it is assigned to, or to its lane.
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
        // Not by the chance of its bucket: whose bad answers control gives in another's place says nothing.
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

    /// A lane that is not there is no harm to the client: control answers.
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
            // It is counted, and is no evidence.
            Err(Failed { why: Unanswered::NoRoom, .. }) => {
                Err((Unanswered::NoRoom, Assigned { weights: Weights::CONTROL_ONLY, ..by }))
            }
            Err(failed) => Err((failed.why, by)),
        }
    }

    /// Tries to reach the sides that could not be reached. To be called now and then.
    pub(crate) async fn look_again(&self) {
        let Some(Alternatives { candidate, twin, .. }) = &self.shared else { return };
        let look = async |live: &Option<Live>| {
            if let Some(live) = live {
                live.look_again().await;
            }
        };
        tokio::join!(look(candidate), look(twin));
    }

    /// Closes connections that have rested for long. To be called now and then.
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
