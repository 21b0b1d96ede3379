//! Names that mean something in some host.

/// Fields that are keywords somewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Keywords {
    pub r#type: String,
    pub class: u8,
    pub func: bool,
    pub lambda: i32,
    pub constructor: u32,
    pub default: Option<String>,
}

/// Cases that are keywords somewhere.
#[derive(Debug, Clone, PartialEq)]
pub enum Reserved {
    None,
    True,
    Type { r#type: u8, value: u8 },
    Object(u32),
}

pub fn echo_keywords(keywords: Keywords) -> Keywords {
    keywords
}

pub fn echo_reserved(reserved: Reserved) -> Reserved {
    reserved
}

/// A function that is a keyword in Rust itself.
pub fn r#type(r#type: u32) -> u32 {
    r#type
}

pub fn class(class: &str, func: &str, lambda: &str) -> String {
    format!("{class}{func}{lambda}")
}

pub fn func(value: u8) -> u8 {
    value
}

pub fn lambda(value: u8) -> u8 {
    value
}

pub fn delete(new: u8, this: u8, arguments: u8) -> u8 {
    new ^ this ^ arguments
}

pub fn constructor(value: u8) -> u8 {
    value
}

pub fn with(value: u8) -> u8 {
    value
}

pub fn close(value: u8) -> u8 {
    value
}

// Names that differ only in case.

pub fn get_url(value: u8) -> String {
    format!("url {value}")
}

#[allow(non_snake_case)]
pub fn get_URL(value: u8) -> String {
    format!("URL {value}")
}

#[allow(non_snake_case)]
pub fn getUrl(value: u8) -> String {
    format!("Url {value}")
}
