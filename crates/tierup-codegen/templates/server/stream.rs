//! A connection's bytes: how many its client still has to read, and for how long it has read nothing.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::unsent::{self, Held};

/// How long a client may read nothing while too many answers wait: see [`unsent::is_over`].
const PRESSED: Duration = Duration::from_secs(1);

/// How often a client that reads nothing is checked.
const LOOK: Duration = Duration::from_millis(250);

/// A TCP connection that knows how its client reads.
pub struct Stream {
    tcp: TcpStream,
    client: Arc<Client>,
}

/// How a client reads.
pub struct Client {
    /// Only the connection's own task uses it, so the lock is always free.
    taking: Mutex<Taking>,
    /// The client has stopped reading.
    stalled: Notify,
}

struct Taking {
    /// The answer that the operating system has not taken whole yet. hyper begins no other one before that.
    held: Held,
    /// Since when its client has read nothing.
    stalled: Option<Instant>,
}

impl Client {
    /// Notes that an answer is on its way to the client.
    pub fn answered(&self, answer: Held) {
        self.taking().held = answer;
    }

    /// Returns when the client has read nothing for `limit` although an answer waits, or when it is too slow for the
    /// others.
    pub async fn given_up(&self, limit: Duration) {
        loop {
            let (stalled, is_cut) = {
                let taking = self.taking();
                (taking.stalled, taking.held.is_cut())
            };
            if is_cut {
                return;
            }
            // Waiting is safe: even a slow client stalls between two writes, and `is_cut` is then checked again.
            let Some(since) = stalled else {
                self.stalled.notified().await;
                continue;
            };
            let limit = if unsent::is_over() { limit.min(PRESSED) } else { limit };
            let left = limit.saturating_sub(since.elapsed());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(LOOK)).await;
        }
    }

    fn note(&self, written: &Poll<io::Result<usize>>) {
        let mut taking = self.taking();
        match written {
            Poll::Pending if taking.stalled.is_none() => {
                taking.stalled = Some(Instant::now());
                self.stalled.notify_one();
            }
            Poll::Pending => {}
            Poll::Ready(written) => {
                taking.stalled = None;
                taking.held.sent(*written.as_ref().unwrap_or(&0));
            }
        }
    }

    fn taking(&self) -> MutexGuard<'_, Taking> {
        self.taking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    pub fn new(tcp: TcpStream) -> (Self, Arc<Client>) {
        let taking = Mutex::new(Taking { held: Held::default(), stalled: None });
        let client = Arc::new(Client { taking, stalled: Notify::new() });
        (Stream { tcp, client: Arc::clone(&client) }, client)
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(context, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write(context, bytes);
        self.client.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write_vectored(context, bytes);
        self.client.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes when it has written everything.
        self.client.taking().held = Held::default();
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}
