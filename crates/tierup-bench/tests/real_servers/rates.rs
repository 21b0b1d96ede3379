//! The rate of the open loop on a machine that is slower at times: the servers answer one request at a time, in a fixed
//! time, and more slowly from some block on.

use std::{
    cell::Cell,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use tierup_bench::{
    analysis::{Analysis, Figure, analyse},
    plan::Budget,
    record::{Block, RateFrom, Record, Trouble},
};
use tierup_subject::{Running, Starting, Subject};

use crate::{
    benchmark::{measured, plan, requests, standing},
    server::{BODY, Server, ok},
};

/// A server that answers one request at a time, each after this many microseconds.
fn slow(microseconds: &Arc<AtomicU64>) -> Server {
    let (microseconds, turn) = (Arc::clone(microseconds), Mutex::new(()));
    Server::answering(move |_| {
        let _turn = turn.lock().unwrap();
        thread::sleep(Duration::from_micros(microseconds.load(SeqCst)));
        ok(BODY)
    })
}

/// One server for the whole run, which becomes slower when it is started for the second block.
struct Slowing {
    address: SocketAddr,
    microseconds: Arc<AtomicU64>,
    /// The microseconds that a request takes from then on.
    then: u64,
    starts: Cell<usize>,
}

impl Subject for Slowing {
    fn start(&self, starting: &Starting<'_>) -> Result<Box<dyn Running>, Trouble> {
        self.starts.set(self.starts.get() + 1);
        // The check starts it once, and each block does too.
        if self.starts.get() > 2 {
            self.microseconds.store(self.then, SeqCst);
        }
        standing(self.address).start(starting)
    }
}

/// Two blocks of a reference that takes 3 ms per request, and `then` microseconds in the second block, beside another
/// row.
fn run(then: u64) -> (Record, Analysis) {
    let microseconds = Arc::new(AtomicU64::new(3_000));
    let (reference, candidate) = (slow(&microseconds), Server::good());
    let subject = Slowing { address: reference.address, microseconds, then, starts: Cell::new(0) };
    let rows = vec![("0", Box::new(subject) as Box<dyn Subject>), ("3:native", standing(candidate.address))];
    let mut plan = plan(rows, requests("GET /"));
    plan.rate = None;
    plan.budget = Budget { total: Duration::from_secs(8), blocks: 2, closed_slices: 1, open_slices: 1, quick: true };
    let record = measured(&mut plan).unwrap();
    let analysis = analyse(&record);
    (record, analysis)
}

fn share(record: &Record) -> f64 {
    match record.settings.rate_from {
        RateFrom::ShareOfReference(share) => share,
        RateFrom::Asked => panic!("nobody asked for a rate"),
    }
}

const LATENCIES: [Figure; 4] = [Figure::AverageLatency, Figure::P50, Figure::P95, Figure::P99];

#[test]
fn if_the_reference_falls_behind_the_rate_is_lowered_for_all_rows() {
    let (record, analysis) = run(7_000);
    let rate = record.settings.rate.unwrap();
    // The missing slices may be 3 % of both blocks.
    assert!(rate < 1.06e6 / 7_000.0, "{rate} requests a second are more than it carries in the second block");
    let [first, second] = &record.blocks[..] else { panic!("there are two blocks") };
    assert!(second.rows.iter().all(|row| row.open.len() == 1));
    // If others keep this machine busy, the first block has already found a lower rate.
    let lowered_later = !second.rows[0].at_higher_rates.is_empty();
    assert!(first.rows.iter().all(|row| row.open.is_empty() == lowered_later), "all figures are of one rate");
    let lowered = |block: &Block| !block.rows[0].at_higher_rates.is_empty();
    assert!(record.blocks.iter().any(lowered) && share(&record) >= 0.399, "{}", share(&record));
    for figure in LATENCIES {
        assert!(analysis.cell(0, figure).and_then(|cell| cell.value).is_some(), "{figure:?}");
    }
    assert!(analysis.rows[0].marks.iter().all(|mark| !mark.starts_with("cannot carry")));
    assert!(!analysis.warnings.iter().any(|warning| warning.contains("too noisy")), "{:?}", analysis.warnings);
    let said = analysis.method.join(" ").contains("in 1 of the blocks: the rate was higher before");
    assert_eq!(said, lowered_later, "{:?}", analysis.method);
}

#[test]
fn if_the_lowest_rate_is_too_much_the_run_says_that_it_is_too_noisy() {
    let (record, analysis) = run(30_000);
    assert_eq!(analysis.cell(0, Figure::P99).and_then(|cell| cell.value), None);
    assert!(analysis.rows[0].marks.contains(&"too noisy".to_owned()), "{:?}", analysis.rows[0].marks);
    assert!(analysis.warnings.iter().any(|warning| warning.starts_with("too noisy for latencies: 0 fell behind")));
    // The share refers to the median of both blocks, which has changed since the rate was set.
    assert!(share(&record) > 0.399, "{}", share(&record));
}
