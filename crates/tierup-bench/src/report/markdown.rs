//! A report for GitHub, in issues, pull requests and READMEs. In: a [`Record`] and its [`Analysis`]. Out: GitHub's
//! Markdown. Text from outside is escaped, so that it neither adds formatting nor mentions anybody.

mod calls;

use tierup_report::{
    Exporter, Markdown,
    markdown::{
        code, code_in_table, document, facts as facts_table, fenced, figures, inline, labelled, texts, warning,
    },
};

use super::{
    RunReport, SideBySide, across, cells,
    compare::{self, RowKey},
    cost, facts, tables,
};
use crate::{
    analysis::{Analysis, Group, Sentence, Verdict},
    record::{Record, Trouble},
};
pub use calls::render_calls;

impl Exporter<RunReport<'_>> for Markdown {
    fn export(&self, run: &RunReport<'_>) -> String {
        render(run.record, run.analysis)
    }
}

impl Exporter<SideBySide<'_>> for Markdown {
    fn export(&self, several: &SideBySide<'_>) -> String {
        compare(several.runs)
    }
}

/// The whole report: recommendation and verdicts, tables, failures, environment and method.
pub fn render(record: &Record, analysis: &Analysis) -> String {
    let mut page = vec![
        format!("# {}", inline(&record.provenance.title)),
        inline(&format!(
            "{}; {}; tierup {}",
            facts::moment(&record.provenance.began),
            facts::extent(record),
            record.provenance.tierup
        )),
    ];
    page.extend(warning(&analysis.warnings));
    for group in &analysis.groups {
        let prefix = if group.name.is_empty() { String::new() } else { format!("{}: ", inline(&group.name)) };
        page.extend(group.recommendation.iter().map(|text| format!("> **{prefix}{}**", inline(text))));
    }
    for group in &analysis.groups {
        page.extend(section(analysis, group));
    }
    page.extend(all_groups(analysis));
    page.extend(cost::table(record, analysis).into_iter().flat_map(|(head, costs)| of_all(&head, &costs)));
    page.extend(troubles(analysis));
    page.push("## Environment".to_owned());
    page.push(facts_table(&facts::environment(record)));
    page.push("## Method".to_owned());
    page.extend(analysis.method.iter().map(|sentence| inline(sentence)));
    page.push(facts_table(&facts::settings(record)));
    page.push(format!("To repeat it:\n\n{}", fenced(&record.provenance.command)));
    document(&page)
}

/// Several runs side by side: a table for each figure, and what differs between the runs.
pub fn compare(runs: &[RunReport<'_>]) -> String {
    let comparison = compare::compare(runs);
    let run = |run: &compare::RunHead| format!("- {}: {}", inline(&run.name), inline(&run.about));
    let mut page = vec![
        format!("# {}", inline(&comparison.title)),
        comparison.runs.iter().map(run).collect::<Vec<_>>().join("\n"),
    ];
    page.extend(warning(&comparison.cautions));
    let head: Vec<String> = comparison.runs.iter().map(|run| inline(&run.name)).collect();
    for section in &comparison.sections {
        page.push(format!("## {}", inline(&section.head)));
        let label = |key: &RowKey| format!("{} {}", inline(&key.group), code_in_table(&key.label)).trim().to_owned();
        page.push(labelled(comparison.rows.iter().map(label), &comparison.columns(section)));
    }
    if !comparison.differences.is_empty() {
        page.push("## What differs between the runs".to_owned());
        let rows = comparison.differences.iter();
        let rows = rows.map(|(name, values)| (inline(name), values.iter().map(|value| inline(value)).collect()));
        page.push(texts(&head, rows));
    }
    document(&page)
}

fn section(analysis: &Analysis, group: &Group) -> Vec<String> {
    let title = if group.name.is_empty() { "Figures" } else { &group.name };
    let mut section = vec![format!("## {}", inline(title))];
    let sign = |sentence: &Sentence| match cells::verdict(analysis, sentence) {
        Some(Verdict::Pays) => "✅",
        Some(Verdict::DoesNotPay) => "➖",
        Some(Verdict::NoDifference) => "🟰",
        Some(Verdict::CannotTell) => "❔",
        Some(Verdict::Mixed) => "⚖️",
        Some(Verdict::Failed) => "❌",
        None => "🔝",
    };
    let lines = group.verdicts.iter().map(|line| format!("- {} {}", sign(line), inline(&line.text)));
    section.push(lines.collect::<Vec<_>>().join("\n"));
    let tables = tables::of_group(analysis, group);
    section.extend(tables.iter().filter(|table| !table.columns.is_empty()).map(figures));
    let reference = analysis.rows.get(group.reference).map_or_else(String::new, |row| code(&row.label));
    let marked = group.rows.iter().filter_map(|row| analysis.rows.get(*row)).filter(|row| !row.marks.is_empty());
    let marked = marked.map(|row| format!("- {}: {}", code(&row.label), inline(&row.marks.join(", "))));
    section.push(marked.collect::<Vec<_>>().join("\n"));
    section.push(format!("Bold is the best of its column; 1.00x is {reference}, 2.00x less is half of it."));
    section.extend(group.gain.iter().map(|gain| inline(&gain.sentence)));
    section.retain(|part| !part.is_empty());
    section
}

/// The rows of all groups in one table.
fn all_groups(analysis: &Analysis) -> Vec<String> {
    across::across(analysis).map(|across| of_all("All groups", &across)).unwrap_or_default()
}

/// A table of rows of all groups, with its heading and its note.
fn of_all(title: &str, across: &across::Across) -> Vec<String> {
    vec![format!("## {}", inline(title)), figures(&across.table()), inline(&across.note)]
}

fn troubles(analysis: &Analysis) -> Vec<String> {
    let mut parts = Vec::new();
    for row in &analysis.rows {
        for Trouble { what, log } in &row.troubles {
            parts.push(format!("{} {}: {}", code(&row.label), inline(&row.group), inline(what)).replace(" : ", ": "));
            if !log.is_empty() {
                let log = fenced(&log.join("\n"));
                parts.push(format!("<details><summary>The end of its log</summary>\n\n{log}\n\n</details>"));
            }
        }
    }
    if !parts.is_empty() {
        parts.insert(0, "## What went wrong".to_owned());
    }
    parts
}
