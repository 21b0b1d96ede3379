//! A report as one HTML page that needs no network. In: a [`Report`]. Out: the page; text from clients is escaped.

use tierup_report::{
    Exporter, Html,
    html::{About, Figures, Head, Page, Table, TableRow, facts},
};

use crate::{
    layout::{self, Section},
    report::Report,
    text::conclusion,
};

impl Exporter<Report> for Html {
    fn export(&self, report: &Report) -> String {
        report.page().render()
    }
}

impl Report {
    /// The whole report, as a page that can be a chapter of another.
    pub fn page(&self) -> Page {
        let report = self;
        let sections = layout::pages(report).into_iter().map(|section| match section {
            Section::Figures { title, table } => markup(title, &table),
            Section::Facts { title, facts: list } => facts(title, &list),
        });
        Page {
            title: "Shadow".to_owned(),
            generator: "tierup shadow report".to_owned(),
            class: "",
            own_rules: "",
            own_script: "",
            looks: Vec::new(),
            heading: conclusion(report),
            about: vec![About::Parts(vec![layout::span(report)]), About::Parts(vec![report.line()])],
            banners: Vec::new(),
            content: sections.collect(),
            data: None,
        }
    }
}

fn markup(title: &str, table: &tierup_report::table::Table) -> String {
    let heads = table.columns.iter().map(|column| Head {
        title: column.head.clone(),
        unit: String::new(),
        from: column.from.clone(),
        first: "descending",
    });
    let rows = table.labels.iter().enumerate().map(|(row, label)| TableRow {
        label: label.clone(),
        style: String::new(),
        tag: "",
        class: "",
        marks: String::new(),
        cells: table.columns.iter().filter_map(|column| column.cells.get(row)).map(figure).collect(),
    });
    Table { caption: title.to_owned(), heads: heads.collect(), rows: rows.collect() }.markup()
}

/// A cell that is sorted by its number, although that is written with commas.
fn figure(cell: &tierup_report::table::Cell) -> Figures {
    Figures::new(cell, cell.absolute.replace(',', "").parse().ok())
}
