//! Everything that can cross, and names that mean something to WIT, to wit-bindgen or to JavaScript.
#![allow(non_snake_case, non_camel_case_types, uncommon_codepoints)]

use std::collections::{BTreeMap, HashMap};
use std::fmt;

#[derive(Debug)]
pub struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed: {}", self.0)
    }
}

/// A place in the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    pub y: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Color {
    Red,
    /// Like grass.
    Green,
    DarkBlue,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Empty,
    Circle(f64),
    Line(Point, Point),
    Polygon { corners: Vec<Point>, fill_color: Option<Color> },
    Bytes(Vec<u8>),
    Maybe(Option<u64>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Everything {
    pub flag: bool,
    pub i8: i8,
    pub i16: i16,
    pub i32: i32,
    pub i64: i64,
    pub isize: isize,
    pub u8: u8,
    pub u16: u16,
    pub u32: u32,
    pub u64: u64,
    pub usize: usize,
    pub f32: f32,
    pub f64: f64,
    pub text: String,
    pub bytes: Vec<u8>,
    pub optional: Option<String>,
    pub list: Vec<Point>,
    pub map: HashMap<String, u64>,
    pub color: Color,
    pub shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Lists {
    pub flags: Vec<bool>,
    pub i8s: Vec<i8>,
    pub i16s: Vec<i16>,
    pub i32s: Vec<i32>,
    pub i64s: Vec<i64>,
    pub isizes: Vec<isize>,
    pub u16s: Vec<u16>,
    pub u32s: Vec<u32>,
    pub u64s: Vec<u64>,
    pub usizes: Vec<usize>,
    pub f32s: Vec<f32>,
    pub f64s: Vec<f64>,
    pub texts: Vec<String>,
    pub bytes: Vec<Vec<u8>>,
    pub optional: Vec<Option<u8>>,
    pub nested: Vec<Vec<u32>>,
    pub maps: Vec<BTreeMap<String, Vec<Shape>>>,
    pub colors: Vec<Color>,
}

pub fn echo_everything(value: Everything) -> Everything {
    value
}

pub fn echo_lists(value: Lists) -> Lists {
    value
}

pub fn echo_shape(value: &Shape) -> Shape {
    value.clone()
}

pub fn echo_shapes(values: &[Shape]) -> Vec<Shape> {
    values.to_vec()
}

pub fn echo_color(value: Color) -> Color {
    value
}

pub fn echo_optional(value: Option<u32>) -> Option<u32> {
    value
}

pub fn echo_float(value: f64, narrow: f32) -> Vec<f64> {
    vec![value, narrow.into()]
}

/// 400 bytes, or an error where the text is empty.
pub fn generate(text: &str) -> Result<Vec<u8>, Failure> {
    if text.is_empty() {
        return Err(Failure("no text".to_owned()));
    }
    let mut bytes = vec![7; 400];
    bytes[0] = text.len() as u8;
    Ok(bytes)
}

pub fn echo_text(text: &str) -> &str {
    text
}

pub fn echo_bytes(bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

pub fn lengths(texts: &[&str], names: HashMap<String, &[u8]>, other: Option<&str>) -> BTreeMap<String, usize> {
    let texts = texts.iter().map(|text| ((*text).to_owned(), text.len()));
    let names = names.into_iter().map(|(name, bytes)| (name, bytes.len()));
    texts.chain(names).chain(other.map(|text| ("other".to_owned(), text.len()))).collect()
}

pub fn words(text: &str) -> Result<Option<Vec<&str>>, Box<dyn std::error::Error>> {
    let number: usize = text.split(' ').next().unwrap_or_default().parse()?;
    Ok((number > 0).then(|| text.split(' ').skip(1).take(number).collect()))
}

pub fn check(limit: u32) -> Result<(), String> {
    if limit > 3 { Err(format!("{limit} is more than 3")) } else { Ok(()) }
}

pub fn nothing() {}

pub fn boom(words: &str) -> u32 {
    panic!("{words}")
}

#[allow(unconditional_recursion)]
pub fn deep(depth: u64) -> u64 {
    std::hint::black_box(deep(std::hint::black_box(depth + 1)) + 1)
}

pub fn many(
    a: u8, b: String, c: u64, d: f32, e: Vec<u8>, f: Option<String>, g: Point, h: Vec<u64>, i: i16, j: bool,
) -> String {
    format!("{a} {b} {c} {d} {e:?} {f:?} {g:?} {h:?} {i} {j}")
}

#[derive(Debug, Clone, PartialEq)]
pub struct Nothing {}

pub fn echo_nothing(value: Nothing) -> Option<Nothing> {
    Some(value)
}

// Names.

#[derive(Debug, Clone, PartialEq)]
pub struct Guest {
    pub r#type: String,
    pub class: u8,
    pub r#gen: bool,
    pub _x: i32,
    pub x: i32,
    pub X: i32,
    pub x__y: i32,
    pub a_1: i32,
    pub a1: i32,
    pub größe: i32,
    pub constructor: u32,
    pub self_: u32,
    pub value: u32,
    pub result: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum From {
    None,
    Some,
    Self_,
    Ok(u8),
    Err { r#type: u8, value: Option<String> },
    err,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum List {
    A,
    a,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Into {
    pub from: Option<From>,
    pub result: Vec<Type>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    pub list: List,
}

pub fn guest(guest: Guest) -> Guest {
    guest
}

pub fn from(from: From) -> From {
    from
}

pub fn into(r#as: Into) -> Into {
    r#as
}

pub fn list(list: Vec<List>) -> Vec<List> {
    list
}

pub fn r#type(r#type: u32) -> u32 {
    r#type
}

pub fn class(class: &str, func: &str, lambda: &str) -> String {
    format!("{class}{func}{lambda}")
}

pub fn func(r#async: u8) -> u8 {
    r#async
}

pub fn lambda(value: u8) -> u8 {
    value
}

pub fn delete(new: u8, this: u8, arguments: u8) -> u8 {
    new ^ this ^ arguments
}

pub fn memory0(arg0: u8, val0: u8) -> u8 {
    arg0 + val0
}

pub fn module1(value: u8) -> u8 {
    value
}

pub fn undefined(value: u8) -> u8 {
    value
}

pub fn arguments(value: u8) -> u8 {
    value
}

pub fn functions(value: u8) -> u8 {
    value
}

pub fn data_view(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

pub fn instantiate(imports: u8) -> u8 {
    imports
}

pub fn panicked(message: &str) -> String {
    message.to_owned()
}

pub fn get_url(value: u8) -> String {
    format!("url {value}")
}

pub fn get_URL(value: u8) -> String {
    format!("URL {value}")
}

pub fn getUrl(value: u8) -> String {
    format!("Url {value}")
}

pub fn A(value: u8) -> u8 {
    value
}

pub fn a(value: u8) -> u8 {
    value + 1
}

pub fn a1b2(_: u8) -> u8 {
    12
}

pub fn r#gen(value: u8) -> u8 {
    value
}
