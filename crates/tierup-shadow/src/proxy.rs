//! The proxy: threads that accept clients, each with its own runtime and connections.
//!
//! Threads share little, behind locks that are held only for a look-up: the servers' addresses, the lanes of sampled
//! requests, and the places of connections, when one opens or closes. If calls are told apart by a header, threads also
//! share the table of the header's values: each request takes its lock when it begins and when it ends, and at its
//! beginning may first remove old values.

mod account;
mod admission;
mod client;
mod exchange;
mod forwarded;
mod gather;
mod hops;
mod live;
mod mirrored;
mod places;
mod refusal;
mod request_body;
mod response_body;
mod sides;
mod stream;
mod upstream;
mod worker;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tierup_rollout::Side;
use tokio::{sync::watch, task::LocalSet};

pub(crate) use hops::SHADOW;
pub(crate) use upstream::{MOST_OF_LANE, most_watched};

use self::{
    live::Reached,
    places::Places,
    worker::{Others, Worker},
};
use crate::{
    collector::Collector,
    copy::Copies,
    listening,
    names::{Addresses, Names},
    page_server::Health,
    settings::{Address, Settings},
};

/// How often to check whether a thread has ended.
const LOOK: Duration = Duration::from_millis(5);

/// A running proxy. Dropping it ends it at once.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    control: Addresses,
    not_accepted: Arc<AtomicU64>,
    stop: watch::Sender<bool>,
    end: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
    names: Vec<Names>,
}

impl Proxy {
    /// Serves the clients of a listening socket. The collector counts what happens.
    ///
    /// # Errors
    /// If a server's name has no address, or the system has no threads left.
    pub fn start(
        listener: TcpListener,
        settings: &Settings,
        copies: Option<Copies>,
        collector: &Collector,
    ) -> io::Result<Proxy> {
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let mut names = Vec::new();
        let mut look_up = |address: &Address| {
            let (addresses, looking) = Names::look_up(address.clone())?;
            names.extend(looking);
            io::Result::Ok(addresses)
        };
        let control = look_up(&settings.control)?;
        let sharing = settings.sharing.as_ref();
        let candidate = sharing.and_then(|sharing| sharing.candidate.as_ref()).map(&mut look_up).transpose()?;
        let twin = sharing.and_then(|sharing| sharing.twin.as_ref()).map(&mut look_up).transpose()?;
        let live = |side, addresses: Option<Addresses>| {
            Some(Others { side, addresses: addresses?, reached: Reached::new(collector.clone()) })
        };
        let (candidate, twin) = (live(Side::Candidate, candidate), live(Side::Twin, twin));
        let (stop, stopped) = watch::channel(false);
        let (end, ended) = watch::channel(false);
        let places = Places::new(settings.limits.connections, settings.limits.progress, collector.clone());
        listening::listen(&listener)?;
        let mut proxy = Proxy {
            address,
            control: control.clone(),
            not_accepted: Arc::default(),
            stop,
            end,
            threads: Vec::new(),
            names,
        };
        for number in 0..settings.threads.max(1) {
            let worker = Worker {
                listener: listener.try_clone()?,
                settings: settings.clone(),
                control: control.clone(),
                candidate: candidate.clone(),
                twin: twin.clone(),
                counter: collector.counter(),
                copies: copies.clone(),
                not_accepted: Arc::clone(&proxy.not_accepted),
                places: Arc::clone(&places),
                stopped: stopped.clone(),
                ended: ended.clone(),
            };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let run = move || LocalSet::new().block_on(&runtime, worker.run());
            proxy.threads.push(thread::Builder::new().name(format!("proxy-{number}")).spawn(run)?);
        }
        Ok(proxy)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether clients may come, for another thread.
    pub fn health(&self) -> Health {
        Health { control: self.control.clone(), stopped: self.stop.subscribe() }
    }

    /// How often a connection could not be accepted so far.
    pub fn not_accepted(&self) -> u64 {
        self.not_accepted.load(Relaxed)
    }

    /// Accepts no more clients, and ends when the current ones are answered, or after `drain`.
    pub fn stop(self, drain: Duration) {
        self.stop_unless(drain, || false);
    }

    /// [`stop`](Self::stop), but ends at once when `is_hurried` returns true.
    pub fn stop_unless(self, drain: Duration, is_hurried: impl Fn() -> bool) {
        let began = Instant::now();
        self.stop.send_replace(true);
        while self.threads.iter().any(|thread| !thread.is_finished()) && began.elapsed() < drain && !is_hurried() {
            thread::sleep(LOOK);
        }
        // Dropping the proxy ends what is left.
    }

    fn end(&mut self) {
        self.names.clear();
        self.stop.send_replace(true);
        self.end.send_replace(true);
        for thread in self.threads.drain(..) {
            // The panic hook has already reported a thread's panic.
            let _ = thread.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end();
    }
}
