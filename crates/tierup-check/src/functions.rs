//! The functions of one host: the same calls through every row. All Rust rows must give the same answers and errors,
//! byte for byte; the project's rules decide whether these match the baseline.

mod kept;
mod mismatch;

pub use kept::KeptControls;
pub(crate) use mismatch::words;

use std::{path::PathBuf, sync::mpsc, thread, time::Instant};

use tierup_codegen::{Command, Row, shims};
use tierup_diagnostic::Result;
use tierup_parity::{Finding, Noise, Observation, Seen};
use tierup_project::Loaded;
use tierup_requests::Secrets;
use tierup_runner::{Interrupts, Observer};

use super::{
    asked::HostRows,
    caller::Caller,
    comparison::Comparison,
    coverage::coverage,
    found::{Found, Shown, grouped},
    inputs::Input,
    least::as_rust,
    report::{Mismatch, NoiseReport, Part, RowReport},
    servers::APART,
};

/// The calls to make through every host.
pub(crate) struct Functions<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) inputs: &'a [Input],
    pub(crate) seed: u64,
    /// The program that calls the functions without any host.
    pub(crate) alone: PathBuf,
    pub(crate) interrupts: &'a Interrupts,
    /// Number of mismatches to show.
    pub(crate) show: usize,
    /// The folder for files that repeat a mismatch.
    pub(crate) cases: PathBuf,
    /// `tierup check PROJECT`.
    pub(crate) again: String,
    pub(crate) secrets: &'a Secrets,
}

/// The label of the function in Rust, where it is compared without a host.
const ALONE: &str = "Rust";
/// At most this many inputs are reduced for each mismatch to show.
const SAME: usize = 4;

/// All observations of a host, one for each input.
struct HostAnswers<'a> {
    rust: &'a [Observation],
    control: &'a [Observation],
    /// The rows other than the control; `rows` has their answers. `None` is the function in Rust, without a host.
    compared: &'a [Option<&'a Row>],
    rows: &'a [Found],
    /// For each input, whether the control differs from itself.
    noisy: &'a [bool],
}

/// A host during the calls through its rows.
struct HostCaller<'a> {
    host: &'static str,
    caller: Caller<'a>,
    has_baseline: bool,
}

/// What all rows of a host are compared with.
#[derive(Clone)]
struct Control {
    name: String,
    answers: Vec<Observation>,
    /// For each input, whether the control differs from itself.
    noisy: Vec<bool>,
    noise: NoiseReport,
}

impl Functions<'_> {
    /// The functions' answers without a host. Every Rust row must give the same.
    pub(crate) fn alone(&self, observer: &dyn Observer) -> Result<Vec<Observation>> {
        let command = Command::new(&self.alone.display().to_string(), []);
        let mut caller = self.caller(command);
        self.ask(&mut caller, shims::ALONE, "Rust, without a host", &[], observer)
    }

    /// Compares all rows of one host, through its driver. With `kept`, compares only the function in Rust, and asks the
    /// control only for calls that it has not answered before.
    pub(crate) fn compare(
        &self,
        HostRows { host, driver, called: rows, .. }: &HostRows,
        rust: &[Observation],
        comparison: &mut Comparison,
        kept: Option<&mut KeptControls>,
        observer: &dyn Observer,
    ) -> Result<Part> {
        let began = Instant::now();
        let name = |row: &Row| format!("{host} {row}");
        let control_row = rows.iter().find(|row| **row == Row::Baseline(None));
        let mut asked = HostCaller { host, caller: self.caller(driver.clone()), has_baseline: control_row.is_some() };
        let compared: Vec<Option<&Row>> = match kept {
            Some(_) => vec![None],
            None => rows.iter().filter(|row| Some(*row) != control_row).map(Some).collect(),
        };
        let Control { name: control_name, answers: control, noisy, noise } = match kept {
            Some(kept) => self.kept_control(kept, &mut asked, control_row, comparison, observer)?,
            None => self.control(&mut asked, control_row, rust, comparison, observer)?,
        };

        // Each Rust answer is compared with the baseline once; rows with the same answer share the finding.
        let mut rust_found: Vec<Option<Finding>> = vec![None; self.inputs.len()];
        let mut found = Vec::new();
        for row in &compared {
            let Some(row) = *row else {
                let pairs = control.iter().zip(rust);
                let findings = pairs.map(|(control, mine)| comparison.find(None, control, mine)).collect();
                let (label, seen, headers) = (ALONE.to_owned(), rust.to_vec(), Default::default());
                found.push(Found { label, findings, seen, effects: None, headers, trouble: None });
                continue;
            };
            let seen = self.ask(&mut asked.caller, &row.to_string(), &name(row), rust, observer)?;
            let findings = seen.iter().enumerate().map(|(index, mine)| match row {
                Row::Variant(variant) => match as_rust(*variant, &rust[index], mine) {
                    Finding::Same => {
                        rust_found[index].get_or_insert_with(|| comparison.find(None, &control[index], mine)).clone()
                    }
                    other => other,
                },
                _ => comparison.find(None, &control[index], mine),
            });
            let findings = findings.collect();
            let headers = Default::default();
            found.push(Found { label: name(row), findings, seen, effects: None, headers, trouble: None });
        }
        let answers = HostAnswers { rust, control: &control, compared: &compared, rows: &found, noisy: &noisy };
        let (mismatches, not_shown) = self.shown(&mut asked, &answers, comparison)?;
        Ok(Part {
            what: "functions",
            control: control_name,
            seconds: began.elapsed().as_secs_f64(),
            inputs: counts(self.inputs),
            rows: found
                .iter()
                .map(|found| RowReport::new(found.label.clone(), &found.findings, found.trouble.clone()))
                .collect(),
            statuses: Vec::new(),
            only_errors: false,
            headers: Vec::new(),
            left_out: Vec::new(),
            noise,
            coverage: coverage(self.inputs, &control, &self.loaded.project.interface),
            mismatches,
            not_shown,
        })
    }

    /// The kept answers, if they belong to the same calls. Otherwise the baseline is asked, for every call: what a slow
    /// port skips now, its next version may answer.
    fn kept_control(
        &self,
        kept: &mut KeptControls,
        asked: &mut HostCaller<'_>,
        baseline: Option<&Row>,
        comparison: &mut Comparison,
        observer: &dyn Observer,
    ) -> Result<Control> {
        let calls: Vec<_> = self.inputs.iter().map(|input| (input.function, input.encoded.clone())).collect();
        if let Some(control) = kept.of(asked.host, &calls) {
            return Ok(control.clone());
        }
        let control = self.control(asked, baseline, &[], comparison, observer)?;
        kept.keep(asked.host, calls, control.clone());
        Ok(control)
    }

    /// The expected answers: the baseline's, called twice to measure its noise. Without a baseline, Rust's.
    fn control(
        &self,
        asked: &mut HostCaller<'_>,
        baseline: Option<&Row>,
        rust: &[Observation],
        comparison: &mut Comparison,
        observer: &dyn Observer,
    ) -> Result<Control> {
        let (mut noise, mut noisy) = (NoiseReport::default(), vec![false; self.inputs.len()]);
        let Some(row) = baseline else {
            return Ok(Control { name: "the function in Rust".to_owned(), answers: rust.to_vec(), noisy, noise });
        };
        let name = format!("{} {row}", asked.host);
        let (first, second) = self.ask_twice(&mut asked.caller, &row.to_string(), &name, rust, observer)?;
        for (index, (first, second)) in first.iter().zip(&second).enumerate() {
            let found = comparison.noise(None, first, second);
            noisy[index] = !found.is_empty();
            self.note(&mut noise, found, index);
        }
        Ok(Control { name, answers: first, noisy, noise })
    }

    /// The mismatches to show, and the number of others. Many inputs reduce to the same one, which is shown once.
    fn shown(
        &self,
        asked: &mut HostCaller<'_>,
        answers: &HostAnswers<'_>,
        comparison: &mut Comparison,
    ) -> Result<(Vec<Mismatch>, usize)> {
        let groups = grouped(answers.rows, |index| Shown { size: self.inputs[index].encoded.len(), kind: None });
        let mut shown: Vec<Mismatch> = Vec::new();
        for group in groups.iter().take(SAME * self.show) {
            if shown.len() == self.show {
                break;
            }
            let found = self.mismatch(asked, group, shown.len() + 1, answers, comparison)?;
            match shown.iter_mut().find(|other| (&other.input, &other.rows) == (&found.input, &found.rows)) {
                Some(other) => other.alike += 1,
                None => shown.push(found),
            }
        }
        let told: usize = shown.iter().map(|mismatch| 1 + mismatch.alike).sum();
        Ok((shown, groups.len().saturating_sub(told)))
    }

    fn caller(&self, command: Command) -> Caller<'_> {
        Caller::new(command, self.loaded.work.clone(), &self.loaded.project.interface, self.interrupts)
    }

    /// Calls each input at a row; `label` is its name for people. Skips an input if Rust alone skipped it, as there is
    /// nothing to compare with.
    fn ask(
        &self,
        caller: &mut Caller<'_>,
        row: &str,
        label: &str,
        rust: &[Observation],
        observer: &dyn Observer,
    ) -> Result<Vec<Observation>> {
        observer.status(&format!("functions: {} calls at {label}", self.inputs.len()));
        caller.next_row();
        let asked = self.inputs.iter().enumerate();
        asked.map(|(index, input)| unasked(rust, index).map_or_else(|| caller.ask(row, input), Ok)).collect()
    }

    /// Calls every input twice, in two processes in parallel, as a baseline is often slow. The second call is later by
    /// `APART`, so that time-dependent answers differ.
    fn ask_twice(
        &self,
        caller: &mut Caller<'_>,
        row: &str,
        label: &str,
        rust: &[Observation],
        observer: &dyn Observer,
    ) -> Result<(Vec<Observation>, Vec<Observation>)> {
        observer.status(&format!("functions: {} calls at {label}, twice", self.inputs.len()));
        let mut other = caller.another();
        caller.next_row();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            let second = scope.spawn(move || {
                // If the first pass fails, the channel closes, and these answers are not used.
                let ahead = self.inputs.iter().enumerate().zip(told);
                let asked = ahead.map(|((index, input), first): (_, Instant)| {
                    thread::sleep(APART.saturating_sub(first.elapsed()));
                    unasked(rust, index).map_or_else(|| other.ask(row, input), Ok)
                });
                asked.collect::<Result<Vec<_>>>()
            });
            let asked = self.inputs.iter().enumerate().map(|(index, input)| {
                let seen = unasked(rust, index).map_or_else(|| caller.ask(row, input), Ok);
                // The receiver is gone only if the second pass failed; it returns its own error.
                let _ = tell.send(Instant::now());
                seen
            });
            let first = asked.collect::<Result<Vec<_>>>();
            drop(tell);
            let second = second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((first?, second?))
        })
    }

    fn note(&self, noise: &mut NoiseReport, found: Noise, index: usize) {
        if found.is_empty() {
            return;
        }
        noise.inputs += 1;
        noise.example.get_or_insert_with(|| self.words(&self.inputs[index], &self.inputs[index].arguments));
        noise.found.join(found);
    }
}

/// The observation of an input that Rust alone skipped.
fn unasked(rust: &[Observation], index: usize) -> Option<Observation> {
    rust.get(index).filter(|seen| matches!(seen.seen, Seen::Skipped(_))).cloned()
}

fn counts(inputs: &[Input]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for input in inputs {
        match counts.iter_mut().find(|(kind, _)| kind == input.origin.kind()) {
            Some((_, count)) => *count += 1,
            None => counts.push((input.origin.kind().to_owned(), 1)),
        }
    }
    counts
}
