//! The sockets that a process listens on. In: its id. Out: ports. It sends nothing over the network, as any other server of
//! the user's would count a request.

use std::collections::BTreeSet;

use procfs::{
    ProcError,
    net::{TcpNetEntry, TcpState},
    process::{FDTarget, Process},
};

/// Ports on which somebody listens in the network of a process.
pub(super) struct Listening {
    pub(super) of_process: BTreeSet<u16>,
    pub(super) of_others: BTreeSet<u16>,
}

/// The sockets that listen, as a process sees them.
pub(super) fn listening(pid: u32) -> Result<Listening, String> {
    seen(pid).map_err(|error| format!("cannot see its sockets: {error}"))
}

fn seen(pid: u32) -> Result<Listening, ProcError> {
    let process = Process::new(pid as i32)?;
    let own: BTreeSet<u64> = process
        .fd()?
        .flatten()
        .filter_map(|descriptor| match descriptor.target {
            FDTarget::Socket(inode) => Some(inode),
            _ => None,
        })
        .collect();
    // Without IPv6, the file is missing.
    let entries = process.tcp()?.into_iter().chain(process.tcp6().unwrap_or_default());
    let listens = |entry: &TcpNetEntry| entry.state == TcpState::Listen;
    let (own, others): (Vec<_>, Vec<_>) =
        entries.filter(listens).partition(|entry: &TcpNetEntry| own.contains(&entry.inode));
    let ports = |entries: Vec<TcpNetEntry>| entries.iter().map(|entry| entry.local_address.port()).collect();
    Ok(Listening { of_process: ports(own), of_others: ports(others) })
}
