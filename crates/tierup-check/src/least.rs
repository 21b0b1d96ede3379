//! Reduces a mismatch to the smallest arguments at which a row still differs.

use std::time::{Duration, Instant};

use tierup_codegen::{Row, Tier, Variant, abi::Value, shims};
use tierup_diagnostic::Result;
use tierup_parity::{
    Call, Comparator, ErrorBodies, Finding, Observation, Outcome, Parameters, Policy, Seen, compare, diff, smallest,
};

use super::{caller::Caller, case, comparison::Comparison, report::Detail};

/// Whose answer a row must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// That of the function called from Rust, byte for byte.
    Rust,
    /// That of tier 0, by the project's rules.
    Baseline,
}

/// A row, and what to compare it with.
pub(crate) struct Pair<'a, 'b> {
    pub(crate) alone: Caller<'a>,
    pub(crate) host: &'a mut Caller<'b>,
    /// `None` is the function in Rust, without a host.
    pub(crate) row: Option<&'a Row>,
    /// Index into the interface's functions.
    pub(crate) function: usize,
    pub(crate) against: Against,
}

/// Arguments with different answers, and both answers.
pub(crate) struct Least {
    pub(crate) arguments: Vec<Value>,
    pub(crate) expected: Observation,
    pub(crate) found: Observation,
    pub(crate) detail: Detail,
}

/// Maximum number of smaller inputs to try for one mismatch.
const MOST: usize = 200;
/// The time limit for trying them: a call may take seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// Part of Wasm's error for sizes above 32 bits.
const TOO_LARGE: &str = "a size does not fit this machine";

impl Pair<'_, '_> {
    /// Reduces the arguments, starting from those of the mismatch.
    pub(crate) fn least(&mut self, mut least: Least, comparison: &mut Comparison) -> Result<Least> {
        let interface = self.host.interface;
        let function = &interface.functions[self.function];
        let mut failure = None;
        let deadline = Instant::now() + PATIENCE;
        smallest(&least.arguments.clone(), function, interface, MOST, |smaller| {
            if failure.is_some() || Instant::now() >= deadline {
                return false;
            }
            match self.differs(smaller, comparison) {
                Ok(Some(found)) => {
                    least = found;
                    true
                }
                Ok(None) => false,
                Err(error) => {
                    failure.get_or_insert(error);
                    false
                }
            }
        });
        failure.map_or(Ok(least), Err)
    }

    fn differs(&mut self, arguments: &[Value], comparison: &mut Comparison) -> Result<Option<Least>> {
        let interface = self.host.interface;
        let bytes = case::encoded(&interface.functions[self.function], interface, arguments);
        let found = match self.row {
            Some(row) => self.host.call(&row.to_string(), self.function, &bytes)?,
            None => self.alone.call(shims::ALONE, self.function, &bytes)?,
        };
        let expected = match self.against {
            Against::Rust => self.alone.call(shims::ALONE, self.function, &bytes)?,
            Against::Baseline => self.host.call(&Row::Baseline(None).to_string(), self.function, &bytes)?,
        };
        let finding = match (self.against, self.row) {
            (Against::Rust, Some(Row::Variant(variant))) => as_rust(*variant, &expected, &found),
            _ => comparison.find(None, &expected, &found),
        };
        let detail = Detail::from_finding(&finding).filter(|detail| matches!(detail, Detail::Differences(_)));
        Ok(detail.map(|detail| Least { arguments: arguments.to_vec(), expected, found, detail }))
    }
}

impl Least {
    /// Both answers, as a unified diff.
    pub(crate) fn diff(&self, comparator: &Comparator) -> String {
        match (self.expected.body(), self.found.body()) {
            // A line-by-line diff of bodies for a normalizer would tell people nothing.
            _ if matches!(self.detail, Detail::Error(_)) || matches!(comparator, Comparator::Normalized(_)) => {
                String::new()
            }
            (Some(expected), Some(found)) => diff(expected, found, comparator),
            _ => String::new(),
        }
    }
}

pub(crate) fn is_rust(variant: Variant, rust: &Observation, found: &Observation) -> bool {
    matches!(as_rust(variant, rust, found), Finding::Same | Finding::Skipped(_))
}

/// Whether a Rust row gives the same answer as the function called from Rust. Any two panics are alike, as their
/// message contains a source path that differs between builds.
pub(crate) fn as_rust(variant: Variant, rust: &Observation, found: &Observation) -> Finding {
    let exact = Policy {
        bodies: Comparator::Exact,
        errors: ErrorBodies::Exact,
        parameters: Parameters::Compared,
        ..Policy::default()
    };
    if let (Seen::Call(Call { outcome: Outcome::Panic(_), .. }), Seen::Call(Call { outcome: Outcome::Panic(_), .. })) =
        (&rust.seen, &found.seen)
    {
        return Finding::Same;
    }
    if let Seen::Call(Call { outcome: Outcome::Refused(words), .. }) = &found.seen
        && variant.tier() == Tier::Wasm
        && words.contains(TOO_LARGE)
    {
        return Finding::Skipped("a size beyond 32 bits, which Wasm does not have".to_owned());
    }
    match compare(rust, found, &exact) {
        Finding::Mismatch(mut differences) => {
            for difference in &mut differences.list {
                difference.note.get_or_insert_with(|| "differs from the same function called from Rust".to_owned());
            }
            Finding::Mismatch(differences)
        }
        other => other,
    }
}
