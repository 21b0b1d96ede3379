//! The types of the language and the standard library that can cross, by name.

use crate::interface::{Integer, Type};

/// The type that a path into the standard library, or a primitive name, stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum StandardType {
    Scalar(Scalar),
    /// `str`
    Str,
    String,
    Vec,
    Option,
    HashMap,
    BTreeMap,
}

/// A type without parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    Bool,
    F32,
    F64,
    Integer(Integer),
}

impl Scalar {
    pub(crate) fn ty(self) -> Type {
        match self {
            Scalar::Bool => Type::Bool,
            Scalar::F32 => Type::F32,
            Scalar::F64 => Type::F64,
            Scalar::Integer(integer) => Type::Integer(integer),
        }
    }

    pub(crate) fn rust(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Integer(integer) => integer.rust(),
        }
    }
}

pub(crate) fn is_standard_crate(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}

/// Whether a path leads into the standard library.
pub(crate) fn is_standard(path: &[String]) -> bool {
    path.first().is_some_and(|root| is_standard_crate(root))
}

/// Names that need no import.
pub(crate) fn in_prelude(name: &str) -> Option<Vec<String>> {
    let module = match name {
        "Box" => "boxed",
        "Option" => "option",
        "Result" => "result",
        "String" => "string",
        "Vec" => "vec",
        _ => return None,
    };
    Some(["std", module, name].map(String::from).to_vec())
}

/// Whether `use glob::*` brings that type.
pub(crate) fn glob_brings(glob: &[String], name: &str) -> bool {
    let [root, module] = glob else { return false };
    let types: &[&str] = match module.as_str() {
        "collections" => &["BTreeMap", "BTreeSet", "BinaryHeap", "HashMap", "HashSet", "LinkedList", "VecDeque"],
        "io" | "fmt" => &["Result"],
        _ => &[],
    };
    is_standard_crate(root) && types.contains(&name)
}

/// The type of the language with that name.
pub(crate) fn primitive(name: &str) -> Option<StandardType> {
    use Integer::*;
    let scalar = match name {
        "bool" => Scalar::Bool,
        "f32" => Scalar::F32,
        "f64" => Scalar::F64,
        "i8" => Scalar::Integer(I8),
        "i16" => Scalar::Integer(I16),
        "i32" => Scalar::Integer(I32),
        "i64" => Scalar::Integer(I64),
        "isize" => Scalar::Integer(Isize),
        "u8" => Scalar::Integer(U8),
        "u16" => Scalar::Integer(U16),
        "u32" => Scalar::Integer(U32),
        "u64" => Scalar::Integer(U64),
        "usize" => Scalar::Integer(Usize),
        "str" => return Some(StandardType::Str),
        _ => return None,
    };
    Some(StandardType::Scalar(scalar))
}

/// The type at a path into another crate, if it is a type of the standard library that can cross. `Result` is not
/// listed here, because the `Result` of any crate counts.
pub(crate) fn at(path: &[String]) -> Option<StandardType> {
    let [root, modules @ .., name] = path else { return None };
    if !is_standard_crate(root) {
        return None;
    }
    match (modules.first()?.as_str(), name.as_str()) {
        ("primitive", name) => primitive(name),
        ("string" | "prelude", "String") => Some(StandardType::String),
        ("vec" | "prelude", "Vec") => Some(StandardType::Vec),
        ("option" | "prelude", "Option") => Some(StandardType::Option),
        ("collections", "HashMap") => Some(StandardType::HashMap),
        ("collections", "BTreeMap") => Some(StandardType::BTreeMap),
        _ => None,
    }
}
