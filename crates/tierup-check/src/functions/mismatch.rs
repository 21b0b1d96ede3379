//! Prepares one difference between calls for the report: with smaller arguments if possible, and with the command that
//! repeats it.

use tierup_codegen::{Command, Row, abi::Value, quoted};
use tierup_diagnostic::Result;
use tierup_model::Function;
use tierup_project::shown;

use super::{Functions, HostAnswers, HostCaller};
use crate::{
    case,
    comparison::Comparison,
    counterexample::{Counterexample, Pair},
    found::Grouped,
    inputs::Input,
    least::{self, Against, Least, is_rust},
    report::{Detail, Mismatch},
    shown_value::Hiding,
};

impl Functions<'_> {
    pub(super) fn words(&self, input: &Input, arguments: &[Value]) -> String {
        words(&self.loaded.project.interface.functions[input.function], arguments, input.encoded.len())
    }

    /// Reduces the input of a mismatch, and describes the result.
    pub(super) fn mismatch(
        &self,
        asked: &mut HostCaller<'_>,
        group: &Grouped,
        number: usize,
        seen: &HostAnswers<'_>,
        comparison: &mut Comparison,
    ) -> Result<Mismatch> {
        let input = &self.inputs[group.index];
        let function = &self.loaded.project.interface.functions[input.function];
        let interface = &self.loaded.project.interface;
        let (row, answers) = (seen.compared[group.rows[0]], &seen.rows[group.rows[0]].seen);
        let against = match row {
            Some(Row::Variant(variant)) if !is_rust(*variant, &seen.rust[group.index], &answers[group.index]) => {
                Against::Rust
            }
            _ if asked.has_baseline => Against::Baseline,
            _ => Against::Rust,
        };
        let mine = if against == Against::Rust { &seen.rust[group.index] } else { &seen.control[group.index] };
        let mut least = Least {
            arguments: input.arguments.clone(),
            expected: mine.clone(),
            found: answers[group.index].clone(),
            detail: group.detail.clone(),
        };
        // A missing or noisy answer gives no certain way to tell whether a smaller input still fails.
        if matches!(least.detail, Detail::Differences(_)) && !seen.noisy[group.index] {
            let mut pair = least::Pair {
                alone: self.caller(Command::new(&self.alone.display().to_string(), [])),
                host: &mut asked.caller,
                row,
                function: input.function,
                against,
            };
            least = pair.least(least, comparison)?;
        }
        let name = format!("{}-{number}", asked.host);
        let file = case::write_arguments(&self.cases, &name, function, interface, &least.arguments)?;
        let origin = match least.arguments == input.arguments {
            true => input.origin.words(self.seed),
            false => format!("{}, made smaller", input.origin.words(self.seed)),
        };
        let rows = row.map_or("--only functions".to_owned(), |row| format!("--tiers {row}"));
        Ok(Mismatch {
            rows: group.rows.iter().map(|row| seen.rows[*row].label.clone()).collect(),
            alike: group.alike,
            input: self.words(input, &least.arguments),
            size: case::encoded(function, interface, &least.arguments).len(),
            origin,
            counterexample: Counterexample::of_call(
                function,
                interface,
                &least.arguments,
                Pair { expected: &least.expected, got: &least.found, first_difference: least.detail.first() },
                &Hiding::known(self.secrets),
            ),
            diff: least.diff(&comparison.policy(None).bodies),
            detail: least.detail,
            again: format!("{} --hosts {} {rows} --case {}", self.again, asked.host, quoted(&shown(&file))),
            is_noise: seen.noisy[group.index],
        })
    }
}

/// `render("…", 3)`, cut to a readable length. `size` is that of the encoded arguments, in bytes.
pub(crate) fn words(function: &Function, arguments: &[Value], size: usize) -> String {
    const MOST: usize = 200;
    let arguments: Vec<String> = arguments.iter().map(readable).collect();
    let line = format!("{}({})", function.name, arguments.join(", "));
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({size} bytes)", &line[..end]),
        None => line,
    }
}

/// A value in readable form; bytes as text if they are text.
fn readable(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        other => format!("{other:?}"),
    }
}
