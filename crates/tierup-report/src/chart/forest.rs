//! A forest plot: ratios to a reference with their intervals, one row per line, on a logarithmic axis. An interval
//! wholly outside the band around 1 is a difference that matters. In: rows and their ratios. Out: a [`Drawing`].

use super::{
    Drawing, Look, Size, positive_extent,
    scale::Scale,
    shortened,
    svg::{Anchor, Svg},
};
use crate::{numbers, printable};

/// One figure of all rows, compared with the reference's.
pub struct Forest<'a> {
    /// The figure, e.g. `throughput`.
    pub title: &'a str,
    pub better: Better,
    /// A smaller ratio does not matter: 1.05 is 5 %.
    pub threshold: f64,
    pub lines: Vec<ForestLine<'a>>,
}

/// Which ratios are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    Higher,
    Lower,
}

/// A group's name, or a row with its ratio, if measured.
#[derive(Debug, Clone, Copy)]
pub enum ForestLine<'a> {
    Head(&'a str),
    Row(&'a Look, Option<Ratio>),
}

/// A ratio and the ends of its interval.
pub type Ratio = (f64, Option<(f64, f64)>);

const ROW_HEIGHT: f64 = 28.0;
const HEAD_HEIGHT: f64 = 26.0;
const FOOT_HEIGHT: f64 = 46.0;

impl Forest<'_> {
    /// `None` if no row has a ratio.
    pub fn draw(&self) -> Option<Drawing> {
        let extent = self.extent()?;
        let words = self.words();
        Some(Drawing::new(|size| self.sized(size, extent, &words)))
    }

    /// The range of all ratios and intervals, with a margin.
    fn extent(&self) -> Option<(f64, f64)> {
        let ends: Vec<f64> = self
            .ratios()
            .flat_map(|(ratio, interval)| {
                let (low, high) = interval.unwrap_or((ratio, ratio));
                [ratio, low, high]
            })
            .collect();
        if ends.is_empty() {
            return None;
        }
        let around = [1.0, self.threshold, 1.0 / self.threshold];
        let (low, high) = positive_extent(ends.into_iter().chain(around))?;
        Some((low / 1.12, high * 1.12))
    }

    fn ratios(&self) -> impl Iterator<Item = Ratio> {
        self.lines.iter().filter_map(|line| if let ForestLine::Row(_, ratio) = line { *ratio } else { None })
    }

    fn words(&self) -> String {
        let row = |line: &ForestLine| match line {
            ForestLine::Row(look, Some((ratio, interval))) => {
                Some(format!("{}: {}", look.label, numbers::ratio_within(*ratio, *interval)))
            }
            _ => None,
        };
        let rows: Vec<_> = self.lines.iter().filter_map(row).collect();
        format!("Ratio of {} to the reference. {}.", self.title, rows.join("; "))
    }

    fn sized(&self, size: Size, extent: (f64, f64), words: &str) -> String {
        let (width, height) = (size.width(), HEAD_HEIGHT + ROW_HEIGHT * self.lines.len() as f64 + FOOT_HEIGHT);
        let (left, right) = match size {
            Size::Wide => (170.0, width - 190.0),
            Size::Narrow => (104.0, width - 84.0),
        };
        let (top, bottom) = (HEAD_HEIGHT, height - FOOT_HEIGHT);
        let scale = Scale::logarithmic(extent, (left, right));
        let mut svg = Svg::new(size.class(), (width, height), words);
        let (band, end) = (scale.at(1.0 / self.threshold), scale.at(self.threshold));
        svg.rectangle("band", (band, top), (end - band, bottom - top));
        for tick in scale.ticks(size.ticks()) {
            svg.line("grid", (scale.at(tick), top), (scale.at(tick), bottom));
            svg.words("tick", (scale.at(tick), bottom + 16.0), Anchor::Middle, &tick_words(tick));
        }
        svg.line("one", (scale.at(1.0), top - 4.0), (scale.at(1.0), bottom + 4.0));
        svg.words("tick", (scale.at(1.0), top - 10.0), Anchor::Middle, "reference");
        let (better, place, anchor) = match self.better {
            Better::Higher => ("better →", right, Anchor::End),
            Better::Lower => ("← better", left, Anchor::Start),
        };
        svg.words("tick", (place, bottom + 36.0), anchor, better);
        for (index, line) in self.lines.iter().enumerate() {
            let middle = top + ROW_HEIGHT * (index as f64 + 0.5);
            match line {
                ForestLine::Head(name) => {
                    svg.words("group", (4.0, middle + 4.0), Anchor::Start, &printable::line(name))
                }
                ForestLine::Row(look, ratio) => row(&mut svg, size, look, *ratio, &scale, (left, right), middle),
            }
        }
        svg.finish()
    }
}

/// `20x`, or `20x less` left of the reference.
fn tick_words(tick: f64) -> String {
    if tick < 1.0 { format!("{}x less", numbers::plain(1.0 / tick)) } else { format!("{}x", numbers::plain(tick)) }
}

fn row(
    svg: &mut Svg,
    size: Size,
    look: &Look,
    ratio: Option<Ratio>,
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
                    words = numbers::ratio_within(ratio, interval);
                }
            }
            // Without an interval, another run may give a very different ratio: draw a hollow dot.
            let class = if interval.is_some() { "point" } else { "point hollow" };
            svg.dot(class, (scale.at(ratio), middle), 3.5, &format!("{}: {words}", look.label));
            svg.words("value", aside, Anchor::Start, &words);
        }
    }
    svg.end();
}
