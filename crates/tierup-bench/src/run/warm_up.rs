//! How long servers warm up: just-in-time compilers, caches and pools make their first seconds different from the rest.
//!
//! Servers are loaded briefly in turns until the cost of a request has settled in each, or the time for it is over.

use std::time::{Duration, Instant};

use tierup_stats::has_settled;

use super::state::{Entrant, Run, SLICE_PARTS};
use crate::{load::Pace, observer::Event};

/// The largest share of a block's time for load that warm-up may take, if rows need it.
const MOST_OF_A_BLOCK: f64 = 0.6;
/// Loads in an equal share of the longest warm-up.
const LOADS: u32 = 8;
/// The limits of a load's length: most compilers' steps are shorter, and requests of the slowest servers are not
/// longer.
const SHORTEST: Duration = Duration::from_millis(150);
const LONGEST: Duration = Duration::from_millis(500);
/// The least warm-up of every row if there is time: a compiler that waits for the thousandth call does nothing at
/// first, so the server looks settled.
const LEAST: Duration = Duration::from_secs(5);
/// The longest rest of a settled server while others warm up: after some idle seconds, a runtime discards compiled
/// code.
const REST: Duration = Duration::from_secs(4);

/// How the time for the warm-up of a block is divided among its rows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Portions {
    /// The length of one load of one row.
    load: Duration,
    /// The load that each row gets before the check whether it has settled.
    least: Duration,
}

fn portions(rows: usize, most: Duration) -> Portions {
    let share = most / rows.max(1) as u32;
    Portions { load: (share / LOADS).clamp(SHORTEST, LONGEST), least: LEAST.min(share.mul_f64(0.9)) }
}

impl Run<'_> {
    /// Loads servers in turns until the cost of a request has settled in each, or the time is over. Settled servers are
    /// kept warm until the others have settled. `for_load` is the block's whole time for load.
    pub(super) fn warm_up(&mut self, entrants: &mut Vec<Entrant>, for_load: Duration) {
        let most = for_load.mul_f64(MOST_OF_A_BLOCK);
        let portions = portions(entrants.len(), most);
        let began = Instant::now();
        let mut all_settled = false;
        while !all_settled && !self.record.provenance.interrupted && (began.elapsed() < most || never_loaded(entrants))
        {
            all_settled = true;
            entrants.retain_mut(|entrant| {
                if entrant.warm_up.settled && entrant.loaded.elapsed() < REST {
                    return true;
                }
                all_settled &= entrant.warm_up.settled;
                self.warm(entrant, portions)
            });
        }
        for entrant in entrants {
            let mut warm_up = std::mem::take(&mut entrant.warm_up);
            // A server that had less than its portion is judged by the loads that it had.
            warm_up.settled |= has_settled(&warm_up.costs) == Ok(true);
            self.current(entrant.row).warm_up = Some(warm_up);
        }
    }

    /// Loads a row without measuring, and returns whether the row can continue. A request that fails counts as a
    /// failure: the server has answered before, so its start does not explain the failure.
    fn warm(&mut self, entrant: &mut Entrant, portions: Portions) -> bool {
        self.observer.sees(&Event::WarmingUp { row: &self.plan.rows[entrant.row].row.label });
        let length = if entrant.warm_up.settled { SHORTEST } else { portions.load };
        let load = self.load(entrant, Pace::Closed, length, entrant.warm_up.requests as usize, SLICE_PARTS);
        let Some(slice) = self.measure(entrant, &load) else { return true };
        entrant.loaded = Instant::now();
        self.current(entrant.row).unmeasured_failures += slice.failures;
        if let Some(trouble) = self.trouble_of(entrant, &slice) {
            self.trouble(entrant.row, trouble);
            return false;
        }
        let seconds = slice.seconds + slice.drain_seconds;
        // If its processor time is not known, the time of the load counts.
        let spent = slice.server_cpu.unwrap_or(seconds * 1e6);
        let so_far = &mut entrant.warm_up;
        so_far.seconds += seconds;
        so_far.requests += slice.answered;
        so_far.costs.push(spent / slice.answered.max(1) as f64);
        so_far.settled |= so_far.seconds >= portions.least.as_secs_f64() && has_settled(&so_far.costs) == Ok(true);
        true
    }
}

fn never_loaded(entrants: &[Entrant]) -> bool {
    entrants.iter().any(|entrant| entrant.warm_up.costs.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_is_divided_among_the_rows() {
        let quick = portions(7, Duration::from_secs(10));
        assert!(quick.load < Duration::from_millis(200) && quick.least < Duration::from_secs(2), "{quick:?}");
        let long = portions(7, Duration::from_secs(100));
        assert_eq!(long, Portions { load: LONGEST, least: LEAST });
    }
}
