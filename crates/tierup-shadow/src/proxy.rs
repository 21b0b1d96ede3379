//! The proxy: threads that accept clients, each with a runtime and connections of its own, so that no request waits for a
//! lock of another.

mod account;
mod client;
mod exchange;
mod forwarded;
mod gather;
mod hops;
mod refusal;
mod request_body;
mod response_body;
mod sides;
mod socket;
mod stream;
mod upstream;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use hyper::header::HeaderValue;
use tierup_rollout::Side;
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch},
    task::LocalSet,
};

pub(crate) use hops::SHADOW;

use self::{
    exchange::Serving,
    forwarded::Peer,
    sides::{Live, Reached, Shared, Sides},
    upstream::Upstream,
};
use crate::{
    collector::{Collector, Counter},
    copy::{Copies, CopyDesk},
    lanes::ControlLanes,
    listening::{self, Port, begin_to_close},
    names::{Addresses, Names},
    settings::{Address, Settings},
};

/// How long to wait where no connection can be accepted: there are no file descriptors left.
const BREATH: Duration = Duration::from_millis(20);

/// Between two looks at what has rested, or taken, too long.
const SWEEP: Duration = Duration::from_secs(1);

/// Between two looks at whether a thread has ended.
const LOOK: Duration = Duration::from_millis(5);

/// A proxy that runs. Dropping it ends it at once.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    not_accepted: Arc<AtomicU64>,
    stop: watch::Sender<bool>,
    end: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
    names: Vec<Names>,
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
        let (stop, stopped) = watch::channel(false);
        let (end, ended) = watch::channel(false);
        let room = Arc::new(Semaphore::new(settings.limits.connections.max(1)));
        listening::listen(&listener)?;
        let mut proxy = Proxy { address, not_accepted: Arc::default(), stop, end, threads: Vec::new(), names };
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
                room: Arc::clone(&room),
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

    /// How often no connection could be accepted so far.
    pub fn not_accepted(&self) -> u64 {
        self.not_accepted.load(Relaxed)
    }

    /// Accepts no more clients, and ends when those it has are answered, or after `drain`.
    pub fn stop(self, drain: Duration) {
        self.stop_unless(drain, || false);
    }

    /// The same, but ends at once when `is_hurried` says so.
    pub fn stop_unless(self, drain: Duration, is_hurried: impl Fn() -> bool) {
        let began = Instant::now();
        self.stop.send_replace(true);
        while self.threads.iter().any(|thread| !thread.is_finished()) && began.elapsed() < drain && !is_hurried() {
            thread::sleep(LOOK);
        }
        // Dropping it ends what is left.
    }

    fn end(&mut self) {
        self.names.clear();
        self.stop.send_replace(true);
        self.end.send_replace(true);
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing to say here.
            let _ = thread.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end();
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
    not_accepted: Arc<AtomicU64>,
    room: Arc<Semaphore>,
    stopped: watch::Receiver<bool>,
    ended: watch::Receiver<bool>,
}

impl Worker {
    async fn run(mut self) {
        let limits = self.settings.limits;
        let Ok(listener) = tokio::net::TcpListener::from_std(self.listener) else { return };
        let control = &self.settings.control;
        let authority = control.to_string().trim_start_matches("http://").to_owned();
        let Ok(authority) = HeaderValue::try_from(authority) else { return };
        let counter = Rc::new(self.counter);
        let live = |other: Others| {
            let upstream = Upstream::new(other.addresses, Live::patience(limits.connect));
            Live::new(other.side, upstream, other.reached)
        };
        let shared = self.settings.sharing.as_ref().map(|sharing| Shared {
            steer: sharing.steering.steer(),
            candidate: self.candidate.map(live),
            twin: self.twin.map(live),
        });
        let lanes = self.copies.as_ref().and_then(Copies::lanes).cloned();
        let of_lane = |address| Rc::new(Upstream::new(Addresses::only(address), limits.connect));
        let trusted: Rc<[ipnet::IpNet]> = self.settings.trusted_proxies.into();
        let serving = Rc::new(Serving {
            sides: Sides {
                control: Rc::new(Upstream::new(self.control, limits.connect)),
                shared,
                lanes: lanes.iter().flat_map(ControlLanes::addresses).map(of_lane).collect(),
            },
            trusted: Rc::clone(&trusted),
            authority,
            copies: self.copies.map(|copies| CopyDesk::new(copies, limits.copy_bytes, Rc::clone(&counter))),
            counter,
            progress: limits.progress,
            patience: limits.answer,
        });
        let (swept, looked) = (Rc::clone(&serving), Rc::clone(&serving));
        tokio::task::spawn_local(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                swept.sides.sweep();
                swept.copies.iter().for_each(CopyDesk::sweep);
            }
        });
        // A server may let a connection wait.
        tokio::task::spawn_local(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                looked.sides.look_again().await;
            }
        });
        // Each client has a sender: when the last is gone, all clients are.
        let (alive, mut clients) = mpsc::channel::<()>(1);
        let mut stopped = self.stopped.clone();
        let admit = |tcp: TcpStream, from: SocketAddr, permit: Option<OwnedSemaphorePermit>| {
            // A socket that cannot be set is one whose client has left.
            let _ = socket::prepare(&tcp);
            let peer = Peer::new(from.ip(), &trusted);
            let (serving, stop, alive) = (Rc::clone(&serving), self.stopped.clone(), alive.clone());
            tokio::task::spawn_local(async move {
                client::serve(tcp, serving, peer, &limits, stop).await;
                drop((permit, alive));
            });
        };
        loop {
            let accepted = async {
                let Ok(permit) = Arc::clone(&self.room).acquire_owned().await else {
                    return Err(io::ErrorKind::Other.into());
                };
                listener.accept().await.map(|accepted| (accepted, permit))
            };
            let ((tcp, from), permit) = tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => break,
                accepted = accepted => match accepted {
                    Ok(accepted) => accepted,
                    Err(_) => {
                        self.not_accepted.fetch_add(1, Relaxed);
                        tokio::time::sleep(BREATH).await;
                        continue;
                    }
                },
            };
            admit(tcp, from, Some(permit));
        }
        close(listener, self.settings.port, &self.room, admit).await;
        drop(alive);
        // What is not answered by then is dropped with this thread's runtime.
        tokio::select! {
            _ = clients.recv() => {}
            _ = self.ended.wait_for(|ended| *ended) => {}
        }
    }
}

/// Accepts the connections that wait, and closes the socket: a client whose connection is established is answered.
async fn close(
    listener: tokio::net::TcpListener,
    port: Port,
    room: &Arc<Semaphore>,
    admit: impl Fn(TcpStream, SocketAddr, Option<OwnedSemaphorePermit>),
) {
    let settled = tokio::time::sleep(begin_to_close(&listener, port));
    let mut settled = pin!(settled);
    loop {
        tokio::select! {
            biased;
            () = settled.as_mut() => break,
            accepted = listener.accept() => match accepted {
                Ok((tcp, from)) => admit(tcp, from, Arc::clone(room).try_acquire_owned().ok()),
                Err(_) => tokio::time::sleep(BREATH).await,
            },
        }
    }
    let Ok(listener) = listener.into_std() else { return };
    // It does not wait: it fails when there is none left.
    while let Ok((tcp, from)) = listener.accept() {
        let tcp = tcp.set_nonblocking(true).and_then(|()| TcpStream::from_std(tcp));
        if let Ok(tcp) = tcp {
            admit(tcp, from, Arc::clone(room).try_acquire_owned().ok());
        }
    }
}
