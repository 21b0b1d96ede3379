//! Compares pairs of answers within a share of a processor.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::Receiver,
    },
    thread,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use tierup_parity::{Difference, Differences, Finding, Observation, Place, Seen, Silence};
use tierup_rollout::{
    Side,
    evidence::{self, CONFIRMATIONS},
};

use super::{
    Compare, NO_MEMORY,
    candidate::{Comparable, Pair, target},
    doubts::{Again, Doubt, Doubts},
    evidence::{Findings, status},
    has_room, may_show, prepare, size,
};
use crate::{copy::Copied, shares::Held};

/// Shorter rests are not worth it, as sleeping has a cost, too.
const LEAST_REST: Duration = Duration::from_millis(1);

/// A part of one processor, above 0 and at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(f64);

/// Why a number is not a [`Share`].
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a share of a processor must be at least 0.01 and at most 1, not {0}")]
pub struct ShareError(f64);

impl Share {
    /// # Errors
    /// If the number is below 0.01 or above 1.
    pub fn new(share: f64) -> Result<Share, ShareError> {
        if (0.01..=1.0).contains(&share) { Ok(Share(share)) } else { Err(ShareError(share)) }
    }
}

pub(super) struct Comparing {
    compare: Box<Compare>,
    share: f64,
    findings: Findings,
    /// `None` if control cannot be asked again.
    doubts: Option<Doubts>,
    stopped: Arc<AtomicBool>,
}

impl Comparing {
    pub(super) fn new(
        compare: Box<Compare>,
        share: Share,
        findings: Findings,
        doubts: Option<Doubts>,
        stopped: Arc<AtomicBool>,
    ) -> Comparing {
        Comparing { compare, share: share.0, findings, doubts, stopped }
    }

    /// Compares until there are no more answers, or until it is stopped and [unparked](thread::Thread::unpark).
    pub(super) fn compare_all(mut self, answers: &Receiver<Comparable>) {
        let mut owed = Duration::ZERO;
        for asked in answers {
            if self.stopped.load(Relaxed) {
                return;
            }
            let before = processor_time();
            match asked {
                Comparable::Pair(pair) => self.pair(*pair),
                Comparable::Again(again) => self.again(*again),
            }
            let took = processor_time().saturating_sub(before);
            owed += took.mul_f64(1.0 / self.share - 1.0);
            if owed >= LEAST_REST {
                self.rest(owed);
                owed = Duration::ZERO;
            }
        }
    }

    fn pair(&mut self, pair: Pair) {
        let Pair { copied, mut control, mut candidate, has_too_many_calls, memory } = pair;
        let too_many = has_too_many_calls.then(|| too_many_calls(control.downstream.len()));
        let finding = self.find(&copied, memory.as_ref(), &mut control, &mut candidate, too_many);
        let (client, copy) = match copied.pair {
            evidence::Pair::Verify => (&candidate, &control),
            _ => (&control, &candidate),
        };
        self.findings.add(copied.pair, &copied, client, copy, &finding);
        let is_doubtful = matches!(finding, Finding::Mismatch(_)) && copied.is_safe;
        let Some(doubts) = self.doubts.as_mut().filter(|_| is_doubtful) else { return };
        let now = Instant::now();
        // If the twin answered the client, the copy asked control.
        let is_twins = copied.pair == evidence::Pair::Second && copied.by == Side::Twin;
        let control = if is_twins { candidate } else { control };
        let of_permit = copied.permit.as_ref().map(|permit| &permit.memory);
        if doubts.has_room(&copied, now) && has_room(of_permit, size(&control)) {
            doubts.begin(Doubt { copied, control, times: 0 }, now);
        }
    }

    /// Compares the answers after both servers were asked again.
    fn again(&mut self, again: Again) {
        let Again { mut doubt, mut control, mut other, memory } = again;
        let memory = memory.as_ref();
        let is_steady =
            matches!(self.find(&doubt.copied, memory, &mut doubt.control, &mut control, None), Finding::Same);
        let finding =
            if is_steady { self.find(&doubt.copied, memory, &mut control, &mut other, None) } else { Finding::Same };
        let Some(doubts) = &mut self.doubts else { return };
        let Finding::Mismatch(differences) = finding else { return doubts.end(&doubt.copied) };
        doubt.times += 1;
        if doubt.times < CONFIRMATIONS {
            return doubts.ask(doubt);
        }
        doubts.end(&doubt.copied);
        self.findings.confirmed(&doubt.copied, &control, &other, &differences);
    }

    /// Decodes and compares two answers, if there is memory for that. Without it, a difference of their statuses still
    /// counts. `known` has differences that were found without reading the answers.
    fn find(
        &mut self,
        copied: &Copied,
        memory: Option<&Held>,
        control: &mut Observation,
        candidate: &mut Observation,
        known: Option<Differences>,
    ) -> Finding {
        let is_cut = breaks_off(candidate) && matches!(control.seen, Seen::Answer(_));
        let known = known.or_else(|| is_cut.then(broke_off));
        let statuses = [&*control, &*candidate].map(status);
        if known.is_none() && statuses.contains(&0) {
            // If one answer is missing, no body needs to be read.
            return (self.compare)(target(copied), control, candidate);
        }
        let is_ready = prepare(memory, control, candidate);
        let mut found = match known {
            Some(known) => known,
            None if !is_ready && statuses[0] == statuses[1] => return Finding::Error(NO_MEMORY.to_owned()),
            // The statuses differ, whatever the bodies say.
            None if !is_ready => Differences { left_out: 1, ..Differences::default() },
            None => match (self.compare)(target(copied), control, candidate) {
                Finding::Mismatch(found) => found,
                other => return other,
            },
        };
        if !(is_ready && may_show(memory, copied)) {
            // The difference counts but is not shown, as it may be a secret.
            found = Differences { left_out: found.left_out + found.list.len(), ..Differences::default() };
        }
        Finding::Mismatch(found)
    }

    fn rest(&self, owed: Duration) {
        let began = Instant::now();
        while !self.stopped.load(Relaxed) && began.elapsed() < owed {
            thread::park_timeout(owed.saturating_sub(began.elapsed()));
        }
    }
}

/// The difference of more calls than are kept, if control made this many.
fn too_many_calls(of_control: usize) -> Differences {
    let place = Place::Downstream { call: of_control + 1, part: None };
    let (control, candidate) = (None, Some("too many calls".to_owned()));
    Difference { place, control, candidate, note: None }.into()
}

/// Whether an answer broke off. A slow or missing server does not count.
fn breaks_off(observation: &Observation) -> bool {
    matches!(observation.seen, Seen::Nothing(Silence::Incomplete | Silence::Garbled))
}

/// The difference of an answer that broke off, if control's is complete.
fn broke_off() -> Differences {
    let (control, candidate) = (Some("a whole answer".to_owned()), Some("one that breaks off".to_owned()));
    Difference { place: Place::Body, control, candidate, note: None }.into()
}

/// The processor time that this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
