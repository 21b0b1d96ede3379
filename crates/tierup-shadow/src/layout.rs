//! The sections of a report, for all its formats: tables of figures, and lists of names with values.

use std::{
    collections::BTreeMap,
    time::{Duration, UNIX_EPOCH},
};

use tierup_report::{
    numbers::{self, significant},
    table::{Cell, Column, Fact, Table},
};

use crate::{
    hidden::HASH,
    report::{Compared, Coverage, Report, RouteReport, SideReport, Step},
};

/// A part of a report under a heading.
pub(crate) enum Section {
    Figures { title: &'static str, table: Table },
    Facts { title: &'static str, facts: Vec<Fact> },
}

/// The sections with content, except for the routes, which each format shows in its own way.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    let noise = [
        ("two processes of control", report.noise),
        ("the candidate's answers to clients, and control's", report.verified),
    ];
    let noise = noise.into_iter().filter(|(_, compared)| compared.compared > 0);
    let facts = [
        ("Compared with each other", noise.map(|(name, compared)| (name.to_owned(), words(compared))).collect()),
        ("Weights", report.weights.iter().map(|step| (moment(step.at), step_words(step))).collect()),
        ("Events", report.events.iter().map(|event| (moment(event.at), event.what.clone())).collect::<Vec<Fact>>()),
    ];
    let facts = facts.into_iter().chain([("Not shown", hashes(report))]).filter(|(_, facts)| !facts.is_empty());
    let sides = (!report.sides.is_empty()).then(|| Section::Figures { title: "Servers", table: sides(report) });
    sides.into_iter().chain(facts.map(|(title, facts)| Section::Facts { title, facts })).collect()
}

/// What hashes stand for, if there are any.
fn hashes(report: &Report) -> Vec<Fact> {
    let has_hash = |(name, route): (&String, &RouteReport)| {
        name.contains(HASH) || route.examples.values().any(|example| example.request.contains(HASH))
    };
    let what = "what fewer than 3 clients sent, and what has the name of a secret; `--show NAME,…` of `tierup shadow`, or `show` \
                of [rollout], names what may be shown";
    if report.routes.iter().any(has_hash) { vec![(format!("{HASH}…"), what.to_owned())] } else { Vec::new() }
}

/// All sections, for formats that show routes and mismatches like everything else.
pub(crate) fn pages(report: &Report) -> Vec<Section> {
    let Coverage { dropped, not_comparable, .. } = &report.coverage;
    let reasons = dropped.iter().map(|(why, count)| (format!("not copied: {why}"), *count));
    let reasons = reasons.chain(not_comparable.iter().map(|(why, count)| (format!("not comparable: {why}"), *count)));
    let reasons = reasons.map(|(why, count)| (why, numbers::count(count as f64))).collect();
    let mismatches = report.examples().into_iter().map(|(route, kind, example)| {
        let repeated =
            example.not_repeatable.as_ref().map_or(String::new(), |why| format!(" (cannot be repeated: {why})"));
        let value = format!("{} times, e.g. {}: {}{repeated}", example.count, example.request, example.difference);
        (format!("{route}, {kind}"), value)
    });
    let facts: [(_, Vec<Fact>); 2] =
        [("Mismatches, the smallest first", mismatches.collect()), ("Not compared", reasons)];
    let facts = facts.into_iter().filter(|(_, facts)| !facts.is_empty());
    let facts = facts.map(|(title, facts)| Section::Facts { title, facts });
    let routes = (!report.routes.is_empty()).then(|| Section::Figures { title: "Routes", table: routes(report) });
    routes.into_iter().chain(facts).chain(sections(report)).collect()
}

/// For example `2026-11-23T04:15:00Z to 2026-11-23T05:15:00Z, copies were made in 75 % of the time`.
pub(crate) fn span(report: &Report) -> String {
    let Some(from) = report.from else { return "no evidence".to_owned() };
    let mirrored = numbers::share(report.coverage.mirrored);
    format!("{} to {}; copies were made in {mirrored} of the time", moment(from), moment(report.to))
}

fn routes(report: &Report) -> Table {
    let column = |head: &str, of: &dyn Fn(&RouteReport) -> u64| Column {
        head: head.to_owned(),
        from: String::new(),
        cells: report.routes.values().map(|route| Cell::new(numbers::count(of(route) as f64))).collect(),
    };
    let sum = |reasons: &BTreeMap<String, u64>| reasons.values().sum::<u64>();
    Table {
        labels: report.routes.keys().cloned().collect(),
        columns: vec![
            column("asked", &|route| route.asked),
            column("compared", &|route| route.tally.compared() as u64),
            column("mismatches", &|route| route.tally.mismatch as u64),
            column("noise", &|route| route.noise.mismatched),
            column("not comparable", &|route| sum(&route.not_comparable)),
            column("not copied", &|route| sum(&route.dropped)),
        ],
    }
}

fn words(Compared { compared, mismatched }: Compared) -> String {
    format!("{} compared, {} mismatches", numbers::count(compared as f64), numbers::count(mismatched as f64))
}

fn sides(report: &Report) -> Table {
    let column = |head: &str, of: &dyn Fn(&SideReport) -> Option<f64>, shown: fn(f64) -> String| Column {
        head: head.to_owned(),
        from: String::new(),
        cells: report
            .sides
            .values()
            .map(|side| of(side).map_or_else(Cell::missing, |value| Cell::new(shown(value))))
            .collect(),
    };
    let count = |of: fn(&SideReport) -> u64| move |side: &SideReport| Some(of(side) as f64);
    Table {
        labels: report.sides.keys().map(|side| side.name().to_owned()).collect(),
        columns: vec![
            column("answers", &count(|side| side.live.answered), numbers::count),
            column("5xx", &count(|side| side.live.errors), numbers::count),
            column("no answer", &count(|side| side.live.silent), numbers::count),
            column("p50, ms", &|side| side.p50, significant),
            column("p99, ms", &|side| side.p99, significant),
            column("copies", &count(|side| side.copies), numbers::count),
            column("copies' p50, ms", &|side| side.copies_p50, significant),
            column("copies' p99, ms", &|side| side.copies_p99, significant),
            column("CPU, us/answer", &|side| side.processor, significant),
        ],
    }
}

/// For example `5%: advance: 3,000 answers without …`.
fn step_words(step: &Step) -> String {
    let what = match (&step.decision, step.phase) {
        (Some(decision), _) => decision.clone(),
        (None, Some(phase)) => {
            serde_json::to_value(phase).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
        }
        (None, None) => "no control file in force".to_owned(),
    };
    let reasons = step.reasons.join("; ");
    let colon = if reasons.is_empty() { "" } else { ": " };
    format!("candidate {}, {what}{colon}{reasons}", step.candidate)
}

/// For example `2026-11-23T04:15:00Z`, from milliseconds since 1970.
pub(crate) fn moment(at: u64) -> String {
    // A file may hold any number; the type's last moment is in the year 9999.
    let at = Duration::from_millis(at.min(253_402_300_799_000));
    humantime::format_rfc3339_seconds(UNIX_EPOCH + at).to_string()
}
