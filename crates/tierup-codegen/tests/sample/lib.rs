//! A hot crate as a user might write it: one function for each way in which a server takes and gives values.
//! `project.rs` describes it as tierup would read it.

use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Color {
    Red,
    DarkBlue,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Point,
    Circle(f64),
    Line(i64, Option<String>),
    Box { width: f64, r#type: Color, line_width: Option<u8> },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u64,
    pub value: u8,
    pub r#type: Color,
    pub note: Option<String>,
    pub data: Vec<u8>,
    pub ratio: f32,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Order {
    pub items: Vec<Item>,
    pub counts: HashMap<String, i64>,
    pub shapes: BTreeMap<String, Shape>,
    pub due_date: Option<String>,
}

/// Draws `text`.
pub fn draw(text: &str) -> Result<Vec<u8>, std::num::ParseIntError> {
    // For the test of a server whose answers have become wrong.
    if std::env::var_os("SAMPLE_BROKEN").is_some() {
        return Ok(vec![]);
    }
    match text.strip_prefix("number ") {
        Some(number) => number.parse::<u8>().map(|number| vec![number]),
        None => Ok(text.as_bytes().to_vec()),
    }
}

/// Gives an order back.
pub fn echo(order: Order) -> Order {
    order
}

pub fn total(items: &[Item]) -> u64 {
    items.iter().map(|item| item.id).sum()
}

pub fn describe(id: u16, color: Option<Color>, loud: bool, ratio: f64, note: Option<&str>) -> String {
    format!("{id} {color:?} {loud} {ratio} {note:?}")
}

pub fn length(data: &[u8]) -> u64 {
    data.len() as u64
}

pub fn shout(text: String) -> String {
    text.to_uppercase()
}

pub fn nothing() {}

/// Takes its time.
pub fn slow(milliseconds: u64) -> u64 {
    let start = std::time::Instant::now();
    while (start.elapsed().as_millis() as u64) < milliseconds {
        std::hint::spin_loop();
    }
    milliseconds
}

pub fn join(parts: &[&str]) -> String {
    parts.join("+")
}

/// Several structured parameters.
pub fn arrange(id: u16, items: &[Item], main_color: Option<Color>, labels: &[&str], data: Vec<u8>) -> String {
    format!("{id} {} {main_color:?} {labels:?} {data:?}", items.len())
}

pub fn fill(length: u32) -> Vec<u8> {
    vec![b'x'; length as usize]
}

pub fn fail(text: &str) -> String {
    panic!("cannot bear {text}")
}
