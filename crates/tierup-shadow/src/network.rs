//! The network of a client's address: what one client can hardly change. Clients are told apart by it.

use std::net::IpAddr;

/// An IPv4 address, or the first 64 bits of an IPv6 address: a client changes the others now and then (RFC 8981).
pub(crate) fn network(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets()[..8].to_vec(),
    }
}
