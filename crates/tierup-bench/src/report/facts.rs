//! The facts beside the figures: when, where and how they were measured. In: a [`Record`]. Out: pairs of a name and a
//! value, for a list in any report.

use tierup_report::{
    numbers::{self, counted},
    table::Fact,
};

use crate::record::{Busyness, Check, Memory, MemorySample, Order, Provenance, RateFrom, Record};

/// When it was measured, to the minute: `2026-11-21 09:44 UTC`.
pub(super) fn moment(began: &str) -> String {
    match (began.get(..10), began.get(10..11), began.get(11..16), began.ends_with('Z')) {
        (Some(day), Some("T" | " "), Some(minute), true) => format!("{day} {minute} UTC"),
        _ => began.to_owned(),
    }
}

/// How much was measured: `6 rows, 5 blocks, 7 min 12 s`.
pub(super) fn extent(record: &Record) -> String {
    let (done, planned) = (record.blocks.len(), record.settings.blocks);
    let blocks = if record.provenance.interrupted || done != planned {
        format!("{done} of {}", counted(planned, "block"))
    } else {
        counted(done, "block")
    };
    format!("{}, {blocks}, {}", counted(record.rows.len(), "row"), numbers::duration(record.provenance.seconds))
}

/// The machine in one line.
pub(super) fn machine(Provenance { environment, .. }: &Provenance) -> String {
    let versions = environment.versions.iter().map(|(program, version)| format!("{program} {version}"));
    let mut parts = vec![
        format!("{} (may use {} processors)", environment.processor, numbers::plain(environment.processors)),
        environment.kernel.clone(),
    ];
    parts.extend(versions);
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// The machine, its programs, and what else it did.
pub(super) fn environment(record: &Record) -> Vec<Fact> {
    let environment = &record.provenance.environment;
    let mut facts = hardware(record);
    facts.extend(versions(record));
    facts.push(fact("other work before", busyness(&environment.before)));
    facts.push(fact("other work after", busyness(&environment.after)));
    facts.extend(environment.lacks.iter().map(|lack| fact("not measured here", lack)));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The facts by which two machines differ.
pub(super) fn hardware(record: &Record) -> Vec<Fact> {
    let environment = &record.provenance.environment;
    vec![
        fact("processor", &environment.processor),
        fact("processors it may use", numbers::plain(environment.processors)),
        fact("memory", numbers::bytes(environment.memory as f64)),
        fact("kernel", &environment.kernel),
    ]
}

pub(super) fn versions(record: &Record) -> Vec<Fact> {
    record.provenance.environment.versions.iter().map(|(program, version)| fact(program, version)).collect()
}

/// How it was measured, without the random choices.
pub(super) fn settings(record: &Record) -> Vec<Fact> {
    let settings = &record.settings;
    let unpinned = "not pinned";
    let open = match settings.rate {
        Some(rate) => format!("{} req/s, {}", numbers::rate(rate), rate_from(settings.rate_from)),
        None => "none: no row had a throughput to derive it from".to_owned(),
    };
    vec![
        fact("requests", requests(record)),
        fact("blocks", format!("{}{}", settings.blocks, if settings.quick { " (quick)" } else { "" })),
        fact("closed loop", counted(settings.connections, "connection")),
        fact("open loop", open),
        fact(
            "slices",
            format!(
                "{} closed, {} open",
                numbers::duration(settings.closed_seconds),
                numbers::duration(settings.open_seconds)
            ),
        ),
        fact("timeout", numbers::duration(settings.timeout_seconds)),
        fact("generating threads", settings.workers),
        fact("servers run on", settings.server_processors.as_deref().unwrap_or(unpinned)),
        fact("generator runs on", settings.generator_processors.as_deref().unwrap_or(unpinned)),
        fact("smallest change that counts", numbers::percent_over_one(settings.threshold)),
    ]
}

/// How many processes and threads a row's server had, and how much memory they took: medians over the blocks.
pub(super) fn processes(record: &Record, row: usize) -> Option<String> {
    let all: Vec<Memory> = record.blocks.iter().filter_map(|block| block.rows.get(row)?.memory).collect();
    let middle = |value: &dyn Fn(&Memory) -> Option<u64>| {
        let mut values: Vec<u64> = all.iter().filter_map(value).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied()
    };
    let at_each_time = |name: &str, of: fn(&MemorySample) -> Option<u64>| {
        let idle = middle(&|memory| of(&memory.idle)).map(|bytes| (bytes, "idle"));
        let peak = middle(&|memory| of(&memory.peak)).map(|bytes| (bytes, "at most"));
        let end = middle(&|memory| of(&memory.end)).map(|bytes| (bytes, "at the end"));
        let known = [idle, peak, end].into_iter().flatten();
        let words: Vec<String> =
            known.map(|(bytes, time)| format!("{} {time}", numbers::bytes(bytes as f64))).collect();
        (!words.is_empty()).then(|| format!("{name} {}", words.join(", ")))
    };
    let processes = middle(&|memory| Some(memory.peak.processes.into()))?;
    let threads = middle(&|memory| Some(memory.peak.threads.into()))?;
    let many = |number: u64, word| counted(usize::try_from(number).unwrap_or(usize::MAX), word);
    let mut words = vec![format!("{} with {}", many(processes, "process"), many(threads, "thread"))];
    words.extend(at_each_time("PSS", |sample| sample.proportional));
    words.extend(at_each_time("RSS", |sample| Some(sample.resident)));
    Some(words.join("; "))
}

/// The outcome of the check before measuring, in words.
pub(super) fn check(check: &Check) -> String {
    match check {
        Check::Same { compared, how } => format!("{} equal to the reference's ({how})", counted(*compared, "answer")),
        Check::Alone => "nothing to compare its answers with".to_owned(),
        Check::Different { different, compared, first } => {
            format!("{different} of {} differ; the first: {first}", counted(*compared, "answer"))
        }
        Check::Failed { trouble } => format!("could not be checked: {}", trouble.what),
    }
}

fn requests(record: &Record) -> String {
    let requests = &record.requests;
    let mut text = format!("{} distinct from {}", numbers::count(requests.distinct as f64), requests.source);
    match requests.order {
        Order::Rounds => {}
        Order::Recorded => text += ", in their recorded order",
        Order::Skewed(exponent) => text += &format!(", drawn with skew {}", numbers::plain(exponent)),
    }
    if requests.varying > 0 {
        text += &format!(", {} of them answered differently each time: verified by status only", requests.varying);
    }
    if requests.refused > 0 {
        text += &format!(", {} more only checked, because the reference refuses them", requests.refused);
    }
    text
}

fn rate_from(from: RateFrom) -> String {
    match from {
        RateFrom::Asked => "set by --rate".to_owned(),
        RateFrom::ShareOfReference(share) => format!("{} of what the reference carried", numbers::share(share)),
    }
}

fn busyness(busyness: &Busyness) -> String {
    format!("{:.2} processors, {:.2} stolen, load {:.2}", busyness.others, busyness.stolen, busyness.load)
}

fn fact(name: impl ToString, value: impl ToString) -> Fact {
    (name.to_string(), value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_short() {
        assert_eq!(moment("2026-11-21T09:44:34Z"), "2026-11-21 09:44 UTC");
        assert_eq!(moment("2026-11-21T09:44:34+01:00"), "2026-11-21T09:44:34+01:00");
        assert_eq!(moment("é"), "é");
    }
}
