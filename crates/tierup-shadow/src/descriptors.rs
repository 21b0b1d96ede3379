//! How many files a proxy has open at most: its limit of descriptors is divided between its clients, the connections to
//! servers, and copies.
//!
//! In: which servers there are. Out: how many descriptors so many clients need, and how many clients there is room for.

use tierup_subject::Double;

use crate::{
    lanes::{ControlLanes, Doubles},
    mirror::MOST_AT_REST,
    proxy::{MOST_OF_LANE, most_watched},
};

/// What a lane's server may have open to the services that it calls, on both sides of the relay.
const OF_A_RELAY: usize = 128;

/// What takes descriptors, other than clients.
#[derive(Debug, Clone, Copy)]
pub struct Descriptors<'a> {
    /// Servers that answer clients: control, and who answers in its place.
    pub sides: usize,
    /// Threads that serve clients.
    pub threads: usize,
    /// Copies under way.
    pub copies: usize,
    pub lanes: Option<&'a ControlLanes>,
    /// The candidate's, and the twin's.
    pub doubles: [Option<&'a Doubles>; 2],
}

impl Descriptors<'_> {
    /// What so many clients need.
    pub fn of(&self, clients: usize) -> usize {
        clients * self.each() + self.beside()
    }

    /// How many clients there is room for among so many descriptors; at least one.
    pub fn clients(&self, descriptors: usize) -> usize {
        (descriptors.saturating_sub(self.beside()) / self.each()).max(1)
    }

    /// A client's connection and one to each side: what is not in use rests. Where control's calls are recorded without
    /// lanes, a request's call passes through a relay, too.
    fn each(&self) -> usize {
        let relayed = self.lanes.filter(|lanes| lanes.addresses().next().is_none());
        1 + self.sides + relayed.map_or(0, |_| 2)
    }

    fn beside(&self) -> usize {
        let lanes = self.lanes.map_or(0, |lanes| lanes.addresses().count());
        let doubles = self.doubles.iter().flatten().map(|doubles| doubles.addresses().count()).sum::<usize>();
        // Connections that are watched rest beside those that are in use. Copies ask control, the candidate and the twin, and
        // keep connections to each, as they do to each double's process.
        self.copies
            + 3 * MOST_AT_REST
            + self.threads * (self.sides * most_watched(self.threads) + lanes * MOST_OF_LANE)
            + lanes * OF_A_RELAY
            + doubles * (MOST_AT_REST + Double::CONNECTIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_that_may_answer_is_reserved_for() {
        let alone = Descriptors { sides: 1, threads: 2, copies: 64, lanes: None, doubles: [None, None] };
        let shared = Descriptors { sides: 3, ..alone };
        assert_eq!(alone.of(1000) - alone.of(0), 2000);
        assert_eq!(shared.of(1000) - shared.of(0), 4000);
        for room in [0, 300, 1024, 20_000] {
            let clients = shared.clients(room);
            assert!(clients == 1 || shared.of(clients) <= room && shared.of(clients + 1) > room, "{room}: {clients}");
        }
    }

    #[test]
    fn a_large_machine_has_room_for_clients_too() {
        let of = |threads| Descriptors { sides: 3, threads, copies: 64, lanes: None, doubles: [None, None] };
        assert!(of(64).clients(20_000) > 4096 && of(64).of(0) < 2 * of(4).of(0));
    }

    #[test]
    fn lanes_take_their_own() {
        let lanes = |count: u16| {
            let address = |port| std::net::SocketAddr::from(([127, 0, 0, 1], port));
            let relay = || {
                let real = "http://127.0.0.1:9".parse().expect("an address");
                tierup_subject::Relay::start("URL", real, tierup_subject::Attribution::Lane, 0).expect("it starts")
            };
            ControlLanes::processes((1..=count).map(|port| (address(port), relay())).collect())
        };
        let (one, two) = (lanes(1), lanes(2));
        let of =
            |lanes| Descriptors { sides: 1, threads: 2, copies: 64, lanes: Some(lanes), doubles: [None, None] }.of(0);
        assert_eq!(of(&two) - of(&one), 2 * MOST_OF_LANE + OF_A_RELAY, "each thread has connections to a lane");
    }
}
