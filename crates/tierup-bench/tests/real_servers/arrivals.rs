//! Requests of the open loop at random times.

use std::time::Duration;

use tierup_bench::{
    load::{Load, Pace},
    record::{Arrivals, Record, Slice},
};

use crate::{
    benchmark::{load, loaded, measured, plan, requests, standing},
    server::Server,
};

#[test]
fn every_arrival_is_planned_once() {
    let server = Server::good();
    let length = Duration::from_secs(1);
    let load = Load { length, pace: Pace::Poisson { rate: 300.0, seed: 5 }, ..load(server.address) };
    let outcome = loaded(&load);
    assert_eq!(outcome.failures.total(), 0);
    let planned: u64 = outcome.planned.iter().copied().map(u64::from).sum();
    assert_eq!(outcome.answered + outcome.unsent, planned);
    // The seed alone decides how many there are, unless the machine is so late that it plans none of the last ones.
    assert!((250..350).contains(&planned), "{planned}");
    assert!(outcome.planned.iter().any(|count| *count != outcome.planned[0]), "the gaps are not equal");
}

#[test]
fn all_rows_of_a_round_get_the_same_arrivals() {
    let (one, other) = (Server::good(), Server::good());
    let rows = vec![("0", standing(one.address)), ("3:native", standing(other.address))];
    let mut plan = plan(rows, requests("GET /"));
    (plan.arrivals, plan.rate) = (Arrivals::Poisson, Some(200.0));
    let record = measured(&mut plan).unwrap();
    let planned = |record: &Record, row: usize| -> Vec<Vec<u32>> {
        let open = record.blocks.iter().flat_map(|block| &block.rows[row].open);
        open.map(|Slice { planned, .. }| planned.clone()).collect()
    };
    let (reference, candidate) = (planned(&record, 0), planned(&record, 1));
    assert_eq!(reference, candidate);
    assert!(reference.len() == 2 && reference[0] != reference[1], "each round has times of its own: {reference:?}");
}
