//! A run: the server is started and warmed up, then loaded in blocks, with and without its sensor by turns.

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
    /// In each block, without it, one route after the other; only where requests have several.
    pub by_route: Duration,
}

/// Five blocks give an interval of Student's t that is 1.24 times as wide as one of ten.
pub const BLOCKS: usize = 5;

impl Budget {
    /// Spends a total time: an eighth on warm-up, and half of the rest with the sensor. Slices with and without it are of
    /// the same length, so that a load loses the same at its edges. Routes take a quarter of the total beside it.
    pub fn split(total: Duration) -> Budget {
        let block = total.mul_f64(0.875) / BLOCKS as u32;
        let by_route = total / 4 / BLOCKS as u32;
        Budget { warm_up: total.mul_f64(0.125), blocks: BLOCKS, sampled: block / 2, plain: block / 2, by_route }
    }
}

/// A server that was told to inline little compiles its functions again.
const SETTLING: Duration = Duration::from_millis(500);

/// Watches a run.
pub trait Observer {
    fn sees(&mut self, event: Event);
}

/// Watches nothing.
impl Observer for () {
    fn sees(&mut self, _event: Event) {}
}

/// An event of the run.
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

/// Takes a profile. Afterwards, all processes of a server that was started here have ended, whatever the outcome.
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
        // By turns, so that a server that becomes faster or slower favours neither.
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

/// Routes that are asked one after the other: the kernel's count is then their cost, without a sensor.
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
            // Of the load, not of the file: the server may refuse some requests.
            Some((RouteSlices { name, share: portion.share, slices: Vec::new() }, portion))
        };
        let (routes, portions) = named.into_iter().filter_map(alone).unzip();
        Alone { routes, portions }
    }

    fn is_needed(&self) -> bool {
        self.routes.len() > 1
    }

    /// The routes whose cost cannot be told, and why.
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

    /// A slice of each route, within this time.
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

/// If the server exited, report that instead of the error. Or the server's own words explain why its processes are not sampled.
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
    fn the_time_is_spent_whole() {
        let Budget { warm_up, blocks, sampled, plain, by_route } = Budget::split(Duration::from_secs(20));
        assert_eq!(warm_up + (sampled + plain) * blocks as u32, Duration::from_secs(20));
        assert_eq!((sampled, by_route), (plain, Duration::from_secs(1)));
    }
}
