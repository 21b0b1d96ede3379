//! Writes a verdict in plain words, with the figures that it is based on and those that a reader will ask for.

use tierup_report::numbers::{self, amount, amount_close, count, percent_over_one, short};
use tierup_stats::Finding;

use super::{
    evidence::{Beside, Compared, Evidence, beside, judged_by},
    kept::Kept,
    marks,
    result::{Analysis, Figure, Verdict},
};
use crate::record::{Check, Record, Role};

pub(super) fn sentence(
    record: &Record,
    analysis: &Analysis,
    (row, reference): (usize, usize),
    (evidence, verdict): (&Evidence, Verdict),
) -> String {
    let label = record.rows[row].named();
    let compared = match evidence {
        Evidence::Failed => return format!("{label} failed: {}", why_failed(record, analysis, row)),
        Evidence::ReferenceFailed => {
            return format!("{label}: cannot tell, because {} failed", analysis.rows[reference].label);
        }
        Evidence::Compared(compared) => compared,
    };
    let control = control(analysis, (row, reference));
    let label = if analysis.rows[row].against.is_some() { format!("{label} against {control}") } else { label };
    let mut figures = figures(record, analysis, (row, reference), compared) + &cold(record, analysis, (row, reference));
    let kept = analysis.rows[row].kept.as_ref();
    figures.extend(kept.map(|kept| format!("; {}", kept.words())));
    if record.rows[row].role == Role::Ceiling {
        return format!("{label} is the ceiling, the limit for any rewrite of the function in this server: {figures}");
    }
    let cannot_carry = compared.cannot_carry.map(|rate| format!("cannot carry {} req/s", numbers::rate(rate)));
    let words = |verdict: Verdict| verdict.words_of(record.rows[row].role);
    match verdict {
        Verdict::Mixed => format!("{label} is mixed: {}: {figures}", conflict(compared, cannot_carry)),
        Verdict::CannotTell if kept.is_some_and(|kept| kept.is_flattered) => {
            let why = kept.map(Kept::flattered).unwrap_or_default();
            format!("{label}: cannot tell, because {why}: {figures}")
        }
        Verdict::CannotTell => {
            format!("{label}: cannot tell, {}: {figures}", open_question(compared.finding, record.settings.threshold))
        }
        Verdict::DoesNotPay => match cannot_carry {
            Some(cannot) => format!("{label} {}: it {cannot}, but {control} can: {figures}", words(verdict)),
            None => format!("{label} {}: {figures}", words(verdict)),
        },
        Verdict::NoDifference if told_apart(analysis, (row, reference), compared.by).is_some() => {
            format!("{label} makes no difference that matters: {figures}")
        }
        verdict => format!("{label} {}: {figures}", words(verdict)),
    }
}

/// The name of the row that a row is compared with.
fn control(analysis: &Analysis, (row, reference): (usize, usize)) -> String {
    let against = analysis.rows[row].against.as_ref();
    against.map_or_else(|| analysis.rows[reference].label.clone(), |against| against.named(analysis))
}

/// The figures of a row, the deciding one first.
fn figures(record: &Record, analysis: &Analysis, (row, reference): (usize, usize), compared: &Compared) -> String {
    let control = control(analysis, (row, reference));
    let threshold = percent_over_one(record.settings.threshold);
    let pair = (row, reference);
    let close = |figure: Figure| {
        let decides = compared.by == figure && compared.finding == Finding::NoDifference;
        let (value, ends) = told_apart(analysis, pair, figure).filter(|_| decides)?;
        Some((amount_close(value, ends), format!(", told apart but within {threshold}")))
    };
    let mine = analysis.cell(row, Figure::CpuPerRequest).and_then(|cell| cell.value);
    let theirs = match beside(analysis, pair, Figure::CpuPerRequest) {
        Some(beside) => beside.other,
        None => analysis.cell(reference, Figure::CpuPerRequest).and_then(|cell| cell.value),
    };
    let cpu = mine.zip(theirs).map(|figures| {
        let close = close(Figure::CpuPerRequest).map(|(by, apart)| by + &apart);
        let by = |beside: Beside| (beside.ratio, close.unwrap_or_else(|| amount(beside.ratio, beside.ends)));
        cpu_of_a_request(figures, beside(analysis, pair, Figure::CpuPerRequest).map(by))
    });
    let throughput = beside(analysis, pair, Figure::Throughput).map(|beside| match close(Figure::Throughput) {
        Some((by, apart)) => format!("{by} throughput than {control}{apart}"),
        None => numbers::compared(beside.ratio, beside.ends, "throughput", &control),
    });
    let bytes = analysis.cell(row, Figure::ResponseBytes).and_then(|cell| cell.ratio);
    let bytes =
        bytes.filter(|value| (value - 1.0).abs() > 0.01).map(|value| numbers::compared(value, None, "data", ""));
    let served = [throughput, bytes].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let served = Some(served).filter(|text| !text.is_empty());
    let parts = match compared.by {
        Figure::CpuPerRequest => [cpu, served],
        _ => [served, cpu],
    };
    let text = parts.into_iter().flatten().chain(of_reference(analysis, pair)).collect::<Vec<_>>().join("; ");
    if text.is_empty() { "no figures".to_owned() } else { text }
}

/// The ratios to the reference, as in the table, of a row that is compared with another row.
fn of_reference(analysis: &Analysis, (row, reference): (usize, usize)) -> Option<String> {
    analysis.rows[row].against.as_ref()?;
    let reference = &analysis.rows[reference].label;
    let of = |figure: Figure, what: &str| Some(numbers::compared(analysis.cell(row, figure)?.ratio?, None, what, ""));
    let both = [of(Figure::CpuPerRequest, "CPU"), of(Figure::Throughput, "throughput")];
    let both = both.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!both.is_empty()).then(|| format!("against {reference}, {both}"))
}

/// `a request costs 28 us of CPU instead of 2,490: 89 times less`, from the figures of two rows and their ratio in
/// words.
pub(super) fn cpu_of_a_request((mine, theirs): (f64, f64), by: Option<(f64, String)>) -> String {
    let instead =
        if by.as_ref().is_some_and(|(ratio, _)| numbers::is_same(*ratio)) { "as against" } else { "instead of" };
    let by = by.map(|(_, words)| format!(": {words}")).unwrap_or_default();
    format!("a request costs {} us of CPU {instead} {}{by}", short(mine), short(theirs))
}

/// Which of the two rows was still warming up when it was measured.
fn cold(record: &Record, analysis: &Analysis, (row, reference): (usize, usize)) -> String {
    let label = |row: usize| analysis.rows[row].label.as_str();
    let control = judged_by(analysis, row, reference).into_iter().find(|control| marks::cold(record, *control));
    match (marks::cold(record, row), control.is_some()) {
        (false, false) => String::new(),
        (true, false) => format!("; {} was still warming up", label(row)),
        (false, true) => format!("; {} was still warming up", label(control.unwrap_or(reference))),
        (true, true) => "; both were still warming up".to_owned(),
    }
}

/// The ratio and its interval, if the interval excludes 1.
fn told_apart(analysis: &Analysis, pair: (usize, usize), by: Figure) -> Option<(f64, (f64, f64))> {
    let beside = beside(analysis, pair, by)?;
    let (value, ends) = (beside.ratio, beside.ends?);
    (ends.0 > 1.0 || ends.1 < 1.0).then_some((value, ends))
}

fn conflict(compared: &Compared, cannot_carry: Option<String>) -> String {
    let side = |finding: Option<Finding>, better: &'static str, worse: &'static str, same: &'static str| match finding {
        Some(Finding::Better | Finding::Ahead) => better,
        Some(Finding::Worse | Finding::Behind) => worse,
        _ => same,
    };
    let mine = match compared.by {
        Figure::CpuPerRequest => side(Some(compared.finding), "less CPU", "more CPU", "the same CPU"),
        _ => side(Some(compared.finding), "more throughput", "less throughput", "the same throughput"),
    };
    match cannot_carry {
        Some(cannot) => format!("{mine}, but it {cannot}"),
        None => format!("{mine}, but {} throughput", side(compared.throughput, "more", "less", "the same")),
    }
}

/// The question that more blocks would answer.
fn open_question(finding: Finding, threshold: f64) -> String {
    let percent = percent_over_one(threshold);
    match finding {
        Finding::Ahead => format!("it is better, but perhaps by less than {percent}"),
        Finding::NotWorse => "it may be better or the same".to_owned(),
        Finding::NotBetter => format!("it is not better by {percent}, but may be worse"),
        _ => "it may be better or worse".to_owned(),
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
