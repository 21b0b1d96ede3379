//! The page of one run. In: a record and its analysis. Out: the page; the templates escape the texts.

use askama::Template;
use tierup_report::{
    chart::{CURVES, Drawing, LATENCY, Look},
    html::{self, About, Data, Page},
    numbers, printable,
    table::Fact,
};

use super::{OWN_RULES, charts, table};
use crate::{
    analysis::{Analysis, Group, RowAnalysis, Sentence},
    record::{Record, Trouble, named},
    report::{cells, cost, facts},
};

/// Everything below the page's heading and warnings.
#[derive(Template)]
#[template(path = "report.html")]
struct Content {
    groups: Vec<GroupView>,
    gains: Vec<GainView>,
    overview: Option<String>,
    costs: Option<CostView>,
    forests: Vec<charts::Plot>,
    threshold: String,
    legend: String,
    charts: Vec<Chart>,
    troubles: Vec<TroubleView>,
    environment: String,
    settings: String,
    checks: String,
    /// Empty if nothing is known about them.
    processes: String,
    method: Vec<String>,
    command: String,
}

pub(super) struct GroupView {
    pub(super) name: String,
    pub(super) recommendation: String,
    pub(super) verdicts: Vec<VerdictView>,
    pub(super) table: String,
    pub(super) reference: String,
}

/// Where a group's gain comes from.
struct GainView {
    name: String,
    drawing: Drawing,
}

/// What rows cost at the user's peak.
struct CostView {
    table: String,
    note: String,
}

pub(super) struct VerdictView {
    pub(super) class: &'static str,
    pub(super) text: String,
}

/// A drawing of lines with its explanation.
struct Chart {
    id: &'static str,
    title: &'static str,
    about: String,
    drawing: Drawing,
}

struct TroubleView {
    label: String,
    what: String,
    log: String,
}

/// The whole page.
pub(super) fn page(record: &Record, analysis: &Analysis) -> Page {
    let looks = charts::looks(analysis);
    let (charts, curves) = line_charts(record, &looks);
    let (title, tierup) = (printable::line(&record.provenance.title), printable::line(&record.provenance.tierup));
    Page {
        title: format!("{title}: which tier pays"),
        generator: format!("tierup {tierup}"),
        class: "",
        own_rules: OWN_RULES,
        own_script: "",
        heading: title,
        about: about(record),
        banners: printed(&analysis.warnings),
        content: html::filled(&content(record, analysis, &looks, charts)),
        looks,
        data: Some(Data { id: CURVES.to_owned(), json: curves }),
    }
}

/// When, how much and where.
pub(super) fn about(record: &Record) -> Vec<About> {
    let when = printable::line(&facts::moment(&record.provenance.began));
    let tierup = printable::line(&record.provenance.tierup);
    let mut about = vec![when, facts::extent(record), format!("tierup {tierup}")];
    about.retain(|part| !part.is_empty());
    vec![About::Parts(about), About::Parts(vec![printable::line(&facts::machine(&record.provenance))])]
}

fn content(record: &Record, analysis: &Analysis, looks: &[Look], charts: Vec<Chart>) -> Content {
    let shown: Vec<usize> = analysis.groups.iter().flat_map(|group| group.rows.iter().copied()).collect();
    let name = |row: &RowAnalysis| printable::line(&named(&row.group, &row.label));
    let checks: Vec<Fact> =
        analysis.rows.iter().map(|row| (name(row), printable::line(&facts::check(&row.check)))).collect();
    let rows = analysis.rows.iter().enumerate();
    let processes: Vec<Fact> =
        rows.filter_map(|(number, row)| Some((name(row), facts::processes(record, number)?))).collect();
    Content {
        groups: analysis.groups.iter().map(|group| group_view(analysis, looks, group)).collect(),
        gains: analysis.groups.iter().filter_map(|group| gain_view(analysis, group)).collect(),
        overview: (analysis.groups.len() > 1).then(|| table::overview(analysis, looks).markup()),
        costs: cost::table(record, analysis).map(|(head, costs)| CostView {
            note: printable::line(&costs.note),
            table: table::of_all(looks, printable::line(&head), costs, &shown).markup(),
        }),
        forests: charts::forests(record, analysis, looks),
        threshold: numbers::percent_over_one(record.settings.threshold),
        legend: html::legend("Rows to show", looks),
        charts,
        troubles: analysis.rows.iter().flat_map(troubles).collect(),
        environment: html::facts("Machine", &printed_facts(facts::environment(record))),
        settings: html::facts("Settings", &printed_facts(facts::settings(record))),
        checks: html::facts("Answers", &checks),
        processes: if processes.is_empty() { String::new() } else { html::facts("Processes and memory", &processes) },
        method: printed(&analysis.method),
        command: printable::line(&record.provenance.command),
    }
}

fn gain_view(analysis: &Analysis, group: &Group) -> Option<GainView> {
    Some(GainView { name: printable::line(&group.name), drawing: charts::gain(analysis, group)? })
}

pub(super) fn group_view(analysis: &Analysis, looks: &[Look], group: &Group) -> GroupView {
    let verdict = |sentence: &Sentence| VerdictView {
        class: cells::verdict(analysis, sentence).map_or("ceiling", table::verdict_class),
        text: printable::line(&sentence.text),
    };
    GroupView {
        name: printable::line(&group.name),
        recommendation: group.recommendation.as_deref().map(printable::line).unwrap_or_default(),
        verdicts: group.verdicts.iter().map(verdict).collect(),
        table: table::of_group(analysis, looks, group).markup(),
        reference: analysis.rows.get(group.reference).map(|row| printable::line(&row.label)).unwrap_or_default(),
    }
}

/// The line charts for which there is data, and the data for the script.
fn line_charts(record: &Record, looks: &[Look]) -> (Vec<Chart>, String) {
    let (latency, data) = charts::latency(record, looks).unzip();
    let rate = record.settings.rate.map_or_else(String::new, |rate| format!(" at {} req/s", numbers::rate(rate)));
    let latency = latency.map(|drawing| Chart {
        id: LATENCY,
        title: "Latency",
        about: format!("Open loop{rate}, from the planned send time; every slice together. Lower is better."),
        drawing,
    });
    let throughput = charts::throughput(record, looks).map(|drawing| Chart {
        id: "rounds",
        title: "Throughput, slice by slice",
        about: "Closed loop, in order of time; each block has fresh servers. Level lines are steady servers."
            .to_owned(),
        drawing,
    });
    let cpu = charts::cpu(record, looks).map(|drawing| Chart {
        id: "cpu",
        title: "CPU per request, slice by slice",
        about: "Closed loop, in order of time; processor time of each server's whole process tree. Lower is better."
            .to_owned(),
        drawing,
    });
    let memory = charts::memory(record, looks).map(|drawing| Chart {
        id: "resident",
        title: "Memory over time",
        about: "Resident memory of each server's whole process tree; it starts anew with each block.".to_owned(),
        drawing,
    });
    (latency.into_iter().chain(throughput).chain(cpu).chain(memory).collect(), html::json(&data))
}

fn troubles(row: &RowAnalysis) -> impl Iterator<Item = TroubleView> {
    row.troubles.iter().map(|Trouble { what, log }| TroubleView {
        label: printable::line(&named(&row.group, &row.label)),
        what: printable::line(what),
        log: printable::lines(log),
    })
}

pub(super) fn printed(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| printable::line(text)).collect()
}

fn printed_facts(facts: Vec<Fact>) -> Vec<Fact> {
    facts.into_iter().map(|(name, value)| (printable::line(&name), printable::line(&value))).collect()
}
