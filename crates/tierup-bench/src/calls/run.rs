//! Carries out a [`Plan`]: the check, then blocks of fresh processes whose rows take turns.

use std::time::{Duration, Instant, SystemTime};

use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_chacha::ChaCha8Rng;

use super::{
    Callable, Plan, Refusal,
    check::Known,
    record::{Block, Checked, FORMAT, Function, Record, Settings, Slice},
};
use crate::process::{busyness, machine};

/// Who watches a run. Nothing is told while calls are timed.
pub trait Observer {
    fn sees(&mut self, event: &Event<'_>);

    /// The record so far: to be written down.
    fn kept(&mut self, record: &Record);

    /// Whether the user wants it to end.
    fn interrupted(&self) -> bool;
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    Checking {
        row: &'a str,
    },
    /// From 1, and how long the rest will take, where a block before it says so.
    Block {
        number: usize,
        of: usize,
        left: Option<Duration>,
    },
    Timing {
        function: &'a str,
    },
    /// A row's calls of a function cannot be timed (further).
    Trouble {
        row: &'a str,
        function: &'a str,
        why: &'a str,
    },
}

/// What keeps a whole run from being done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("there is nothing to time: {0}")]
    Nothing(String),
    #[error("the functions cannot be called alone: {0}")]
    Alone(String),
    #[error("interrupted before anything was timed")]
    Interrupted,
}

/// A run under way.
pub(super) struct Run<'a> {
    pub(super) plan: &'a mut Plan,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) record: Record,
    /// By function, row and place in the function's `timed`.
    pub(super) known: Vec<Vec<Vec<Known>>>,
    random: ChaCha8Rng,
}

/// How often each argument list is timed in a block at least: a median of fewer protects from nothing.
const TIMES: usize = 3;

/// A row's process, while it lasts.
type Callers = Vec<Option<Box<dyn Callable>>>;

/// Times the calls. A run that is interrupted answers what it has.
///
/// # Errors
/// Where nothing could be timed at all.
pub fn run(plan: &mut Plan, observer: &mut dyn Observer) -> Result<Record, Error> {
    let record = empty(plan);
    let known = vec![vec![Vec::new(); plan.rows.len()]; plan.functions.len()];
    let random = ChaCha8Rng::seed_from_u64(plan.seed);
    let began = Instant::now();
    let mut run = Run { plan, observer, record, known, random };
    run.check()?;
    if run.record.functions.iter().all(|function| function.timed.is_empty()) {
        return Err(Error::Nothing(run.record.notes.join("; ")));
    }
    run.record.environment.before = busyness(Duration::from_secs(1)).unwrap_or_default();
    let first = Instant::now();
    let blocks = run.plan.budget.blocks;
    for number in 0..blocks {
        let left = (number > 0).then(|| first.elapsed().mul_f64((blocks - number) as f64 / number as f64));
        run.observer.sees(&Event::Block { number: number + 1, of: blocks, left });
        let interrupted = run.observer.interrupted() || run.block() == Step::Interrupted;
        run.record.interrupted = interrupted;
        run.record.seconds = began.elapsed().as_secs_f64();
        if interrupted {
            break;
        }
        run.observer.kept(&run.record);
    }
    if run.record.blocks.iter().all(|block| block.slices.is_empty()) {
        return Err(if run.record.interrupted { Error::Interrupted } else { Error::Nothing(run.all_trouble()) });
    }
    // Somebody who interrupts does not want to wait for another second of looking at the machine.
    if !run.record.interrupted {
        run.record.environment.after = busyness(Duration::from_secs(1)).unwrap_or_default();
    }
    run.observer.kept(&run.record);
    Ok(run.record)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Done,
    Interrupted,
}

impl Run<'_> {
    fn block(&mut self) -> Step {
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

    /// Calls of one row with one argument list: how many, and how long they took; nothing where it cannot be called.
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

    /// Keeps and tells why a row's calls of a function are not timed; the first reason counts.
    pub(super) fn trouble(&mut self, function: usize, row: usize, why: String) {
        let entry = &mut self.record.functions[function];
        if entry.rows[row].trouble.is_none() {
            let (row_label, function) = (&self.record.rows[row].label, &entry.name);
            self.observer.sees(&Event::Trouble { row: row_label, function, why: &why });
            entry.rows[row].trouble = Some(why);
        }
    }

    /// Why there is nothing without the function alone.
    pub(super) fn nothing(&self, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Call(why) | Refusal::Process(why) => Error::Alone(why),
            Refusal::Interrupted => Error::Interrupted,
        }
    }

    fn all_trouble(&self) -> String {
        let rows = self.record.functions.iter().flat_map(|function| &function.rows);
        rows.filter_map(|row| row.trouble.clone()).next().unwrap_or_default()
    }

    fn shuffled(&mut self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.plan.rows.len()).collect();
        rows.shuffle(&mut self.random);
        rows
    }
}

/// Ends all at once: each may take a moment.
fn end(callers: Callers) {
    std::thread::scope(|scope| {
        for caller in callers.into_iter().flatten() {
            scope.spawn(move || drop(caller));
        }
    });
}

fn empty(plan: &Plan) -> Record {
    let mut environment = machine();
    environment.versions.clone_from(&plan.versions);
    let functions = plan.functions.iter().map(|function| Function {
        name: function.name.clone(),
        source: function.source.clone(),
        timed: Vec::new(),
        refused: 0,
        left_out: 0,
        rows: vec![Checked::default(); plan.rows.len()],
    });
    Record {
        format: FORMAT,
        tierup: env!("CARGO_PKG_VERSION").to_owned(),
        title: plan.title.clone(),
        command: plan.command.clone(),
        began: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seconds: 0.0,
        environment,
        settings: Settings {
            seed: plan.seed,
            blocks: plan.budget.blocks,
            rounds: plan.budget.rounds,
            slice_seconds: plan.budget.slice.as_secs_f64(),
            warm_up_seconds: plan.budget.warm_up.as_secs_f64(),
            quick: plan.budget.quick,
        },
        notes: plan.notes.clone(),
        functions: functions.collect(),
        rows: plan.rows.iter().map(|planned| planned.row.clone()).collect(),
        blocks: Vec::new(),
        interrupted: false,
    }
}
