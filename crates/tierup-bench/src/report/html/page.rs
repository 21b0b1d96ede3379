//! What the page's templates are filled with. In: a record and its analysis. Out: texts and drawings, ready to be laid
//! out; the templates escape the texts.

use askama::Template;

use super::{
    charts::{self, Drawing},
    compare::{Comparison, Entry, RowKey, Section},
    cost, embed, facts, numbers, palette,
    palette::Look,
    printable,
    table::{self, Figures, Table},
};
use crate::{
    analysis::{Analysis, Figure, Group},
    record::{Record, Trouble, named},
};

const STYLE: &str = include_str!("../../../templates/report/report.css");
const SCRIPT: &str = include_str!("../../../templates/report/report.js");

#[derive(Template)]
#[template(path = "report/report.html")]
pub(super) struct ReportPage {
    policy: String,
    style: &'static str,
    script: &'static str,
    /// For the script.
    data: String,
    title: String,
    when: String,
    extent: String,
    machine: String,
    tierup: String,
    warnings: Vec<String>,
    groups: Vec<GroupView>,
    overview: Option<Table>,
    costs: Option<CostView>,
    rows: Vec<Look>,
    forests: Vec<charts::Forest>,
    threshold: String,
    charts: Vec<Chart>,
    troubles: Vec<TroubleView>,
    environment: Vec<facts::Fact>,
    settings: Vec<facts::Fact>,
    checks: Vec<facts::Fact>,
    processes: Vec<facts::Fact>,
    method: Vec<String>,
    command: String,
}

struct GroupView {
    name: String,
    recommendation: String,
    verdicts: Vec<VerdictView>,
    table: Table,
    reference: String,
}

/// What rows cost at the user's peak.
struct CostView {
    table: Table,
    note: String,
}

struct VerdictView {
    class: &'static str,
    text: String,
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

impl ReportPage {
    pub(super) fn new(record: &Record, analysis: &Analysis) -> ReportPage {
        let looks = palette::looks(analysis);
        let (charts, data) = charts(record, &looks);
        let shown: Vec<usize> = analysis.groups.iter().flat_map(|group| group.rows.iter().copied()).collect();
        let check = |row: &crate::analysis::RowAnalysis| {
            (printable::line(&named(&row.group, &row.label)), printable::line(&facts::check(&row.check)))
        };
        let processes = |(number, row): (usize, &crate::analysis::RowAnalysis)| {
            Some((printable::line(&named(&row.group, &row.label)), facts::processes(record, number)?))
        };
        ReportPage {
            policy: embed::policy(SCRIPT),
            style: STYLE,
            script: SCRIPT,
            data,
            title: printable::line(&record.title),
            when: printable::line(&facts::moment(&record.began)),
            extent: facts::extent(record),
            machine: printable::line(&facts::machine(record)),
            tierup: printable::line(&record.tierup),
            warnings: printed(&analysis.warnings),
            groups: analysis.groups.iter().map(|group| group_view(analysis, &looks, group)).collect(),
            overview: (analysis.groups.len() > 1).then(|| table::overview(analysis, &looks)),
            costs: cost::table(record, analysis).map(|(head, costs)| CostView {
                note: printable::line(&costs.note),
                table: table::of_all(&looks, printable::line(&head), costs, &shown),
            }),
            forests: charts::forests(record, analysis, &looks),
            threshold: numbers::percent_over_one(record.settings.threshold),
            rows: looks,
            charts,
            troubles: analysis.rows.iter().flat_map(troubles).collect(),
            environment: printed_facts(facts::environment(record)),
            settings: printed_facts(facts::settings(record)),
            checks: analysis.rows.iter().map(check).collect(),
            processes: analysis.rows.iter().enumerate().filter_map(processes).collect(),
            method: printed(&analysis.method),
            command: printable::line(&record.command),
        }
    }
}

fn group_view(analysis: &Analysis, looks: &[Look], group: &Group) -> GroupView {
    let verdict = |sentence: &crate::analysis::Sentence| VerdictView {
        class: super::cells::verdict(analysis, sentence).map_or("ceiling", table::verdict_class),
        text: printable::line(&sentence.text),
    };
    GroupView {
        name: printable::line(&group.name),
        recommendation: group.recommendation.as_deref().map(printable::line).unwrap_or_default(),
        verdicts: group.verdicts.iter().map(verdict).collect(),
        table: table::of_group(analysis, looks, group),
        reference: analysis.rows.get(group.reference).map(|row| printable::line(&row.label)).unwrap_or_default(),
    }
}

/// The line charts that there is data for, and the data that the script reads.
fn charts(record: &Record, looks: &[Look]) -> (Vec<Chart>, String) {
    let (latency, data) = charts::latency(record, looks).unzip();
    let rate = record.settings.rate.map_or_else(String::new, |rate| format!(" at {} req/s", numbers::rate(rate)));
    let latency = latency.map(|drawing| Chart {
        id: "latency",
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
    (latency.into_iter().chain(throughput).chain(cpu).chain(memory).collect(), embed::json(&data))
}

fn troubles(row: &crate::analysis::RowAnalysis) -> impl Iterator<Item = TroubleView> {
    row.troubles.iter().map(|Trouble { what, log }| TroubleView {
        label: printable::line(&named(&row.group, &row.label)),
        what: printable::line(what),
        log: printable::lines(log),
    })
}

#[derive(Template)]
#[template(path = "report/comparison.html")]
pub(super) struct ComparisonPage {
    policy: String,
    style: &'static str,
    script: &'static str,
    comparison: Comparison,
    sections: Vec<Table>,
}

impl ComparisonPage {
    pub(super) fn new(comparison: Comparison) -> ComparisonPage {
        let sections = comparison.sections.iter().map(|section| comparison_table(&comparison, section)).collect();
        ComparisonPage { policy: embed::policy(SCRIPT), style: STYLE, script: SCRIPT, comparison, sections }
    }
}

fn comparison_table(comparison: &Comparison, section: &Section) -> Table {
    let first = if section.figure == Figure::Throughput { "descending" } else { "ascending" };
    let head = |run: &super::compare::RunHead| table::Head {
        title: run.name.clone(),
        unit: String::new(),
        from: String::new(),
        first,
    };
    let row = |(key, cells): (&RowKey, &Vec<Entry>)| table::Row {
        label: printable::line(&key.words()),
        style: String::new(),
        tag: "",
        class: "role",
        marks: String::new(),
        cells: cells.iter().map(|entry| Figures::plain(&entry.words, entry.value)).collect(),
    };
    Table {
        caption: section.head.clone(),
        heads: comparison.runs.iter().map(head).collect(),
        rows: comparison.rows.iter().zip(&section.cells).map(row).collect(),
    }
}

fn printed(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| printable::line(text)).collect()
}

fn printed_facts(facts: Vec<facts::Fact>) -> Vec<facts::Fact> {
    facts.into_iter().map(|(name, value)| (printable::line(&name), printable::line(&value))).collect()
}
