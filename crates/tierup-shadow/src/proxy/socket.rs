//! How the sockets of clients are set.

use std::{io, time::Duration};

use rustix::net::sockopt;
use tokio::net::TcpStream;

/// A peer that is silent for so long is asked whether it is there. Behind a router that forgot the connection it is not,
/// and nothing else ends a tunnel at rest.
const SILENT: Duration = Duration::from_secs(60);
/// Between two questions.
const AGAIN: Duration = Duration::from_secs(15);
/// So many without an answer end the connection.
const QUESTIONS: u32 = 4;

/// Sets a client's socket.
pub(super) fn prepare(tcp: &TcpStream) -> io::Result<()> {
    // Small answers must not wait for more to come.
    tcp.set_nodelay(true)?;
    sockopt::set_tcp_keepidle(tcp, SILENT)?;
    sockopt::set_tcp_keepintvl(tcp, AGAIN)?;
    sockopt::set_tcp_keepcnt(tcp, QUESTIONS)?;
    sockopt::set_socket_keepalive(tcp, true)?;
    Ok(())
}

#[cfg(test)]
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
        assert!(sockopt::socket_keepalive(&tcp).expect("it can be read"));
        assert_eq!(sockopt::tcp_keepidle(&tcp).expect("it can be read"), SILENT);
        assert_eq!(sockopt::tcp_keepintvl(&tcp).expect("it can be read"), AGAIN);
        assert_eq!(sockopt::tcp_keepcnt(&tcp).expect("it can be read"), QUESTIONS);
        assert!(tcp.nodelay().expect("it can be read"));
    }
}
