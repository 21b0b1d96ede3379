//! Splits a group's gain into its causes: better code in the server's own language, Rust, the way it is called, another
//! algorithm, another server. In: a [`Record`] and the cells of its analysis. Out: [`Gain`], the CPU of a request as a
//! waterfall.
//!
//! All figures are means over the same blocks, so that the parts add up, and each difference is paired within blocks. A
//! row that was not measured, or failed, has no part: the next part then starts at the row before it.

use tierup_report::numbers::short;
use tierup_stats::{Blocks, Confidence, mean};

use super::{
    parts::{Cause, Gain, Part},
    result::{Analysis, Figure, Group},
};
use crate::record::{Change, Record, Role};

/// `None` if fewer than two blocks have all rows, or the rows do not say what they change.
pub(super) fn account(record: &Record, analysis: &Analysis, group: &Group) -> Option<Gain> {
    let reference = group.reference;
    let is_known = |row: &usize| {
        let has_a_part = record.rows[*row].change.is_some() || record.rows[*row].role == Role::Ceiling;
        !analysis.rows[*row].failed() && (has_a_part || *row == reference)
    };
    let rows: Vec<usize> = group.rows.iter().copied().filter(is_known).collect();
    // If the reference itself is a changed server, the steps between rows have other causes than these.
    if record.rows[reference].change.is_some() || !rows.contains(&reference) {
        return None;
    }
    let costs = Costs::sum(analysis, &rows)?;
    let steps = steps(record, reference, &rows, &costs);
    let confidence = Confidence::default().shared_by(steps.len().max(1) as u32);
    let part = |step: Step| {
        let (from, row) = (costs.of_row(step.from)?, costs.of_row(step.row)?);
        // Positive if the row takes less.
        let saved = Blocks { candidate: from, control: row }.difference(confidence).ok()?;
        let interval = saved.interval.map(|ends| (ends.low, ends.high))?;
        let name = format!("{} ({})", step.name, analysis.rows[step.row].label);
        let (before, after) = (mean(from).ok()?, mean(row).ok()?);
        let Step { cause, from, row, .. } = step;
        Some(Part { cause, name, from, before, row, after, saved: saved.value, interval })
    };
    let parts = steps.into_iter().map(part).collect::<Option<Vec<Part>>>().filter(|parts| !parts.is_empty())?;
    let ceiling = rows.iter().copied().find(|row| record.rows[*row].role == Role::Ceiling);
    let floor = ceiling.and_then(|row| Some((row, costs.mean(row)?)));
    let mut gain = Gain { reference: costs.mean(reference)?, parts, floor, sentence: String::new() };
    gain.sentence = sentence(&gain, analysis, reference);
    Some(gain)
}

/// The CPU per request of each row, in each block in which all rows were measured.
struct Costs(Vec<(usize, Vec<f64>)>);

impl Costs {
    fn sum(analysis: &Analysis, rows: &[usize]) -> Option<Costs> {
        let cells: Vec<_> = rows.iter().map(|row| analysis.cell(*row, Figure::CpuPerRequest)).collect::<Option<_>>()?;
        let blocks = cells.iter().map(|cell| cell.blocks.len()).min()?;
        let complete: Vec<usize> =
            (0..blocks).filter(|block| cells.iter().all(|cell| cell.blocks[*block].is_some())).collect();
        let of = |(row, cell): (&usize, &&super::result::Cell)| {
            (*row, complete.iter().filter_map(|block| cell.blocks[*block]).collect::<Vec<f64>>())
        };
        Some(Costs(rows.iter().zip(&cells).map(of).collect()))
    }

    fn of_row(&self, row: usize) -> Option<&[f64]> {
        self.0.iter().find(|(other, _)| *other == row).map(|(_, costs)| &costs[..])
    }

    fn mean(&self, row: usize) -> Option<f64> {
        mean(self.of_row(row)?).ok()
    }
}

/// A part without its figures.
struct Step {
    cause: Cause,
    name: String,
    from: usize,
    row: usize,
}

/// The steps from the reference upwards, then the other implementations. Rows are chosen by their place, not by their
/// figures, because the best of several would also be the luckiest.
fn steps(record: &Record, reference: usize, rows: &[usize], costs: &Costs) -> Vec<Step> {
    let change = |row: usize| record.rows[row].change.as_ref();
    let mut steps = Vec::new();
    let mut last = reference;
    for row in rows.iter().copied() {
        if let Some(Change::Code { language }) = change(row) {
            steps.push(Step { cause: Cause::Code, name: format!("better {language}"), from: reference, row });
            // Rust is compared with the better one of the tuned row and the reference.
            last = if costs.mean(row) < costs.mean(reference) { row } else { reference };
            break;
        }
    }
    let mut ladder: Vec<usize> = rows.iter().copied().filter(|row| change(*row) == Some(&Change::Language)).collect();
    ladder.sort_by_key(|row| record.rows[*row].step);
    ladder.dedup_by_key(|row| record.rows[*row].step);
    for (place, row) in ladder.into_iter().enumerate() {
        let (cause, name) = if place == 0 { (Cause::Language, "Rust") } else { (Cause::Crossing, "the crossing") };
        steps.push(Step { cause, name: name.to_owned(), from: last, row });
        last = row;
    }
    if let Some(row) = rows.iter().copied().find(|row| change(*row) == Some(&Change::Server)) {
        steps.push(Step { cause: Cause::Server, name: "a server in Rust".to_owned(), from: last, row });
    }
    for row in rows.iter().copied() {
        let Some(Change::Algorithm { of }) = change(row) else { continue };
        let base = rows.iter().copied().find(|base| record.rows[*base].label == *of);
        let name = "another algorithm".to_owned();
        steps.extend(base.map(|from| Step { cause: Cause::Algorithm, name, from, row }));
    }
    steps
}

fn sentence(gain: &Gain, analysis: &Analysis, reference: usize) -> String {
    let label = |row: usize| &analysis.rows[row].label;
    let mut clauses = vec![format!("{} takes {} us of CPU a request", label(reference), short(gain.reference))];
    clauses.extend(gain.parts.iter().map(|part| match part.cause {
        Cause::Algorithm => format!("of {}, {} {}", label(part.from), part.name, part.effect()),
        _ => format!("{} {}", part.name, part.effect()),
    }));
    clauses.extend(
        gain.floor.map(|(row, takes)| {
            format!("a function that cost nothing would leave {} us ({})", short(takes), label(row))
        }),
    );
    format!("Where the gain comes from: {}.", clauses.join("; "))
}
