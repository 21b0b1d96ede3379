//! The network of a client's address: what one client can hardly change. Clients are told apart by it.

use std::net::IpAddr;

/// An IPv4 address, or the first 64 bits of an IPv6 address: a client changes the others now and then (RFC 8981).
pub(crate) fn network(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets()[..8].to_vec(),
    }
}

/// Whether an address is one of the internet. Behind others may be a load balancer that is not named as trusted, so that
/// all clients have its address.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let is_shared = address.octets()[0] == 100 && address.octets()[1] & 0xc0 == 64;
            !(address.is_private() || address.is_loopback() || address.is_link_local() || is_shared)
        }
        IpAddr::V6(address) => !(address.is_unique_local() || address.is_loopback() || address.is_unicast_link_local()),
    }
}
