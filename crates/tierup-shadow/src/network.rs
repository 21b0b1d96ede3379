//! The network of a client's address: what one client can hardly change. Clients are told apart by it.

use std::{borrow::Cow, net::IpAddr};

/// Whose request it was, as far as one client can be told from others.
pub(crate) struct Witness<'a> {
    /// The network; or the client's key, if the address is not public.
    pub(crate) name: Cow<'a, [u8]>,
    pub(crate) is_public: bool,
}

impl Witness<'_> {
    /// A network counts once, whatever keys come from it. Behind an address that is not public may be all clients, so there each
    /// `key` counts.
    pub(crate) fn new(address: IpAddr, key: Option<Cow<'_, [u8]>>) -> Witness<'_> {
        let is_public = is_public(address);
        let name = key.filter(|_| !is_public).unwrap_or_else(|| Cow::Owned(network(address)));
        Witness { name, is_public }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_only_behind_an_address_that_is_not_public() {
        let of = |address: &str, key: &'static [u8]| {
            let Witness { name, is_public } = Witness::new(address.parse().expect("an address"), Some(key.into()));
            (name.into_owned(), is_public)
        };
        for address in ["203.0.113.7", "2001:db8::7"] {
            assert_eq!(of(address, b"anna"), of(address, b"bert"));
            assert!(of(address, b"anna").1);
        }
        for address in ["10.0.0.7", "127.0.0.1", "169.254.0.7", "100.64.0.7", "fd00::7", "fe80::7", "::1"] {
            assert_eq!(of(address, b"anna"), (b"anna".to_vec(), false));
        }
        let without = Witness::new([10, 0, 0, 7].into(), None);
        assert_eq!(*without.name, [10, 0, 0, 7]);
    }
}
