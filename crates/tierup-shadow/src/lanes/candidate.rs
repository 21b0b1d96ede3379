//! The candidate's lanes: processes that get one copy at a time, with calls answered from control's record.

use std::{
    cell::RefCell,
    fmt,
    net::SocketAddr,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::HeaderMap;
use tierup_parity::Policy;
use tierup_subject::{Attribution, Case, Double, Made, Record};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::sleep_until,
};

use super::{SPOILT, settled};

/// The rules by which calls are compared, for the target of the request that caused them.
pub type Rules = dyn Fn(&str) -> Policy + Send + Sync;

/// The candidate's processes, each with a double in place of the services that it calls. With a header that the server
/// forwards, one is enough.
#[derive(Clone)]
pub struct Doubles(Arc<Inner>);

struct Inner {
    processes: Vec<(SocketAddr, Double)>,
    rules: Box<Rules>,
}

impl fmt::Debug for Doubles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.processes).finish()
    }
}

impl Doubles {
    pub fn new(processes: Vec<(SocketAddr, Double)>, rules: Box<Rules>) -> Doubles {
        Doubles(Arc::new(Inner { processes, rules }))
    }

    pub(crate) fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.0.processes.iter().map(|(address, _)| *address)
    }
}

/// One thread's view of the candidate's processes without a copy.
pub(crate) struct Seats {
    doubles: Doubles,
    permits: Arc<Semaphore>,
    /// The numbers of free processes, and when each may be asked.
    free: RefCell<Vec<(usize, Instant)>>,
}

impl Seats {
    pub(crate) fn new(doubles: Doubles) -> Rc<Seats> {
        let now = Instant::now();
        let count = doubles.0.processes.len();
        let free = RefCell::new((0..count).map(|number| (number, now)).collect());
        Rc::new(Seats { doubles, permits: Arc::new(Semaphore::new(count)), free })
    }

    /// A process for a copy of a request with these headers and this target, for which control has this record. If each
    /// process has one request at a time, it waits until one is free. `None` if the copy's calls cannot be told from
    /// another's.
    pub(crate) async fn take(self: &Rc<Seats>, headers: &HeaderMap, target: &str, record: Record) -> Option<Seat> {
        let Inner { processes, rules } = &*self.doubles.0;
        let attribution = processes.first()?.1.attribution();
        let key = attribution.key(headers)?;
        let case = Case { record, policy: rules(target) };
        let mut seat = Seat { seats: Rc::clone(self), number: 0, key: None, lane: None, outside: 0, is_settled: false };
        if *attribution == Attribution::Lane {
            let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
            // The number of entries is that of permits.
            let (number, from) = {
                let mut free = self.free.borrow_mut();
                let soonest = (0..free.len()).min_by_key(|at| free[*at].1)?;
                free.swap_remove(soonest)
            };
            (seat.number, seat.lane) = (number, Some(permit));
            sleep_until(from.into()).await;
        }
        seat.outside = seat.double().outside();
        // If another copy has the key, it must stay open.
        seat.key = Some(key.clone()).filter(|key| seat.double().open(key, case));
        seat.key.is_some().then_some(seat)
    }
}

/// A process with a copy. Dropping it frees the process.
pub(crate) struct Seat {
    seats: Rc<Seats>,
    number: usize,
    /// The key by which the copy's calls are recognised; `None` until they can be answered.
    key: Option<String>,
    /// The permit, if the process has one request at a time.
    lane: Option<OwnedSemaphorePermit>,
    /// How many calls had belonged to no copy before this one.
    outside: u64,
    is_settled: bool,
}

impl Seat {
    /// Which of [`Doubles::addresses`] to ask.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Waits until the candidate has made no call for `settle`. Returns `false` if its calls go on for too long.
    pub(crate) async fn settled(&mut self, settle: Duration) -> bool {
        let answered = Some(Instant::now());
        self.is_settled = settled(|| self.double().quiet_in(self.key(), answered, settle)).await;
        self.is_settled
    }

    /// How many calls there have been so far.
    pub(crate) fn calls(&self) -> usize {
        self.double().calls(self.key())
    }

    /// Whether there are more calls than are kept.
    pub(crate) fn are_too_many(&self) -> bool {
        self.double().are_too_many(self.key())
    }

    /// All calls of the candidate, including late ones; or the reason why they are unknown.
    pub(crate) fn close(self) -> Result<Made, &'static str> {
        let made = self.double().close(self.key());
        // In a lane, such calls came before the copy, or will not be counted as its own.
        let by_header = *self.double().attribution() != Attribution::Lane;
        match by_header && !made.are_too_many && self.double().outside() != self.outside {
            true => Err("a call to another service does not carry the header of any copy"),
            false => Ok(made),
        }
    }

    fn key(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    fn double(&self) -> &Double {
        &self.seats.doubles.0.processes[self.number].1
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.double().close(key);
        }
        if let Some(permit) = self.lane.take() {
            let rest = if self.is_settled { Duration::ZERO } else { SPOILT };
            self.seats.free.borrow_mut().push((self.number, Instant::now() + rest));
            drop(permit);
        }
    }
}
