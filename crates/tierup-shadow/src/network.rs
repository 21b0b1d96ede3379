//! The network of a client's address: what one client can hardly change. Clients are told apart by it.

use std::{
    borrow::Cow,
    net::IpAddr,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Where a request came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) address: IpAddr,
    pub(crate) known_by: KnownBy,
}

/// Who says that a client has its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownBy {
    /// A trusted proxy, which had the request from there.
    Proxy,
    /// It is the other end of the connection.
    Connection,
    /// A trusted proxy did not say whose the request was: the address is its own.
    Nobody,
}

/// Whose request it was, as far as one client can be told from others.
pub(crate) struct Witness<'a> {
    /// The network; or the client's key, where many clients may have the address.
    pub(crate) name: Cow<'a, [u8]>,
    /// Whether that is a network, which counts once whatever keys come from it.
    pub(crate) is_network: bool,
}

impl Witness<'_> {
    /// Without anything that tells whether many clients have the address.
    pub(crate) fn of_address(address: IpAddr) -> Witness<'static> {
        Witness { name: Cow::Owned(network(address)), is_network: is_public(address) }
    }
}

/// The addresses at the other end of connections that are not public: a single one is probably a load balancer that is not named
/// as trusted, so that all clients have it. Several are the clients' own.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    first: OnceLock<Vec<u8>>,
    are_several: AtomicBool,
}

impl Peers {
    /// Whose request it is. A network counts once, whatever keys come from it; behind an address that many clients may have, each
    /// `key` counts.
    pub(crate) fn witness<'a>(&self, client: Client, key: Option<Cow<'a, [u8]>>) -> Witness<'a> {
        let is_network = self.is_network(client);
        let name = key.filter(|_| !is_network).unwrap_or_else(|| Cow::Owned(network(client.address)));
        Witness { name, is_network }
    }

    /// Whether one client has the address, with all keys that come from it.
    pub(crate) fn is_network(&self, Client { address, known_by }: Client) -> bool {
        match known_by {
            KnownBy::Proxy => true,
            KnownBy::Connection => is_public(address) || self.are_clients(address),
            KnownBy::Nobody => is_public(address),
        }
    }

    /// Whether clients connect from addresses that are not public, this one among them.
    fn are_clients(&self, address: IpAddr) -> bool {
        // A program on this machine is a load balancer, or somebody who tries something.
        if address.to_canonical().is_loopback() {
            return false;
        }
        if !self.are_several.load(Relaxed) && *self.first.get_or_init(|| network(address)) != network(address) {
            self.are_several.store(true, Relaxed);
        }
        self.are_several.load(Relaxed)
    }
}

/// An IPv4 address, or the first 64 bits of an IPv6 address: a client changes the others now and then (RFC 8981).
pub(crate) fn network(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets()[..8].to_vec(),
    }
}

/// Whether an address is one of the internet.
fn is_public(address: IpAddr) -> bool {
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

    /// The name of the witness, and whether it is a network.
    fn of(peers: &Peers, address: &str, known_by: KnownBy, key: &'static [u8]) -> (Vec<u8>, bool) {
        let client = Client { address: address.parse().expect("an address"), known_by };
        let Witness { name, is_network } = peers.witness(client, Some(key.into()));
        (name.into_owned(), is_network)
    }

    #[test]
    fn a_public_address_counts_once_and_keys_behind_one_that_is_not() {
        for address in ["203.0.113.7", "2001:db8::7"] {
            let peers = Peers::default();
            assert_eq!(
                of(&peers, address, KnownBy::Connection, b"anna"),
                of(&peers, address, KnownBy::Connection, b"bert")
            );
            assert!(of(&peers, address, KnownBy::Connection, b"anna").1);
        }
        for address in ["10.0.0.7", "127.0.0.1", "169.254.0.7", "100.64.0.7", "fd00::7", "fe80::7", "::1"] {
            let peers = Peers::default();
            for known_by in [KnownBy::Connection, KnownBy::Nobody] {
                assert_eq!(of(&peers, address, known_by, b"anna"), (b"anna".to_vec(), false));
            }
        }
        let client = Client { address: [10, 0, 0, 7].into(), known_by: KnownBy::Connection };
        assert_eq!(*Peers::default().witness(client, None).name, [10, 0, 0, 7]);
    }

    #[test]
    fn what_a_trusted_proxy_reports_counts_once_public_or_not() {
        for address in ["203.0.113.7", "10.0.101.7", "100.64.0.7", "fd00::7"] {
            let peers = Peers::default();
            let (anna, is_network) = of(&peers, address, KnownBy::Proxy, b"anna");
            assert!(is_network, "{address}");
            assert_eq!(anna, of(&peers, address, KnownBy::Proxy, b"bert").0);
        }
    }

    #[test]
    fn several_private_peers_count_once_each() {
        let peers = Peers::default();
        let is_network = |address| of(&peers, address, KnownBy::Connection, b"anna").1;
        // Programs on this machine are no second address, and a trusted proxy that does not say who asked is none.
        assert!(!is_network("127.0.0.1") && !is_network("10.0.0.1") && !is_network("::ffff:10.0.0.1"));
        assert!(!of(&peers, "10.0.0.9", KnownBy::Nobody, b"anna").1 && !is_network("10.0.0.1"));
        assert!(is_network("10.0.0.2") && is_network("10.0.0.1"));
        assert!(!is_network("127.0.0.1"), "behind it may be all clients, whoever else connects");
    }
}
