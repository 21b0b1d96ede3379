//! Forest plots of ratios to the reference, one for each figure that decides. In: an analysis. Out: drawings, one of
//! which the reader chooses.

use tierup_report::chart::{self, Drawing, Forest, ForestLine, Look};

use crate::{
    analysis::{Analysis, Better, Figure},
    record::Record,
};

/// One figure's plot.
pub(in crate::report::html) struct Plot {
    /// A word for the page's controls: `throughput`.
    pub(in crate::report::html) id: &'static str,
    pub(in crate::report::html) title: &'static str,
    /// The source of the figure: `open loop, 350 req/s`.
    pub(in crate::report::html) from: String,
    pub(in crate::report::html) drawing: Drawing,
}

/// The figures and their words. `templates/report.css` uses the same words.
const FIGURES: [(Figure, &str); 4] = [
    (Figure::CpuPerRequest, "cpu"),
    (Figure::Throughput, "throughput"),
    (Figure::P99, "p99"),
    (Figure::Memory, "memory"),
];

/// A plot for each figure that has at least one ratio.
pub(in crate::report::html) fn forests(record: &Record, analysis: &Analysis, looks: &[Look]) -> Vec<Plot> {
    let plot = |(figure, id): (Figure, &'static str)| {
        let index = analysis.columns.iter().position(|column| column.figure == figure)?;
        let column = &analysis.columns[index];
        let forest = Forest {
            title: column.title,
            better: match column.better {
                Better::Higher => chart::Better::Higher,
                Better::Lower => chart::Better::Lower,
            },
            threshold: record.settings.threshold,
            lines: lines(analysis, looks, index)?,
        };
        Some(Plot { id, title: column.title, from: column.from.clone(), drawing: forest.draw()? })
    };
    FIGURES.into_iter().filter_map(plot).collect()
}

fn lines<'a>(analysis: &'a Analysis, looks: &'a [Look], column: usize) -> Option<Vec<ForestLine<'a>>> {
    let mut lines = Vec::new();
    for group in &analysis.groups {
        if analysis.groups.len() > 1 {
            lines.push(ForestLine::Head(&group.name));
        }
        for row in group.rows.iter().filter(|row| **row != group.reference) {
            let cell = analysis.rows.get(*row).and_then(|row| row.cells.get(column));
            let ratio = cell.and_then(|cell| Some((cell.ratio?, cell.ratio_interval)));
            let ratio = ratio.filter(|(ratio, _)| ratio.is_finite() && *ratio > 0.0);
            lines.push(ForestLine::Row(looks.get(*row)?, ratio));
        }
    }
    Some(lines)
}
