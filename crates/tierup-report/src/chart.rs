//! Charts as SVG. In: series of values and their looks. Out: each drawing in two sizes, so that its text is legible on
//! wide and on narrow screens.

mod forest;
mod frame;
mod latency;
mod lines;
mod palette;
mod scale;
mod svg;
mod waterfall;

pub use forest::{Better, Forest, ForestLine, Ratio};
pub use frame::Line;
pub use latency::{CURVES, Distribution, LATENCY, LatencyCurves, latency};
pub use lines::{Along, LineChart, Marks, Up, extent};
pub use palette::{Look, Series, Standing, looks};
pub use waterfall::{Bar, BarKind, Waterfall};

/// A drawing in two sizes, as SVG.
pub struct Drawing {
    pub wide: String,
    pub narrow: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Wide,
    Narrow,
}

impl Drawing {
    fn new(draw: impl Fn(Size) -> String) -> Drawing {
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

    /// The width in CSS pixels at which text has the size of the style sheet.
    fn width(self) -> f64 {
        match self {
            Size::Wide => 920.0,
            Size::Narrow => 340.0,
        }
    }

    /// Number of ticks that fit along the width.
    fn ticks(self) -> usize {
        match self {
            Size::Wide => 9,
            Size::Narrow => 5,
        }
    }
}

/// The minimum and maximum of the values that a logarithmic scale can show.
fn positive_extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let sound = values.filter(|value| value.is_finite() && *value > 0.0);
    sound.fold(None, |extent, value| {
        let (low, high) = extent.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// Cuts a text to `pixels`. `character` is the average width of an ASCII character; others count double.
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
