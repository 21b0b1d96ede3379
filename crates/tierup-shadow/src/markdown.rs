//! A report for GitHub, in issues and pull requests. In: a [`Report`]. Out: Markdown with escaped text from clients.

use tierup_report::{
    Exporter, Markdown,
    markdown::{document, facts, figures, inline},
};

use crate::{
    layout::{self, Section},
    report::Report,
    text::conclusion,
};

impl Exporter<Report> for Markdown {
    fn export(&self, report: &Report) -> String {
        let mut page = vec![
            "# Shadow".to_owned(),
            inline(&layout::span(report)),
            format!("> **{}**", inline(&conclusion(report))),
            inline(&report.line()),
        ];
        for section in layout::pages(report) {
            let (title, content) = match section {
                Section::Figures { title, table } => (title, figures(&table)),
                Section::Facts { title, facts: list } => (title, facts(&list)),
            };
            page.push(format!("## {title}"));
            page.push(content);
        }
        document(&page)
    }
}
