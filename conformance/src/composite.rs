//! Optional values, lists, maps, records and enums, in one another.

use std::collections::{BTreeMap, HashMap};

/// A place in the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
}

/// One of a few words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    Red,
    /// Like grass.
    Green,
    DarkBlue,
}

/// Something that can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Nothing at all.
    Empty,
    /// By its radius.
    Circle(f64),
    /// From one place to another.
    Line(Point, Point),
    /// With its corners in order.
    Polygon {
        corners: Vec<Point>,
        /// Where it is filled.
        fill_color: Option<Color>,
    },
}

/// One of everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Everything {
    pub flag: bool,
    pub small: i8,
    pub byte: u8,
    pub whole: i64,
    pub large: u64,
    pub size: usize,
    pub single: f32,
    pub double: f64,
    pub text: String,
    pub bytes: Vec<u8>,
    pub maybe_text: Option<String>,
    pub maybe_shape: Option<Shape>,
    pub numbers: Vec<u32>,
    pub chunks: Vec<Vec<u8>>,
    pub grid: Vec<Vec<f64>>,
    pub counts: HashMap<String, u64>,
    pub shapes: BTreeMap<String, Vec<Shape>>,
    pub color: Color,
}

/// A record with nothing in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Nothing {}

pub type Shapes = Vec<Shape>;

pub fn echo_option(value: Option<u64>) -> Option<u64> {
    value
}

/// Text that may be absent is lent, too.
pub fn echo_option_text(value: Option<&str>) -> Option<String> {
    value.map(str::to_owned)
}

pub fn echo_texts(values: Vec<String>) -> Vec<String> {
    values
}

/// A list of borrowed text.
pub fn join(parts: Vec<&str>, separator: &str) -> String {
    parts.join(separator)
}

/// The list itself is borrowed, too.
pub fn longest(parts: &[&str]) -> Option<String> {
    parts.iter().max_by_key(|part| part.len()).map(|part| (*part).to_owned())
}

/// Borrowed text, some of it absent.
pub fn echo_optional_texts(values: Vec<Option<&str>>) -> Vec<Option<String>> {
    values.into_iter().map(|value| value.map(str::to_owned)).collect()
}

pub fn echo_signed_bytes(values: &[i8]) -> Vec<i8> {
    values.to_vec()
}

pub fn echo_u64s(values: &[u64]) -> Vec<u64> {
    values.to_vec()
}

pub fn echo_f32s(values: &[f32]) -> Vec<f32> {
    values.to_vec()
}

pub fn echo_chunks(values: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    values
}

pub fn echo_map(values: HashMap<String, i32>) -> HashMap<String, i32> {
    values
}

pub fn echo_sorted_map(values: BTreeMap<String, Point>) -> BTreeMap<String, Point> {
    values
}

pub fn echo_point(point: Point) -> Point {
    point
}

/// A record that is lent. Not `hypot`, whose last bit differs between the mathematics of a platform and that of Wasm.
pub fn length(point: &Point) -> f64 {
    (point.x * point.x + point.y * point.y).sqrt()
}

pub fn echo_color(color: Color) -> Color {
    color
}

pub fn echo_shape(shape: &Shape) -> Shape {
    shape.clone()
}

/// Through an alias.
pub fn echo_shapes(shapes: Shapes) -> Shapes {
    shapes
}

pub fn echo_everything(everything: &Everything) -> Everything {
    everything.clone()
}

pub fn echo_nothing(nothing: Nothing) -> Nothing {
    nothing
}

/// Many parameters of many types, in order.
#[allow(clippy::too_many_arguments)]
pub fn describe_all(
    flag: bool,
    count: u16,
    name: &str,
    ratio: f32,
    bytes: &[u8],
    color: Option<Color>,
    points: &[Point],
    extra: &HashMap<String, String>,
) -> String {
    let mut extra: Vec<_> = extra.iter().collect();
    extra.sort();
    format!("{flag} {count} {name:?} {ratio:?} {bytes:?} {color:?} {points:?} {extra:?}")
}
