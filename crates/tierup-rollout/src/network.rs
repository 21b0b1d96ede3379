//! Clients by the addresses from which they connect. In: addresses. Out: whether one client has an address, and the
//! part of an address that a client can hardly change.

use std::{
    net::IpAddr,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// An IPv4 address, or the first 64 bits of an IPv6 address: a client changes the other bits now and then (RFC 8981).
pub fn network(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets()[..8].to_vec(),
    }
}

/// Whether two addresses have the same [`network`].
fn is_one_network(one: IpAddr, other: IpAddr) -> bool {
    match (one.to_canonical(), other.to_canonical()) {
        (IpAddr::V6(one), IpAddr::V6(other)) => one.octets()[..8] == other.octets()[..8],
        (one, other) => one == other,
    }
}

/// Whether an address belongs to the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let is_shared = address.octets()[0] == 100 && address.octets()[1] & 0xc0 == 64;
            !(address.is_private() || address.is_loopback() || address.is_link_local() || is_shared)
        }
        IpAddr::V6(address) => !(address.is_unique_local() || address.is_loopback() || address.is_unicast_link_local()),
    }
}

/// The addresses that connect. If there is only one and it is not public, it is probably a load balancer that nobody
/// named, and all clients share it. If there are several, each is a client's own.
#[derive(Debug, Default)]
pub struct Peers {
    first: OnceLock<IpAddr>,
    are_several: AtomicBool,
}

impl Peers {
    /// Whether all requests from this address count as one client, whatever keys they have.
    pub fn is_one_client(&self, address: IpAddr) -> bool {
        is_public(address) || self.are_clients(address)
    }

    fn are_clients(&self, address: IpAddr) -> bool {
        // A program on this machine is a load balancer or an experiment, not a client.
        if address.to_canonical().is_loopback() {
            return false;
        }
        if !self.are_several.load(Relaxed) && !is_one_network(*self.first.get_or_init(|| address), address) {
            self.are_several.store(true, Relaxed);
        }
        self.are_several.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_is_one_client_and_a_single_other_one_is_not() {
        let is_one = |address: &str| Peers::default().is_one_client(address.parse().expect("an address"));
        assert!(["203.0.113.7", "2001:db8::7"].into_iter().all(is_one));
        let others = ["10.0.0.7", "127.0.0.1", "169.254.0.7", "100.64.0.7", "fd00::7", "fe80::7", "::1"];
        assert!(!others.into_iter().any(is_one));
    }

    #[test]
    fn each_of_several_private_addresses_is_one_client() {
        let peers = Peers::default();
        let is_one = |address: &str| peers.is_one_client(address.parse().expect("an address"));
        // Addresses of this machine do not count as a second address.
        assert!(!is_one("127.0.0.1") && !is_one("10.0.0.1") && !is_one("::ffff:10.0.0.1"));
        assert!(is_one("10.0.0.2") && is_one("10.0.0.1"));
        let of_v6 = Peers::default();
        let is_one_of_v6 = |address: &str| of_v6.is_one_client(address.parse().expect("an address"));
        assert!(!is_one_of_v6("fd00::7") && !is_one_of_v6("fd00::8"), "one client changes the rest");
        assert!(is_one_of_v6("fd00:0:0:1::7"));
        assert!(!is_one("127.0.0.1"), "behind it may be all clients, whoever else connects");
    }
}
