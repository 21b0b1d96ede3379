//! Divides a proxy's limit of open files between clients, connections to servers, and copies.
//!
//! In: the servers. Out: how many descriptors a number of clients needs, and how many clients fit.

use tierup_subject::Double;

use crate::{
    lanes::{ControlLanes, Doubles},
    mirror::MOST_AT_REST,
    proxy::{MOST_OF_LANE, most_watched},
};

/// The most connections of a lane's relay, on both of its sides.
const OF_A_RELAY: usize = 128;

/// What needs descriptors, other than clients.
#[derive(Debug, Clone, Copy)]
pub struct Descriptors<'a> {
    /// The number of servers that answer clients: control, and those that answer in its place.
    pub sides: usize,
    /// The number of threads that serve clients.
    pub threads: usize,
    /// The number of copies under way.
    pub copies: usize,
    pub lanes: Option<&'a ControlLanes>,
    /// The candidate's, and the twin's.
    pub doubles: [Option<&'a Doubles>; 2],
}

impl Descriptors<'_> {
    /// The descriptors that this many clients need.
    pub fn of(&self, clients: usize) -> usize {
        clients * self.each() + self.beside()
    }

    /// How many clients fit into this many descriptors; at least one.
    pub fn clients(&self, descriptors: usize) -> usize {
        (descriptors.saturating_sub(self.beside()) / self.each()).max(1)
    }

    /// For each client, its own connection and one to each side, as unused ones are kept. If control's calls are
    /// recorded without lanes, a request's call also passes a relay.
    fn each(&self) -> usize {
        let relayed = self.lanes.filter(|lanes| lanes.addresses().next().is_none());
        1 + self.sides + relayed.map_or(0, |_| 2)
    }

    fn beside(&self) -> usize {
        let lanes = self.lanes.map_or(0, |lanes| lanes.addresses().count());
        let doubles = self.doubles.iter().flatten().map(|doubles| doubles.addresses().count()).sum::<usize>();
        // Watched connections are kept beside those in use. Copies ask control, the candidate and the twin, and keep
        // connections to each, and to each double's process.
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
    fn descriptors_are_reserved_for_each_server_that_may_answer() {
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
    fn lanes_need_descriptors_of_their_own() {
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
