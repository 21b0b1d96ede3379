//! The client of a request, as far as it is known: a network, whose clients count as one, or a client's key.

use std::{borrow::Cow, net::IpAddr};

use tierup_rollout::{Peers, is_public, network};

/// Where a request came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) address: IpAddr,
    pub(crate) known_by: KnownBy,
}

/// How a client's address is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownBy {
    /// A trusted proxy reported it as the origin of the request.
    Proxy,
    /// It is the other end of the connection.
    Connection,
    /// A trusted proxy reported no origin, so the address is the proxy's own.
    Nobody,
}

/// The client that sent a request, as far as clients can be told apart.
pub(crate) struct Witness<'a> {
    /// The network; or the client's key, if many clients may share the address.
    pub(crate) name: Cow<'a, [u8]>,
    /// Whether it is a network, which counts once, whatever keys come from it.
    pub(crate) is_network: bool,
}

impl Client {
    /// Whether all requests from the address count as one client, whatever their keys.
    pub(crate) fn is_network(self, peers: &Peers) -> bool {
        match self.known_by {
            KnownBy::Proxy => true,
            KnownBy::Connection => peers.is_one_client(self.address),
            KnownBy::Nobody => is_public(self.address),
        }
    }

    /// The witness: the network, or, if many clients may share the address, the client's `key`.
    pub(crate) fn witness<'a>(self, peers: &Peers, key: Option<Cow<'a, [u8]>>) -> Witness<'a> {
        let is_network = self.is_network(peers);
        let name = key.filter(|_| !is_network).unwrap_or_else(|| Cow::Owned(network(self.address)));
        Witness { name, is_network }
    }
}

impl Witness<'_> {
    /// A witness that is the address, without knowledge of whether many clients share it.
    pub(crate) fn of_address(address: IpAddr) -> Witness<'static> {
        Witness { name: Cow::Owned(network(address)), is_network: is_public(address) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the witness, and whether it is a network.
    fn of(peers: &Peers, address: &str, known_by: KnownBy, key: &'static [u8]) -> (Vec<u8>, bool) {
        let client = Client { address: address.parse().expect("an address"), known_by };
        let Witness { name, is_network } = client.witness(peers, Some(key.into()));
        (name.into_owned(), is_network)
    }

    #[test]
    fn a_public_address_counts_once_and_each_key_behind_a_private_one() {
        let peers = Peers::default();
        let by = KnownBy::Connection;
        assert_eq!(of(&peers, "203.0.113.7", by, b"anna"), of(&peers, "203.0.113.7", by, b"bert"));
        assert!(of(&peers, "203.0.113.7", by, b"anna").1);
        for by in [KnownBy::Connection, KnownBy::Nobody] {
            assert_eq!(of(&peers, "10.0.0.7", by, b"anna"), (b"anna".to_vec(), false));
        }
        let client = Client { address: [10, 0, 0, 7].into(), known_by: by };
        assert_eq!(*client.witness(&peers, None).name, [10, 0, 0, 7]);
    }

    #[test]
    fn an_address_reported_by_a_trusted_proxy_counts_once() {
        let peers = Peers::default();
        for address in ["203.0.113.7", "10.0.101.7", "100.64.0.7", "fd00::7"] {
            let (anna, is_network) = of(&peers, address, KnownBy::Proxy, b"anna");
            assert!(is_network, "{address}");
            assert_eq!(anna, of(&peers, address, KnownBy::Proxy, b"bert").0);
        }
        // No client here connects directly, and a trusted proxy that reports no client is not a client itself.
        assert!(!of(&peers, "10.0.0.9", KnownBy::Nobody, b"anna").1);
        assert!(!of(&peers, "10.0.0.1", KnownBy::Connection, b"anna").1);
        assert!(of(&peers, "10.0.0.2", KnownBy::Connection, b"anna").1);
    }
}
