//! One keep-alive connection to the server, made again where it was lost.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinHandle, time::timeout};

/// A connection that may be broken: the next request then makes another.
pub(super) struct Connection {
    address: SocketAddr,
    timeout: Duration,
    open: Option<Open>,
}

struct Open {
    sender: http1::SendRequest<Full<Bytes>>,
    driver: JoinHandle<()>,
}

/// Whether a connection stood before it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    Kept,
    New,
}

impl Drop for Open {
    fn drop(&mut self) {
        // With its driver the socket goes, also where a server still sends.
        self.driver.abort();
    }
}

impl Connection {
    pub(super) fn new(address: SocketAddr, timeout: Duration) -> Connection {
        Connection { address, timeout, open: None }
    }

    /// Connected, now or already. A connection that the server has closed in between is no failure: it may do so
    /// between any two answers (RFC 9112, section 9.5).
    pub(super) async fn sender(&mut self) -> Option<(&mut http1::SendRequest<Full<Bytes>>, Age)> {
        let usable = match &mut self.open {
            // The driver hears of a closed socket when it is polled, which `ready` gives it the time for.
            Some(open) => open.sender.ready().await.is_ok(),
            None => false,
        };
        if !usable {
            self.open = None;
            self.open = timeout(self.timeout, open(self.address)).await.ok().flatten();
        }
        let age = if usable { Age::Kept } else { Age::New };
        self.open.as_mut().map(|open| (&mut open.sender, age))
    }

    /// Forgets it: its state is not known.
    pub(super) fn discard(&mut self) {
        self.open = None;
    }
}

async fn open(address: SocketAddr) -> Option<Open> {
    let stream = TcpStream::connect(address).await.ok()?;
    stream.set_nodelay(true).ok()?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let driver = tokio::task::spawn_local(async move {
        // What ends it is told to whoever waits for an answer.
        let _ = connection.await;
    });
    Some(Open { sender, driver })
}
