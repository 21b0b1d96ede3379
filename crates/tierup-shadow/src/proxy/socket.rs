//! How the sockets of clients are set.

use std::{io, time::Duration};

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;

/// When a client that says nothing is asked whether it is there (RFC 9293, section 3.8.4). Behind a router that forgot the
/// connection it is not, and nothing else ends a tunnel at rest.
const SILENT: Duration = Duration::from_secs(60);
/// Between two questions.
const AGAIN: Duration = Duration::from_secs(10);

/// Sets a client's socket.
pub(super) fn prepare(tcp: &TcpStream) -> io::Result<()> {
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
        prepare(&tcp).expect("it can be set");
        let socket = SockRef::from(&tcp);
        assert!(socket.keepalive().expect("it can be read") && socket.tcp_nodelay().expect("it can be read"));
        assert_eq!(socket.tcp_keepalive_time().expect("it can be read"), SILENT);
        assert_eq!(socket.tcp_keepalive_interval().expect("it can be read"), AGAIN);
    }
}
