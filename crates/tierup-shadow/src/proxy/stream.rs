//! A client's connection. It ends if the client takes nothing for too long or leaves, and is closed in a way that lets
//! the client read its last answer.

use std::{
    future::poll_fn,
    io,
    mem::MaybeUninit,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, Interest, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::places::Seat;

/// A TCP connection whose writes fail if none has made progress for `limit`. Reads may pause: their caller knows
/// whether it waits for something.
pub(crate) struct ClientStream {
    shared: Arc<Mutex<Socket>>,
    limit: Duration,
    seat: Arc<Seat>,
    /// A timer while a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
    /// A timer once everything is written.
    lingering: Option<Pin<Box<Sleep>>>,
}

/// The state that a [`ClientStream`] and its [`Presence`] share. One task uses both, but hyper requires a stream that
/// several could use.
struct Socket {
    tcp: TokioIo<TcpStream>,
    is_closing: bool,
}

/// Tells whether a client is still there.
pub(crate) struct Presence(Arc<Mutex<Socket>>);

/// How long a closed connection is still read. Closing a socket with unread bytes resets the connection, and the client
/// may lose an answer that came before the end of its request (RFC 9112, section 9.6).
const LINGER: Duration = Duration::from_secs(2);

/// How often to check a client whose bytes are not being read.
const LOOK: Duration = Duration::from_secs(1);

impl ClientStream {
    pub(crate) fn new(tcp: TcpStream, limit: Duration, seat: Arc<Seat>) -> (ClientStream, Presence) {
        let shared = Arc::new(Mutex::new(Socket { tcp: TokioIo::new(tcp), is_closing: false }));
        let presence = Presence(Arc::clone(&shared));
        (ClientStream { shared, limit, seat, stalled: None, lingering: None }, presence)
    }

    fn watched<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.seat.wrote(polled.is_pending());
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

impl Presence {
    /// Waits until the client has closed its sending side. hyper notices that only while it reads, and it does not read
    /// while it holds bytes of a later request. Poll it in the task that polls the stream, and after it.
    pub(crate) async fn left(&self) {
        let mut look = None;
        poll_fn(|context| self.poll_left(context, &mut look)).await;
    }

    /// Whether closing the connection now would lose nothing. While it is already being closed, the client may not have
    /// read its last answer.
    pub(crate) fn is_quiet(&self) -> bool {
        let socket = lock(&self.0);
        !socket.is_closing && !has_unread(socket.tcp.inner())
    }

    fn poll_left(&self, context: &mut Context<'_>, look: &mut Option<Pin<Box<Sleep>>>) -> Poll<()> {
        let socket = lock(&self.0);
        if socket.is_closing {
            return Poll::Pending;
        }
        let tcp = socket.tcp.inner();
        loop {
            if let Some(resting) = look {
                ready!(resting.as_mut().poll(context));
                *look = None;
            }
            match pin!(tcp.ready(Interest::READABLE)).poll(context) {
                Poll::Ready(Ok(ready)) if !ready.is_read_closed() => *look = Some(Box::pin(sleep(LOOK))),
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return tcp.poll_read_ready(context).map(|_| ()),
            }
        }
    }
}

/// Whether bytes have arrived that are unread, even if no task was notified of them yet.
pub(crate) fn has_unread(tcp: &TcpStream) -> bool {
    SockRef::from(tcp).peek(&mut [MaybeUninit::uninit()]).is_ok_and(|length| length > 0)
}

fn lock(shared: &Mutex<Socket>) -> MutexGuard<'_, Socket> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Read for ClientStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut lock(&self.shared).tcp).poll_read(context, into);
        if polled.is_ready() {
            self.seat.read();
        }
        polled
    }
}

impl Write for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut lock(&self.shared).tcp).poll_write(context, bytes);
        self.watched(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut lock(&self.shared).tcp).poll_write_vectored(context, bytes);
        self.watched(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        lock(&self.shared).tcp.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut lock(&self.shared).tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let mut socket = lock(&this.shared);
        socket.is_closing = true;
        if this.lingering.is_none() {
            ready!(Pin::new(&mut socket.tcp).poll_shutdown(context))?;
        }
        let lingering = this.lingering.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if lingering.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut unread = [0; 16 << 10];
        loop {
            let mut unread = ReadBuf::new(&mut unread);
            ready!(AsyncRead::poll_read(Pin::new(socket.tcp.inner_mut()), context, &mut unread))?;
            if unread.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn a_connection_is_quiet_unless_bytes_are_unread_or_it_is_closing() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("it listens");
        let (tcp, _) = listener.accept().await.expect("a client");
        let hour = Duration::from_secs(3600);
        let (mut stream, presence) = ClientStream::new(tcp, hour, Arc::new(Seat::new(Instant::now(), hour)));
        assert!(presence.is_quiet());
        client.write_all(b"G").await.expect("it is open");
        // The byte takes a moment to arrive.
        while presence.is_quiet() {
            tokio::task::yield_now().await;
        }
        let read = poll_fn(|context| {
            AsyncRead::poll_read(
                Pin::new(lock(&stream.shared).tcp.inner_mut()),
                context,
                &mut ReadBuf::new(&mut [0; 9]),
            )
        });
        read.await.expect("a byte");
        assert!(presence.is_quiet());
        let closing = poll_fn(|context| Poll::Ready(Pin::new(&mut stream).poll_shutdown(context)));
        assert!(closing.await.is_pending(), "the client has not closed its side");
        assert!(!presence.is_quiet());
    }
}
