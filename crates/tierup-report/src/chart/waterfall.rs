//! A waterfall chart: how parts add to or take from a figure. Bars are one below the other along a linear axis, and
//! each starts where the one before ends. In: bars. Out: a [`Drawing`].

use super::{
    Drawing, Size,
    scale::Scale,
    shortened,
    svg::{Anchor, Svg},
};
use crate::{numbers, printable};

/// A figure and its parts.
pub struct Waterfall<'a> {
    /// What the axis shows: `CPU a request, us`.
    pub title: &'a str,
    /// The chart's content in words, for screen readers.
    pub words: &'a str,
    pub bars: Vec<Bar>,
}

/// One part.
pub struct Bar {
    pub name: String,
    /// Its size in words.
    pub value: String,
    pub from: f64,
    pub to: f64,
    pub kind: BarKind,
}

/// The meaning of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarKind {
    /// The total at this point; the bar starts at 0.
    Level,
    Less,
    More,
    /// The difference is within noise.
    Open,
}

/// Height of a line of text, then of a bar with the space below it.
const LINE_HEIGHT: f64 = 17.0;
const BAR_HEIGHT: f64 = 21.0;
const FOOT_HEIGHT: f64 = 44.0;
/// Approximate width of a character of a name or a value, in pixels.
const CHARACTER: f64 = 7.6;

impl Waterfall<'_> {
    /// `None` if there is no bar, or no value above 0.
    pub fn draw(&self) -> Option<Drawing> {
        let high =
            self.bars.iter().flat_map(|bar| [bar.from, bar.to]).filter(|end| end.is_finite()).fold(0.0, f64::max);
        (high > 0.0).then(|| Drawing::new(|size| self.sized(size, high)))
    }

    fn sized(&self, size: Size, high: f64) -> String {
        // On a narrow screen, the value is below the name.
        let lines = if size == Size::Wide { 1.0 } else { 2.0 };
        let each = lines * LINE_HEIGHT + BAR_HEIGHT;
        let (width, height) = (size.width(), each * self.bars.len() as f64 + FOOT_HEIGHT);
        let (left, right, bottom) = (4.0, width - 24.0, height - FOOT_HEIGHT);
        let scale = Scale::linear(high, (left, right));
        let mut svg = Svg::new(size.class(), (width, height), &printable::line(self.words));
        for tick in scale.ticks(size.ticks()) {
            svg.line("grid", (scale.at(tick), 0.0), (scale.at(tick), bottom));
            let anchor = if tick == 0.0 { Anchor::Start } else { Anchor::Middle };
            svg.words("tick", (scale.at(tick), bottom + 16.0), anchor, &numbers::plain(tick));
        }
        svg.words("tick", ((left + right) / 2.0, bottom + 36.0), Anchor::Middle, self.title);
        for (index, bar) in self.bars.iter().enumerate() {
            let top = each * index as f64;
            let class = match bar.kind {
                BarKind::Level => "level",
                BarKind::Less => "less",
                BarKind::More => "more",
                BarKind::Open => "open",
            };
            let (from, to) = (scale.at(bar.from.min(bar.to)), scale.at(bar.from.max(bar.to)));
            // A minimum width keeps even tiny parts visible.
            svg.rectangle(class, (from, top + lines * LINE_HEIGHT + 1.0), ((to - from).max(2.0), 14.0));
            let (name, value) = (printable::line(&bar.name), printable::line(&bar.value));
            let (room, place, anchor) = match size {
                Size::Wide => (right - left - value.chars().count() as f64 * CHARACTER, right, Anchor::End),
                Size::Narrow => (right - left, left, Anchor::Start),
            };
            svg.words("label", (left, top + 13.0), Anchor::Start, &shortened(&name, room, CHARACTER));
            svg.words("value", (place, top + (lines - 1.0) * LINE_HEIGHT + 13.0), anchor, &value);
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn bar(name: &str, (from, to): (f64, f64), kind: BarKind) -> Bar {
        Bar { name: name.into(), value: numbers::plain(from - to), from, to, kind }
    }

    #[test]
    fn each_bar_starts_where_the_one_before_ends() {
        let bars = vec![
            bar("<0>", (400.0, 0.0), BarKind::Level),
            bar("tuned", (400.0, 100.0), BarKind::Less),
            bar("Rust", (100.0, 100.1), BarKind::Open),
        ];
        let drawing = Waterfall { title: "us", words: "words", bars }.draw().unwrap();
        let bars = drawing.wide.split('<').filter(|tag| tag.starts_with("rect")).collect::<Vec<_>>().join("\n");
        expect![[r#"
            rect class="level" x="4" y="18" width="892" height="14"/>
            rect class="less" x="227" y="56" width="669" height="14"/>
            rect class="open" x="227" y="94" width="2" height="14"/>"#]]
        .assert_eq(&bars);
        assert!(drawing.wide.contains("&lt;0&gt;"));
        assert!(Waterfall { title: "us", words: "", bars: Vec::new() }.draw().is_none());
    }
}
