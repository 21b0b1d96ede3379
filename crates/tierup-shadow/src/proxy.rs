//! The proxy: threads that accept clients, each with a runtime and connections of its own, so that no request waits for a
//! lock of another.

mod account;
mod client;
mod exchange;
mod forwarded;
mod hops;
mod refusal;
mod request_body;
mod response_body;
mod sides;
mod stream;
mod upstream;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use hyper::header::HeaderValue;
use socket2::{SockRef, TcpKeepalive};
use tierup_rollout::Side;
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::LocalSet,
    time::timeout,
};

pub(crate) use hops::SHADOW;

use self::{
    exchange::Lane,
    forwarded::Peer,
    sides::{Live, Reached, Shared, Sides},
    upstream::Upstream,
};
use crate::{
    collector::{Collector, Counter},
    copy::{Copies, CopyDesk},
    names::{Addresses, Names},
    settings::{Address, Settings},
};

/// When a client that says nothing is asked whether it is there (RFC 9293, section 3.8.4).
const KEEPALIVE: TcpKeepalive =
    TcpKeepalive::new().with_time(Duration::from_secs(60)).with_interval(Duration::from_secs(10));

/// How long to wait where no connection can be accepted: there are no file descriptors left.
const BREATH: Duration = Duration::from_millis(20);

/// Between two looks at what has rested, or taken, too long.
const SWEEP: Duration = Duration::from_secs(1);

/// A proxy that runs. Dropping it ends it at once.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    counts: Arc<Counts>,
    stop: watch::Sender<bool>,
    drain: watch::Sender<Duration>,
    threads: Vec<JoinHandle<()>>,
    names: Vec<Names>,
}

/// What has happened so far.
#[derive(Debug, Default)]
pub struct Counts {
    /// Times that none could be accepted.
    pub not_accepted: AtomicU64,
}

impl Proxy {
    /// Serves the clients of a socket that listens. What happens is counted by the collector.
    ///
    /// # Errors
    /// Where a server's name has no address, or the system has no threads left.
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
        let counts = Arc::<Counts>::default();
        let (stop, stopped) = watch::channel(false);
        let (drain, drained) = watch::channel(Duration::ZERO);
        let room = Arc::new(Semaphore::new(settings.limits.connections.max(1)));
        let mut proxy = Proxy { address, counts, stop, drain, threads: Vec::new(), names };
        for number in 0..settings.threads.max(1) {
            let worker = Worker {
                listener: listener.try_clone()?,
                settings: settings.clone(),
                control: control.clone(),
                candidate: candidate.clone(),
                twin: twin.clone(),
                counter: collector.counter(),
                copies: copies.clone(),
                counts: Arc::clone(&proxy.counts),
                room: Arc::clone(&room),
                stopped: stopped.clone(),
                drained: drained.clone(),
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

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Accepts no more clients, and ends when those it has are answered, or after `drain`.
    pub fn stop(mut self, drain: Duration) {
        self.end(drain);
    }

    fn end(&mut self, drain: Duration) {
        self.names.clear();
        self.drain.send_replace(drain);
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing to say here.
            let _ = thread.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

/// A server that answers in control's place, for all threads.
#[derive(Clone)]
struct Others {
    side: Side,
    addresses: Addresses,
    reached: Reached,
}

/// One thread.
struct Worker {
    listener: TcpListener,
    settings: Settings,
    control: Addresses,
    candidate: Option<Others>,
    twin: Option<Others>,
    counter: Counter,
    copies: Option<Copies>,
    counts: Arc<Counts>,
    room: Arc<Semaphore>,
    stopped: watch::Receiver<bool>,
    drained: watch::Receiver<Duration>,
}

impl Worker {
    async fn run(self) {
        let limits = self.settings.limits;
        let Ok(listener) = tokio::net::TcpListener::from_std(self.listener) else { return };
        let control = &self.settings.control;
        let authority = control.to_string().trim_start_matches("http://").to_owned();
        let Ok(authority) = HeaderValue::try_from(authority) else { return };
        let live = |other: Others| {
            let upstream = Upstream::new(other.addresses, Live::patience(limits.connect));
            Live::new(other.side, upstream, other.reached)
        };
        let shared = self.settings.sharing.as_ref().map(|sharing| Shared {
            steer: sharing.steering.steer(),
            candidate: self.candidate.map(live),
            twin: self.twin.map(live),
        });
        let trusted: Rc<[ipnet::IpNet]> = self.settings.trusted_proxies.into();
        let lane = Rc::new(Lane {
            sides: Sides { control: Rc::new(Upstream::new(self.control, limits.connect)), shared },
            trusted: Rc::clone(&trusted),
            counter: Rc::new(self.counter),
            authority,
            copies: self.copies.map(|copies| CopyDesk::new(copies, limits.copy_bytes)),
            progress: limits.progress,
            patience: limits.answer,
        });
        let swept = Rc::clone(&lane);
        tokio::task::spawn_local(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                swept.sides.sweep();
                swept.copies.iter().for_each(CopyDesk::sweep);
            }
        });
        // Each client has a sender: when the last is gone, all clients are.
        let (alive, mut clients) = mpsc::channel::<()>(1);
        let mut stopped = self.stopped.clone();
        loop {
            let accepted = async {
                let Ok(permit) = Arc::clone(&self.room).acquire_owned().await else {
                    return Err(io::ErrorKind::Other.into());
                };
                listener.accept().await.map(|accepted| (accepted, permit))
            };
            let ((tcp, from), permit) = tokio::select! {
                _ = stopped.wait_for(|stopped| *stopped) => break,
                accepted = accepted => match accepted {
                    Ok(accepted) => accepted,
                    Err(_) => {
                        self.counts.not_accepted.fetch_add(1, Relaxed);
                        tokio::time::sleep(BREATH).await;
                        continue;
                    }
                },
            };
            // Small answers must not wait for more to come.
            let _ = tcp.set_nodelay(true);
            // A tunnel's client may vanish without a word.
            let _ = SockRef::from(&tcp).set_tcp_keepalive(&KEEPALIVE);
            let peer = Peer::new(from.ip(), &trusted);
            let (lane, stop, alive) = (Rc::clone(&lane), self.stopped.clone(), alive.clone());
            tokio::task::spawn_local(async move {
                client::serve(tcp, lane, peer, &limits, stop).await;
                drop((permit, alive));
            });
        }
        drop((listener, alive));
        let drain = *self.drained.borrow();
        // What is not answered by then is dropped with this thread's runtime.
        let _ = timeout(drain, clients.recv()).await;
    }
}
