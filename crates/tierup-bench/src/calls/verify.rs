//! Makes every call once in every row before anything is timed. In: callers. Out: which calls are worth timing, about
//! how long each takes, and which rows answer wrongly.

use super::{
    plan::{Callable, Called, Refusal},
    record::Answers,
    state::{CallFacts, Error, Run},
};
use crate::observer::Event;

/// The right answers of a function, one for each argument list that is timed.
type Right = Vec<Vec<u8>>;

impl Run<'_> {
    /// Fills in the record's functions and `known`.
    pub(super) fn verify(&mut self) -> Result<(), Error> {
        self.observer.sees(&Event::Checking { row: &self.record.rows[0].label });
        let mut alone = (self.plan.rows[0].start)().map_err(|refusal| self.nothing(refusal))?;
        let functions = 0..self.plan.functions.len();
        let right: Vec<Right> =
            functions.clone().map(|function| self.right_answers(alone.as_mut(), function)).collect::<Result<_, _>>()?;
        drop(alone);
        for row in 1..self.record.rows.len() {
            self.check_row(row, &right)?;
        }
        functions.for_each(|function| self.keep_affordable(function));
        Ok(())
    }

    /// The answers of the function alone, without a host. Argument lists that it refuses are left out, and so are lists
    /// beyond the time of a pass.
    fn right_answers(&mut self, alone: &mut dyn Callable, function: usize) -> Result<Right, Error> {
        let mut right = Vec::new();
        let mut seconds = 0.0;
        let mut refused = None;
        for arguments in 0..self.plan.functions[function].arguments {
            if seconds > self.plan.budget.pass.as_secs_f64() {
                break;
            }
            match alone.call(function, arguments, 1) {
                Ok(called) => {
                    seconds += called.elapsed.as_secs_f64();
                    self.record.functions[function].timed.push(arguments);
                    self.learn(function, 0, &called);
                    right.push(called.answer);
                }
                Err(Refusal::Call(why)) => {
                    self.record.functions[function].refused += 1;
                    refused.get_or_insert(why);
                }
                Err(other) => return Err(self.nothing(other)),
            }
        }
        if let (true, Some(why)) = (right.is_empty(), refused) {
            let name = &self.record.functions[function].name;
            self.record
                .notes
                .push(format!("`{name}` is not timed, because it returns an error for all available arguments: {why}"));
        }
        Ok(right)
    }

    fn check_row(&mut self, row: usize, right: &[Right]) -> Result<(), Error> {
        self.observer.sees(&Event::Checking { row: &self.record.rows[row].label });
        let mut caller = (self.plan.rows[row].start)();
        for (function, right) in right.iter().enumerate() {
            let trouble = match &mut caller {
                Ok(running) => match self.check_function(running.as_mut(), (function, row), right) {
                    Ok(trouble) => trouble,
                    Err(refusal) => {
                        caller = Err(refusal.clone());
                        Some(why(refusal)?)
                    }
                },
                Err(refusal) => Some(why(refusal.clone())?),
            };
            if let Some(trouble) = trouble.filter(|_| !right.is_empty()) {
                self.trouble(function, row, trouble);
            }
        }
        Ok(())
    }

    /// What is wrong with the row's answers, if anything; an error if it no longer answers.
    fn check_function(
        &mut self,
        caller: &mut dyn Callable,
        (function, row): (usize, usize),
        right: &Right,
    ) -> Result<Option<String>, Refusal> {
        let mut different = 0;
        for (place, right) in right.iter().enumerate() {
            let arguments = self.record.functions[function].timed[place];
            match caller.call(function, arguments, 1) {
                Ok(called) => {
                    self.learn(function, row, &called);
                    different += usize::from(called.answer != *right);
                }
                Err(Refusal::Call(why)) => return Ok(Some(why)),
                Err(other) => return Err(other),
            }
        }
        let must_be_alike = self.record.rows[row].answers == Answers::Alike;
        let words =
            || format!("{different} of {} answers differ from those of the function called from Rust", right.len());
        Ok((must_be_alike && different > 0).then(words))
    }

    fn learn(&mut self, function: usize, row: usize, called: &Called) {
        let mut known = CallFacts { bytes: called.answer.len(), ..CallFacts::default() };
        known.pace.learn(called.elapsed, 1);
        self.known[function][row].push(known);
    }

    /// Keeps as many argument lists as the slowest row can call once each within a pass, but at least one.
    fn keep_affordable(&mut self, function: usize) {
        let entry = &mut self.record.functions[function];
        let pass = self.plan.budget.pass.as_secs_f64();
        let sound = entry.rows.iter().zip(&self.known[function]).filter(|(checked, _)| checked.trouble.is_none());
        let least = sound.map(|(_, known)| affordable(known.iter().map(|known| known.pace.seconds()), pass)).min();
        entry.timed.truncate(least.unwrap_or(1).max(1));
        entry.left_out = self.plan.functions[function].arguments - entry.refused - entry.timed.len();
        for (checked, known) in entry.rows.iter_mut().zip(&mut self.known[function]) {
            known.truncate(entry.timed.len());
            if checked.trouble.is_none() && !known.is_empty() {
                let bytes: usize = known.iter().map(|known| known.bytes).sum();
                checked.answer_bytes = Some(bytes as f64 / known.len() as f64);
            }
        }
    }
}

/// How many of these fit into a pass, one after the other.
fn affordable(seconds: impl Iterator<Item = f64>, pass: f64) -> usize {
    let mut sum = 0.0;
    seconds
        .take_while(|seconds| {
            sum += seconds;
            sum <= pass
        })
        .count()
}

/// Why a row gave no answer, in words. An interruption by the user ends the benchmark instead.
fn why(refusal: Refusal) -> Result<String, Error> {
    match refusal {
        Refusal::Call(why) | Refusal::Process(why) => Ok(why),
        Refusal::Interrupted => Err(Error::Interrupted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_that_fit_are_in_a_pass() {
        assert_eq!(affordable([0.4, 0.4, 0.4].into_iter(), 1.0), 2);
        assert_eq!(affordable([2.0].into_iter(), 1.0), 0);
        assert_eq!(affordable([0.1].into_iter(), 1.0), 1);
    }
}
