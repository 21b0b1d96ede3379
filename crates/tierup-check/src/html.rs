//! The report as an HTML page. In: a [`Report`]. Out: the page, with inputs and answers escaped.

use tierup_report::{
    Exporter, Html,
    html::{About, Figures, Head, Page, Table, TableRow, facts, listing},
    printable,
    table::Fact,
};

use crate::{
    report::{Part, Report, RowReport},
    text::{conclusion, inputs, mismatch_text, noise, verdict},
};

impl Exporter<Report> for Html {
    fn export(&self, report: &Report) -> String {
        report.page().render()
    }
}

impl Report {
    /// The whole report as a page, which may become a chapter of another page.
    pub fn page(&self) -> Page {
        Page {
            title: format!("{}: whether all tiers answer alike", printable::line(&self.title)),
            generator: "tierup check".to_owned(),
            class: "",
            own_rules: "",
            own_script: "",
            looks: Vec::new(),
            heading: conclusion(self),
            about: vec![About::Parts(vec![printable::line(&self.command)])],
            banners: self.notes.iter().map(|note| printable::line(note)).collect(),
            content: self.parts.iter().map(part).collect(),
            data: None,
        }
    }
}

fn part(part: &Part) -> String {
    let count =
        |head: &str| Head { title: head.to_owned(), unit: String::new(), from: String::new(), first: "descending" };
    let table = Table {
        caption: printable::line(&format!("{}, compared with {}", part.what, part.control)),
        heads: ["same", "mismatch", "error", "skipped", "verdict"].map(count).into(),
        rows: part.rows.iter().map(row).collect(),
    };
    let mut about: Vec<Fact> = vec![("inputs".to_owned(), inputs(part))];
    for row in &part.rows {
        about.extend(row.effects.iter().map(|what| (row.label.clone(), what.clone())));
        about.extend(row.trouble.iter().map(|(what, _)| (row.label.clone(), what.clone())));
        let skipped = row.tally.skipped.iter();
        about.extend(skipped.map(|(why, count)| (row.label.clone(), format!("{count} skipped: {why}"))));
    }
    about.extend(part.left_out.iter().map(|(row, why)| (row.clone(), format!("left out: {why}"))));
    let printed = |(name, value): (String, String)| (printable::line(&name), printable::line(&value));
    let about: Vec<Fact> = about.into_iter().map(printed).collect();
    let noise = noise(&part.noise, &part.control);
    let texts = noise.into_iter().chain(part.mismatches.iter().map(mismatch_text));
    let texts: Vec<String> = texts.map(|text| printable::laid_out(&text)).collect();
    table.markup() + &facts("What was compared", &about) + &listing("Differences", &texts)
}

fn row(row: &RowReport) -> TableRow {
    let skipped: usize = row.tally.skipped.values().sum();
    let counts = [row.tally.same, row.tally.mismatch, row.tally.error, skipped];
    let count = |count: usize| Figures { value: count.to_string(), absolute: count.to_string(), ..Figures::default() };
    let mut cells: Vec<Figures> = counts.into_iter().map(count).collect();
    cells.push(Figures { absolute: verdict(row.verdict).to_owned(), ..Figures::default() });
    TableRow {
        label: printable::line(&row.label),
        style: String::new(),
        tag: "",
        class: "",
        marks: String::new(),
        cells,
    }
}
