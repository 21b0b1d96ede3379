//! A run of many rows whose servers start slowly keeps to its time by leaving out blocks if necessary.

use std::{net::SocketAddr, thread, time::Duration};

use tierup_bench::{
    analysis::analyse,
    observer::{Event, Observer},
    plan::{Budget, PlannedRow},
    record::{Record, Role, RowRecord, Trouble},
    run::run,
};
use tierup_subject::{Running, Starting, Subject};

use crate::{
    benchmark::{Exact, plan, requests, standing},
    server::Server,
};

const START: Duration = Duration::from_millis(100);
const ROWS: usize = 12;
const BLOCKS: usize = 6;

/// A server that is slow to start.
struct Late(SocketAddr);

impl Subject for Late {
    fn start(&self, starting: &Starting<'_>) -> Result<Box<dyn Running>, Trouble> {
        thread::sleep(START);
        standing(self.0).start(starting)
    }
}

/// Collects the remaining times that the user sees.
#[derive(Default)]
struct Clock(Vec<Duration>);

impl Observer<Record> for Clock {
    fn sees(&mut self, event: &Event<'_>) {
        match event {
            Event::Block { left, .. } => self.0.extend(*left),
            Event::Round { left, .. } => self.0.push(*left),
            _ => {}
        }
    }

    fn kept(&mut self, _: &Record) {}

    fn interrupted(&self) -> bool {
        false
    }
}

#[test]
fn starting_servers_counts_towards_the_time() {
    let server = Server::good();
    let row = |index: usize| {
        let role = if index == 0 { Role::Reference } else { Role::Candidate };
        let row = RowRecord { step: 1, ..RowRecord::new(index.to_string(), "", role) };
        PlannedRow { row, subject: Box::new(Late(server.address)), reuse: None }
    };
    // Starting all servers in all blocks would take 7.2 s.
    let total = START * (ROWS * (BLOCKS - 1)) as u32;
    let budget = Budget { total, blocks: BLOCKS, closed_slices: 3, open_slices: 2, quick: false };
    let mut plan = plan(vec![("", standing(server.address))], requests("GET /"));
    (plan.rows, plan.budget) = ((0..ROWS).map(row).collect(), budget);
    let mut clock = Clock::default();
    let record = run(&mut plan, &mut Exact, &mut clock).unwrap();

    assert!((2..BLOCKS).contains(&record.blocks.len()), "{} blocks", record.blocks.len());
    let warning = format!("the time was enough for {} of {BLOCKS} blocks", record.blocks.len());
    let warnings = analyse(&record).warnings;
    assert!(warnings.iter().any(|said| said.starts_with(&warning)), "{warnings:?}");
    // Each row still has a slice of both experiments.
    let measured = |row: &tierup_bench::record::BlockRow| !row.closed.is_empty() && !row.open.is_empty();
    assert!(record.blocks.iter().flat_map(|block| &block.rows).all(measured));

    assert!(clock.0.iter().all(|left| *left <= total), "{:?}", clock.0);
    assert!(clock.0.is_sorted_by(|earlier, later| earlier >= later), "what is left grew: {:?}", clock.0);
}
