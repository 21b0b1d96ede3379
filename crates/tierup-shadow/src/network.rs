//! Whose request it was: a network, all of whose clients are one, or a client's key.

use std::{borrow::Cow, net::IpAddr};

use tierup_rollout::{Peers, is_public, network};

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

impl Client {
    /// Whether no other client has the address, with all keys that come from it.
    pub(crate) fn is_network(self, peers: &Peers) -> bool {
        match self.known_by {
            KnownBy::Proxy => true,
            KnownBy::Connection => peers.is_one_client(self.address),
            KnownBy::Nobody => is_public(self.address),
        }
    }

    /// A network counts once, whatever keys come from it; behind an address that many clients may have, each `key` counts.
    pub(crate) fn witness<'a>(self, peers: &Peers, key: Option<Cow<'a, [u8]>>) -> Witness<'a> {
        let is_network = self.is_network(peers);
        let name = key.filter(|_| !is_network).unwrap_or_else(|| Cow::Owned(network(self.address)));
        Witness { name, is_network }
    }
}

impl Witness<'_> {
    /// Without anything that tells whether many clients have the address.
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
    fn a_public_address_counts_once_and_keys_behind_one_that_is_not() {
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
    fn what_a_trusted_proxy_reports_counts_once_public_or_not() {
        let peers = Peers::default();
        for address in ["203.0.113.7", "10.0.101.7", "100.64.0.7", "fd00::7"] {
            let (anna, is_network) = of(&peers, address, KnownBy::Proxy, b"anna");
            assert!(is_network, "{address}");
            assert_eq!(anna, of(&peers, address, KnownBy::Proxy, b"bert").0);
        }
        // No client here is the other end of a connection, and a trusted proxy that names no client is not a client itself.
        assert!(!of(&peers, "10.0.0.9", KnownBy::Nobody, b"anna").1);
        assert!(!of(&peers, "10.0.0.1", KnownBy::Connection, b"anna").1);
        assert!(of(&peers, "10.0.0.2", KnownBy::Connection, b"anna").1);
    }
}
