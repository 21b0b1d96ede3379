//! The socket that clients connect to: bound here, or handed over; and its end, at which no client is refused.
//!
//! A new proxy takes over in one of two ways. systemd keeps the socket and hands it to each (`LISTEN_FDS`, sd_listen_fds(3)).
//! Or both bind the same port (`SO_REUSEPORT`), and the old one is stopped.

use std::{
    env, io,
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use rustix::io::{FdFlags, fcntl_setfd};
use socket2::{Domain, SockRef, Socket, TcpKeepalive, Type};
use tokio::net::TcpStream;

/// How many connections may wait until they are accepted; the system's own limit may be lower.
const BACKLOG: i32 = 4096;
/// How long a socket goes on accepting that another takes over from: connections that had begun are established by then.
const SETTLED: Duration = Duration::from_millis(200);

/// Who may listen on a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// This process.
    Alone,
    /// Other processes of the same user as well, to take over.
    Shared,
}

/// Takes an address. Connections come from [`Proxy::start`](crate::parts::Proxy::start) on, which listens: the system would give
/// clients to a socket that listens although nobody accepts there yet.
///
/// # Errors
/// Somebody else listens there, or the address is not this machine's.
pub fn bind(address: SocketAddr, port: Port) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // The port of a proxy that ended a moment ago is free.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    #[cfg(unix)]
    socket.set_reuse_port(port == Port::Shared)?;
    #[cfg(not(unix))]
    if port == Port::Shared {
        return Err(io::ErrorKind::Unsupported.into());
    }
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Connections may come. For a socket that listens already, this changes nothing.
pub(crate) fn listen(listener: &TcpListener) -> io::Result<()> {
    SockRef::from(listener).listen(BACKLOG)
}

/// The socket that this process was started with, as systemd does, if there is one.
///
/// # Errors
/// It is no TCP socket that listens.
pub fn handed_over() -> io::Result<Option<TcpListener>> {
    // systemd always says for which process it is.
    if env::var_os("LISTEN_PID").is_none() {
        return Ok(None);
    }
    let Some(listener) = listenfd::ListenFd::from_env().take_tcp_listener(0)? else { return Ok(None) };
    // Servers that are started from here have no business with it.
    fcntl_setfd(&listener, FdFlags::CLOEXEC)?;
    Ok(Some(listener))
}

/// Prepares the end of a socket. Where the port is shared, new connections go to the other process. Says how long to go on
/// accepting those that had begun.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "Linux alone filters packets by socket"))]
pub(crate) fn begin_to_close(listener: &tokio::net::TcpListener, port: Port) -> Duration {
    if port == Port::Alone {
        return Duration::ZERO;
    }
    // The system assigns each new connection to one of the sockets. One that it assigned to this socket, and that was not
    // accepted when it closes, is reset. So it drops packets that begin a connection (SYN without ACK); the client's system
    // sends them again after a second, and by then there is only the other socket.
    #[cfg(target_os = "linux")]
    if SockRef::from(listener).attach_filter(&no_new_connections()).is_err() {
        return Duration::ZERO;
    }
    SETTLED
}

/// A filter in the language of BPF (bpf(4), linux/bpf_common.h) for packets that begin with a TCP header.
#[cfg(target_os = "linux")]
fn no_new_connections() -> [socket2::SockFilter; 5] {
    use socket2::SockFilter;
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    [
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(AND, 0, 0, SYN | ACK),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ]
}

/// When a client that says nothing is asked whether it is there (RFC 9293, section 3.8.4). Behind a router that forgot the
/// connection it is not, and nothing else ends a tunnel at rest.
const SILENT: Duration = Duration::from_secs(60);
/// Between two questions.
const AGAIN: Duration = Duration::from_secs(10);

/// Sets a client's socket.
pub(crate) fn set_client(tcp: &TcpStream) -> io::Result<()> {
    // Small answers must not wait for more to come.
    tcp.set_nodelay(true)?;
    SockRef::from(tcp).set_tcp_keepalive(&TcpKeepalive::new().with_time(SILENT).with_interval(AGAIN))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_silent_client_is_asked_whether_it_is_there() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let tcp = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            TcpStream::connect(listener.local_addr().expect("an address")).await.expect("it listens")
        });
        set_client(&tcp).expect("it can be set");
        let socket = SockRef::from(&tcp);
        assert!(socket.keepalive().expect("it can be read") && socket.tcp_nodelay().expect("it can be read"));
        assert_eq!(socket.tcp_keepalive_time().expect("it can be read"), SILENT);
        assert_eq!(socket.tcp_keepalive_interval().expect("it can be read"), AGAIN);
    }

    #[test]
    fn an_address_that_is_only_taken_gets_no_clients() {
        let old = bind(([127, 0, 0, 1], 0).into(), Port::Shared).expect("a free port");
        listen(&old).expect("it is bound");
        let address = old.local_addr().expect("an address");
        let _new = bind(address, Port::Shared).expect("the port is shared");
        old.set_nonblocking(true).expect("a mode");
        for _ in 0..50 {
            let _client = std::net::TcpStream::connect(address).expect("the old one listens");
            old.accept().expect("all come to the old one");
        }
    }

    #[test]
    fn a_socket_that_is_about_to_close_gets_no_new_connections_and_refuses_none() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let _inside = runtime.enter();
        let old = bind(([127, 0, 0, 1], 0).into(), Port::Shared).expect("a free port");
        listen(&old).expect("it is bound");
        let address = old.local_addr().expect("an address");
        old.set_nonblocking(true).expect("a mode");
        let old = tokio::net::TcpListener::from_std(old).expect("a socket");
        assert_eq!(begin_to_close(&old, Port::Alone), Duration::ZERO);
        std::net::TcpStream::connect(address).expect("nothing has changed");

        assert_eq!(begin_to_close(&old, Port::Shared), SETTLED);
        let early = std::net::TcpStream::connect_timeout(&address, Duration::from_millis(300)).map(drop);
        assert_eq!(early.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
        // It is tried again by the system, and gets through to whoever listens then.
        let connecting = std::thread::spawn(move || std::net::TcpStream::connect(address));
        let new = bind(address, Port::Shared).expect("the port is shared");
        listen(&new).expect("it is bound");
        std::thread::sleep(Duration::from_millis(100));
        drop(old);
        connecting.join().expect("no panic").expect("it is connected");
        new.accept().expect("by the new one");
    }
}
