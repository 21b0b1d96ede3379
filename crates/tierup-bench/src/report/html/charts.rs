//! The page's drawings. In: a record, its analysis, and how each row looks. Out: each drawing twice, for wide and for
//! narrow screens, so that its words are legible on both.

mod forest;
mod frame;
mod latency;
mod memory;
mod slices;

pub(super) use forest::{Forest, forests};
pub(super) use latency::latency;
pub(super) use memory::memory;
pub(super) use slices::{cpu, throughput};

use super::palette::Look;

/// A drawing for wide screens and for narrow ones, as SVG.
pub(super) struct Drawing {
    pub(super) wide: String,
    pub(super) narrow: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Wide,
    Narrow,
}

impl Drawing {
    fn of(draw: impl Fn(Size) -> String) -> Drawing {
        Drawing { wide: draw(Size::Wide), narrow: draw(Size::Narrow) }
    }
}

impl Size {
    fn class(self) -> &'static str {
        match self {
            Size::Wide => "wide",
            Size::Narrow => "narrow",
        }
    }

    /// Width in CSS pixels, at which a text is as large as the style sheet says.
    fn width(self) -> f64 {
        match self {
            Size::Wide => 920.0,
            Size::Narrow => 340.0,
        }
    }

    /// Ticks that find room along the width.
    fn ticks(self) -> usize {
        match self {
            Size::Wide => 9,
            Size::Narrow => 5,
        }
    }
}

/// One row's line in a drawing: one or more parts, each a list of values along and up.
struct Line<'a> {
    look: &'a Look,
    parts: Vec<Vec<(f64, f64)>>,
}

impl Line<'_> {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.parts.iter().flatten().map(|(_, up)| *up)
    }
}

/// The least and the greatest of the values that can stand on a logarithmic scale.
fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let sound = values.filter(|value| value.is_finite() && *value > 0.0);
    sound.fold(None, |extent, value| {
        let (low, high) = extent.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// A text of at most so many pixels, where a Latin character takes that many on average and others up to twice.
fn shortened(text: &str, pixels: f64, character: f64) -> String {
    let width = |letter: char| if letter.is_ascii() { character } else { 2.0 * character };
    let widths = text.chars().scan(0.0, |sum, letter| {
        *sum += width(letter);
        Some(*sum)
    });
    let fitting = widths.take_while(|end| *end <= pixels).count();
    if fitting == text.chars().count() {
        return text.to_owned();
    }
    text.chars().take(fitting.saturating_sub(1)).chain(['…']).collect()
}
