//! The words of the atlas's pages. In: a [`Grid`]. Out: [`View`], which Markdown and HTML show.

use std::collections::BTreeMap;

use tierup_report::numbers::{plain, ratio_within, share, significant};
use tierup_stats::Verdict;

use super::{
    about::{Function, Size},
    cell::{Cell, Gain, Outcome},
    grid::{Grid, kept},
};

/// Both tables, and what explains them.
pub(super) struct View {
    pub(super) hosts: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) measurements: Vec<Measurement>,
    pub(super) functions: Vec<Explained>,
    /// Where and when it was measured.
    pub(super) machines: Vec<String>,
}

/// A function's row of the grid.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) cells: Vec<Shown>,
}

/// A cell of the grid.
pub(super) struct Shown {
    /// `pays from small`, `does not pay`.
    pub(super) outcome: String,
    pub(super) look: &'static str,
    /// A line for each size.
    pub(super) lines: Vec<String>,
    /// What the grid is sorted by; empty if nothing was measured.
    pub(super) sorted_by: String,
}

/// A line of the second table.
pub(super) struct Measurement {
    pub(super) function: String,
    pub(super) host: String,
    pub(super) size: String,
    pub(super) verdict: &'static str,
    pub(super) look: &'static str,
    pub(super) gain: String,
    pub(super) tier: String,
    pub(super) tier_time: String,
    pub(super) library: String,
    pub(super) library_time: String,
    pub(super) crossing: String,
    /// A doubt about the run; empty if there is none.
    pub(super) doubt: String,
    /// The report, below `docs/`.
    pub(super) report: String,
    /// The numbers that the columns are sorted by.
    pub(super) places: [usize; 3],
    pub(super) values: [String; 4],
}

/// A function's explanation.
pub(super) struct Explained {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) rust: String,
    pub(super) answers: String,
    /// A size and what its inputs are.
    pub(super) sizes: Vec<(String, String)>,
    /// A host, and its libraries.
    pub(super) libraries: Vec<(String, String)>,
}

/// Others kept more than this share of one processor busy: the limit above which `tierup bench` warns.
const BUSY: f64 = 0.15;

impl View {
    pub(super) fn new(grid: &Grid) -> View {
        let rows = grid.functions.iter().zip(&grid.cells).map(|(function, cells)| Row {
            name: function.name.clone(),
            title: function.about.title.clone(),
            cells: cells.iter().map(|cell| cell.as_ref().map_or_else(without_library, shown)).collect(),
        });
        View {
            hosts: grid.hosts.clone(),
            rows: rows.collect(),
            measurements: measurements(grid),
            functions: grid.functions.iter().map(explained).collect(),
            machines: machines(grid),
        }
    }
}

fn without_library() -> Shown {
    let outcome = "no library to compare with".to_owned();
    Shown { outcome, look: "open", lines: Vec::new(), sorted_by: String::new() }
}

fn shown(cell: &Cell) -> Shown {
    let (outcome, look) = match cell.outcome() {
        Outcome::NotMeasured => ("not measured".to_owned(), "open"),
        Outcome::PaysFrom(size) => (format!("pays from {size}"), "pays"),
        Outcome::PaysAt(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(Size::to_string).collect();
            (format!("pays only at {}", sizes.join(" and ")), "part")
        }
        Outcome::DoesNotPay => ("does not pay".to_owned(), "fails"),
        Outcome::CannotTell => ("cannot tell".to_owned(), "open"),
    };
    let line = |size: Size| match cell.sizes.get(&size) {
        Some(gain) => format!("{size}: {}, crossing {}", gained(gain), share(gain.crossing)),
        None => format!("{size}: not measured"),
    };
    let mut lines: Vec<String> =
        if cell.sizes.is_empty() { Vec::new() } else { Size::ALL.into_iter().map(line).collect() };
    if cell.sizes.values().any(|gain| gain.report.environment.others() > BUSY) {
        lines.push("measured on a busy machine".to_owned());
    }
    Shown { outcome, look, lines, sorted_by: cell.largest().map(|gain| sorted_by(gain.value)).unwrap_or_default() }
}

fn gained(gain: &Gain) -> String {
    ratio_within(gain.value, gain.interval)
}

fn measurements(grid: &Grid) -> Vec<Measurement> {
    let mut measurements = Vec::new();
    for (row, (function, cells)) in grid.functions.iter().zip(&grid.cells).enumerate() {
        for (column, (host, cell)) in grid.hosts.iter().zip(cells).enumerate() {
            for (size, gain) in cell.iter().flat_map(|cell| &cell.sizes) {
                let places = [row, column, *size as usize];
                measurements.push(measurement(function, host, *size, gain, places));
            }
        }
    }
    measurements
}

fn measurement(function: &Function, host: &str, size: Size, gain: &Gain, places: [usize; 3]) -> Measurement {
    let (verdict, look) = match gain.verdict {
        Verdict::Pays => ("pays", "pays"),
        Verdict::NoDifference => ("no difference", "fails"),
        Verdict::DoesNotPay => ("does not pay", "fails"),
        Verdict::CannotTell => ("cannot tell", "open"),
    };
    let libraries = function.about.libraries(host);
    let library = libraries.iter().find(|(row, _)| *row == gain.library).map_or("", |(_, name)| name);
    let others = gain.report.environment.others();
    let microseconds = |seconds: f64| significant(seconds * 1e6);
    Measurement {
        function: function.name.clone(),
        host: host.to_owned(),
        size: size.to_string(),
        verdict,
        look,
        gain: gained(gain),
        tier: gain.tier.clone(),
        tier_time: microseconds(gain.tier_seconds),
        library: if library.is_empty() { gain.library.clone() } else { library.to_owned() },
        library_time: microseconds(gain.library_seconds),
        crossing: share(gain.crossing),
        doubt: match others > BUSY {
            true => format!("others took {} processors", plain((others * 10.0).round() / 10.0)),
            false => String::new(),
        },
        report: kept(&function.name, host, size).trim_start_matches("docs/").to_owned(),
        places,
        values: [gain.value, gain.tier_seconds, gain.library_seconds, gain.crossing].map(sorted_by),
    }
}

fn explained(function: &Function) -> Explained {
    let about = &function.about;
    let libraries = |host: &str| {
        let each = about.libraries(host);
        each.into_iter().map(|(_, library)| library).collect::<Vec<_>>().join("; ")
    };
    Explained {
        name: function.name.clone(),
        title: about.title.clone(),
        rust: about.rust.clone(),
        answers: about.answers.clone(),
        sizes: about.sizes.iter().map(|(size, inputs)| (size.to_string(), inputs.clone())).collect(),
        libraries: about.hosts().map(|host| (host.to_owned(), libraries(host))).collect(),
    }
}

/// Each machine once, with the versions and days of the runs on it.
fn machines(grid: &Grid) -> Vec<String> {
    let mut machines: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    let gains = grid.cells.iter().flatten().flatten().flat_map(|cell| cell.sizes.values());
    for report in gains.map(|gain| &gain.report) {
        let machine = &report.environment;
        let name = format!("{} processors of {}, {}", plain(machine.processors), machine.processor, machine.kernel);
        let (versions, days) = machines.entry(name).or_default();
        let day = report.began.split('T').next().unwrap_or_default().to_owned();
        days.push(day);
        versions.extend(machine.versions.iter().map(|(program, version)| format!("{program} {version}")));
    }
    let each = |(machine, (versions, days)): (String, (Vec<String>, Vec<String>))| {
        format!("{machine}, {}; {}", distinct(versions), distinct(days))
    };
    machines.into_iter().map(each).collect()
}

fn distinct(mut words: Vec<String>) -> String {
    words.sort();
    words.dedup();
    words.join(", ")
}

/// A number to sort by. Its last digits would depend on how numbers of a report are read, which is a matter of the build.
fn sorted_by(value: f64) -> String {
    format!("{value:.5e}")
}
