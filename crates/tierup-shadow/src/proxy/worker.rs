//! One thread of a proxy: accepts clients and serves them, with its own runtime and connections.

use std::{
    net::{SocketAddr, TcpListener},
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use hyper::header::HeaderValue;
use tierup_rollout::Side;
use tokio::{
    net::TcpStream,
    sync::{mpsc, watch},
};

use super::{
    admission::Admission,
    client,
    exchange::Serving,
    forwarded::Peer,
    live::{Live, Reached},
    places::{Place, Places},
    sides::{Alternatives, Sides},
    upstream::{MOST_OF_LANE, Upstream, most_watched},
};
use crate::{
    collector::Counter,
    copy::{Copies, CopyDesk},
    lanes::ControlLanes,
    listening::{Port, begin_to_close, set_client},
    names::Addresses,
    settings::Settings,
};

/// How long to wait if no connection can be accepted, as there are no file descriptors left.
const BREATH: Duration = Duration::from_millis(20);

/// The time between two looks for idle connections, overlong copies, and unreachable servers.
const SWEEP: Duration = Duration::from_secs(1);

/// A server that answers in control's place, for all threads.
#[derive(Clone)]
pub(super) struct Others {
    pub(super) side: Side,
    pub(super) addresses: Addresses,
    pub(super) reached: Reached,
}

/// One thread.
pub(super) struct Worker {
    pub(super) listener: TcpListener,
    pub(super) settings: Settings,
    pub(super) control: Addresses,
    pub(super) candidate: Option<Others>,
    pub(super) twin: Option<Others>,
    pub(super) counter: Counter,
    pub(super) copies: Option<Copies>,
    pub(super) not_accepted: Arc<AtomicU64>,
    pub(super) places: Arc<Places>,
    pub(super) stopped: watch::Receiver<bool>,
    pub(super) ended: watch::Receiver<bool>,
}

impl Worker {
    /// Serves until the proxy ends.
    pub(super) async fn run(mut self) {
        let limits = self.settings.limits;
        let Ok(listener) = tokio::net::TcpListener::from_std(self.listener) else { return };
        let others = [self.candidate, self.twin];
        let Some(serving) = serving(&self.settings, self.control, others, self.counter, self.copies) else { return };
        let serving = Rc::new(serving);
        keep_tidy(&serving);
        // Each client has a sender: when the last sender is gone, so are all clients.
        let (alive, mut clients) = mpsc::channel::<()>(1);
        let mut stopped = self.stopped.clone();
        let admit = |tcp: TcpStream, from: SocketAddr, place: Place| {
            // Setting the socket's options fails only if its client has left.
            let _ = set_client(&tcp);
            let peer = Peer::new(from.ip(), &serving.trusted);
            let (serving, stop, alive) = (Rc::clone(&serving), self.stopped.clone(), alive.clone());
            tokio::task::spawn_local(async move {
                client::serve(tcp, serving, peer, &limits, stop, &place).await;
                drop((place, alive));
            });
        };
        loop {
            let (tcp, from) = tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => break,
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(_) => {
                        self.not_accepted.fetch_add(1, Relaxed);
                        tokio::time::sleep(BREATH).await;
                        continue;
                    }
                },
            };
            // The place is taken only now, so that no connection must leave before a client has come.
            let place = tokio::select! {
                biased;
                place = self.places.take() => place,
                _ = stopped.wait_for(|stopped| *stopped) => self.places.take_anyway(),
            };
            admit(tcp, from, place);
        }
        close(listener, self.settings.port, |tcp, from| admit(tcp, from, self.places.take_anyway())).await;
        drop(alive);
        // Requests that are not answered by then are dropped with this thread's runtime.
        tokio::select! {
            _ = clients.recv() => {}
            _ = self.ended.wait_for(|ended| *ended) => {}
        }
    }
}

/// What the thread's clients are served with. `None` if control's address is no valid header value.
fn serving(
    settings: &Settings,
    control: Addresses,
    others: [Option<Others>; 2],
    counter: Counter,
    copies: Option<Copies>,
) -> Option<Serving> {
    let limits = settings.limits;
    let address = settings.control.to_string();
    let authority = HeaderValue::try_from(address.trim_start_matches("http://")).ok()?;
    let counter = Rc::new(counter);
    let watched = most_watched(settings.threads);
    let live = |other: Others| {
        let upstream = Upstream::new(other.addresses, Live::patience(limits.connect), limits.quiet, watched);
        Live::new(other.side, upstream, other.reached)
    };
    let shared = settings.sharing.as_ref().map(|sharing| {
        let [candidate, twin] = others.map(|other| other.map(live));
        Alternatives { steer: sharing.steering.steer(), candidate, twin }
    });
    let upstream = |addresses, most| Rc::new(Upstream::new(addresses, limits.connect, limits.quiet, most));
    let lanes = copies.as_ref().and_then(Copies::lanes).into_iter().flat_map(ControlLanes::addresses);
    let lanes = lanes.map(|address| upstream(Addresses::only(address), MOST_OF_LANE)).collect();
    Some(Serving {
        sides: Sides { control: upstream(control, watched), shared, lanes },
        trusted: settings.trusted_proxies.clone().into(),
        authority,
        copies: copies.map(|copies| CopyDesk::new(copies, limits.copy_bytes, Rc::clone(&counter))),
        counter,
        progress: limits.progress,
        patience: limits.answer,
        mirrored: settings.mirrored.map(|most| Rc::new(Admission::new(most.div_ceil(settings.threads.max(1))))),
    })
}

/// Each second, closes idle connections and overlong copies, and tries unreachable servers again.
fn keep_tidy(serving: &Rc<Serving>) {
    let (swept, looked) = (Rc::clone(serving), Rc::clone(serving));
    tokio::task::spawn_local(async move {
        loop {
            tokio::time::sleep(SWEEP).await;
            swept.sides.sweep();
            swept.copies.iter().for_each(CopyDesk::sweep);
        }
    });
    // This is a task of its own, as a server may let a connection wait.
    tokio::task::spawn_local(async move {
        loop {
            tokio::time::sleep(SWEEP).await;
            looked.sides.look_again().await;
        }
    });
}

/// Accepts the waiting connections, and closes the socket: clients with established connections are answered.
async fn close(listener: tokio::net::TcpListener, port: Port, admit: impl Fn(TcpStream, SocketAddr)) {
    let settled = tokio::time::sleep(begin_to_close(&listener, port));
    let mut settled = pin!(settled);
    loop {
        tokio::select! {
            biased;
            () = settled.as_mut() => break,
            accepted = listener.accept() => match accepted {
                Ok((tcp, from)) => admit(tcp, from),
                Err(_) => tokio::time::sleep(BREATH).await,
            },
        }
    }
    let Ok(listener) = listener.into_std() else { return };
    // The socket does not block: accepting fails once no connection is left.
    while let Ok((tcp, from)) = listener.accept() {
        let tcp = tcp.set_nonblocking(true).and_then(|()| TcpStream::from_std(tcp));
        if let Ok(tcp) = tcp {
            admit(tcp, from);
        }
    }
}
