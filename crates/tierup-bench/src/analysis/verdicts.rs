//! A verdict on every row, and the sentence that says it.
//!
//! Two measures decide: throughput, and the server's CPU per request, which noise moves least. Throughput goes first
//! where both are clear; where it cannot tell, or the load generator was its limit, CPU per request decides.

use tierup_stats::Finding;

use super::{Analysis, Figure, Sentence, Verdict, marks::generator_bound};
use crate::{
    numbers::{count, ratio, ratio_within, significant},
    record::{Check, Record, Role},
};

pub(super) fn decide(record: &Record, analysis: &mut Analysis, group: usize) {
    let members = analysis.groups[group].rows.clone();
    let reference = analysis.groups[group].reference;
    let ceiling = members.iter().copied().find(|row| record.rows[*row].role == Role::Ceiling);
    let throughput =
        |analysis: &Analysis, row: usize| analysis.cell(row, Figure::Throughput).and_then(|cell| cell.value);
    for row in members.iter().copied() {
        let most = ceiling.and_then(|ceiling| throughput(analysis, ceiling)).filter(|most| *most > 0.0);
        analysis.rows[row].share_of_ceiling = throughput(analysis, row).zip(most).map(|(mine, most)| mine / most);
    }
    let sentences = members.iter().copied().filter(|row| *row != reference).map(|row| {
        let verdict = verdict(record, analysis, row, reference);
        Sentence { row, verdict, text: sentence(record, analysis, row, reference, verdict) }
    });
    analysis.groups[group].verdicts = sentences.collect();
}

fn verdict(record: &Record, analysis: &Analysis, row: usize, reference: usize) -> Verdict {
    if analysis.rows[row].failed() {
        return Verdict::Failed;
    }
    if analysis.rows[reference].failed() {
        return Verdict::CannotTell;
    }
    let find = |figure| analysis.cell(row, figure).and_then(|cell| cell.finding);
    let throughput = match generator_bound(record, row) || generator_bound(record, reference) {
        // At least as good as it looks; by how much, nobody knows.
        true => None,
        false => find(Figure::Throughput),
    };
    combine(throughput.unwrap_or(Finding::Unknown), find(Figure::CpuPerRequest))
}

fn combine(throughput: Finding, cpu: Option<Finding>) -> Verdict {
    use Finding::{Better, NoDifference, NotBetter, NotWorse, Unknown, Worse};
    match (throughput, cpu) {
        (Better, _) => Verdict::Pays,
        (Worse, _) => Verdict::DoesNotPay,
        (_, Some(Better)) => Verdict::Pays,
        (_, Some(Worse)) | (NotBetter, _) => Verdict::DoesNotPay,
        (NoDifference, None | Some(NoDifference)) | (Unknown, Some(NoDifference)) => Verdict::NoDifference,
        (Unknown | NoDifference, Some(NotBetter)) => Verdict::DoesNotPay,
        (NoDifference | NotWorse | Unknown, _) => Verdict::CannotTell,
    }
}

fn sentence(record: &Record, analysis: &Analysis, row: usize, reference: usize, verdict: Verdict) -> String {
    let label = &analysis.rows[row].label;
    let control = &analysis.rows[reference].label;
    if verdict == Verdict::Failed {
        return format!("{label} failed: {}", why_failed(record, analysis, row));
    }
    let compared = |figure| analysis.cell(row, figure).and_then(|cell| Some((cell.ratio?, cell.ratio_interval)));
    let mut parts = Vec::new();
    if analysis.rows[reference].failed() {
        return format!("{label}: cannot tell, as {control} failed");
    }
    if let Some((value, of)) = compared(Figure::Throughput) {
        parts.push(format!("{} the throughput of {control}", ratio_within(value, of)));
    }
    if let Some((value, _)) = compared(Figure::ResponseBytes).filter(|(value, _)| (value - 1.0).abs() > 0.01) {
        parts.push(format!("{} the bytes", ratio(value)));
    }
    let mut text = parts.join(", ");
    let cpu = |row| analysis.cell(row, Figure::CpuPerRequest).and_then(|cell| cell.value);
    if let Some((mine, theirs)) = cpu(row).zip(cpu(reference)) {
        let of = compared(Figure::CpuPerRequest).map(|(value, of)| format!(" ({})", ratio_within(value, of)));
        let separator = if text.is_empty() { "" } else { "; " };
        let of = of.unwrap_or_default();
        text += &format!(
            "{separator}one request costs {} us of CPU instead of {}{of}",
            significant(mine),
            significant(theirs)
        );
    }
    let text = if text.is_empty() { "it was not measured".to_owned() } else { text };
    match (verdict, record.rows[row].role) {
        (_, Role::Ceiling) => {
            format!("{label} is the ceiling, what no change of the function can beat in this server: {text}")
        }
        (Verdict::CannotTell, _) => format!("{label}: cannot tell: {text}"),
        _ => format!("{label} {}: {text}", verdict.words()),
    }
}

pub(super) fn why_failed(record: &Record, analysis: &Analysis, row: usize) -> String {
    match &record.rows[row].check {
        Check::Failed { trouble } => return trouble.what.clone(),
        Check::Different { different, compared, first } => {
            let (different, compared) = (count(*different as f64), count(*compared as f64));
            return format!("it answers {different} of {compared} requests differently, e.g. {first}");
        }
        Check::Same { .. } | Check::Alone => {}
    }
    if let Some(trouble) = analysis.rows[row].troubles.first() {
        return trouble.what.clone();
    }
    let kinds: Vec<_> = analysis.rows[row]
        .failures
        .kinds()
        .into_iter()
        .map(|(kind, times)| format!("{} {kind}", count(times as f64)))
        .collect();
    kinds.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_goes_first_and_cpu_decides_where_it_cannot_tell() {
        use Finding::*;
        assert_eq!(combine(Better, Some(Worse)), Verdict::Pays);
        assert_eq!(combine(Worse, Some(Better)), Verdict::DoesNotPay);
        assert_eq!(combine(Unknown, Some(Better)), Verdict::Pays);
        assert_eq!(combine(Unknown, Some(Worse)), Verdict::DoesNotPay);
        assert_eq!(combine(Unknown, Some(Unknown)), Verdict::CannotTell);
        assert_eq!(combine(Unknown, None), Verdict::CannotTell);
        assert_eq!(combine(NoDifference, None), Verdict::NoDifference);
        assert_eq!(combine(NoDifference, Some(Unknown)), Verdict::CannotTell);
        assert_eq!(combine(Unknown, Some(NoDifference)), Verdict::NoDifference);
        assert_eq!(combine(NotBetter, Some(NotWorse)), Verdict::DoesNotPay);
        // Throughput that may be better and is not worse is more than CPU per request can deny.
        assert_eq!(combine(NotWorse, Some(NoDifference)), Verdict::CannotTell);
    }
}
