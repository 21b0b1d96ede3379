use std::collections::BTreeMap;

/// A place on the page.
#[derive(Debug, Clone)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// What can be drawn.
pub enum Shape {
    /// Nothing.
    Nothing,
    Circle(Point, f64),
    /// Text somewhere.
    Label {
        /// Where.
        at: Point,
        text: String,
    },
    #[cfg(test)]
    Fake,
}

#[repr(u8)]
pub enum Colour {
    Red = 1,
    Green = 1 << 4,
    Blue = larger::<u8, { 1 + 1 }>(20, 3),
}

const fn larger<T, const N: u8>(a: u8, b: u8) -> u8 {
    if a > b { a } else { N << 4 }
}

pub struct Page {
    pub shapes: Vec<Shape>,
    pub named: BTreeMap<String, Shape>,
    pub background: Option<Colour>,
    #[cfg(test)]
    secret: u8,
}

pub fn f(page: &Page, extra: Vec<Point>) -> Shape {
    Shape::Nothing
}
