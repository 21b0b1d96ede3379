//! Whether somebody listens on a port. A socket is bound to it, which fails where one listens.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

pub(super) fn is_taken(address: impl Into<IpAddr>, port: u16) -> bool {
    bind(SocketAddr::new(address.into(), port)).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// The socket does not listen, and lets others bind (`SO_REUSEADDR`), as servers do. A thread that starts a program at this
/// moment gives it to the new process, which has it until it becomes that program: a listener of ours would be there
/// longer than here, and keep the server from listening whose port was found to be free.
#[cfg(unix)]
fn bind(address: SocketAddr) -> io::Result<()> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt::set_socket_reuseaddr};

    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    // Programs that are started do not keep it. Apple's systems cannot open it so, and are told afterwards.
    #[cfg(not(target_vendor = "apple"))]
    let socket = rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    #[cfg(target_vendor = "apple")]
    let socket = {
        let socket = rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::empty(), None)?;
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
        socket
    };
    set_socket_reuseaddr(&socket, true)?;
    rustix::net::bind(&socket, &address)?;
    Ok(())
}

#[cfg(not(unix))]
fn bind(address: SocketAddr) -> io::Result<()> {
    std::net::TcpListener::bind(address).map(drop)
}
