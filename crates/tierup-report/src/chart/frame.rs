//! The frame of a line chart: margins, axes, and names at the ends of the lines.

use super::{
    Look, Size,
    scale::Scale,
    shortened,
    svg::{Anchor, Svg},
};
use crate::numbers;

/// With more lines than this, their names do not fit; only the legend has them.
const NAMED_LINES: usize = 12;
/// Width of a name, in pixels.
const NAME_WIDTH: f64 = 116.0;
/// Distance between the baselines of two names, in pixels.
const NAME_HEIGHT: f64 = 15.0;

/// One line: one or more parts, each a list of (x, y) values.
pub struct Line<'a> {
    pub look: &'a Look,
    pub parts: Vec<Vec<(f64, f64)>>,
}

pub(super) struct Frame {
    size: Size,
    height: f64,
    names: bool,
}

impl Frame {
    /// A frame for this many lines.
    pub(super) fn new(size: Size, lines: usize) -> Frame {
        let height = if size == Size::Wide { 340.0 } else { 260.0 };
        Frame { size, height, names: size == Size::Wide && lines <= NAMED_LINES }
    }

    pub(super) fn svg(&self, words: &str) -> Svg {
        Svg::new(self.size.class(), (self.size.width(), self.height), words)
    }

    /// The x coordinates of the left and the right edge.
    pub(super) fn along(&self) -> (f64, f64) {
        (56.0, self.size.width() - if self.names { NAME_WIDTH + 14.0 } else { 14.0 })
    }

    /// The y coordinates of the lower and the upper edge.
    pub(super) fn up(&self) -> (f64, f64) {
        (self.height - 40.0, 26.0)
    }

    /// The vertical axis: grid lines, their values, and the unit on top.
    pub(super) fn vertical_axis(&self, svg: &mut Svg, scale: &Scale, unit: &str) {
        let (left, right) = self.along();
        for tick in scale.ticks(6) {
            let height = scale.at(tick);
            svg.line("grid", (left, height), (right, height));
            svg.words("tick", (left - 8.0, height + 4.0), Anchor::End, &numbers::plain(tick));
        }
        svg.words("tick", (left - 8.0, 14.0), Anchor::End, unit);
    }

    /// A labelled value of the horizontal axis.
    pub(super) fn horizontal_tick(&self, svg: &mut Svg, place: f64, text: &str) {
        let (bottom, top) = self.up();
        svg.line("grid", (place, bottom), (place, top));
        // At the right edge, a centred text would be cut off.
        let anchor = if place + 24.0 > self.size.width() { Anchor::End } else { Anchor::Middle };
        let place = if matches!(anchor, Anchor::End) { self.size.width() } else { place };
        svg.words("tick", (place, bottom + 16.0), anchor, text);
    }

    /// The title of the horizontal axis.
    pub(super) fn horizontal_title(&self, svg: &mut Svg, text: &str) {
        let (left, right) = self.along();
        svg.words("tick", ((left + right) / 2.0, self.height - 5.0), Anchor::Middle, text);
    }

    /// The lines, and their names if there is room.
    pub(super) fn lines(&self, svg: &mut Svg, lines: &[Line], along: &Scale, up: &Scale, mark: Mark<'_>) {
        for line in lines {
            svg.group(&format!("series {}", line.look.class), &line.look.style);
            for part in &line.parts {
                let places: Vec<_> = part.iter().map(|(x, y)| (along.at(*x), up.at(*y))).collect();
                svg.path("line", &places, &line.look.label);
                if let Mark::Dots(words) = mark {
                    for ((_, value), place) in part.iter().zip(&places) {
                        svg.dot("dot", *place, 3.0, &format!("{}: {}", line.look.label, words(*value)));
                    }
                }
            }
            svg.end();
        }
        if self.names {
            self.names(svg, lines, up);
        }
    }

    fn names(&self, svg: &mut Svg, lines: &[Line], up: &Scale) {
        let ends = lines
            .iter()
            .filter_map(|line| Some((line, up.at(line.parts.iter().rev().find_map(|part| part.last())?.1))));
        let ends: Vec<_> = ends.collect();
        let wanted: Vec<f64> = ends.iter().map(|(_, place)| *place).collect();
        let (bottom, top) = self.up();
        let edge = self.along().1;
        for ((line, wanted), place) in ends.iter().zip(spread(&wanted, NAME_HEIGHT, (top, bottom))) {
            svg.group(&format!("series {}", line.look.class), &line.look.style);
            svg.line("leader", (edge + 2.0, *wanted), (edge + 10.0, place));
            svg.words("name", (edge + 13.0, place + 4.0), Anchor::Start, &shortened(&line.look.label, NAME_WIDTH, 7.4));
            svg.title(&line.look.label);
            svg.end();
        }
    }
}

/// How to mark a line's values.
#[derive(Clone, Copy)]
pub(super) enum Mark<'a> {
    None,
    /// A dot per value, which shows the value as a tooltip.
    Dots(&'a dyn Fn(f64) -> String),
}

/// Moves the wanted places so that they are at least `gap` apart, and within `low` and `high` if they all fit.
fn spread(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|one, other| wanted[*one].total_cmp(&wanted[*other]));
    let mut places = wanted.to_vec();
    let mut least = low;
    for index in &order {
        places[*index] = places[*index].max(least);
        least = places[*index] + gap;
    }
    let mut most = high;
    for index in order.iter().rev() {
        places[*index] = places[*index].min(most);
        most = places[*index] - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_overlap() {
        assert_eq!(spread(&[50.0, 10.0, 52.0], 15.0, (0.0, 100.0)), [50.0, 10.0, 65.0]);
        assert_eq!(spread(&[99.0, 98.0], 15.0, (0.0, 100.0)), [100.0, 85.0]);
        assert_eq!(spread(&[], 15.0, (0.0, 100.0)), [0.0; 0]);
    }
}
