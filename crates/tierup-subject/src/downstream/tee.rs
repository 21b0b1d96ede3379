//! A body that passes on as it arrives, and is kept for a record.

use std::sync::Arc;

use hyper::body::Incoming;

use super::record::OpenCall;
use crate::passing::{Notes, Passing};

/// Which of a call's bodies it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Request,
    Answer,
}

/// A body of a call. The call is under way while one of its bodies is.
pub(super) type Tee = Passing<Kept>;

pub(super) fn tee(incoming: Incoming, call: Arc<OpenCall>, part: Part) -> Tee {
    Passing::new(incoming, Kept { call, part })
}

pub(super) struct Kept {
    call: Arc<OpenCall>,
    part: Part,
}

impl Notes for Kept {
    fn data(&mut self, data: &[u8]) {
        match self.part {
            Part::Request => self.call.request_data(data),
            Part::Answer => self.call.answer_data(data),
        }
    }

    fn ended(&mut self) {
        match self.part {
            Part::Request => self.call.request_ended(),
            Part::Answer => self.call.answer_ended(),
        }
    }
}
