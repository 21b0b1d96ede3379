//! One recommendation: the row with the best return, how much of the ceiling it reaches, and what the next step would
//! add.
//!
//! A step up the ladder is a cost that nobody has measured: another toolchain in the build, another way to fail, another
//! server to run. So each step must multiply the gain by [`A_STEP`] to be worth it (the gain in CPU per request, where
//! that decides), and the row with the greatest gain after that discount is recommended. The best row without Rust
//! competes, and takes no step. The discount is a judgement, and the report says so.

use tierup_report::numbers::{amount, bytes, compared, share, short};

use super::{
    cost, estimates,
    evidence::deciding,
    marks::generator_bound,
    result::{Analysis, Figure, Group, Verdict},
    sentences::{cpu_of_a_request, why_failed},
};
use crate::record::{Record, Role};

/// What a step must gain.
const A_STEP: f64 = 1.25;

pub(super) fn of(record: &Record, analysis: &Analysis, group: usize) -> Option<String> {
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
    let gain = |row: usize| gain(analysis, row);
    let worth = |row: usize| gain(row) / A_STEP.powi(i32::from(record.rows[row].step));
    // The best without Rust, where that is not the reference.
    let against = candidates.iter().find_map(|row| analysis.rows[*row].against.as_ref());
    let tuned = against.map(|against| against.rows[0]).filter(|row| verdict(*row) == Some(Verdict::Pays));
    let most_worth = paying.iter().copied().max_by(|one, other| worth(*one).total_cmp(&worth(*other)));
    let Some(best_with_rust) = most_worth else {
        let any = |wanted: Verdict| candidates.iter().any(|row| verdict(*row) == Some(wanted));
        if let Some(tuned) = tuned {
            let rest = match (any(Verdict::CannotTell), any(Verdict::Mixed)) {
                (true, _) => {
                    "Whether Rust adds to that cannot be told; more blocks would tell more (--blocks, --duration)."
                }
                (false, true) => "Rust does not add to that, unless what a mixed row gains is worth what it loses.",
                (false, false) => "Rust adds nothing to that.",
            };
            let money = at_the_peak(record, analysis, (tuned, group.reference)).unwrap_or_default();
            let kept = while_it_repeats(analysis, tuned, !any(Verdict::CannotTell) && !any(Verdict::Mixed));
            return Some(format!("{} {rest}{kept}{money}", taken(record, analysis, tuned, group)));
        }
        return Some(match (any(Verdict::CannotTell), any(Verdict::Mixed)) {
            (true, _) => format!(
                "Stay at {control} for now: no row was shown to pay. More blocks give narrower intervals (--blocks, --duration)."
            ),
            (false, true) => {
                format!("Stay at {control}: no step pays, unless the gain of a mixed row is worth its loss to you.")
            }
            (false, false) => format!("Stay at {control}: no step pays."),
        });
    };
    let tuned_wins = tuned.filter(|tuned| worth(*tuned) >= worth(best_with_rust));
    let best = tuned_wins.unwrap_or(best_with_rust);
    let mut text = taken(record, analysis, best, group);
    text += &match tuned_wins {
        Some(tuned) => {
            " What Rust adds to that is too little for the steps that it takes.".to_owned()
                + &while_it_repeats(analysis, tuned, false)
        }
        None => over_the_best(analysis, best).unwrap_or_default(),
    };
    text += &at_the_peak(record, analysis, (best, group.reference)).unwrap_or_default();
    let step = |row: usize| record.rows[row].step;
    let next = paying.iter().copied().filter(|row| step(*row) > step(best)).min_by_key(|row| step(*row));
    if let Some(next) = next {
        let more = gain(next) / gain(best);
        let label = &analysis.rows[next].label;
        text += &match deciding(analysis, next) {
            _ if more < 1.01 => format!(" The next step, {label}, would gain nothing"),
            Figure::CpuPerRequest => {
                format!(" The next step, {label}, would save {} of its CPU", share(1.0 - 1.0 / more))
            }
            _ => format!(" The next step, {label}, would have {}", compared(more, None, "throughput", "it")),
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
        text += &match deciding(analysis, lower) {
            Figure::CpuPerRequest => {
                format!(" The previous step, {label}, costs {} CPU.", amount(gain(best) / gain(lower), None))
            }
            _ => format!(" The previous step, {label}, has {} of its throughput.", share(gain(lower) / gain(best))),
        };
    }
    Some(text)
}

/// The condition under which a row that keeps answers may be taken; nothing for another row.
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

/// What a row costs the user, where they named prices.
fn at_the_peak(record: &Record, analysis: &Analysis, rows: (usize, usize)) -> Option<String> {
    let at_least = if record.rows[rows.0].role == Role::Ceiling { "at least " } else { "" };
    cost::instead(record, analysis, rows).map(|instead| format!(" At your peak: {at_least}{instead}."))
}

/// What a row with Rust adds to the best without it, where that is not the reference.
fn over_the_best(analysis: &Analysis, row: usize) -> Option<String> {
    let against = analysis.rows[row].against.as_ref()?;
    let named = against.named(analysis);
    let times = |figure, what| against.times(figure).map(|times| compared(times.ratio, times.interval, what, &named));
    let words = times(Figure::CpuPerRequest, "CPU").or_else(|| times(Figure::Throughput, "throughput"))?;
    Some(format!(" That is {words}, which has no Rust."))
}

/// What no rewrite can beat, where there is nothing but the recorded answers beside the reference.
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

/// How many times better than the reference, by what decides on the row.
fn gain(analysis: &Analysis, row: usize) -> f64 {
    let by = deciding(analysis, row);
    let ratio = analysis.cell(row, by).and_then(|cell| cell.ratio).unwrap_or(1.0);
    if by == Figure::CpuPerRequest { 1.0 / ratio } else { ratio }
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
