//! The page that compares several runs. In: a [`Comparison`]. Out: the page; the template escapes the texts.

use askama::Template;
use tierup_report::{
    html::{self, About, Figures, Head, Page, Table, TableRow},
    printable,
};

use super::{OWN_RULES, table::unbroken};
use crate::{
    analysis::Figure,
    report::compare::{Comparison, RowKey, RunHead, Section, SectionRun},
};

/// Everything below the page's heading and cautions.
#[derive(Template)]
#[template(path = "comparison.html")]
struct Content<'a> {
    comparison: &'a Comparison,
    sections: Vec<String>,
}

/// The whole page.
pub(super) fn page(comparison: Comparison) -> String {
    let sections = comparison.sections.iter().map(|section| table(&comparison, section).markup());
    let content = html::filled(&Content { comparison: &comparison, sections: sections.collect() });
    Page {
        title: format!("{}: runs side by side", comparison.title),
        generator: String::new(),
        class: "comparison",
        own_rules: OWN_RULES,
        own_script: "",
        looks: Vec::new(),
        heading: comparison.title,
        about: comparison.runs.into_iter().map(|run| About::Named(run.name, run.about)).collect(),
        banners: comparison.cautions,
        content,
        data: None,
    }
    .render()
}

fn table(comparison: &Comparison, section: &Section) -> Table {
    let first = if section.figure == Figure::Throughput { "descending" } else { "ascending" };
    let head = |(run, figures): (&RunHead, &SectionRun)| Head {
        title: run.name.clone(),
        unit: String::new(),
        from: unbroken(&figures.from),
        first,
    };
    let row = |(row, key): (usize, &RowKey)| TableRow {
        label: printable::line(&key.words()),
        style: String::new(),
        tag: "",
        class: "role",
        marks: String::new(),
        cells: section.runs.iter().map(|run| &run.cells[row]).map(|(cell, value)| Figures::new(cell, *value)).collect(),
    };
    Table {
        caption: section.head.clone(),
        heads: comparison.runs.iter().zip(&section.runs).map(head).collect(),
        rows: comparison.rows.iter().enumerate().map(row).collect(),
    }
}
