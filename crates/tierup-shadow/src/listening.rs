//! The socket that clients connect to: it is bound here or handed over, and closed without refusing a client.
//!
//! A new proxy takes over in one of two ways. Either systemd keeps the socket and hands it to each proxy (`LISTEN_FDS`,
//! sd_listen_fds(3)); or both proxies bind the same port (`SO_REUSEPORT`), and the old one is stopped.

use std::{
    env, io,
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use rustix::io::{FdFlags, fcntl_setfd};
use socket2::{Domain, SockRef, Socket, TcpKeepalive, Type};
use tokio::net::TcpStream;

/// How many connections may wait to be accepted; the system's own limit may be lower.
const BACKLOG: i32 = 4096;
/// How long a socket goes on accepting after another takes over: by then, connections that had begun are established.
const SETTLED: Duration = Duration::from_millis(200);

/// Who may listen on a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// Only this process.
    Alone,
    /// Also other processes of the same user, to take over.
    Shared,
}

/// Binds an address. It gets connections only once [`Proxy::start`](crate::parts::Proxy::start) listens: otherwise the
/// system would give clients to a socket at which no thread accepts yet.
///
/// # Errors
/// If another process listens there, or the address is not this machine's.
pub fn bind(address: SocketAddr, port: Port) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // Allows the port of a proxy that ended a moment ago.
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

/// Listens for connections. If the socket listens already, this changes nothing.
pub(crate) fn listen(listener: &TcpListener) -> io::Result<()> {
    SockRef::from(listener).listen(BACKLOG)
}

/// The socket with which this process was started, for example by systemd, if there is one.
///
/// # Errors
/// If it is not a listening TCP socket.
pub fn handed_over() -> io::Result<Option<TcpListener>> {
    // systemd always says for which process it is.
    if env::var_os("LISTEN_PID").is_none() {
        return Ok(None);
    }
    let Some(listener) = listenfd::ListenFd::from_env().take_tcp_listener(0)? else { return Ok(None) };
    // Servers that are started from here must not inherit it.
    fcntl_setfd(&listener, FdFlags::CLOEXEC)?;
    Ok(Some(listener))
}

/// Prepares a socket for its end. If the port is shared, new connections go to the other process. Returns how long to
/// go on accepting connections that had begun.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "Linux alone filters packets by socket"))]
pub(crate) fn begin_to_close(listener: &tokio::net::TcpListener, port: Port) -> Duration {
    if port == Port::Alone {
        return Duration::ZERO;
    }
    // The system assigns each new connection to one of the sockets. A connection assigned to this socket is reset if it
    // is not accepted before the socket closes. So the socket drops packets that begin a connection (SYN without ACK).
    // The client's system sends them again after a second, and by then only the other socket exists.
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

/// After how long a silent client is probed (RFC 9293, section 3.8.4). If a router has forgotten the connection, the
/// client is gone, and nothing else would end an idle tunnel.
const SILENT: Duration = Duration::from_secs(60);
/// The time between two probes.
const AGAIN: Duration = Duration::from_secs(10);

/// Sets the options of a client's socket.
pub(crate) fn set_client(tcp: &TcpStream) -> io::Result<()> {
    // Small answers must not wait for more data.
    tcp.set_nodelay(true)?;
    SockRef::from(tcp).set_tcp_keepalive(&TcpKeepalive::new().with_time(SILENT).with_interval(AGAIN))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_silent_client_is_probed() {
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
    fn an_address_that_is_only_bound_gets_no_clients() {
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
        // The system tries again, and connects to whichever socket listens then.
        let connecting = std::thread::spawn(move || std::net::TcpStream::connect(address));
        let new = bind(address, Port::Shared).expect("the port is shared");
        listen(&new).expect("it is bound");
        std::thread::sleep(Duration::from_millis(100));
        drop(old);
        connecting.join().expect("no panic").expect("it is connected");
        new.accept().expect("by the new one");
    }
}
