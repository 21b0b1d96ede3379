//! The functions of one host: the same calls through every row. Rust must agree with itself to the byte, errors
//! included; with the baseline by the project's rules.

use std::path::PathBuf;

use tierup_codegen::{Host, Row, Tier, Variant, abi::Value, shims};
use tierup_parity::{
    Call, Comparator, ErrorBodies, Finding, Noise, Observation, Outcome, Parameters, Policy, Seen, compare, diff,
    smallest,
};
use tierup_runner::Interrupts;

use super::{
    caller::Caller,
    case,
    found::{Found, Grouped, Shown, grouped},
    inputs::Input,
    matrix::Rules,
    report::{Detail, Mismatch, NoiseReport, Part, RowReport},
};
use crate::{
    console::Console,
    failure::Result,
    measure::quoted,
    project::{Loaded, shown},
};

/// What all hosts are asked.
pub(super) struct Functions<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) inputs: &'a [Input],
    pub(super) seed: u64,
    /// The program that calls the functions without any host.
    pub(super) alone: PathBuf,
    pub(super) interrupts: &'a Interrupts,
    /// How many mismatches are shown.
    pub(super) show: usize,
    /// Where what repeats a mismatch is written.
    pub(super) cases: PathBuf,
    /// `tierup check PROJECT`.
    pub(super) again: String,
}

/// How often a smaller input may be tried for one mismatch.
const SHRINKING: usize = 200;
/// What Wasm answers, in 32 bits, to sizes beyond them.
const TOO_LARGE: &str = "a size does not fit this machine";

/// A host while its rows are asked.
struct Asked<'a> {
    host: &'static dyn Host,
    caller: Caller<'a>,
    has_baseline: bool,
}

impl Functions<'_> {
    /// What the functions answer without any host: what every Rust row must answer.
    pub(super) fn alone(&self, console: &Console) -> Result<Vec<Observation>> {
        let command = tierup_codegen::Command::new(&self.alone.display().to_string(), []);
        let mut caller = self.caller(command);
        self.ask(&mut caller, shims::ALONE, console)
    }

    /// Compares all rows of one host, by way of its driver.
    pub(super) fn compare(
        &self,
        host: &'static dyn Host,
        driver: tierup_codegen::Command,
        rows: &[Row],
        rust: &[Observation],
        rules: &mut Rules<'_>,
        console: &mut Console,
    ) -> Result<Part> {
        let name = |row: &Row| format!("{} {row}", host.name());
        let control_row = rows.iter().find(|row| **row == Row::Baseline(None));
        let mut asked = Asked { host, caller: self.caller(driver), has_baseline: control_row.is_some() };

        let mut noise = NoiseReport::default();
        let mut noisy = vec![false; self.inputs.len()];
        let (control_name, control) = match control_row {
            Some(row) => {
                let first = self.ask(&mut asked.caller, &row.to_string(), console)?;
                let second = self.ask(&mut asked.caller, &row.to_string(), console)?;
                for (index, (first, second)) in first.iter().zip(&second).enumerate() {
                    let found = rules.noise(None, first, second);
                    noisy[index] = !found.is_empty();
                    self.note(&mut noise, found, index);
                }
                (name(row), first)
            }
            None => ("the function in Rust".to_owned(), rust.to_vec()),
        };

        // What Rust says is compared with the baseline once: rows that say just the same share the finding.
        let mut rust_found: Vec<Option<Finding>> = vec![None; self.inputs.len()];
        let mut found = Vec::new();
        for row in rows.iter().filter(|row| Some(*row) != control_row) {
            let seen = self.ask(&mut asked.caller, &row.to_string(), console)?;
            let findings = seen.iter().enumerate().map(|(index, mine)| match row {
                Row::Variant(variant) => match among_rust(*variant, &rust[index], mine) {
                    Finding::Same => {
                        rust_found[index].get_or_insert_with(|| rules.find(None, &control[index], mine)).clone()
                    }
                    other => other,
                },
                _ => rules.find(None, &control[index], mine),
            });
            found.push(Found { label: name(row), findings: findings.collect(), seen, trouble: None });
        }
        let mismatches = grouped(&found, |index| Shown { size: self.inputs[index].encoded.len(), kind: None });
        let not_shown = mismatches.len().saturating_sub(self.show);
        let mut worth = Vec::new();
        for (number, group) in mismatches.iter().take(self.show).enumerate() {
            worth.push(self.mismatch(&mut asked, group, number + 1, (rust, &control, &found), &noisy, rules)?);
        }
        Ok(Part {
            what: "functions",
            control: control_name,
            inputs: counts(self.inputs),
            rows: found
                .iter()
                .map(|found| RowReport::new(found.label.clone(), &found.findings, found.trouble.clone()))
                .collect(),
            left_out: Vec::new(),
            noise,
            mismatches: worth,
            not_shown,
        })
    }

    fn caller(&self, command: tierup_codegen::Command) -> Caller<'_> {
        Caller::new(command, self.loaded.work.clone(), &self.loaded.project.interface, self.interrupts)
    }

    fn ask(&self, caller: &mut Caller<'_>, row: &str, console: &Console) -> Result<Vec<Observation>> {
        console.status(&format!("functions: {} calls at {row}", self.inputs.len()));
        caller.next_row();
        self.inputs.iter().map(|input| caller.call(row, input.function, &input.encoded)).collect()
    }

    fn note(&self, noise: &mut NoiseReport, found: Noise, index: usize) {
        if found.is_empty() {
            return;
        }
        noise.inputs += 1;
        noise.example.get_or_insert_with(|| self.words(&self.inputs[index], &self.inputs[index].arguments));
        noise.found.join(found);
    }

    /// `render("…", 3)`, cut to what can be read.
    fn words(&self, input: &Input, arguments: &[Value]) -> String {
        const MOST: usize = 200;
        let function = &self.loaded.project.interface.functions[input.function];
        let arguments: Vec<String> = arguments.iter().map(readable).collect();
        let line = format!("{}({})", function.name, arguments.join(", "));
        match line.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}… ({} bytes)", &line[..end], input.encoded.len()),
            None => line,
        }
    }

    /// Shrinks an input that is not answered alike, and says everything about it.
    fn mismatch(
        &self,
        asked: &mut Asked<'_>,
        group: &Grouped,
        number: usize,
        (rust, control, found): (&[Observation], &[Observation], &[Found]),
        noisy: &[bool],
        rules: &mut Rules<'_>,
    ) -> Result<Mismatch> {
        let input = &self.inputs[group.index];
        let interface = &self.loaded.project.interface;
        let function = &interface.functions[input.function];
        let row = &found[group.rows[0]];
        let row_name = row.label.split(' ').nth(1).unwrap_or_default().to_owned();
        let is_among_rust = row_name.parse::<Row>().is_ok_and(|row| {
            matches!(row, Row::Variant(variant)
                if among_rust(variant, &rust[group.index], &found[group.rows[0]].seen[group.index]) != Finding::Same)
        });
        let mut arguments = input.arguments.clone();
        let (mut mine, mut theirs) = if is_among_rust {
            (rust[group.index].clone(), row.seen[group.index].clone())
        } else {
            (control[group.index].clone(), row.seen[group.index].clone())
        };
        let mut detail = group.detail.clone();
        // Of what is no answer, or of what differs from itself, nothing smaller can be found with certainty.
        let shrinks = matches!(detail, Detail::Differences(_)) && !noisy[group.index];
        if shrinks {
            let command = tierup_codegen::Command::new(&self.alone.display().to_string(), []);
            let mut alone = self.caller(command);
            let has_baseline = asked.has_baseline;
            let mut failure = None;
            let mut again = |arguments: &[Value]| -> Result<Option<(Observation, Observation, Detail)>> {
                let bytes = case::encoded(function, interface, arguments);
                let theirs = asked.caller.call(&row_name, input.function, &bytes)?;
                let mine = match is_among_rust || !has_baseline {
                    true => alone.call(shims::ALONE, input.function, &bytes)?,
                    false => asked.caller.call("0", input.function, &bytes)?,
                };
                let finding = match (is_among_rust, row_name.parse::<Row>()) {
                    (true, Ok(Row::Variant(variant))) => among_rust(variant, &mine, &theirs),
                    _ => rules.find(None, &mine, &theirs),
                };
                Ok(match Detail::of(&finding) {
                    Some(found @ Detail::Differences(_)) => Some((mine, theirs, found)),
                    _ => None,
                })
            };
            let mut best = None;
            arguments = smallest(&arguments, function, interface, SHRINKING, |smaller| match again(smaller) {
                Ok(Some(found)) => {
                    best = Some(found);
                    true
                }
                Ok(None) => false,
                Err(error) => {
                    failure.get_or_insert(error);
                    false
                }
            });
            if let Some(failure) = failure {
                return Err(failure);
            }
            if let Some((found_mine, found_theirs, found_detail)) = best {
                (mine, theirs, detail) = (found_mine, found_theirs, found_detail);
            }
        }
        let name = format!("{}-{number}", asked.host.name());
        let file = case::write_arguments(&self.cases, &name, function, interface, &arguments)?;
        let rows: Vec<String> = group.rows.iter().map(|row| found[*row].label.clone()).collect();
        let mut origin = format!("{}, {}", input.origin.kind(), input.origin.words(self.seed));
        if arguments != input.arguments {
            origin = format!("{}, made smaller", input.origin.words(self.seed));
        }
        Ok(Mismatch {
            rows,
            alike: group.alike,
            input: self.words(input, &arguments),
            size: case::encoded(function, interface, &arguments).len(),
            origin,
            diff: difference(&mine, &theirs, &detail, &rules.check.policy.bodies),
            detail,
            again: format!(
                "{} --hosts {} --tiers {row_name} --case {}",
                self.again,
                asked.host.name(),
                quoted(&shown(&file))
            ),
            is_noise: noisy[group.index],
        })
    }
}

/// Whether a Rust row answered just as the function in Rust did. Panics are alike whatever their words: the place in
/// them is spelled as each build saw it.
fn among_rust(variant: Variant, rust: &Observation, mine: &Observation) -> Finding {
    let exact = Policy { bodies: Comparator::Exact, errors: ErrorBodies::Exact, parameters: Parameters::Compared };
    if let (Seen::Call(Call { outcome: Outcome::Panic(_), .. }), Seen::Call(Call { outcome: Outcome::Panic(_), .. })) =
        (&rust.seen, &mine.seen)
    {
        return Finding::Same;
    }
    if let Seen::Call(Call { outcome: Outcome::Refused(words), .. }) = &mine.seen
        && variant.tier() == Tier::Wasm
        && words.contains(TOO_LARGE)
    {
        return Finding::Skipped("a size beyond 32 bits, which Wasm does not have".to_owned());
    }
    match compare(rust, mine, &exact) {
        Finding::Mismatch(mut differences) => {
            for difference in &mut differences.list {
                difference.note.get_or_insert_with(|| "not as the same function in Rust".to_owned());
            }
            Finding::Mismatch(differences)
        }
        other => other,
    }
}

/// Both answers side by side, where they are long enough for that to help.
fn difference(mine: &Observation, theirs: &Observation, detail: &Detail, comparator: &Comparator) -> String {
    match (mine.body(), theirs.body()) {
        // What a normalizer reads is nothing that people compare line by line.
        _ if matches!(detail, Detail::Error(_)) || matches!(comparator, Comparator::Normalized(_)) => String::new(),
        (Some(mine), Some(theirs)) => diff(mine, theirs, comparator),
        _ => String::new(),
    }
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

/// A value as people read it; bytes that are text, as text.
fn readable(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        other => format!("{other:?}"),
    }
}
