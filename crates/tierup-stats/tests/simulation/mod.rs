//! Simulates the bench: the numbers of one recorded row are divided among several pretended rows. In: recordings and a
//! design. Out: how often the intervals cover the truth. As all rows are the same, every true ratio is 1.

pub(crate) mod synthetic;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use tierup_stats::{Blocks, Confidence, mean};

/// What one row did in one run: for each block, the number of every slice.
#[derive(Debug, Clone, serde::Deserialize)]
pub(crate) struct Run {
    pub(crate) label: String,
    pub(crate) blocks: Vec<Vec<f64>>,
}

/// [`Dealing::Processes`] needs at least this many recorded blocks. From fewer, a report of three blocks draws the same
/// pair two or three times and looks certain: from five, such reports cover 90 % whatever the noise is.
const FEWEST_BLOCKS_TO_DEAL: usize = 14;

/// How pretended rows get their numbers out of recordings of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Dealing {
    /// The slices of a block are dealt onto the rows at random, one to each in every round, as the bench interleaves
    /// them. All rows share the server process of that block.
    Slices,
    /// Each row gets a recorded block of its own, and so a server process of its own.
    Processes,
}

/// A report to be simulated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Design {
    pub(crate) dealing: Dealing,
    pub(crate) blocks: usize,
    /// Candidates that are compared with the one control.
    pub(crate) comparisons: u32,
}

impl Design {
    fn rows(&self) -> usize {
        self.comparisons as usize + 1
    }

    /// Whether a run has enough slices, or blocks, for one to each row.
    pub(crate) fn can_use(&self, run: &Run) -> bool {
        match self.dealing {
            Dealing::Slices => !run.blocks.is_empty() && run.blocks.iter().all(|block| block.len() >= self.rows()),
            Dealing::Processes => run.blocks.len() >= FEWEST_BLOCKS_TO_DEAL.max(2 * self.rows()),
        }
    }
}

/// The share of simulated reports in which every interval contains 1. `None` if no run fits the design.
pub(crate) fn coverage(runs: &[Run], design: Design, simulations: u32, generator: &mut StdRng) -> Option<f64> {
    let usable: Vec<&Run> = runs.iter().filter(|run| design.can_use(run)).collect();
    let mut covered = 0;
    for _ in 0..simulations {
        // One report comes from one machine on one day, so its blocks are drawn from one run.
        covered += u32::from(report_covers(usable.choose(generator)?, design, generator));
    }
    Some(f64::from(covered) / f64::from(simulations))
}

fn report_covers(run: &Run, design: Design, generator: &mut StdRng) -> bool {
    let mut rows: Vec<Vec<f64>> = vec![Vec::new(); design.rows()];
    for _ in 0..design.blocks {
        let numbers = match design.dealing {
            Dealing::Slices => {
                deal_slices(run.blocks.choose(generator).expect("usable runs have blocks"), design.rows(), generator)
            }
            Dealing::Processes => deal_processes(&run.blocks, design.rows(), generator),
        };
        rows.iter_mut().zip(numbers).for_each(|(row, number)| row.push(number));
    }
    let (control, candidates) = rows.split_first().expect("there is a control");
    let confidence = Confidence::default().shared_by(design.comparisons);
    candidates.iter().all(|candidate| {
        let ratio = Blocks { candidate, control }.ratio(confidence).expect("recorded numbers are above 0");
        ratio.interval().expect("there are several blocks").contains(1.0)
    })
}

/// One number per row: the mean of the slices dealt to it. Slices that do not fill a round are left out at the ends of
/// the block.
fn deal_slices(block: &[f64], rows: usize, generator: &mut StdRng) -> Vec<f64> {
    let first = generator.random_range(0..=block.len() % rows);
    let mut dealt: Vec<Vec<f64>> = vec![Vec::new(); rows];
    for round in block[first..].chunks_exact(rows) {
        let mut round = round.to_vec();
        round.shuffle(generator);
        dealt.iter_mut().zip(round).for_each(|(slices, slice)| slices.push(slice));
    }
    dealt.iter().map(|slices| mean(slices).expect("every row is dealt a slice")).collect()
}

/// One number per row: the mean of a recorded block. No two rows get the same block.
fn deal_processes(blocks: &[Vec<f64>], rows: usize, generator: &mut StdRng) -> Vec<f64> {
    blocks.sample(generator, rows).map(|block| mean(block).expect("recorded numbers are finite")).collect()
}
