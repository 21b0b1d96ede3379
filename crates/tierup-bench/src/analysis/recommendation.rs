//! One recommendation: the highest step that saves more at the user's traffic than it costs ([`Needs`]), how near it is
//! to the ceiling, and what the next step would save. The best row without Rust competes without taking a step. The
//! price of a step is the user's judgement, and the report shows it.

use tierup_report::numbers::{amount, bytes, compared, share, short};

use super::{
    cost, estimates,
    marks::generator_bound,
    need::Needs,
    result::{Analysis, Figure, Group, Verdict},
    sentences::{cpu_of_a_request, why_failed},
};
use crate::record::{Record, Role};

pub(super) fn recommend(record: &Record, analysis: &Analysis, group: usize) -> Option<String> {
    let group = &analysis.groups[group];
    let candidates: Vec<usize> =
        group.rows.iter().copied().filter(|row| record.rows[*row].role == Role::Candidate).collect();
    let control = &analysis.rows[group.reference].label;
    if group.rows.len() > 1 && analysis.rows[group.reference].failed() {
        let why = why_failed(record, analysis, group.reference);
        return Some(format!("No verdict: {control}, the reference for all other rows, failed: {why}."));
    }
    if candidates.is_empty() {
        let ceiling = group.rows.iter().copied().find(|row| record.rows[*row].role == Role::Ceiling)?;
        let money = at_the_peak(record, analysis, (ceiling, group.reference)).unwrap_or_default();
        let beside = estimates::beside(record, analysis, ceiling, control);
        return bound(record, analysis, ceiling, control).map(|bound| bound + &beside + &money);
    }
    let verdict =
        |row: usize| group.verdicts.iter().find(|sentence| sentence.row == row).map(|sentence| sentence.verdict);
    let paying: Vec<usize> = candidates.iter().copied().filter(|row| verdict(*row) == Some(Verdict::Pays)).collect();
    // The best row without Rust, if it is not the reference.
    let against = candidates.iter().find_map(|row| analysis.rows[*row].against.as_ref());
    let tuned = against.map(|against| against.rows[0]).filter(|row| verdict(*row) == Some(Verdict::Pays));
    if paying.is_empty() {
        let any = |wanted: Verdict| candidates.iter().any(|row| verdict(*row) == Some(wanted));
        return Some(none_pays(record, analysis, group, tuned, [any(Verdict::CannotTell), any(Verdict::Mixed)]));
    }
    let needs = Needs::find(record, analysis, group)?;
    let first = tuned.unwrap_or(group.reference);
    let best = needs.worth_taking(first, &paying);
    let mut text = match best == group.reference {
        true => format!("Stay at {control}: no step saves more than it costs."),
        false => taken(record, analysis, best, group),
    };
    text += &match tuned {
        Some(tuned) if best == tuned => {
            " What Rust adds to that is too little for the steps that it takes.".to_owned()
                + &while_it_repeats(analysis, tuned, false)
        }
        _ => over_the_best(analysis, best).unwrap_or_default(),
    };
    text += &needs.words(best, control);
    let money = at_the_peak(record, analysis, (best, group.reference)).filter(|_| best != group.reference);
    text += &money.unwrap_or_default();
    text += &neighbours(record, analysis, &needs, &paying, best);
    Some(text)
}

/// The text if no row with Rust pays. `tuned` is the best row without Rust, if it is not the reference. The array says
/// whether verdicts on rows with Rust are open, and whether they are mixed.
fn none_pays(
    record: &Record,
    analysis: &Analysis,
    group: &Group,
    tuned: Option<usize>,
    [is_open, is_mixed]: [bool; 2],
) -> String {
    let control = &analysis.rows[group.reference].label;
    let Some(tuned) = tuned else {
        return match (is_open, is_mixed) {
            (true, _) => format!(
                "Stay at {control} for now: no row was shown to pay. More blocks give narrower intervals (--blocks, --duration)."
            ),
            (false, true) => {
                format!("Stay at {control}: no step pays, unless the gain of a mixed row is worth its loss to you.")
            }
            (false, false) => format!("Stay at {control}: no step pays."),
        };
    };
    let rest = match (is_open, is_mixed) {
        (true, _) => "Whether Rust adds to that cannot be told; more blocks would tell more (--blocks, --duration).",
        (false, true) => "Rust does not add to that, unless what a mixed row gains is worth what it loses.",
        (false, false) => "Rust adds nothing to that.",
    };
    let money = at_the_peak(record, analysis, (tuned, group.reference)).unwrap_or_default();
    let kept = while_it_repeats(analysis, tuned, !is_open && !is_mixed);
    format!("{} {rest}{kept}{money}", taken(record, analysis, tuned, group))
}

/// What the next step would save, and how much more the previous one needs.
fn neighbours(record: &Record, analysis: &Analysis, needs: &Needs<'_>, paying: &[usize], best: usize) -> String {
    let mut text = String::new();
    let step = |row: usize| record.rows[row].step;
    let next = paying.iter().copied().filter(|row| step(*row) > step(best)).min_by_key(|row| step(*row));
    if let Some(next) = next {
        let label = &analysis.rows[next].label;
        text += &match needs.is_less(next, best) {
            false => format!(" The next step, {label}, would save nothing"),
            true => format!(" The next step, {label}, {}", needs.next(next, best)),
        };
        let memory = |row| analysis.cell(row, Figure::Memory).and_then(|cell| cell.value).filter(|value| *value > 0.0);
        text += &match memory(next).zip(memory(best)) {
            Some((next, best)) => format!(", with {}.", compared(next / best, None, "memory", "")),
            None => ".".to_owned(),
        };
    }
    let lower = paying.iter().copied().filter(|row| step(*row) < step(best)).max_by_key(|row| step(*row));
    if let Some(lower) = lower {
        let label = &analysis.rows[lower].label;
        text += &format!(" The previous step, {label}, needs {} more.", needs.between(lower, best));
    }
    text
}

/// The condition under which a row that keeps answers may be taken; empty for other rows.
fn while_it_repeats(analysis: &Analysis, row: usize, beats_rust: bool) -> String {
    let Some(kept) = &analysis.rows[row].kept else { return String::new() };
    let (answers, memory, hits) = (kept.answers(), bytes(kept.bytes as f64), share(kept.hit_rate()));
    match beats_rust {
        true => format!(
            " Memoising {answers} ({memory}) beats Rust on this traffic, as long as it repeats as these requests do: {hits} of \
             calls were answered from memory."
        ),
        false => format!(
            " That holds as long as traffic repeats as these requests do: {hits} of calls were answered from memory, which kept \
             {answers} ({memory})."
        ),
    }
}

/// What a row costs the user, if they named prices.
fn at_the_peak(record: &Record, analysis: &Analysis, rows: (usize, usize)) -> Option<String> {
    let at_least = if record.rows[rows.0].role == Role::Ceiling { "at least " } else { "" };
    cost::instead(record, analysis, rows).map(|instead| format!(" At your peak: {at_least}{instead}."))
}

/// What a row with Rust adds to the best row without it, if that is not the reference.
fn over_the_best(analysis: &Analysis, row: usize) -> Option<String> {
    let against = analysis.rows[row].against.as_ref()?;
    let named = against.named(analysis);
    let times = |figure, what| against.times(figure).map(|times| compared(times.ratio, times.interval, what, &named));
    let words = times(Figure::CpuPerRequest, "CPU").or_else(|| times(Figure::Throughput, "throughput"))?;
    Some(format!(" That is {words}, which has no Rust."))
}

/// The limit of any rewrite, if the ceiling is the only row besides the reference.
fn bound(record: &Record, analysis: &Analysis, ceiling: usize, control: &str) -> Option<String> {
    let label = &analysis.rows[ceiling].label;
    if analysis.rows[ceiling].failed() {
        let why = why_failed(record, analysis, ceiling);
        return Some(format!("The limit of a rewrite is unknown, because {label}, which measures it, failed: {why}."));
    }
    let cell = analysis.cell(ceiling, Figure::Throughput)?;
    let reached = compared(cell.ratio?, cell.ratio_interval, "throughput", control);
    Some(if generator_bound(record, ceiling) {
        format!("A rewrite may reach at least {reached} at this load: the load generator was the limit of {label}.")
    } else {
        format!(
            "A function that cost nothing would give {reached} at this load: the rest of the time goes into the server around it."
        )
    })
}

fn taken(record: &Record, analysis: &Analysis, row: usize, group: &Group) -> String {
    let (label, control) = (&analysis.rows[row].label, &analysis.rows[group.reference].label);
    let of = |row: usize, figure| analysis.cell(row, figure);
    let ratio = |row: usize, figure| of(row, figure).and_then(|cell| cell.ratio);
    let cpu = ratio(row, Figure::CpuPerRequest).and_then(|ratio| {
        let value = |row| of(row, Figure::CpuPerRequest).and_then(|cell| cell.value);
        Some(cpu_of_a_request((value(row)?, value(group.reference)?), Some((ratio, amount(ratio, None)))))
    });
    let throughput = ratio(row, Figure::Throughput).map(|ratio| compared(ratio, None, "throughput", control));
    let ceiling = group.rows.iter().copied().find(|row| record.rows[*row].role == Role::Ceiling);
    let ceiling = ceiling.and_then(|row| ratio(row, Figure::Throughput)).zip(analysis.rows[row].share_of_ceiling);
    let ceiling = ceiling.map(|(most, share)| match share {
        share if share > 1.0 => format!("more than the {} that a function that cost nothing would give", short(most)),
        _ => format!("a function that cost nothing would give {}", short(most)),
    });
    let parts = [cpu, throughput, ceiling].into_iter().flatten().collect::<Vec<_>>();
    format!("Take {label}: {}.", parts.join("; "))
}
