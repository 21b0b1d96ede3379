//! Warnings that a reader needs before trusting the figures, and the sentences about the method.

use tierup_report::numbers::{self, count, percent_over_one, share, significant};

use super::{cost, marks};
use crate::record::{Environment, Loop, RateFrom, Record};

/// Before and after a run, other programs may use this share of one processor without affecting the figures. During the
/// run, they may use this share of the processor time of servers and generator, or of one processor if that is more:
/// others can only take processors that a slice wants to use, so processors that are idle do not count.
const BUSY: f64 = 0.15;
/// With fewer blocks, Student's t gives intervals that are too wide to decide much.
const BLOCKS: usize = 5;

pub(super) fn collect(record: &Record) -> Vec<String> {
    let mut warnings = Vec::new();
    if record.provenance.interrupted {
        warnings.push(format!(
            "interrupted: {} of {} blocks were started or finished",
            record.blocks.len(),
            record.settings.blocks
        ));
    }
    warnings.extend(busy(&record.provenance.environment));
    warnings.extend(disturbed(record));
    warnings.extend(too_noisy(record));
    warnings.extend(late(record));
    warnings.extend(resent(record));
    warnings.extend(cold(record));
    let few = record.blocks.len();
    if few < record.settings.blocks && !record.provenance.interrupted {
        warnings.push(format!(
            "the time was enough for {few} of {} blocks: each starts and warms up {} servers; --duration gives more",
            record.settings.blocks,
            record.rows.len()
        ));
    } else if few < BLOCKS && !record.provenance.interrupted {
        warnings.push(format!("only {few} blocks, so intervals are wide; without --quick there are at least {BLOCKS}"));
    }
    warnings.extend(record.provenance.environment.lacks.iter().map(|lack| format!("not measured here: {lack}")));
    warnings
}

/// The warning about other programs before and after a run, if they used enough to affect the figures.
pub(crate) fn busy(environment: &Environment) -> Vec<String> {
    let mut warnings = Vec::new();
    for (when, busyness) in [("before", environment.before), ("after", environment.after)] {
        if busyness.others > BUSY {
            warnings.push(format!("other programs kept {:.2} processors busy {when} the run", busyness.others));
        }
        if busyness.stolen > BUSY {
            warnings.push(format!("the hypervisor took {:.2} processors away {when} the run", busyness.stolen));
        }
    }
    warnings
}

/// The warning about other programs during the run, if slices can have lost much to them.
fn disturbed(record: &Record) -> Option<String> {
    let (mut time, mut own, mut others) = (0.0, 0.0, 0.0);
    for slice in (0..record.rows.len()).flat_map(|row| record.slices(row, Loop::Closed)) {
        let (Some(server), Some(other)) = (slice.server_cpu, slice.other_cpu) else { continue };
        time += slice.seconds + slice.drain_seconds;
        own += (server + slice.generator_cpu) / 1e6;
        others += other / 1e6;
    }
    (time > 0.0 && others > BUSY * own.max(time)).then(|| {
        let (others, own) = (others / time, own / time);
        format!(
            "other processes used {others:.2} processors during the measurement; servers and load generator used {own:.2}: \
             figures may be too low"
        )
    })
}

/// The warning if there are no latencies because the reference did not carry a rate that tierup chose.
fn too_noisy(record: &Record) -> Option<String> {
    let marks::TooNoisy { row, rate, share: part } = marks::too_noisy(record)?;
    Some(format!(
        "too noisy for latencies: {} fell behind {} req/s, which is {} of what it carries: measure on a quiet machine, or \
         give a rate that it does carry with --rate",
        record.rows[row].named(),
        numbers::rate(rate),
        share(part)
    ))
}

/// How many blocks have latencies at the run's rate, if the rate was lowered during the run.
fn blocks_at_the_rate(record: &Record) -> Option<usize> {
    let rows = |at: usize| &record.blocks[at].rows;
    let lowered = (0..record.blocks.len()).any(|at| rows(at).iter().any(|row| !row.at_higher_rates.is_empty()));
    lowered.then(|| (0..record.blocks.len()).filter(|at| rows(*at).iter().any(|row| !row.open.is_empty())).count())
}

/// The warning about requests that were sent again, although the server may have begun to process them.
fn resent(record: &Record) -> Option<String> {
    let of = |row: usize| -> u64 {
        let slices = record.slices(row, Loop::Closed).chain(record.slices(row, Loop::Open));
        slices.map(|slice| slice.resent).sum()
    };
    let whose = whose(record, |row| of(row) > 0)?;
    let all: u64 = (0..record.rows.len()).map(of).sum();
    Some(format!(
        "{} requests to {whose} were resent, because the server closed the connection before an answer: idle connections, \
         or every connection after an answer without `Connection: close`; a client that does not resend sees \
         them fail",
        count(all as f64)
    ))
}

/// One warning for all rows, as usually the machine makes the generator late, not a row.
fn late(record: &Record) -> Option<String> {
    let lags: Vec<Option<f64>> = (0..record.rows.len()).map(|row| marks::late(record, row)).collect();
    let whose = whose(record, |row| lags[row].is_some())?;
    let most = lags.into_iter().flatten().fold(0.0, f64::max);
    Some(format!(
        "the load generator itself was late, by up to {} ms at p99; the latencies of {whose} include this",
        significant(most * 1e3)
    ))
}

/// Rows whose processes had too little time to warm up, and how to give them more.
fn cold(record: &Record) -> Option<String> {
    let whose = whose(record, |row| marks::cold(record, row))?;
    let longer = (2.0 * record.provenance.seconds / 60.0).ceil().max(1.0);
    Some(format!(
        "{whose} had not settled after warm-up, so their figures are those of servers that have just started, not of long-running \
         servers; --duration {longer}m gives each more time to warm up"
    ))
}

/// The names of the rows for which `is_true` holds; `None` if it holds for no row.
fn whose(record: &Record, is_true: impl Fn(usize) -> bool) -> Option<String> {
    let rows = record.rows.iter().enumerate().filter(|(index, _)| is_true(*index));
    let names: Vec<String> = rows.map(|(_, row)| row.named()).collect();
    match names.len() {
        0 => None,
        all if all == record.rows.len() => Some("every row".to_owned()),
        _ => Some(names.join(", ")),
    }
}

pub(super) fn method(record: &Record) -> Vec<String> {
    let settings = &record.settings;
    let mut method = vec![format!(
        "{} blocks, each with fresh server processes and slices of every row in random order (seed {}); the block is the \
         unit of inference; 95 % intervals by Student's t on log-ratios paired within blocks, corrected for the number of \
         rows.",
        record.blocks.len(),
        settings.seed,
    )];
    method.push(format!(
        "The server's CPU per request decides, or throughput if CPU cannot be measured; a difference below {} \
         does not count.",
        percent_over_one(settings.threshold)
    ));
    let mut load = format!(
        "Throughput and CPU from a closed loop over {} connections, slices of {:.1} s",
        settings.connections, settings.closed_seconds
    );
    if let Some(rate) = settings.rate {
        let from = match settings.rate_from {
            RateFrom::Asked => "set by --rate".to_owned(),
            RateFrom::ShareOfReference(part) => format!("{} of what the reference carried", share(part)),
        };
        load += &format!(
            "; latency from an open loop at {} requests a second ({from}), slices of {:.1} s, counted from the planned time",
            numbers::rate(rate),
            settings.open_seconds
        );
        if let Some(blocks) = blocks_at_the_rate(record) {
            load += &format!(
                ", in {} of the blocks: the rate was higher before, and the reference fell behind it",
                count(blocks as f64)
            );
        }
    }
    method.push(load + ".");
    method.extend(settings.cost.as_ref().map(cost::method));
    let refused = match record.requests.refused {
        0 => String::new(),
        refused => {
            format!(" The reference refuses {refused} more (4xx, 5xx): they are checked, but not part of the load.")
        }
    };
    let varying = match record.requests.varying {
        0 => String::new(),
        varying => {
            format!(", {} of them by status only, because their answers change each time", count(varying as f64))
        }
    };
    method.push(format!(
        "{} distinct requests from {}; every answer is read completely and verified{varying}.{refused}",
        count(record.requests.distinct as f64),
        record.requests.source
    ));
    method
}
