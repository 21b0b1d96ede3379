//! The page's tables. In: an [`Analysis`]. Out: heads and cells for the template, each cell with the number by which it
//! is sorted.

use tierup_report::{
    chart::Look,
    html::{Figures, Head, Table, TableRow},
    numbers, printable,
    table::Cell,
};

use crate::{
    analysis::{Analysis, Better, Cell as Derived, Column, Figure, Group, Verdict},
    record::Role,
    report::{
        across::{self, Across, AcrossColumn},
        cells,
    },
};

/// The table of one group.
pub(super) fn of_group(analysis: &Analysis, looks: &[Look], group: &Group) -> Table {
    let caption = if group.name.is_empty() { "Figures".to_owned() } else { group.name.clone() };
    table(analysis, looks, caption, &[group])
}

/// All rows in one table, each with its ratios to its own group's reference and to the first group's.
pub(super) fn overview(analysis: &Analysis, looks: &[Look]) -> Table {
    let mut table = table(analysis, looks, "All groups".to_owned(), &analysis.groups.iter().collect::<Vec<_>>());
    for column in
        across::across(analysis).into_iter().flat_map(|across| across.columns).filter(|column| column.of_first)
    {
        let first = if column.column.from == "throughput" { "descending" } else { "ascending" };
        let (title, from) = (printable::line(&column.column.head), column.column.from);
        table.heads.push(Head { title, unit: String::new(), from, first });
        for (row, (cell, value)) in table.rows.iter_mut().zip(column.column.cells.iter().zip(column.values)) {
            row.cells.push(Figures::new(cell, value));
        }
    }
    table
}

/// A table of rows of all groups, by their index.
pub(super) fn of_all(looks: &[Look], caption: String, across: Across, rows: &[usize]) -> Table {
    let head = |AcrossColumn { column, .. }: &AcrossColumn| Head {
        title: printable::line(&column.head),
        unit: String::new(),
        from: column.from.clone(),
        first: "ascending",
    };
    let row = |(place, label): (usize, &String)| TableRow {
        label: printable::line(label),
        style: rows.get(place).and_then(|row| looks.get(*row)).map(|look| look.style.clone()).unwrap_or_default(),
        tag: "",
        class: "role",
        marks: String::new(),
        cells: across
            .columns
            .iter()
            .map(|column| Figures::new(&column.column.cells[place], column.values[place]))
            .collect(),
    };
    Table {
        caption,
        heads: across.columns.iter().map(head).collect(),
        rows: across.labels.iter().enumerate().map(row).collect(),
    }
}

fn table(analysis: &Analysis, looks: &[Look], caption: String, groups: &[&Group]) -> Table {
    let with_ceiling = groups.iter().any(|group| cells::has_ceiling(analysis, group));
    let mut heads: Vec<Head> = analysis.columns.iter().map(head).collect();
    if with_ceiling {
        let (title, from) = ("of ceiling".to_owned(), "throughput".to_owned());
        heads.push(Head { title, unit: String::new(), from, first: "descending" });
    }
    let rows: Vec<_> = groups.iter().flat_map(|group| group.rows.iter().map(|row| (*group, *row))).collect();
    let columns: Vec<Vec<Cell>> =
        (0..analysis.columns.len()).map(|column| cells::column(analysis, &rows, column)).collect();
    let row = |(place, (group, index)): (usize, &(&Group, usize))| {
        let index = *index;
        let row = analysis.rows.get(index)?;
        let look = looks.get(index)?;
        let words = columns.iter().zip(&analysis.columns).enumerate();
        let mut figures: Vec<_> = words
            .map(|(number, (words, column))| figures(&words[place], row.cells.get(number), column.figure))
            .collect();
        if with_ceiling {
            figures.push(Figures {
                value: row.share_of_ceiling.map(|share| share.to_string()).unwrap_or_default(),
                absolute: cells::share_of_ceiling(analysis, index),
                ..Figures::default()
            });
        }
        let (tag, class) = tag(group, index, row.role);
        let label = if groups.len() > 1 { look.label.clone() } else { printable::line(&row.label) };
        let marks = printable::line(&row.marks.join(", "));
        Some(TableRow { label, style: look.style.clone(), tag, class, marks, cells: figures })
    };
    Table { caption, heads, rows: rows.iter().enumerate().filter_map(row).collect() }
}

fn head(column: &Column) -> Head {
    Head {
        title: column.title.to_owned(),
        unit: cells::unit(column).unwrap_or_default().to_owned(),
        from: unbroken(&column.from),
        first: match column.better {
            Better::Higher => "descending",
            Better::Lower => "ascending",
        },
    }
}

/// Keeps a number and its unit on one line.
pub(super) fn unbroken(from: &str) -> String {
    from.replace(" req/s", "\u{a0}req/s")
}

/// A cell from its text and, if it has any, its numbers.
fn figures(words: &Cell, cell: Option<&Derived>, figure: Figure) -> Figures {
    let mut lines = Vec::new();
    if let Some(cell) = cell {
        let absolute = |value: f64| cells::absolute(figure, value);
        lines.extend(cell.interval.map(|(low, high)| format!("{} to {}", absolute(low), absolute(high))));
        let ratio = cell.ratio.filter(|_| cell.ratio_interval.is_some());
        lines.extend(ratio.map(|ratio| numbers::ratio_within(ratio, cell.ratio_interval)));
        let blocks = cell.blocks.iter().map(|block| block.map_or(numbers::MISSING.to_owned(), absolute));
        let blocks: Vec<_> = blocks.collect();
        if cell.value.is_some() && blocks.len() > 1 {
            lines.push(format!("blocks: {}", blocks.join(" | ")));
        }
    }
    let plain = Figures::new(words, cell.and_then(|cell| cell.value));
    Figures { title: lines.join("\n"), ..plain }
}

/// The tag beside a row's label, and its CSS class: the row's verdict, or its role.
fn tag(group: &Group, row: usize, role: Role) -> (&'static str, &'static str) {
    match (role, group.verdicts.iter().find(|sentence| sentence.row == row)) {
        (Role::Reference, _) => ("reference", "role"),
        (Role::Ceiling, _) => ("ceiling", "role"),
        (role, Some(sentence)) => (sentence.verdict.words_of(role), verdict_class(sentence.verdict)),
        (Role::Alternative, None) => ("alternative", "role"),
        (Role::Candidate | Role::Implementation | Role::Revision, None) => ("", "role"),
    }
}

pub(super) fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pays => "pays",
        Verdict::DoesNotPay | Verdict::Failed => "fails",
        Verdict::NoDifference | Verdict::CannotTell | Verdict::Mixed => "open",
    }
}
