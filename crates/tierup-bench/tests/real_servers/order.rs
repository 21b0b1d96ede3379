//! The order in which a server receives recorded requests.

use std::sync::{Arc, Mutex};

use tierup_bench::load::{Content, Expectation, Load, Workload, generate};
use tierup_subject::Prepared;

use crate::{
    benchmark::load,
    server::{BODY, Server},
};

/// Requests `/0`, `/1`, …
const COUNT: usize = 400;

/// The share of requests that arrive near their turn at a server that is loaded over four connections of two threads.
fn near_their_turn(in_order: bool) -> f64 {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let server = Server::answering(move |asked| {
        let path = asked.head.split(' ').nth(1).unwrap_or_default();
        kept.lock().unwrap().push((asked.number, path[1..].parse::<usize>().unwrap()));
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len()).into_bytes()
    });
    let authority = server.address.to_string();
    let request = |number: usize| Prepared::new("GET", &format!("/{number}"), &[], b"", &authority).unwrap();
    let right = Expectation { status: 200, content: Content::Exactly(BODY.into()) };
    let workload = Workload {
        requests: (0..COUNT).map(request).collect(),
        order: (0..COUNT as u32).collect(),
        expected: vec![right; COUNT],
    };
    let outcome = generate(&Load { in_order, ..load(server.address) }, &Arc::new(workload), &mut ());
    assert!(outcome.answered > 0 && outcome.failures.total() == 0, "{outcome:?}");
    let seen = seen.lock().unwrap();
    let is_near = |(number, index): &&(usize, usize)| (number + COUNT - index + 20) % COUNT < 40;
    seen.iter().filter(is_near).count() as f64 / seen.len() as f64
}

#[test]
fn connections_share_one_order_if_it_was_recorded() {
    let (recorded, spread) = (near_their_turn(true), near_their_turn(false));
    assert!(recorded > 0.8 && spread < 0.6, "{recorded} {spread}");
}
