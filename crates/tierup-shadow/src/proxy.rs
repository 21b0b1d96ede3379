//! The proxy: threads that accept clients, each with a runtime and connections of its own, so that no request waits for a
//! lock of another.

mod client;
mod exchange;
mod forwarded;
mod hops;
mod refusal;
mod request_body;
mod response_body;
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
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::LocalSet,
    time::timeout,
};

pub(crate) use hops::SHADOW;

use self::{exchange::Lane, forwarded::Peer, upstream::Upstream};
use crate::{
    copy::{Copies, CopyDesk},
    lanes::ControlLanes,
    names::{Addresses, Names},
    settings::Settings,
};

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
    names: Option<Names>,
}

/// What has happened so far.
#[derive(Debug, Default)]
pub struct Counts {
    /// Clients' connections that were accepted.
    pub connections: AtomicU64,
    /// Times that none could be accepted.
    pub not_accepted: AtomicU64,
}

impl Proxy {
    /// Serves the clients of a socket that listens.
    ///
    /// # Errors
    /// Where control's name has no address, or the system has no threads left.
    pub fn start(listener: TcpListener, settings: &Settings, copies: Option<Copies>) -> io::Result<Proxy> {
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let (control, names) = Names::look_up(settings.control.clone())?;
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
        drop(self.names.take());
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

/// One thread.
struct Worker {
    listener: TcpListener,
    settings: Settings,
    control: Addresses,
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
        let lanes = self.copies.as_ref().and_then(Copies::lanes).cloned();
        let of_lane = |address| Rc::new(Upstream::new(Addresses::only(address), limits.connect));
        let lane = Rc::new(Lane {
            lanes: lanes.iter().flat_map(ControlLanes::addresses).map(of_lane).collect(),
            control: Rc::new(Upstream::new(self.control, limits.connect)),
            authority,
            copies: self.copies.map(|copies| CopyDesk::new(copies, limits.copy_bytes)),
            progress: limits.progress,
        });
        let swept = Rc::clone(&lane);
        tokio::task::spawn_local(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                swept.control.sweep();
                swept.lanes.iter().for_each(|lane| lane.sweep());
                swept.copies.iter().for_each(CopyDesk::sweep);
            }
        });
        // Each client has a sender: when the last is gone, all clients are.
        let (alive, mut clients) = mpsc::channel::<()>(1);
        let mut stopped = self.stopped.clone();
        let trusted: Rc<[ipnet::IpNet]> = self.settings.trusted_proxies.into();
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
            self.counts.connections.fetch_add(1, Relaxed);
            // Small answers must not wait for more to come.
            let _ = tcp.set_nodelay(true);
            let from = from.ip().to_canonical();
            let peer = Peer::new(from, trusted.iter().any(|net| net.contains(&from)));
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
