//! Places for clients' connections. If a new client finds none, the connection that has been idle longest is closed.
//!
//! In: what each connection reports to its [`Seat`]. Out: a [`Place`]. A connection is idle while its client owes it a
//! request: since the last answer, and anew from the first byte of the next request, so that a head that trickles in
//! counts as idle. It is asked to leave, and decides itself: if a request has begun meanwhile, it stays. Tunnels are
//! idle while no byte passes, and leave only if no other connection can, as their clients notice it.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use tokio::{sync::Notify, time::timeout};

use crate::collector::Collector;

/// A connection that has been idle for less stays: its request may be on its way. A new connection counts as idle.
const LEAST: Duration = Duration::from_secs(1);
/// A client that waits longer for a place is counted: the places are in use, and not only taken.
const LONG: Duration = Duration::from_secs(2);
/// How often to check whether a connection can leave.
const LOOK: Duration = Duration::from_millis(20);

/// The places of all threads.
pub(crate) struct Places {
    limit: usize,
    /// How long a tunnel must have been idle.
    tunnel: Duration,
    began: Instant,
    seats: Mutex<Seats>,
    left: Notify,
    collector: Collector,
}

#[derive(Default)]
struct Seats {
    next: u64,
    taken: BTreeMap<u64, Arc<Seat>>,
    /// The idle connections at the last scan, the longest idle ones at the end. Others have been idle for less, so the
    /// list is used up before the next scan.
    rested: Vec<(u64, Arc<Seat>)>,
}

/// One connection's place. Dropping it frees it.
pub(crate) struct Place {
    number: u64,
    seat: Arc<Seat>,
    places: Arc<Places>,
}

/// The state of a connection. Its own thread writes it, others read it.
pub(crate) struct Seat {
    began: Instant,
    tunnel: Duration,
    /// Since when it is idle, in microseconds from `began`.
    since: AtomicU64,
    requests: AtomicUsize,
    is_stalled: AtomicBool,
    has_begun_head: AtomicBool,
    is_tunnel: AtomicBool,
    /// Whether it was asked to leave, or has left.
    is_asked: AtomicBool,
    ask: Notify,
}

/// A part of a request or of its answer that has not passed.
pub(crate) struct UnderWay(Arc<Seat>);

impl Places {
    pub(crate) fn new(limit: usize, tunnel: Duration, collector: Collector) -> Arc<Places> {
        let limit = limit.max(1);
        collector.connections().limit.store(limit as u64, Relaxed);
        let (began, seats, left) = (Instant::now(), Mutex::default(), Notify::new());
        Arc::new(Places { limit, tunnel, began, seats, left, collector })
    }

    /// Waits for a place.
    pub(crate) async fn take(self: &Arc<Places>) -> Place {
        let began = Instant::now();
        let mut has_waited = false;
        loop {
            if let Some(place) = self.take_free() {
                return place;
            }
            let asked = locked(&self.seats).next_to_leave(micros(self.began));
            asked.iter().for_each(|seat| seat.ask.notify_one());
            // The notice may be an older one, another client may be quicker, and the connection may have stayed.
            let _ = timeout(LOOK, async {
                while self.is_full() {
                    self.left.notified().await
                }
            })
            .await;
            if !has_waited && began.elapsed() > LONG {
                has_waited = true;
                self.collector.connections().waited.fetch_add(1, Relaxed);
            }
        }
    }

    /// A place, even beyond the limit.
    pub(crate) fn take_anyway(self: &Arc<Places>) -> Place {
        self.seated(&mut locked(&self.seats))
    }

    fn is_full(&self) -> bool {
        locked(&self.seats).taken.len() >= self.limit
    }

    fn take_free(self: &Arc<Places>) -> Option<Place> {
        let mut seats = locked(&self.seats);
        (seats.taken.len() < self.limit).then(|| self.seated(&mut seats))
    }

    fn seated(self: &Arc<Places>, seats: &mut Seats) -> Place {
        let seat = Arc::new(Seat::new(self.began, self.tunnel));
        let number = seats.next;
        seats.next += 1;
        seats.taken.insert(number, Arc::clone(&seat));
        self.collector.connections().open.store(seats.taken.len() as u64, Relaxed);
        Place { number, seat, places: Arc::clone(self) }
    }
}

impl Seats {
    /// The connection that has been idle longest. It is marked as asked.
    fn next_to_leave(&mut self, now: u64) -> Option<Arc<Seat>> {
        let found = self.known(now).or_else(|| {
            self.look(now);
            self.known(now)
        })?;
        found.is_asked.store(true, Relaxed);
        Some(found)
    }

    fn known(&mut self, now: u64) -> Option<Arc<Seat>> {
        while let Some((since, seat)) = self.rested.pop() {
            if seat.since.load(Relaxed) == since && seat.may_be_asked(now) {
                return Some(seat);
            }
        }
        None
    }

    fn look(&mut self, now: u64) {
        let rested = self.taken.values().filter(|seat| seat.may_be_asked(now));
        let rested = rested.map(|seat| (seat.since.load(Relaxed), Arc::clone(seat)));
        let (tunnels, others): (Vec<_>, Vec<_>) = rested.partition(|(_, seat)| seat.is_tunnel.load(Relaxed));
        self.rested = others;
        self.rested.sort_unstable_by_key(|(since, _)| Reverse(*since));
        if self.rested.is_empty() {
            // Only one tunnel is listed, as other connections may be idle when the next client comes.
            self.rested.extend(tunnels.into_iter().min_by_key(|(since, _)| *since));
        }
    }
}

impl Place {
    pub(crate) fn seat(&self) -> &Arc<Seat> {
        &self.seat
    }

    /// Waits until the connection must leave, which happens only while it is idle and `is_quiet`.
    pub(crate) async fn has_to_leave(&self, is_quiet: impl Fn() -> bool) {
        loop {
            self.seat.ask.notified().await;
            if self.seat.has_rested(micros(self.seat.began)) && is_quiet() {
                self.places.collector.connections().closed.fetch_add(1, Relaxed);
                return;
            }
            self.seat.is_asked.store(false, Relaxed);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.seat.is_asked.store(true, Relaxed);
        let mut seats = locked(&self.places.seats);
        seats.taken.remove(&self.number);
        self.places.collector.connections().open.store(seats.taken.len() as u64, Relaxed);
        drop(seats);
        self.places.left.notify_one();
    }
}

impl Seat {
    pub(crate) fn new(began: Instant, tunnel: Duration) -> Seat {
        Seat {
            began,
            tunnel,
            since: AtomicU64::new(micros(began)),
            requests: AtomicUsize::new(0),
            is_stalled: AtomicBool::new(false),
            has_begun_head: AtomicBool::new(false),
            is_tunnel: AtomicBool::new(false),
            is_asked: AtomicBool::new(false),
            ask: Notify::new(),
        }
    }

    /// Notes that both sides speak another protocol from now on.
    pub(crate) fn becomes_tunnel(&self) {
        self.is_tunnel.store(true, Relaxed);
        self.touch();
    }

    /// Notes bytes from the client.
    pub(crate) fn read(&self) {
        if self.is_tunnel.load(Relaxed) || !self.has_begun_head.load(Relaxed) {
            self.has_begun_head.store(true, Relaxed);
            self.touch();
        }
    }

    /// Notes bytes to the client, or that they wait until the client takes them.
    pub(crate) fn wrote(&self, is_stalled: bool) {
        self.is_stalled.store(is_stalled, Relaxed);
        if self.is_tunnel.load(Relaxed) && !is_stalled {
            self.touch();
        }
    }

    fn touch(&self) {
        self.since.store(micros(self.began), Relaxed);
    }

    fn has_rested(&self, now: u64) -> bool {
        let least = if self.is_tunnel.load(Relaxed) { self.tunnel } else { LEAST };
        let rested = Duration::from_micros(now.saturating_sub(self.since.load(Relaxed)));
        self.requests.load(Relaxed) == 0 && !self.is_stalled.load(Relaxed) && rested >= least
    }

    fn may_be_asked(&self, now: u64) -> bool {
        self.has_rested(now) && !self.is_asked.load(Relaxed)
    }
}

impl UnderWay {
    pub(crate) fn new(seat: &Arc<Seat>) -> UnderWay {
        seat.requests.fetch_add(1, Relaxed);
        UnderWay(Arc::clone(seat))
    }
}

impl Clone for UnderWay {
    fn clone(&self) -> UnderWay {
        UnderWay::new(&self.0)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Relaxed) == 1 {
            self.0.has_begun_head.store(false, Relaxed);
            self.0.touch();
        }
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn locked(seats: &Mutex<Seats>) -> MutexGuard<'_, Seats> {
    seats.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;
    const TUNNEL: Duration = Duration::from_secs(60);
    /// A time that is far from now.
    const FAR: u64 = 1 << 50;

    /// Connections that have been idle since these seconds.
    fn seats<const N: usize>(since: [u64; N]) -> (Seats, [Arc<Seat>; N]) {
        let all = since.map(|since| {
            let seat = Seat::new(Instant::now(), TUNNEL);
            seat.since.store(since * SECOND, Relaxed);
            Arc::new(seat)
        });
        let taken = (0..).zip(all.iter().cloned()).collect();
        (Seats { taken, ..Seats::default() }, all)
    }

    /// The number of the connection that is asked at this second.
    fn asked<const N: usize>(seats: &mut Seats, all: &[Arc<Seat>; N], at: u64) -> Option<usize> {
        let found = seats.next_to_leave(at * SECOND)?;
        all.iter().position(|seat| Arc::ptr_eq(seat, &found))
    }

    #[test]
    fn the_longest_idle_connection_leaves_first_and_is_asked_once() {
        let (mut seats, all) = seats([30, 10, 20, 100]);
        assert_eq!([0; 4].map(|_| asked(&mut seats, &all, 100)), [Some(1), Some(2), Some(0), None]);
        assert_eq!(asked(&mut seats, &all, 101), Some(3), "it has rested for a second now");
    }

    #[tokio::test]
    async fn a_connection_leaves_for_a_new_client_even_if_another_left_before() {
        let mut places = Places::new(2, TUNNEL, Collector::new(&[]).0);
        Arc::get_mut(&mut places).expect("nobody has it yet").began -= Duration::from_secs(10);
        // The notice is best effort, as the receiver may be gone.
        drop(places.take().await);
        let [first, second] = [0, 1].map(|since| {
            let place = places.take_anyway();
            place.seat.since.store(since, Relaxed);
            place
        });
        let leaves = async {
            first.has_to_leave(|| true).await;
            drop(first);
        };
        let (_new, ()) = tokio::join!(places.take(), leaves);
        assert!(!second.seat.is_asked.load(Relaxed), "it stays");
    }

    #[test]
    fn a_connection_with_a_request_or_answer_under_way_stays() {
        let (mut seats, all) = seats([10, 20, 30, 40]);
        let first = UnderWay::new(&all[0]);
        all[1].wrote(true);
        assert_eq!(asked(&mut seats, &all, 100), Some(2));
        // These were idle at the last scan, and no longer are.
        let _last = UnderWay::new(&all[3]);
        assert_eq!(asked(&mut seats, &all, 100), None);
        let body = first.clone();
        drop(first);
        assert_eq!(asked(&mut seats, &all, 100), None, "its body has not ended");
        drop(body);
        all[1].wrote(false);
        assert_eq!(asked(&mut seats, &all, 100), Some(0), "it rests since now, which is one of the first seconds");
        assert_eq!(asked(&mut seats, &all, 100), Some(1));
    }

    #[test]
    fn only_the_first_byte_of_a_head_restarts_the_idle_time() {
        let (_, [seat]) = seats([50]);
        seat.read();
        let since = seat.since.swap(FAR, Relaxed);
        assert!(since < 50 * SECOND, "it rests since now, which is one of the first seconds");
        seat.read();
        assert_eq!(seat.since.load(Relaxed), FAR);
        drop(UnderWay::new(&seat));
        seat.since.store(FAR, Relaxed);
        seat.read();
        assert_ne!(seat.since.load(Relaxed), FAR, "the next head");
    }

    #[test]
    fn a_tunnel_leaves_if_no_other_connection_can() {
        let (mut seats, all) = seats([1, 2, 90, 100]);
        all[0].is_tunnel.store(true, Relaxed);
        all[1].is_tunnel.store(true, Relaxed);
        assert_eq!(asked(&mut seats, &all, 100), Some(2));
        assert_eq!(asked(&mut seats, &all, 100), Some(0));
        assert_eq!(asked(&mut seats, &all, 101), Some(3));
        assert_eq!(asked(&mut seats, &all, 101), Some(1));
        let tunnel = Seat::new(Instant::now(), TUNNEL);
        tunnel.becomes_tunnel();
        assert!(!tunnel.has_rested(59 * SECOND) && tunnel.has_rested(600 * SECOND));
        let passes: [fn(&Seat); 2] = [Seat::read, |seat| seat.wrote(false)];
        for pass in passes {
            tunnel.since.store(FAR, Relaxed);
            pass(&tunnel);
            assert_ne!(tunnel.since.load(Relaxed), FAR, "bytes pass");
        }
    }
}
