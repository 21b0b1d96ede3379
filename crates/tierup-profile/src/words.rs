//! The texts of a ranking, the same in a terminal and on a page. In: a [`Ranking`]'s parts. Out: short texts.

use tierup_codegen::KnownCost;
use tierup_report::{numbers, printable};

use crate::{
    bound::Bound,
    profile::{Frame, Kind, Unit},
    rank::{CallCost, Function, Hindrance, MUCH_UNSEEN, Observed, Ranking, What},
    sensed::Sensed,
    share::Share,
    weights::Whole,
};

const OWN_MORE: &str = "Where functions cause it, they own more than is shown.";

/// `generateQrCode`, `generate-qr.js:12`.
pub(crate) fn named(frame: &Frame) -> (String, String) {
    let file = match frame.file.as_str() {
        "" => String::new(),
        file if frame.line > 0 => format!("{}:{}", short(file), frame.line),
        file => short(file).to_owned(),
    };
    (printable::line(&frame.function), printable::line(&file))
}

/// The last two parts of a path.
fn short(file: &str) -> &str {
    file.rmatch_indices('/').nth(1).map_or(file, |(slash, _)| &file[slash + 1..])
}

/// `91.4 %`.
pub(crate) fn percent(value: f64) -> String {
    let percent = value * 100.0;
    if percent > 0.0 && percent < 0.05 { "<0.1 %".to_owned() } else { format!("{percent:.1} %") }
}

/// `91.4 % [89, 93]`.
pub(crate) fn with_interval(share: Share) -> String {
    let ends = share.interval.map(|(low, high)| format!(" [{:.0}, {:.0}]", low * 100.0, high * 100.0));
    percent(share.value) + &ends.unwrap_or_default()
}

/// The bound of a candidate, or why the function is not one.
pub fn prospect(function: &Function) -> String {
    match &function.hindrance {
        None => Bound::new(function.owned, function.rewrite).short(),
        Some(Hindrance::Entry) => "no: it is where the program or a module begins".to_owned(),
        Some(Hindrance::Io { share, through }) => {
            let through = printable::line(through);
            format!("no: {:.0} % of its time is input and output: {through}", share * 100.0)
        }
        Some(Hindrance::Waits { share, through }) => {
            let through = printable::line(through);
            format!("no: it waits for input and output in {:.0} % of its time: {through}", share * 100.0)
        }
        Some(Hindrance::CannotCross(why)) => format!("no: {}", printable::line(&why.join("; "))),
        Some(Hindrance::Crossings { calls }) => {
            format!("no: its {} calls a request would cost more than it takes", numbers::significant(*calls))
        }
    }
}

/// How often single requests called it, if that was counted, and whether its arguments and answers can cross.
pub(crate) fn observed(function: &Function) -> (String, &'static str) {
    match &function.observed {
        None => ("-".to_owned(), "-"),
        Some(Observed { calls, problems }) => {
            let crosses = match problems.as_deref() {
                None => "-",
                Some([]) => "yes",
                Some(_) => "no",
            };
            (calls.map_or_else(|| "-".to_owned(), numbers::significant), crosses)
        }
    }
}

/// `Bounds include what calls of Rust cost where calls are known: 0.42 us each (`3:native` …), of 410 us …`
pub(crate) fn call_cost(ranking: &Ranking) -> String {
    match &ranking.call_cost {
        None if ranking.was_watched() => {
            "Bounds leave out what calls of Rust cost: for this host, that was not measured.".to_owned()
        }
        None => {
            "Bounds leave out what calls of Rust cost: how often functions are called is not known here.".to_owned()
        }
        Some(CallCost { cpu_per_request: None, .. }) => {
            "Bounds leave out what calls of Rust cost: the CPU of a request is not known here.".to_owned()
        }
        Some(CallCost { microseconds, cpu_per_request: Some(cpu), variant, measured }) => format!(
            "Bounds include what calls of Rust cost where calls are known: {} us each (`{variant}` with 64 bytes of text, \
             more with more, on {measured}), of {} us of CPU for a request.",
            numbers::significant(*microseconds),
            numbers::significant(*cpu)
        ),
    }
}

/// The owner of the CPU in a row outside the user's own functions.
pub(crate) fn whose(what: &What) -> String {
    let text = match what {
        What::Package(name) => return format!("package {}", printable::line(name)),
        What::Unsampled(what) => return printable::line(what),
        What::Unseen => "not seen by the sensor",
        What::Kind(Kind::Own | Kind::Entry) => "your own code",
        What::Kind(Kind::Package) => "packages",
        What::Kind(Kind::Runtime | Kind::Cache) => "runtime and standard library",
        What::Kind(Kind::Io) => "input and output",
        What::Kind(Kind::Collector) => "garbage collector",
        What::Kind(Kind::Jit) => "compiler of the runtime",
        What::Kind(Kind::Native) => "native code",
        What::Kind(Kind::Kernel) => "kernel",
        What::Kind(Kind::Unsampled) => "not sampled",
        What::Kind(Kind::Unnamed) => "without a name",
        What::Kind(Kind::Idle) => "waiting",
    };
    text.to_owned()
}

/// The base of the shares.
pub(crate) fn basis(ranking: &Ranking) -> String {
    let amount = |value: f64| match ranking.unit {
        Unit::Seconds => format!("{} s", numbers::significant(value)),
        Unit::Samples => numbers::counted(value as usize, "sample"),
    };
    match ranking.of {
        Whole::ProcessTree => format!(
            "Shares are of {} of CPU that the server's processes took; {} of it were sampled.",
            amount(ranking.whole),
            amount(ranking.sampled)
        ),
        Whole::SamplesOverCpu => format!(
            "Shares are of {} that were sampled, which is more than the CPU that the server's processes took.",
            amount(ranking.sampled)
        ),
        Whole::Samples => {
            let idle = match ranking.idle {
                idle if idle > 0.0 => format!(", without {} in which threads waited", amount(idle)),
                _ => String::new(),
            };
            format!(
                "Shares are of the {} in the file{idle}; the CPU of the server's processes is not known.",
                amount(ranking.sampled)
            )
        }
    }
}

/// The sentence about how intervals are computed.
pub(crate) fn intervals(ranking: &Ranking) -> String {
    match ranking.blocks {
        0 | 1 => "There are no intervals: the profile has no times to cut it into blocks.".to_owned(),
        blocks => format!("Intervals: 95 %, Student's t over {blocks} blocks."),
    }
}

/// The warnings that a reader must see first.
pub(crate) fn doubts(ranking: &Ranking, sensed: Option<&Sensed>) -> Vec<String> {
    let mut doubts = Vec::new();
    // With a sensor, the host and whole paths are known.
    if sensed.is_none() && !ranking.knows_others() {
        doubts.push(
            "No frame was recognised as the runtime's or a package's, so all of it counts as your own code. Give the host \
             with --host, and full paths of files (py-spy: --full-filenames)."
                .to_owned(),
        );
    }
    let few = match ranking.unit {
        Unit::Seconds if ranking.sampled < 1.0 => Some(format!("{} s of CPU", numbers::significant(ranking.sampled))),
        Unit::Samples if ranking.sampled < 100.0 => Some(numbers::counted(ranking.sampled as usize, "sample")),
        _ => None,
    };
    doubts.extend(few.map(|few| format!("There are only {few}: shares are rough. Profile for 20 seconds under load.")));
    let unnamed = ranking.unnamed();
    if unnamed > 0.1 {
        doubts.push(format!("{} of the CPU has no name: debug information is missing.", percent(unnamed)));
    }
    if ranking.inlined_incomplete {
        doubts.push(
            "Some functions that V8 has inlined count to their callers: there was no time to find all of them."
                .to_owned(),
        );
    }
    doubts
}

/// The CPU that the kernel counts and the sensor does not sample, if it is more than a little.
pub(crate) fn unsampled(ranking: &Ranking, sensed: &Sensed) -> Option<String> {
    let rows: Vec<_> = ranking.rest.iter().filter(|rest| matches!(rest.what, What::Unsampled(_))).collect();
    let all: f64 = rows.iter().map(|rest| rest.share.value).sum();
    let named = rows.iter().map(|rest| format!("{} {}", whose(&rest.what), percent(rest.share.value)));
    let named = named.collect::<Vec<_>>().join(", ");
    let title = printable::line(&sensed.title);
    (all > MUCH_UNSEEN).then(|| {
        let all = percent(all);
        format!("{all} of the CPU is counted, but not sampled by {title}: {named}. {OWN_MORE}")
    })
}

/// The CPU that the sensor did not see, if it is more than a little.
pub(crate) fn missed(ranking: &Ranking, sensed: &Sensed) -> Option<String> {
    let unseen = percent(ranking.much_unseen()?);
    let title = printable::line(&sensed.title);
    let misses = match sensed.not_sampled.as_str() {
        "" => String::new(),
        misses => format!(": it does not see {misses}"),
    };
    Some(format!("{unseen} of the CPU was not seen by {title}{misses}. {OWN_MORE}"))
}

/// `Known cost: 31.0 % of the CPU: Express …`
pub(crate) fn known((cost, share): &(KnownCost, f64)) -> String {
    format!("Known cost, {} of the CPU: {} ({}).", percent(*share), cost.what, cost.source)
}

/// At most `most` characters of a text. A longer one loses its start, as the end is more informative.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length - most + 1).collect();
    format!("…{end}")
}
