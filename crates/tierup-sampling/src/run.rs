//! A run: the server is started and warmed up, then loaded in blocks, with and without its sensor by turns.

use std::time::Duration;

use tierup_bench::loading::{Loading, Terms};
use tierup_codegen::Sensor;
use tierup_requests::Set;
use tierup_runner::Interrupts;
use tierup_subject::{Starting, Subject, Trouble};

use crate::{
    Block, Error, Private, Taken,
    sampler::{GRACE, Sampler, sampler},
    slice::sample,
};

/// Everything that a run needs.
pub struct Plan<'a> {
    pub subject: &'a dyn Subject,
    pub sensor: &'a Sensor,
    /// With the sensor's files in it.
    pub private: &'a Private,
    /// Variables for the server, those of the sensor included.
    pub environment: &'a [(String, String)],
    pub requests: &'a Set,
    pub terms: Terms,
    pub budget: Budget,
}

/// How long the server is loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    pub warm_up: Duration,
    /// The unit of inference; intervals need at least two.
    pub blocks: usize,
    /// In each block, with the sensor.
    pub sampled: Duration,
    /// In each block, without it.
    pub plain: Duration,
}

/// Five blocks give an interval of Student's t that is 1.24 times as wide as one of ten.
pub const BLOCKS: usize = 5;

impl Budget {
    /// Spends a total time: an eighth on warm-up, and half of the rest with the sensor. Slices with and without it are of
    /// the same length: what a load loses at its edges is then the same.
    pub fn of(total: Duration) -> Budget {
        let block = total.mul_f64(0.875) / BLOCKS as u32;
        Budget { warm_up: total.mul_f64(0.125), blocks: BLOCKS, sampled: block / 2, plain: block / 2 }
    }
}

/// Watches a run.
pub trait Observer {
    fn sees(&mut self, event: Event);
}

/// Watches nothing.
impl Observer for () {
    fn sees(&mut self, _event: Event) {}
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Starting,
    /// To a server that runs already.
    Attaching,
    WarmingUp,
    /// From 1, and the time that the rest takes.
    Block {
        number: usize,
        of: usize,
        left: Duration,
    },
    Stopping,
}

/// Takes a profile. Whatever the outcome, nothing of the server runs afterwards, if it was started here.
///
/// # Errors
/// The server does not start or ends, it cannot be sampled, or the user interrupts.
pub fn take(plan: &Plan<'_>, interrupts: &Interrupts, observer: &mut dyn Observer) -> Result<Taken, Error> {
    let interrupted = || interrupts.arrived();
    observer.sees(Event::Starting);
    let sensor = plan.sensor.ending_after(plan.budget.sampled + GRACE);
    let mut sampler = sampler(&sensor, plan.private, interrupts)?;
    let starting = Starting { environment: plan.environment, ..Starting::default() };
    let running = plan.subject.start(&starting).map_err(|why| not_started(why, interrupts))?;
    let mut loading = Loading::begin(running, plan.requests, plan.terms, &interrupted)?;
    let taken = blocks(plan, &mut *sampler, &mut loading, interrupts, observer);
    observer.sees(Event::Stopping);
    let taken = taken.map_err(|error| with_log(error, &loading));
    loading.stop();
    if interrupted() { Err(Error::Interrupted) } else { taken }
}

fn blocks(
    plan: &Plan<'_>,
    sampler: &mut dyn Sampler,
    loading: &mut Loading,
    interrupts: &Interrupts,
    observer: &mut dyn Observer,
) -> Result<Taken, Error> {
    let budget = plan.budget;
    let interrupted = || interrupts.arrived();
    let mut taken = Taken::default();
    observer.sees(Event::WarmingUp);
    loading.load(budget.warm_up, &interrupted)?;
    for number in 0..budget.blocks {
        let left = (budget.sampled + budget.plain) * (budget.blocks - number) as u32;
        observer.sees(Event::Block { number: number + 1, of: budget.blocks, left });
        // By turns, so that a server that becomes faster or slower favours neither.
        let plain_first = if number % 2 == 1 { Some(loading.load(budget.plain, &interrupted)?) } else { None };
        let sampled = sample(loading, sampler, plan.sensor, |loading| Ok(loading.load(budget.sampled, &interrupted)?))?;
        let plain = match plain_first {
            Some(plain) => plain,
            None => loading.load(budget.plain, &interrupted)?,
        };
        taken.blocks.push(Block { plain, ..sampled });
    }
    taken.notes = sampler.notes();
    Ok(taken)
}

fn not_started(trouble: Trouble, interrupts: &Interrupts) -> Error {
    if interrupts.arrived() {
        return Error::Interrupted;
    }
    Error::Load(tierup_bench::run::Error::NothingRuns { row: "the server".to_owned(), trouble })
}

/// The server's own words explain why its processes are not sampled.
fn with_log(error: Error, loading: &Loading) -> Error {
    match error {
        Error::NoProcess { why, .. } => Error::NoProcess { why, log: loading.log() },
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_spent_whole() {
        let Budget { warm_up, blocks, sampled, plain } = Budget::of(Duration::from_secs(20));
        assert_eq!(warm_up + (sampled + plain) * blocks as u32, Duration::from_secs(20));
        assert_eq!(sampled, plain);
    }
}
