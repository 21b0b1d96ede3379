//! Writes SVG. In: shapes and texts. Out: one `<svg>` element, well-formed and escaped.

use std::fmt::{Display, Write as _};

pub(super) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

/// The anchor of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

type Attributes<'a> = [(&'a str, &'a dyn Display)];

impl Svg {
    /// A drawing of this size; `words` describe it for screen readers.
    pub(super) fn new(class: &str, (width, height): (f64, f64), words: &str) -> Svg {
        let mut svg = Svg { text: String::new(), open: Vec::new() };
        let view = format!("0 0 {} {}", place(width), place(height));
        svg.open("svg", &[("class", &class), ("viewBox", &view), ("role", &"img"), ("aria-label", &words)]);
        svg
    }

    /// Begins a group of elements that are drawn, shown and hidden together.
    pub(super) fn group(&mut self, class: &str, style: &str) {
        match style {
            "" => self.open("g", &[("class", &class)]),
            _ => self.open("g", &[("class", &class), ("style", &style)]),
        }
    }

    pub(super) fn end(&mut self) {
        if let Some(name) = self.open.pop() {
            self.text += &format!("</{name}>");
        }
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let (x1, y1, x2, y2) = (place(x1), place(y1), place(x2), place(y2));
        self.empty("line", &[("class", &class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)]);
    }

    pub(super) fn rectangle(&mut self, class: &str, (left, top): (f64, f64), (width, height): (f64, f64)) {
        let (x, y, width, height) = (place(left), place(top), place(width.max(0.0)), place(height.max(0.0)));
        self.empty("rect", &[("class", &class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)]);
    }

    /// A circle with a tooltip.
    pub(super) fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, title: &str) {
        let (x, y, radius) = (place(x), place(y), place(radius));
        self.open("circle", &[("class", &class), ("cx", &x), ("cy", &y), ("r", &radius)]);
        self.title(title);
        self.end();
    }

    /// A line through points, in order.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)], title: &str) {
        let mut shape = String::new();
        for (index, (x, y)) in points.iter().enumerate() {
            // Writing into a String cannot fail.
            let _ = write!(shape, "{}{} {}", if index == 0 { "M" } else { "L" }, place(*x), place(*y));
        }
        self.open("path", &[("class", &class), ("d", &shape)]);
        self.title(title);
        self.end();
    }

    pub(super) fn words(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (place(x), place(y));
        self.open("text", &[("class", &class), ("x", &x), ("y", &y), ("text-anchor", &anchor)]);
        self.text += &escaped(text);
        self.end();
    }

    pub(super) fn title(&mut self, text: &str) {
        if !text.is_empty() {
            self.text += &format!("<title>{}</title>", escaped(text));
        }
    }

    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        self.text
    }

    fn open(&mut self, name: &'static str, attributes: &Attributes) {
        self.tag(name, attributes, ">");
        self.open.push(name);
    }

    fn empty(&mut self, name: &'static str, attributes: &Attributes) {
        self.tag(name, attributes, "/>");
    }

    fn tag(&mut self, name: &str, attributes: &Attributes, end: &str) {
        self.text += &format!("<{name}");
        for (attribute, value) in attributes {
            self.text += &format!(" {attribute}=\"{}\"", escaped(&value.to_string()));
        }
        self.text += end;
    }
}

/// A coordinate, rounded to a tenth of a pixel.
fn place(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn texts_are_escaped_and_elements_closed() {
        let mut svg = Svg::new("wide", (100.0, 50.25), "a \"b\"");
        svg.group("row", "");
        svg.words("label", (1.04, 2.0), Anchor::End, "</svg>&");
        svg.path("line", &[(0.0, 1.0), (2.55, 3.0)], "<t>");
        expect![[r#"<svg class="wide" viewBox="0 0 100 50.2" role="img" aria-label="a &quot;b&quot;"><g class="row"><text class="label" x="1" y="2" text-anchor="end">&lt;/svg&gt;&amp;</text><path class="line" d="M0 1L2.5 3"><title>&lt;t&gt;</title></path></g></svg>"#]]
        .assert_eq(&svg.finish());
    }
}
