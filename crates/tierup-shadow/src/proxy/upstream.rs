//! A server that gets requests, and one thread's connections to it.

use std::{
    cell::RefCell,
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    ops::RangeInclusive,
    rc::Rc,
    time::{Duration, Instant},
};

use hyper::{Method, Request, Response, StatusCode, body::Body as _, body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use rustix::io::Errno;
use tokio::{net::TcpStream, time::timeout};

use super::{gather::Gathering, request_body::FromClient};
use crate::names::Addresses;

/// How long a connection may have been idle to take a request that must not be sent twice. Servers close idle ones
/// (Node after 5 s, gunicorn after 2 s); a request that crosses with the closing is lost, and cannot be repeated.
const FRESH: Duration = Duration::from_secs(1);
/// How long a connection may be idle at all.
const REST: Duration = Duration::from_secs(60);
/// The most idle connections.
const MOST_AT_REST: usize = 512;
/// How many connections to a side all threads may watch; each thread at least and at most. See [`Upstream::rested`].
const MOST_WATCHED: usize = 256;
const WATCHED_BY_THREAD: RangeInclusive<usize> = 8..=64;
/// The most connections to a lane, which has one request at a time.
pub(crate) const MOST_OF_LANE: usize = 2;
/// How many bytes are read from a server ahead of its client: a slow client holds that much. It is also the largest
/// head of an answer.
const READ_AHEAD: usize = 64 << 10;

/// How many connections to a side each of this many threads may watch. Descriptors are reserved for them.
pub(crate) fn most_watched(threads: usize) -> usize {
    (MOST_WATCHED / threads.max(1)).clamp(*WATCHED_BY_THREAD.start(), *WATCHED_BY_THREAD.end())
}

/// One thread's connections to a server.
pub(crate) struct Upstream {
    addresses: Addresses,
    patience: Duration,
    /// How long a connection is watched.
    quiet: Duration,
    most_watched: usize,
    /// The connection that has been idle longest comes first.
    idle: RefCell<Vec<Idle>>,
}

struct Idle {
    sender: http1::SendRequest<FromClient>,
    since: Instant,
    is_watched: bool,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Unanswered {
    Unreachable,
    TimedOut,
    /// This machine has no resources for a connection, which says nothing about the server.
    NoRoom,
    BrokeOff(hyper::Error),
}

/// A request that was not answered.
pub(crate) struct Failed {
    pub(crate) why: Unanswered,
    /// The request, if it certainly was not sent.
    pub(crate) unsent: Option<Box<Request<FromClient>>>,
}

impl From<Unanswered> for Failed {
    fn from(why: Unanswered) -> Failed {
        Failed { why, unsent: None }
    }
}

/// A connection on which an answer arrives.
pub(crate) struct Lease {
    sender: http1::SendRequest<FromClient>,
    upstream: Rc<Upstream>,
    /// Whether the answer has no body, whatever its headers say (RFC 9112, section 6.3). If a server wrongly sends one,
    /// it may come late, and would be taken for the answer to the next request.
    is_watched: bool,
}

impl Lease {
    /// Returns the connection after a complete answer, so that it may carry another.
    pub(crate) fn give_back(self) {
        let mut idle = self.upstream.idle.borrow_mut();
        if !self.sender.is_closed() && idle.len() < MOST_AT_REST {
            idle.push(Idle { sender: self.sender, since: Instant::now(), is_watched: self.is_watched });
        }
    }
}

impl Upstream {
    /// Connects within `patience`, and watches `most_watched` connections for `quiet`: see [`Limits`](crate::Limits).
    pub(crate) fn new(addresses: Addresses, patience: Duration, quiet: Duration, most_watched: usize) -> Upstream {
        Upstream { addresses, patience, quiet, most_watched, idle: RefCell::default() }
    }

    /// Sends a request. If it certainly was not sent, it is tried on another connection. If it may have been sent, it
    /// is sent once more if it is idempotent, has no body, and its connection had been idle: a server may close a
    /// connection between two answers at any time (RFC 9112, sections 9.3.1 and 9.5).
    pub(crate) async fn send(
        self: &Rc<Upstream>,
        mut request: Request<FromClient>,
    ) -> Result<(Response<Incoming>, Lease), Failed> {
        let is_repeatable = request.method().is_idempotent() && request.body().is_end_stream();
        let rest = if is_repeatable { REST } else { FRESH };
        let is_head = request.method() == Method::HEAD;
        let lease = |sender, response: &Response<_>| {
            let is_watched = is_head || matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
            Lease { sender, upstream: Rc::clone(self), is_watched }
        };
        while let Some(mut sender) = self.rested(rest) {
            let spare = is_repeatable.then(|| spare(&request));
            match sender.try_send_request(request).await {
                Ok(response) => {
                    let lease = lease(sender, &response);
                    return Ok((response, lease));
                }
                Err(mut error) => match (error.take_message(), spare) {
                    (Some(unsent), _) => request = unsent,
                    // No byte of an answer arrived.
                    (None, Some(spare)) if !error.error().is_parse() => {
                        request = spare;
                        break;
                    }
                    (None, _) => return Err(Unanswered::BrokeOff(error.into_error()).into()),
                },
            }
        }
        let mut sender = match self.connect().await {
            Ok(sender) => sender,
            Err(why) => return Err(Failed { why, unsent: Some(Box::new(request)) }),
        };
        let response = sender.try_send_request(request).await.map_err(|mut error| {
            let unsent = error.take_message().map(Box::new);
            Failed { why: Unanswered::BrokeOff(error.into_error()), unsent }
        })?;
        let lease = lease(sender, &response);
        Ok((response, lease))
    }

    /// The connection that was used last, so that superfluous ones stay idle and are closed. A watched one is left
    /// alone for a while: hyper closes it if bytes come meanwhile. If there are many of them, the longest idle one is
    /// used early: with a new connection for each request, this machine would soon have no ports left.
    fn rested(&self, longest: Duration) -> Option<http1::SendRequest<FromClient>> {
        let mut idle = self.idle.borrow_mut();
        let now = Instant::now();
        // A connection that is not ready is still sending the body of a request that was answered early.
        let usable = |idle: &Idle| idle.sender.is_ready() && now - idle.since < longest;
        let unwatched = |idle: &Idle| usable(idle) && !(idle.is_watched && now - idle.since < self.quiet);
        let index = idle.iter().rposition(unwatched).or_else(|| {
            let mut watched = idle.iter().enumerate().filter(|(_, idle)| usable(idle)).map(|(index, _)| index);
            let first = watched.next()?;
            (watched.count() + 1 >= self.most_watched).then_some(first)
        })?;
        Some(idle.remove(index).sender)
    }

    /// Closes connections that have been idle for long. Call it now and then.
    pub(crate) fn sweep(&self) {
        self.idle.borrow_mut().retain(|idle| !idle.sender.is_closed() && idle.since.elapsed() < REST);
    }

    /// Makes an idle connection, ready for a request.
    pub(crate) async fn connect_anew(&self) -> Result<(), Unanswered> {
        let sender = self.connect().await?;
        self.idle.borrow_mut().push(Idle { sender, since: Instant::now(), is_watched: false });
        Ok(())
    }

    async fn connect(&self) -> Result<http1::SendRequest<FromClient>, Unanswered> {
        let accepted = first_that_accepts(self.addresses.get(), self.patience).await;
        let tcp = accepted.inspect_err(|why| match why {
            Unanswered::NoRoom => {}
            _ => self.addresses.doubt(),
        })?;
        let mut http = http1::Builder::new();
        http.preserve_header_case(true).max_buf_size(READ_AHEAD);
        let (sender, connection) = http.handshake(Gathering(TokioIo::new(tcp))).await.map_err(Unanswered::BrokeOff)?;
        // Errors reach the caller that waits for an answer.
        tokio::task::spawn_local(connection.with_upgrades());
        Ok(sender)
    }
}

async fn first_that_accepts(addresses: Vec<SocketAddr>, patience: Duration) -> Result<TcpStream, Unanswered> {
    let mut why = Unanswered::Unreachable;
    for address in addresses {
        match timeout(patience, TcpStream::connect(address)).await {
            Ok(Ok(tcp)) => {
                // Small requests must not wait for more data.
                let _ = tcp.set_nodelay(true);
                return Ok(tcp);
            }
            Ok(Err(error)) if has_no_room(&error, address) => return Err(Unanswered::NoRoom),
            Ok(Err(_)) => why = Unanswered::Unreachable,
            Err(_) => why = Unanswered::TimedOut,
        }
    }
    Err(why)
}

/// Whether connecting failed locally, for lack of descriptors, ports or memory (connect(2), socket(2)).
fn has_no_room(error: &io::Error, address: SocketAddr) -> bool {
    match Errno::from_io_error(error) {
        Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => true,
        // Either no port is left, or the machine has no address to connect from: `localhost` often has the address
        // `::1` on machines without IPv6.
        Some(Errno::ADDRNOTAVAIL) => has_source_for(address),
        _ => false,
    }
}

/// Whether this machine has an address from which it could connect to that one. Connecting a UDP socket sends nothing.
fn has_source_for(address: SocketAddr) -> bool {
    let any = match address {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    // Without a socket this is unknown, and the server is not blamed.
    UdpSocket::bind(any).map_or(true, |socket| socket.connect(address).is_ok())
}

/// A copy of a request without a body.
pub(crate) fn spare(request: &Request<FromClient>) -> Request<FromClient> {
    let mut spare = Request::new(FromClient::nothing());
    *spare.method_mut() = request.method().clone();
    *spare.uri_mut() = request.uri().clone();
    *spare.headers_mut() = request.headers().clone();
    *spare.extensions_mut() = request.extensions().clone();
    spare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_resources_of_this_machine_say_nothing_about_the_server() {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
        for errno in [Errno::MFILE, Errno::NFILE, Errno::ADDRNOTAVAIL, Errno::NOBUFS, Errno::NOMEM] {
            assert!(has_no_room(&errno.into(), address), "{errno}");
        }
        for errno in [Errno::CONNREFUSED, Errno::HOSTUNREACH, Errno::NETUNREACH, Errno::TIMEDOUT, Errno::CONNRESET] {
            assert!(!has_no_room(&errno.into(), address), "{errno}");
        }
    }

    #[test]
    fn an_address_without_a_source_address_is_not_a_lack_of_ports() {
        // A link-local address without a zone has no source address on any machine (RFC 4007, section 6).
        let no_source = "[fe80::1]:1".parse().expect("an address");
        assert!(!has_no_room(&Errno::ADDRNOTAVAIL.into(), no_source));
        assert!(has_no_room(&Errno::MFILE.into(), no_source));
    }

    /// On a machine without IPv6, one of the two addresses is useless.
    #[tokio::test]
    async fn localhost_is_unreachable_if_neither_address_accepts() {
        let port = tierup_runner::port::free().expect("a port");
        let both = [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
        for addresses in [both, [both[1], both[0]]] {
            let why = first_that_accepts(addresses.to_vec(), Duration::from_secs(20)).await;
            assert!(matches!(why, Err(Unanswered::Unreachable)), "{why:?}");
        }
    }
}
