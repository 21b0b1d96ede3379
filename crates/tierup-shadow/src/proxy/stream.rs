//! A client's connection that ends when the client takes nothing for too long, and that is closed so that the client can
//! read its last answer.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

/// A TCP connection whose writes fail where none has made progress for `limit`. Reads may rest: whoever reads knows
/// whether it waits for something.
pub(crate) struct ClientStream {
    tcp: TokioIo<TcpStream>,
    limit: Duration,
    /// Runs while a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Runs once everything is written.
    lingering: Option<Pin<Box<Sleep>>>,
}

/// How long a closed connection reads on. A socket that is closed with bytes unread resets the connection, and the client
/// may lose an answer that came before the end of its request (RFC 9112, section 9.6).
const LINGER: Duration = Duration::from_secs(2);

impl ClientStream {
    pub(crate) fn new(tcp: TcpStream, limit: Duration) -> ClientStream {
        ClientStream { tcp: TokioIo::new(tcp), limit, stalled: None, lingering: None }
    }

    fn watched<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let limit = self.limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Read for ClientStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(context, into)
    }
}

impl Write for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.tcp).poll_write(context, bytes);
        self.watched(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.tcp).poll_write_vectored(context, bytes);
        self.watched(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingering.is_none() {
            std::task::ready!(Pin::new(&mut this.tcp).poll_shutdown(context))?;
        }
        let lingering = this.lingering.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if lingering.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut unread = [0; 16 << 10];
        loop {
            let mut unread = ReadBuf::new(&mut unread);
            std::task::ready!(AsyncRead::poll_read(Pin::new(this.tcp.inner_mut()), context, &mut unread))?;
            if unread.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
