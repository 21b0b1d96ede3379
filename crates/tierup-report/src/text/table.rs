//! Tables that fit a width. If necessary, the parts of a cell are stacked, and then the columns are split over several
//! tables. In: a [`Table`] and a [`Style`]. Out: tables as text.

use comfy_table::{
    Attribute, Cell as Drawn, CellAlignment, ColumnConstraint, LineStyle, Table as Drawing, TableStyle, Width,
    presets::NOTHING,
};

use super::{Colour, Style};
use crate::{
    numbers, printable,
    table::{Cell, Column, Table},
};

/// How a cell arranges the figure, the ratio and its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// `21,700* 43.1x ±4%`
    Line,
    /// A cell as in `Line`, below a head with line breaks at its commas.
    BrokenHead,
    /// The figure above the others.
    TwoLines,
    /// The three below each other.
    ThreeLines,
}

/// A label wraps at this width, or at a third of a narrow line.
const LABEL_WIDTH: u16 = 28;
/// The space between columns.
const GAP: u16 = 3;

/// As few tables as possible, in the widest layout that fits; none without rows or columns.
pub fn tables(table: &Table, style: Style) -> Vec<String> {
    if table.columns.is_empty() || table.labels.is_empty() {
        return Vec::new();
    }
    let available = style.width.unwrap_or(u16::MAX);
    let all: Vec<_> = (0..table.columns.len()).collect();
    for layout in [Layout::Line, Layout::BrokenHead, Layout::TwoLines, Layout::ThreeLines] {
        let (drawing, width) = build(table, &all, layout, style);
        if width <= available {
            return vec![drawing.to_string()];
        }
    }
    let mut tables = Vec::new();
    let mut columns: &[usize] = &all;
    while !columns.is_empty() {
        let fits = |count: &usize| build(table, &columns[..*count], Layout::ThreeLines, style).1 <= available;
        let count = (1..=columns.len()).rev().find(fits).unwrap_or(1);
        tables.push(build(table, &columns[..count], Layout::ThreeLines, style).0.to_string());
        columns = &columns[count..];
    }
    tables
}

/// A table with these columns, and its width.
fn build(table: &Table, columns: &[usize], layout: Layout, style: Style) -> (Drawing, u16) {
    let line = LineStyle::none().fill('─');
    let mut look: TableStyle = NOTHING.header_separator(line);
    let laid_out: Vec<_> = columns.iter().map(|column| Laid::out(&table.columns[*column], layout)).collect();
    if laid_out.iter().flat_map(|column| &column.cells).any(|cell| cell.contains('\n')) {
        look = look.row_separator(LineStyle::none().fill('╌'));
    }
    let mut drawing = Drawing::new();
    drawing.load_style(look).force_no_tty();
    if style.colour == Colour::Ansi {
        drawing.enforce_styling().style_text_only();
    }
    let heads = laid_out.iter().map(|column| Drawn::new(&column.head).set_alignment(CellAlignment::Right));
    drawing.set_header(std::iter::once(Drawn::new("")).chain(heads));
    for (row, label) in table.labels.iter().enumerate() {
        let cells = laid_out.iter().map(|column| {
            let cell = Drawn::new(&column.cells[row]).set_alignment(CellAlignment::Right);
            if column.best[row] && style.colour == Colour::Ansi { cell.add_attribute(Attribute::Bold) } else { cell }
        });
        drawing.add_row(std::iter::once(Drawn::new(printable::line(label))).chain(cells));
    }
    let most = style.width.map_or(LABEL_WIDTH, |width| (width / 3).clamp(8, LABEL_WIDTH));
    let label_width = widest(table.labels.iter().map(String::as_str)).min(most);
    let widths = std::iter::once(label_width).chain(laid_out.iter().map(|column| column.width));
    let mut total = 0;
    let last = laid_out.len();
    for (index, (column, width)) in drawing.column_iter_mut().zip(widths).enumerate() {
        let gap = if index == last { 0 } else { GAP };
        column.set_padding((0, gap));
        // The width of a column includes its padding.
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + gap)));
        total += width + gap;
    }
    (drawing, total)
}

/// A column with its cells as texts of one or more lines.
struct Laid {
    head: String,
    cells: Vec<String>,
    best: Vec<bool>,
    width: u16,
}

impl Laid {
    fn out(column: &Column, layout: Layout) -> Laid {
        let cells = figures(&column.cells, layout);
        let head = [&column.head, &column.from].map(|line| printable::line(line)).into_iter();
        let head = head.filter(|line| !line.is_empty());
        let mut head = head.collect::<Vec<_>>().join("\n");
        if layout != Layout::Line {
            head = head.replace(", ", ",\n");
        }
        // Only the narrowest layout breaks a head between words.
        let head_width =
            if layout == Layout::ThreeLines { widest(head.split_whitespace()) } else { widest(head.lines()) };
        let width = widest(cells.iter().flat_map(|cell| cell.lines())).max(head_width);
        let best = column.cells.iter().map(|cell| cell.best).collect();
        Laid { head, cells, best, width }
    }
}

/// Cells with each part aligned with the cells above and below.
fn figures(words: &[Cell], layout: Layout) -> Vec<String> {
    let any_best = words.iter().any(|words| words.best);
    let relative = |words: &Cell| words.relative.clone().unwrap_or_default();
    let spread = |words: &Cell| words.spread.clone().unwrap_or_default();
    let relative_width = widest_of(words.iter().map(relative));
    let spread_width = widest_of(words.iter().map(spread));
    let cell = |words: &Cell| {
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
