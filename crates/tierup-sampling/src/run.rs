//! A run starts the server, warms it up, and loads it in blocks, each with and without the sensor.

use std::time::Duration;

use tierup_bench::loading::{Loading, Portion, Terms};
use tierup_codegen::Sensor;
use tierup_requests::Set;
use tierup_runner::Interrupts;
use tierup_subject::{Starting, Subject, Trouble};

use crate::{
    Block, Error, Private, RouteSlices, Taken,
    sampler::{GRACE, Sampler, sampler},
    slice::sample,
    soon::soon,
};

/// Everything that a run needs.
pub struct Plan<'a> {
    pub subject: &'a dyn Subject,
    pub sensor: &'a Sensor,
    /// Holds the sensor's files.
    pub private: &'a Private,
    /// Variables for the server, including those of the sensor.
    pub environment: &'a [(String, String)],
    pub requests: &'a Set,
    pub terms: Terms,
    pub budget: Budget,
}

/// How long the server is loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    pub warm_up: Duration,
    /// Number of blocks. A block is the unit of inference, and an interval needs at least two.
    pub blocks: usize,
    /// Time with the sensor, in each block.
    pub sampled: Duration,
    /// Time without the sensor, in each block.
    pub plain: Duration,
    /// Time for the routes one after another without the sensor, in each block; unused if there is only one.
    pub by_route: Duration,
}

/// With five blocks, an interval of Student's t is 1.24 times as wide as with ten.
pub const BLOCKS: usize = 5;

impl Budget {
    /// Splits a total time: an eighth is warm-up, and half of the rest is with the sensor. Slices with and without it
    /// have the same length, so that both lose the same at their edges. Routes take another quarter of the total.
    pub fn split(total: Duration) -> Budget {
        let block = total.mul_f64(0.875) / BLOCKS as u32;
        let by_route = total / 4 / BLOCKS as u32;
        Budget { warm_up: total.mul_f64(0.125), blocks: BLOCKS, sampled: block / 2, plain: block / 2, by_route }
    }
}

/// A server that starts to inline less has to compile its functions again, which takes this long.
const SETTLING: Duration = Duration::from_millis(500);

/// Watches a run.
pub trait Observer {
    fn sees(&mut self, event: Event);
}

/// Ignores all events.
impl Observer for () {
    fn sees(&mut self, _event: Event) {}
}

/// An event of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Starting,
    /// tierup attaches to a running server.
    Attaching,
    WarmingUp,
    /// A block begins. `number` counts from 1, and `left` is the time that this and the other blocks still take.
    Block {
        number: usize,
        of: usize,
        left: Duration,
    },
    Stopping,
}

/// Takes a profile. Whatever the outcome, all processes of the server have ended afterwards.
///
/// # Errors
/// The server does not start or ends, it cannot be sampled, or the user interrupts.
pub fn take(plan: &Plan<'_>, interrupts: &Interrupts, observer: &mut dyn Observer) -> Result<Taken, Error> {
    let interrupted = || interrupts.arrived();
    observer.sees(Event::Starting);
    let sensor = plan.sensor.with_limit(plan.budget.sampled + GRACE);
    let mut sampler = sampler(&sensor, plan.private, interrupts)?;
    let starting = Starting { environment: plan.environment, ..Starting::default() };
    let running = plan.subject.start(&starting).map_err(|why| not_started(why, interrupts))?;
    let mut loading = Loading::begin(running, plan.requests, plan.terms, &interrupted)?;
    let taken = blocks(plan, &mut *sampler, &mut loading, interrupts, observer);
    observer.sees(Event::Stopping);
    let taken = taken.map_err(|error| explained(error, &mut loading));
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
    let mut alone = Alone::plan(plan.requests, loading);
    observer.sees(Event::WarmingUp);
    loading.load(budget.warm_up, &interrupted)?;
    let by_route = if alone.is_needed() { budget.by_route } else { Duration::ZERO };
    for number in 0..budget.blocks {
        let left = (budget.sampled + budget.plain + by_route) * (budget.blocks - number) as u32;
        observer.sees(Event::Block { number: number + 1, of: budget.blocks, left });
        // The order alternates, so that a server that becomes faster or slower favours neither.
        let plain_first = if number % 2 == 1 { Some(loading.load(budget.plain, &interrupted)?) } else { None };
        let sampled = sample(loading, sampler, plan.sensor, |loading| Ok(loading.load(budget.sampled, &interrupted)?))?;
        let plain = match plain_first {
            Some(plain) => plain,
            None => loading.load(budget.plain, &interrupted)?,
        };
        taken.blocks.push(Block { plain, ..sampled });
        if alone.is_needed() {
            alone.load(loading, by_route, &interrupted)?;
        }
    }
    if sampler.name_inlined()? {
        loading.load(SETTLING, &interrupted)?;
        let named = |loading: &mut Loading| Ok(loading.load(budget.sampled, &interrupted)?);
        taken.named = sample(loading, sampler, plan.sensor, named)?.parts;
    }
    taken.notes = sampler.notes();
    taken.notes.extend(alone.note());
    taken.routes = alone.routes;
    Ok(taken)
}

/// Loads the routes one after another without the sensor, so that the kernel's count gives the cost of each.
struct Alone {
    routes: Vec<RouteSlices>,
    portions: Vec<Portion>,
}

/// With more routes, the slices would be too short.
const MOST_ROUTES: usize = 8;

impl Alone {
    fn plan(requests: &Set, loading: &Loading) -> Alone {
        let all = requests.routes();
        let (first, rest) = all.split_at(all.len().min(MOST_ROUTES));
        let mut named: Vec<(String, Vec<u32>)> =
            first.iter().map(|route| (route.name.clone(), route.requests.clone())).collect();
        if !rest.is_empty() {
            let name =
                if rest.len() == 1 { "1 other route".to_owned() } else { format!("{} other routes", rest.len()) };
            named.push((name, rest.iter().flat_map(|route| route.requests.iter().copied()).collect()));
        }
        let alone = |(name, requests): (String, Vec<u32>)| {
            let portion = loading.portion(&requests)?;
            // The share of the load, not of the file: the server may refuse some requests.
            Some((RouteSlices { name, share: portion.share, slices: Vec::new() }, portion))
        };
        let (routes, portions) = named.into_iter().filter_map(alone).unzip();
        Alone { routes, portions }
    }

    fn is_needed(&self) -> bool {
        self.routes.len() > 1
    }

    /// A note that names the routes whose cost is unknown, if there are any.
    fn note(&self) -> Option<String> {
        let fails = |route: &&RouteSlices| route.slices.iter().any(|slice| slice.answered == 0);
        let failing: Vec<&str> = self.routes.iter().filter(fails).map(|route| route.name.as_str()).collect();
        (!failing.is_empty()).then(|| {
            format!(
                "what each route takes is not known: asked alone, there was no right answer from {}",
                failing.join(", ")
            )
        })
    }

    /// Loads each route for an equal part of `length`.
    fn load(&mut self, loading: &mut Loading, length: Duration, interrupted: &dyn Fn() -> bool) -> Result<(), Error> {
        let length = length / self.routes.len() as u32;
        for (route, portion) in self.routes.iter_mut().zip(&mut self.portions) {
            route.slices.push(loading.load_portion(portion, length, interrupted)?);
        }
        Ok(())
    }
}

fn not_started(trouble: Trouble, interrupts: &Interrupts) -> Error {
    if interrupts.arrived() {
        return Error::Interrupted;
    }
    Error::Load(tierup_bench::run::Error::NothingRuns { row: "the server".to_owned(), trouble })
}

/// If the server exited, report that instead of the error. If no process was sampled, add the server's log.
fn explained(error: Error, loading: &mut Loading) -> Error {
    let log = loading.log();
    match error {
        Error::Interrupted => Error::Interrupted,
        error => {
            let mut ended = None;
            soon(|| {
                ended = loading.ended_process();
                ended.is_some()
            });
            match (ended, error) {
                (Some(process), _) => Error::Ended(process),
                (None, Error::NoProcess { why, .. }) => Error::NoProcess { why, log },
                (None, error) => error,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_time_is_spent() {
        let Budget { warm_up, blocks, sampled, plain, by_route } = Budget::split(Duration::from_secs(20));
        assert_eq!(warm_up + (sampled + plain) * blocks as u32, Duration::from_secs(20));
        assert_eq!((sampled, by_route), (plain, Duration::from_secs(1)));
    }
}
