//! A chart of lines over one horizontal axis. In: lines and what the axes show. Out: a [`Drawing`].

use super::{
    Drawing, Size,
    frame::{Frame, Line, Mark},
    positive_extent,
    scale::Scale,
    svg::{Anchor, Svg},
};
use crate::numbers;

/// A line chart.
pub struct LineChart<'a> {
    /// The chart's content in words, for screen readers.
    pub words: &'a str,
    pub lines: &'a [Line<'a>],
    /// The unit of the vertical axis.
    pub unit: &'a str,
    /// The title of the horizontal axis.
    pub title: &'a str,
    pub along: Along<'a>,
    pub up: Up,
    pub marks: Marks,
}

/// The horizontal axis.
#[derive(Clone, Copy)]
pub enum Along<'a> {
    /// Values from 0 to this one.
    Values(f64),
    /// Equal parts of width 1, numbered from 1.
    Parts(usize),
    /// Values from 0 to `end`, labelled at the places in `named`. The page's script shows its values on hover.
    Places { end: f64, named: &'a [(f64, String)] },
}

/// The vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Up {
    Linear,
    Logarithmic,
    /// Logarithmic if the values span more than a factor of 8, so that the lower lines stay readable; else linear.
    ByRange,
}

/// Whether each value has a dot, which shows it as a tooltip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    None,
    Dots,
}

/// Above this ratio of the greatest value to the least, [`Up::ByRange`] is logarithmic.
const LINEAR_UP_TO: f64 = 8.0;

/// The minimum and maximum of all lines, without values that a logarithmic scale cannot show.
pub fn extent(lines: &[Line<'_>]) -> Option<(f64, f64)> {
    positive_extent(lines.iter().flat_map(|line| &line.parts).flatten().map(|(_, up)| *up))
}

impl LineChart<'_> {
    /// `None` if there is no value to draw.
    pub fn draw(&self) -> Option<Drawing> {
        let extent = extent(self.lines)?;
        Some(Drawing::new(|size| self.sized(size, extent)))
    }

    fn sized(&self, size: Size, extent: (f64, f64)) -> String {
        let frame = Frame::new(size, self.lines.len());
        let mut svg = frame.svg(self.words);
        let along = Scale::linear(self.along.end(), frame.along());
        let up = self.up.scale(extent, frame.up());
        frame.vertical_axis(&mut svg, &up, self.unit);
        self.along.axis(&mut svg, &frame, &along, size);
        frame.horizontal_title(&mut svg, self.title);
        if let Along::Places { .. } = self.along {
            let ((left, right), (bottom, top)) = (frame.along(), frame.up());
            svg.rectangle("plot", (left, top), (right - left, bottom - top));
        }
        let words = |value: f64| format!("{} {}", numbers::significant(value), self.unit);
        let mark = match self.marks {
            Marks::None => Mark::None,
            Marks::Dots => Mark::Dots(&words),
        };
        frame.lines(&mut svg, self.lines, &along, &up, mark);
        svg.finish()
    }
}

impl Along<'_> {
    fn end(self) -> f64 {
        match self {
            Along::Values(end) | Along::Places { end, .. } => end,
            Along::Parts(count) => count as f64,
        }
    }

    fn axis(self, svg: &mut Svg, frame: &Frame, along: &Scale, size: Size) {
        match self {
            Along::Values(_) => {
                for tick in along.ticks(size.ticks()) {
                    frame.horizontal_tick(svg, along.at(tick), &numbers::plain(tick));
                }
            }
            Along::Places { named, .. } => {
                for (at, text) in named {
                    frame.horizontal_tick(svg, along.at(*at), text);
                }
            }
            Along::Parts(count) => {
                let (bottom, top) = frame.up();
                let every = count.div_ceil(size.ticks()).max(1);
                for part in 0..count {
                    if part > 0 {
                        svg.line("grid", (along.at(part as f64), bottom), (along.at(part as f64), top));
                    }
                    if part.is_multiple_of(every) {
                        let middle = (along.at(part as f64 + 0.5), bottom + 16.0);
                        svg.words("tick", middle, Anchor::Middle, &format!("{}", part + 1));
                    }
                }
            }
        }
    }
}

impl Up {
    fn scale(self, (low, high): (f64, f64), places: (f64, f64)) -> Scale {
        match self {
            Up::Logarithmic => Scale::logarithmic((low, high), places),
            Up::ByRange if high / low > LINEAR_UP_TO => Scale::logarithmic((low / 1.1, high * 1.1), places),
            Up::Linear | Up::ByRange => Scale::linear(high * 1.05, places),
        }
    }
}
