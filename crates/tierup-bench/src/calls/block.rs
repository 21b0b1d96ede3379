//! Measures one block: fresh processes for every row, which take turns. In: a run after its check. Out: the block's
//! slices.

use std::time::Duration;

use rand::seq::SliceRandom as _;

use super::{
    plan::{Callable, Refusal},
    record::{Block, Slice},
    state::{Run, Step},
};
use crate::observer::Event;

/// How often each argument list is timed in a block, at least. A median of fewer slices does not exclude a disturbed
/// one.
const TIMES: usize = 3;

/// Each row's process; `None` once it is gone.
type Callers = Vec<Option<Box<dyn Callable>>>;

impl Run<'_> {
    /// Times every function in every row.
    pub(super) fn block(&mut self) -> Step {
        self.record.blocks.push(Block::default());
        let mut callers: Callers = std::iter::repeat_with(|| None).take(self.plan.rows.len()).collect();
        let step = self.timed(&mut callers);
        end(callers);
        step
    }

    fn timed(&mut self, callers: &mut Callers) -> Step {
        for row in self.shuffled() {
            match (self.plan.rows[row].start)() {
                Ok(caller) => callers[row] = Some(caller),
                Err(Refusal::Interrupted) => return Step::Interrupted,
                Err(Refusal::Call(why) | Refusal::Process(why)) => {
                    (0..self.plan.functions.len()).for_each(|function| self.trouble(function, row, why.clone()));
                }
            }
        }
        for function in 0..self.plan.functions.len() {
            if self.record.functions[function].timed.is_empty() {
                continue;
            }
            self.observer.sees(&Event::Timing { function: &self.record.functions[function].name });
            if self.function(callers, function) == Step::Interrupted {
                return Step::Interrupted;
            }
        }
        Step::Done
    }

    fn function(&mut self, callers: &mut Callers, function: usize) -> Step {
        let mut places: Vec<usize> = (0..self.record.functions[function].timed.len()).collect();
        places.shuffle(&mut self.random);
        let in_turn = (TIMES * places.len()).div_ceil(self.plan.budget.rounds.max(1)).clamp(1, places.len());
        let wanted = self.plan.budget.slice / in_turn as u32;
        for row in self.shuffled() {
            let mut spent = Duration::ZERO;
            for place in places.iter().cycle() {
                match self.slice(callers, (function, row), *place, wanted) {
                    Ok(Some((_, elapsed))) => spent += elapsed.max(Duration::from_nanos(1)),
                    Ok(None) => break,
                    Err(step) => return step,
                }
                if spent >= self.plan.budget.warm_up {
                    break;
                }
            }
        }
        let mut places = places.into_iter().cycle();
        for round in 0..self.plan.budget.rounds {
            let turn: Vec<usize> = places.by_ref().take(in_turn).collect();
            for row in self.shuffled() {
                for place in &turn {
                    let (repeat, elapsed) = match self.slice(callers, (function, row), *place, wanted) {
                        Ok(Some(made)) => made,
                        Ok(None) => break,
                        Err(step) => return step,
                    };
                    let arguments = self.record.functions[function].timed[*place];
                    let seconds = elapsed.as_secs_f64();
                    let slice = Slice { function, round, row, arguments, repeat, seconds };
                    if let Some(block) = self.record.blocks.last_mut() {
                        block.slices.push(slice);
                    }
                }
            }
        }
        Step::Done
    }

    /// Calls one row with one argument list: how many calls, and how long they took. `None` if it cannot be called.
    fn slice(
        &mut self,
        callers: &mut Callers,
        (function, row): (usize, usize),
        place: usize,
        wanted: Duration,
    ) -> Result<Option<(u32, Duration)>, Step> {
        if self.observer.interrupted() {
            return Err(Step::Interrupted);
        }
        let entry = &self.record.functions[function];
        let sound = entry.rows[row].trouble.is_none();
        let Some(caller) = callers[row].as_mut().filter(|_| sound) else { return Ok(None) };
        let pace = &mut self.known[function][row][place].pace;
        let repeat = pace.repeat(wanted);
        match caller.call(function, entry.timed[place], repeat) {
            Ok(called) => {
                pace.learn(called.elapsed, repeat);
                Ok(Some((repeat, called.elapsed)))
            }
            Err(Refusal::Interrupted) => Err(Step::Interrupted),
            Err(Refusal::Call(why)) => {
                self.trouble(function, row, why);
                Ok(None)
            }
            Err(Refusal::Process(why)) => {
                callers[row] = None;
                self.trouble(function, row, why);
                Ok(None)
            }
        }
    }
}

/// Ends all processes at once, as each may take a moment.
fn end(callers: Callers) {
    std::thread::scope(|scope| {
        for caller in callers.into_iter().flatten() {
            scope.spawn(move || drop(caller));
        }
    });
}
