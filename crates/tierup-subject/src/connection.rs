//! One keep-alive connection to the server, made again where it was lost.

use std::{
    future::poll_fn,
    net::SocketAddr,
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, time::timeout};

use super::keeping::Keeping;

/// A connection that may be broken: the next request then makes another.
pub(super) struct Connection {
    address: SocketAddr,
    timeout: Duration,
    keeping: Rc<Keeping>,
    open: Option<Open>,
}

/// One that stands.
pub(super) struct Open {
    pub(super) sender: http1::SendRequest<Full<Bytes>>,
    pub(super) driver: Driver,
    /// How many it brought.
    answers: u32,
    /// When it was opened, or brought the last one.
    rests_since: Instant,
}

/// What reads and writes. It is driven by whoever waits for an answer, in the same task: a task of its own would have to be
/// woken for every request, and to wake the other for every answer.
pub(super) struct Driver(Option<Pin<Box<Wire>>>);

type Wire = http1::Connection<TokioIo<TcpStream>, Full<Bytes>>;

/// Whether a connection stood before it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    Kept,
    New,
}

impl Connection {
    /// One of those that share `keeping`.
    pub(super) fn new(address: SocketAddr, timeout: Duration, keeping: Rc<Keeping>) -> Connection {
        Connection { address, timeout, keeping, open: None }
    }

    /// Connected, now or already. A connection that the server has closed in between is no failure: it may do so
    /// between any two answers (RFC 9112, section 9.5).
    pub(super) async fn open(&mut self) -> Option<(&mut Open, Age)> {
        let usable = match &mut self.open {
            Some(Open { sender, driver, .. }) => driver.drive(sender.ready()).await.is_ok(),
            None => false,
        };
        if !usable {
            self.open = None;
            self.open = timeout(self.timeout, connect(self.address)).await.ok().flatten();
        }
        let age = if usable { Age::Kept } else { Age::New };
        self.open.as_mut().map(|open| (open, age))
    }

    /// It brought an answer.
    pub(super) fn brought(&mut self) {
        if let Some(open) = &mut self.open {
            open.answers = open.answers.saturating_add(1);
            open.rests_since = Instant::now();
            self.keeping.brought(open.answers);
        }
    }

    /// Whether a request that it took after such a rest, and ended without an answer to, is sent again.
    pub(super) fn excuses(&self, rested: Duration) -> bool {
        self.open.as_ref().is_some_and(|open| self.keeping.excuses(open.answers, rested))
    }

    /// Forgets it: its state is not known.
    pub(super) fn discard(&mut self) {
        self.open = None;
    }
}

impl Open {
    /// For how long nothing was asked of it.
    pub(super) fn rested(&self) -> Duration {
        self.rests_since.elapsed()
    }
}

impl Driver {
    /// What `work` with the sender comes to, while the connection reads and writes for it.
    pub(super) async fn drive<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|context| {
            // Before it, so that `work` hears of a socket that was closed meanwhile; after it, to send what it asks for.
            self.poll(context);
            if let Poll::Ready(result) = work.as_mut().poll(context) {
                return Poll::Ready(result);
            }
            self.poll(context);
            work.as_mut().poll(context)
        })
        .await
    }

    /// What ends it is told to whoever waits for an answer, the latest when it is dropped.
    fn poll(&mut self, context: &mut Context<'_>) {
        if self.0.as_mut().is_some_and(|connection| connection.as_mut().poll(context).is_ready()) {
            self.0 = None;
        }
    }
}

async fn connect(address: SocketAddr) -> Option<Open> {
    let stream = TcpStream::connect(address).await.ok()?;
    stream.set_nodelay(true).ok()?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let driver = Driver(Some(Box::pin(connection)));
    Some(Open { sender, driver, answers: 0, rests_since: Instant::now() })
}
