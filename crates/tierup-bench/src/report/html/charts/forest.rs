//! Ratios to the reference with their intervals, one row below the other, on a logarithmic axis: what lies wholly beyond
//! the band around 1 is a difference that matters.

use super::{Drawing, Look, Size, extent, shortened};
use crate::{
    analysis::{Analysis, Better, Column, Figure},
    record::Record,
    report::{
        html::{
            scale::Scale,
            svg::{Anchor, Svg},
        },
        numbers, printable,
    },
};

/// One figure's plot.
pub(in crate::report::html) struct Forest {
    /// A word for the page's controls: `throughput`.
    pub(in crate::report::html) id: &'static str,
    pub(in crate::report::html) title: &'static str,
    pub(in crate::report::html) drawing: Drawing,
}

const FIGURES: [(Figure, &str); 4] = [
    (Figure::Throughput, "throughput"),
    (Figure::CpuPerRequest, "cpu"),
    (Figure::P99, "p99"),
    (Figure::Memory, "memory"),
];

const ROW_HEIGHT: f64 = 28.0;
const HEAD_HEIGHT: f64 = 26.0;
const FOOT_HEIGHT: f64 = 46.0;

/// Those figures of which there is any ratio.
pub(in crate::report::html) fn forests(record: &Record, analysis: &Analysis, looks: &[Look]) -> Vec<Forest> {
    let forest = |(figure, id): (Figure, &'static str)| {
        let index = analysis.columns.iter().position(|column| column.figure == figure)?;
        let column = &analysis.columns[index];
        let plot = Plot::new(record, analysis, looks, index)?;
        let words = plot.words(column);
        let drawing = Drawing::of(|size| plot.draw(size, column, &words));
        Some(Forest { id, title: column.title, drawing })
    };
    FIGURES.into_iter().filter_map(forest).collect()
}

struct Plot<'a> {
    threshold: f64,
    lines: Vec<PlotLine<'a>>,
    extent: (f64, f64),
}

/// A group's name, or a row and its ratio.
enum PlotLine<'a> {
    Head(&'a str),
    Row(&'a Look, Option<(f64, Option<(f64, f64)>)>),
}

impl<'a> Plot<'a> {
    fn new(record: &Record, analysis: &'a Analysis, looks: &'a [Look], column: usize) -> Option<Plot<'a>> {
        let mut lines = Vec::new();
        for group in &analysis.groups {
            if analysis.groups.len() > 1 {
                lines.push(PlotLine::Head(&group.name));
            }
            for row in group.rows.iter().filter(|row| **row != group.reference) {
                let cell = analysis.rows.get(*row).and_then(|row| row.cells.get(column));
                let ratio = cell.and_then(|cell| Some((cell.ratio?, cell.ratio_interval)));
                let ratio = ratio.filter(|(ratio, _)| ratio.is_finite() && *ratio > 0.0);
                lines.push(PlotLine::Row(looks.get(*row)?, ratio));
            }
        }
        let ratios = lines.iter().filter_map(|line| if let PlotLine::Row(_, ratio) = line { *ratio } else { None });
        let ends: Vec<f64> = ratios
            .flat_map(|(ratio, interval)| {
                let (low, high) = interval.unwrap_or((ratio, ratio));
                [ratio, low, high]
            })
            .collect();
        if ends.is_empty() {
            return None;
        }
        let threshold = record.settings.threshold;
        let around = [1.0, threshold, 1.0 / threshold];
        let (low, high) = extent(ends.into_iter().chain(around))?;
        Some(Plot { threshold, lines, extent: (low / 1.12, high * 1.12) })
    }

    fn words(&self, column: &Column) -> String {
        let row = |line: &PlotLine| match line {
            PlotLine::Row(look, Some((ratio, interval))) => {
                let interval = interval.map(|interval| format!(" {}", numbers::interval(interval))).unwrap_or_default();
                Some(format!("{}: {}{interval}", look.label, numbers::ratio(*ratio)))
            }
            _ => None,
        };
        let rows: Vec<_> = self.lines.iter().filter_map(row).collect();
        format!("Ratio of {} to the reference. {}.", column.title, rows.join("; "))
    }

    fn draw(&self, size: Size, column: &Column, words: &str) -> String {
        let (width, height) = (size.width(), HEAD_HEIGHT + ROW_HEIGHT * self.lines.len() as f64 + FOOT_HEIGHT);
        let (left, right) = match size {
            Size::Wide => (170.0, width - 190.0),
            Size::Narrow => (104.0, width - 62.0),
        };
        let (top, bottom) = (HEAD_HEIGHT, height - FOOT_HEIGHT);
        let scale = Scale::logarithmic(self.extent, (left, right));
        let mut svg = Svg::new(size.class(), (width, height), words);
        let (band, end) = (scale.at(1.0 / self.threshold), scale.at(self.threshold));
        svg.rectangle("band", (band, top), (end - band, bottom - top));
        for tick in scale.ticks(size.ticks()) {
            svg.line("grid", (scale.at(tick), top), (scale.at(tick), bottom));
            svg.words("tick", (scale.at(tick), bottom + 16.0), Anchor::Middle, &format!("{}x", numbers::plain(tick)));
        }
        svg.line("one", (scale.at(1.0), top - 4.0), (scale.at(1.0), bottom + 4.0));
        svg.words("tick", (scale.at(1.0), top - 10.0), Anchor::Middle, "reference");
        let (better, place, anchor) = match column.better {
            Better::Higher => ("better →", right, Anchor::End),
            Better::Lower => ("← better", left, Anchor::Start),
        };
        svg.words("tick", (place, bottom + 36.0), anchor, better);
        for (index, line) in self.lines.iter().enumerate() {
            let middle = top + ROW_HEIGHT * (index as f64 + 0.5);
            match line {
                PlotLine::Head(name) => svg.words("group", (4.0, middle + 4.0), Anchor::Start, &printable::line(name)),
                PlotLine::Row(look, ratio) => row(&mut svg, size, look, *ratio, &scale, (left, right), middle),
            }
        }
        svg.finish()
    }
}

fn row(
    svg: &mut Svg,
    size: Size,
    look: &Look,
    ratio: Option<(f64, Option<(f64, f64)>)>,
    scale: &Scale,
    (left, right): (f64, f64),
    middle: f64,
) {
    svg.group(&format!("series {}", look.class), &look.style);
    svg.title(&look.label);
    svg.words("label", (left - 12.0, middle + 4.0), Anchor::End, &shortened(&look.name, left - 12.0, 8.6));
    let aside = (right + 12.0, middle + 4.0);
    match ratio {
        None => {
            svg.words("tick", aside, Anchor::Start, if size == Size::Wide { "not measured" } else { numbers::MISSING })
        }
        Some((ratio, interval)) => {
            let mut words = numbers::ratio(ratio);
            if let Some((low, high)) = interval {
                svg.line("interval", (scale.at(low), middle), (scale.at(high), middle));
                for end in [low, high] {
                    svg.line("interval", (scale.at(end), middle - 5.0), (scale.at(end), middle + 5.0));
                }
                if size == Size::Wide {
                    words = format!("{words} {}", numbers::interval((low, high)));
                }
            }
            // Without an interval, nothing is known of how far the ratio would be off in another run: a hollow dot.
            let class = if interval.is_some() { "point" } else { "point hollow" };
            svg.dot(class, (scale.at(ratio), middle), 3.5, &format!("{}: {words}", look.label));
            svg.words("value", aside, Anchor::Start, &words);
        }
    }
    svg.end();
}
