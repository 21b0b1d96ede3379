//! A verdict on every row of a group, with its sentence and its share of the ceiling. In: an analysis whose cells are
//! known. Out: the same with verdicts.

use super::{
    evidence::Evidence,
    marks::generator_bound,
    result::{Analysis, Figure, Sentence, Verdict},
    sentences::sentence,
};
use crate::record::{Record, Role};

pub(super) fn decide(record: &Record, analysis: &mut Analysis, group: usize) {
    let members = analysis.groups[group].rows.clone();
    let reference = analysis.groups[group].reference;
    // A ceiling that failed, or whose limit was the load generator, bounds nothing.
    let bounds = |row: usize| !analysis.rows[row].failed() && !generator_bound(record, row);
    let ceiling = members.iter().copied().find(|row| record.rows[*row].role == Role::Ceiling && bounds(*row));
    let throughput =
        |analysis: &Analysis, row: usize| analysis.cell(row, Figure::Throughput).and_then(|cell| cell.value);
    for row in members.iter().copied() {
        let most = ceiling.and_then(|ceiling| throughput(analysis, ceiling)).filter(|most| *most > 0.0);
        analysis.rows[row].share_of_ceiling = throughput(analysis, row).zip(most).map(|(mine, most)| mine / most);
    }
    let sentences = members.iter().copied().filter(|row| *row != reference).map(|row| {
        let evidence = Evidence::of(record, analysis, row, reference);
        let verdict = match evidence.verdict() {
            Verdict::Pays | Verdict::Mixed if analysis.rows[row].is_flattered() => Verdict::CannotTell,
            verdict => verdict,
        };
        Sentence { row, verdict, text: sentence(record, analysis, (row, reference), (&evidence, verdict)) }
    });
    analysis.groups[group].verdicts = sentences.collect();
}
