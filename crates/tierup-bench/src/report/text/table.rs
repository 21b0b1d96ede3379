//! The tables of a group: the main columns, then the others. In: an [`Analysis`] and a width. Out: tables that fit
//! it, by stacking what a cell holds, and where that is not enough by splitting the columns over several tables.

use comfy_table::{
    Attribute, Cell, CellAlignment, ColumnConstraint, LineStyle, Table, TableStyle, Width, presets::NOTHING,
};

use super::{Colour, Style, cells, numbers, printable};
use crate::{
    analysis::{Analysis, Group},
    report::{
        across::{Across, AcrossColumn},
        compare::{Comparison, RowKey, Section},
    },
};

/// A table before it is known how its cells are laid out: a head and its cells, row by row.
struct Sheet {
    /// What the rows are called.
    labels: Vec<String>,
    columns: Vec<SheetColumn>,
}

struct SheetColumn {
    /// Title and unit, then what feeds it.
    head: [String; 2],
    cells: Vec<cells::Words>,
}

/// How a cell holds its figure, the ratio and its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// `21,700* 43.1x ±4%`
    Line,
    /// The same below a head that is broken between its parts.
    BrokenHead,
    /// The figure over the others.
    TwoLines,
    /// Each under the other.
    ThreeLines,
}

/// Labels are broken rather than wider than this, or than a third of a narrow line.
const LABEL_WIDTH: u16 = 28;
/// Between columns.
const GAP: u16 = 3;

pub(super) fn of_group(analysis: &Analysis, group: &Group, style: Style) -> Vec<String> {
    let main = analysis.columns.len().min(cells::MAIN_COLUMNS);
    let mut rest = sheet(analysis, group, main..analysis.columns.len());
    if cells::has_ceiling(analysis, group) {
        let shares = group.rows.iter().map(|row| cells::share_of_ceiling(analysis, *row));
        let shares = shares.map(cells::Words::of).collect();
        let head = ["of ceiling".to_owned(), "throughput".to_owned()];
        rest.columns.push(SheetColumn { head, cells: shares });
    }
    let mut tables = fitted(&sheet(analysis, group, 0..main), style);
    tables.extend(fitted(&rest, style));
    tables
}

/// The rows of all groups.
pub(super) fn of_all(across: &Across, style: Style) -> Vec<String> {
    let column = |column: &AcrossColumn| SheetColumn {
        head: [column.head.clone(), column.from.clone()],
        cells: column.cells.clone(),
    };
    fitted(&Sheet { labels: across.labels.clone(), columns: across.columns.iter().map(column).collect() }, style)
}

/// One figure of several runs: a column for each.
pub(super) fn of_runs(comparison: &Comparison, section: &Section, style: Style) -> Vec<String> {
    let columns = comparison.runs.iter().enumerate().map(|(index, run)| SheetColumn {
        head: [run.name.clone(), String::new()],
        cells: section.cells.iter().map(|cells| cells[index].words.clone()).collect(),
    });
    fitted(&Sheet { labels: comparison.rows.iter().map(RowKey::words).collect(), columns: columns.collect() }, style)
}

/// As few tables as fit the width, in the widest layout that fits.
fn fitted(sheet: &Sheet, style: Style) -> Vec<String> {
    if sheet.columns.is_empty() || sheet.labels.is_empty() {
        return Vec::new();
    }
    let available = style.width.unwrap_or(u16::MAX);
    let all: Vec<_> = (0..sheet.columns.len()).collect();
    for layout in [Layout::Line, Layout::BrokenHead, Layout::TwoLines, Layout::ThreeLines] {
        let (table, width) = build(sheet, &all, layout, style);
        if width <= available {
            return vec![table.to_string()];
        }
    }
    let mut tables = Vec::new();
    let mut columns: &[usize] = &all;
    while !columns.is_empty() {
        let fits = |count: &usize| build(sheet, &columns[..*count], Layout::ThreeLines, style).1 <= available;
        let count = (1..=columns.len()).rev().find(fits).unwrap_or(1);
        tables.push(build(sheet, &columns[..count], Layout::ThreeLines, style).0.to_string());
        columns = &columns[count..];
    }
    tables
}

fn sheet(analysis: &Analysis, group: &Group, columns: std::ops::Range<usize>) -> Sheet {
    let label = |row: &usize| analysis.rows.get(*row).map_or_else(String::new, |row| row.label.clone());
    let columns = columns.map(|index| {
        let column = &analysis.columns[index];
        let words = group.rows.iter().map(|row| cells::words(analysis, group, *row, index)).collect();
        SheetColumn { head: [cells::head(column), column.from.clone()], cells: words }
    });
    Sheet { labels: group.rows.iter().map(label).collect(), columns: columns.collect() }
}

/// The table of some of the columns, and its width.
fn build(sheet: &Sheet, columns: &[usize], layout: Layout, style: Style) -> (Table, u16) {
    let line = LineStyle::none().fill('─');
    let mut look: TableStyle = NOTHING.header_separator(line);
    let laid_out: Vec<_> = columns.iter().map(|column| Laid::out(&sheet.columns[*column], layout)).collect();
    if laid_out.iter().flat_map(|column| &column.cells).any(|cell| cell.contains('\n')) {
        look = look.row_separator(LineStyle::none().fill('╌'));
    }
    let mut table = Table::new();
    table.load_style(look).force_no_tty();
    if style.colour == Colour::Ansi {
        table.enforce_styling().style_text_only();
    }
    let heads = laid_out.iter().map(|column| Cell::new(&column.head).set_alignment(CellAlignment::Right));
    table.set_header(std::iter::once(Cell::new("")).chain(heads));
    for (row, label) in sheet.labels.iter().enumerate() {
        let cells = laid_out.iter().map(|column| {
            let cell = Cell::new(&column.cells[row]).set_alignment(CellAlignment::Right);
            if column.best[row] && style.colour == Colour::Ansi { cell.add_attribute(Attribute::Bold) } else { cell }
        });
        table.add_row(std::iter::once(Cell::new(printable::line(label))).chain(cells));
    }
    let most = style.width.map_or(LABEL_WIDTH, |width| (width / 3).clamp(8, LABEL_WIDTH));
    let label_width = widest(sheet.labels.iter().map(String::as_str)).min(most);
    let widths = std::iter::once(label_width).chain(laid_out.iter().map(|column| column.width));
    let mut total = 0;
    let last = laid_out.len();
    for (index, (column, width)) in table.column_iter_mut().zip(widths).enumerate() {
        let gap = if index == last { 0 } else { GAP };
        column.set_padding((0, gap));
        // A column's width counts its padding.
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + gap)));
        total += width + gap;
    }
    (table, total)
}

/// A column whose cells are texts of one or more lines.
struct Laid {
    head: String,
    cells: Vec<String>,
    best: Vec<bool>,
    width: u16,
}

impl Laid {
    fn out(column: &SheetColumn, layout: Layout) -> Laid {
        let cells = figures(&column.cells, layout);
        let head = column.head.iter().map(|line| printable::line(line)).filter(|line| !line.is_empty());
        let mut head = head.collect::<Vec<_>>().join("\n");
        if layout != Layout::Line {
            head = head.replace(", ", ",\n");
        }
        // A head is broken between words only where the table would not fit otherwise.
        let head_width =
            if layout == Layout::ThreeLines { widest(head.split_whitespace()) } else { widest(head.lines()) };
        let width = widest(cells.iter().flat_map(|cell| cell.lines())).max(head_width);
        let best = column.cells.iter().map(|words| words.best).collect();
        Laid { head, cells, best, width }
    }
}

/// Cells whose parts are aligned with those above and below them.
fn figures(words: &[cells::Words], layout: Layout) -> Vec<String> {
    let any_best = words.iter().any(|words| words.best);
    let relative = |words: &cells::Words| words.relative.clone().unwrap_or_default();
    let spread = |words: &cells::Words| words.spread.clone().unwrap_or_default();
    let relative_width = widest_of(words.iter().map(relative));
    let spread_width = widest_of(words.iter().map(spread));
    let cell = |words: &cells::Words| {
        let star = if words.best { "*" } else { " " };
        let absolute = format!("{}{}", words.absolute, if any_best { star } else { "" });
        let (relative, spread) = (relative(words), spread(words));
        let gap = |width: usize| if width == 0 { "" } else { " " };
        let missing = words.absolute == numbers::MISSING;
        match layout {
            Layout::Line | Layout::BrokenHead => format!(
                "{absolute}{}{relative:>relative_width$}{}{spread:<spread_width$}",
                gap(relative_width),
                gap(spread_width)
            ),
            _ if missing => absolute,
            Layout::TwoLines => {
                let second = format!("{relative}{}{spread}", gap(spread.len()));
                if second.is_empty() { absolute } else { format!("{absolute}\n{second}") }
            }
            Layout::ThreeLines => {
                [absolute, relative, spread].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
            }
        }
    };
    words.iter().map(cell).collect()
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> u16 {
    texts.map(|text| text.chars().count()).max().unwrap_or(0).clamp(1, usize::from(u16::MAX) / 64) as u16
}

fn widest_of(texts: impl Iterator<Item = String>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}
