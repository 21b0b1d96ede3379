//! A connection to the server, which is kept, and made again if it was lost.

use std::{
    future::poll_fn,
    net::SocketAddr,
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tierup_parity::Silence;
use tokio::{net::TcpStream, time::timeout};

use crate::{keeping::Keeping, request_body::RequestBody};

/// A connection that may be broken. The next request then opens another.
pub struct Connection {
    address: SocketAddr,
    patience: Option<Duration>,
    keeping: Rc<Keeping>,
    open: Option<Open>,
}

/// An established connection.
pub(crate) struct Open {
    pub(crate) sender: http1::SendRequest<RequestBody>,
    pub(crate) driver: Driver,
    /// The number of answers on this connection.
    answers: u32,
    /// The time of its opening, or of the last answer.
    rests_since: Instant,
}

/// Reads and writes. The task that waits for an answer also drives the connection: a separate task would have to be
/// woken for every request, and would have to wake the other one for every answer.
pub(crate) struct Driver(Option<Pin<Box<Wire>>>);

type Wire = http1::Connection<TokioIo<TcpStream>, RequestBody>;

/// Whether a connection was already open when it was needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    Kept,
    New,
}

impl Connection {
    /// A connection among those that share `keeping`. A server that does not accept within `patience` counts as
    /// refusing; without `patience`, connecting may take as long as the caller waits.
    pub fn new(address: SocketAddr, patience: Option<Duration>, keeping: Rc<Keeping>) -> Connection {
        Connection { address, patience, keeping, open: None }
    }

    /// Connects, if it is not connected yet.
    ///
    /// # Errors
    /// The server refuses the connection.
    pub async fn connect(&mut self) -> Result<(), Silence> {
        self.open().await.map(|_| ())
    }

    /// Forgets the connection: its state is not known.
    pub fn discard(&mut self) {
        self.open = None;
    }

    /// Returns the open connection, or connects. A connection that the server has closed in between is no failure: a
    /// server may do so between any two answers (RFC 9112, section 9.5).
    pub(crate) async fn open(&mut self) -> Result<(&mut Open, Age), Silence> {
        let usable = match &mut self.open {
            Some(Open { sender, driver, .. }) => driver.drive(sender.ready()).await.is_ok(),
            None => false,
        };
        if !usable {
            self.open = None;
            self.open = match self.patience {
                Some(patience) => timeout(patience, connect(self.address)).await.ok().flatten(),
                None => connect(self.address).await,
            };
        }
        let age = if usable { Age::Kept } else { Age::New };
        self.open.as_mut().map(|open| (open, age)).ok_or(Silence::Refused)
    }

    /// Notes an answer on this connection.
    pub(crate) fn brought(&mut self) {
        if let Some(open) = &mut self.open {
            open.answers = open.answers.saturating_add(1);
            open.rests_since = Instant::now();
            self.keeping.brought(open.answers);
        }
    }

    /// Whether to resend a request that ended without an answer, on a connection that had been idle for `rested`.
    pub(crate) fn excuses(&self, rested: Duration) -> bool {
        self.open.as_ref().is_some_and(|open| self.keeping.excuses(open.answers, rested))
    }
}

impl Open {
    /// For how long the connection was idle.
    pub(crate) fn rested(&self) -> Duration {
        self.rests_since.elapsed()
    }
}

impl Driver {
    /// Waits for `work` with the sender, while the connection reads and writes for it.
    pub(crate) async fn drive<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|context| {
            // Polls before `work`, so that it learns of a closed socket, and after it, to send what it asks for.
            self.poll(context);
            if let Poll::Ready(result) = work.as_mut().poll(context) {
                return Poll::Ready(result);
            }
            self.poll(context);
            work.as_mut().poll(context)
        })
        .await
    }

    /// Polls the connection. When it ends, it is dropped, so that a request waiting for an answer learns of the end.
    fn poll(&mut self, context: &mut Context<'_>) {
        if self.0.as_mut().is_some_and(|connection| connection.as_mut().poll(context).is_ready()) {
            self.0 = None;
        }
    }
}

async fn connect(address: SocketAddr) -> Option<Open> {
    let stream = TcpStream::connect(address).await.ok()?;
    // Without TCP_NODELAY, the last part of a large request may wait for 40 ms. Setting it fails if the server has
    // already closed the connection; the request then reports that.
    let _ = stream.set_nodelay(true);
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let driver = Driver(Some(Box::pin(connection)));
    Some(Open { sender, driver, answers: 0, rests_since: Instant::now() })
}
