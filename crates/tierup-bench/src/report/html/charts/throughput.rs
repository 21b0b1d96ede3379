//! Throughput of every slice of the closed loop, in order of time: whether a row drifts, and how it spreads.

use super::{Drawing, Line, Look, extent, frame::Frame, frame::Mark};
use crate::{
    record::Record,
    report::{html::scale::Scale, numbers},
};

/// Above this ratio of the greatest to the least, a linear scale would press the lower rows to the ground.
const LINEAR_UP_TO: f64 = 8.0;

/// `None` where nothing was measured.
pub(in crate::report::html) fn throughput(record: &Record, looks: &[Look]) -> Option<Drawing> {
    let lines: Vec<Line> = looks.iter().enumerate().map(|(row, look)| line(record, row, look)).collect();
    let lines: Vec<Line> = lines.into_iter().filter(|line| !line.parts.is_empty()).collect();
    let (low, high) = extent(lines.iter().flat_map(Line::values))?;
    let blocks = record.blocks.len();
    let words = format!("Throughput of each slice in the order of time, over {}.", numbers::counted(blocks, "block"));
    Some(Drawing::of(|size| {
        let frame = Frame::new(size, lines.len());
        let mut svg = frame.svg(&words);
        let along = Scale::linear(blocks as f64, frame.along());
        let up = if high / low > LINEAR_UP_TO {
            Scale::logarithmic((low / 1.1, high * 1.1), frame.up())
        } else {
            Scale::linear(high * 1.05, frame.up())
        };
        frame.vertical_axis(&mut svg, &up, "req/s");
        let (bottom, top) = frame.up();
        let every = blocks.div_ceil(size.ticks()).max(1);
        for block in 0..blocks {
            if block > 0 {
                svg.line("grid", (along.at(block as f64), bottom), (along.at(block as f64), top));
            }
            if block.is_multiple_of(every) {
                let middle = (along.at(block as f64 + 0.5), bottom + 16.0);
                svg.words("tick", middle, crate::report::html::svg::Anchor::Middle, &format!("{}", block + 1));
            }
        }
        frame.horizontal_title(&mut svg, "block");
        frame.lines(
            &mut svg,
            &lines,
            &along,
            &up,
            Mark::Dots(|value| format!("{} req/s", numbers::significant(value))),
        );
        svg.finish()
    }))
}

/// One part a block; slices are at even steps within it.
fn line<'a>(record: &Record, row: usize, look: &'a Look) -> Line<'a> {
    let part = |(block, rows): (usize, &crate::record::Block)| {
        let slices = &rows.rows.get(row)?.closed;
        let counted = slices.iter().enumerate().filter(|(_, slice)| slice.seconds > 0.0);
        let place = |index: usize| block as f64 + (index as f64 + 0.5) / slices.len() as f64;
        let part: Vec<_> =
            counted.map(|(index, slice)| (place(index), slice.completed as f64 / slice.seconds)).collect();
        (!part.is_empty()).then_some(part)
    };
    Line { look, parts: record.blocks.iter().enumerate().filter_map(part).collect() }
}
