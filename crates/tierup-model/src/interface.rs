//! The interface of a hot crate: the functions that cross to a host, and the types they carry.
//!
//! Everything downstream (shims, packages, servers, drivers) is generated from this alone.
//!
//! # How `rust` fields spell types
//! They use one form that means the same in every crate that depends on the library, and that syn parses:
//! - Paths are absolute: `::images::shapes::Shape`, `::std::string::String`, `::std::vec::Vec<u8>`,
//!   `::std::option::Option<&str>`, `::std::collections::HashMap<::std::string::String, u32>`. Only the language's own
//!   types are bare: `u8`, `bool`, `f64`, `str`, `()`.
//! - Aliases are resolved: `type Bytes = Vec<u8>` appears only as `::std::vec::Vec<u8>`.
//! - Names that are keywords keep their `r#` here and in `path` fields, and only there.
//! - Lifetimes are left out, except for `'static` in an [`Output`]. An [`Output`] that borrows without it borrows from
//!   the parameters, and code that must write the lifetime can give all references of the signature the same one.

/// A crate's functions for hosts, with their types, in the order of `export`, so that generated code is stable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interface {
    /// The name of the cargo package, e.g. `near-words`.
    pub package: String,
    /// The name that Rust code uses for the crate, e.g. `near_words`.
    pub library: String,
    /// The version of the cargo package, e.g. `0.1.0`.
    pub version: String,
    /// The crate's own documentation (`//!`), as Markdown, or empty.
    pub docs: String,
    /// The exported functions. A function's place in this list is its number in the byte ABI.
    pub functions: Vec<Function>,
    /// Records and enums that the functions carry, each after those that it contains.
    pub definitions: Vec<Definition>,
    /// Other implementations of the only exported function; mostly empty. A place in this list, from 1 on, is the
    /// number by which a process chooses one: 0 is the exported function itself.
    pub alternatives: Vec<Alternative>,
}

/// A function with the exported one's parameters and result, which a row `3:native#NAME` calls in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// ASCII letters, digits, `-` and `_`. Unique within the interface.
    pub name: String,
    pub function: Function,
}

/// A plain Rust function that hosts call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The last name of its entry in `export`, without `r#`, e.g. `render`. Unique within the interface.
    pub name: String,
    /// The shortest path by which any other crate calls it, e.g. `::images::render`.
    pub path: String,
    /// Its doc comment as Markdown; empty where there is none.
    pub docs: String,
    /// In order of declaration. No name repeats.
    pub parameters: Vec<Parameter>,
    /// The answer.
    pub output: Output,
}

/// One parameter of a [`Function`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its Rust name without `r#`; `arg0`, `arg1`… where the source has a pattern or `_`.
    pub name: String,
    /// The type that crosses.
    pub ty: Type,
    /// How Rust spells the type, e.g. `&str`, `&[::images::Item]`, `::std::option::Option<&str>`.
    pub rust: String,
    /// Whether the function takes the value or borrows it from its caller.
    pub passing: Passing,
}

impl Parameter {
    /// The type as people write it, with everything imported: `&[Item]`, `Option<&str>`.
    pub fn shown_type(&self) -> String {
        without_paths(&self.rust)
    }
}

/// A type as people write it, with everything imported. `rust` spells it like [`Parameter::rust`].
pub fn without_paths(rust: &str) -> String {
    let is_path = |character: char| character.is_alphanumeric() || matches!(character, '_' | ':' | '#');
    let mut shown = String::new();
    let mut rest = rust;
    while let Some(next) = rest.chars().next() {
        let end = rest.find(|character| is_path(character) != is_path(next)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        shown.push_str(if is_path(next) { part.rsplit("::").next().unwrap_or(part) } else { part });
        rest = after;
    }
    shown
}

/// How a parameter is handed to the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passing {
    /// As decoded: owned, or text and bytes borrowed straight from the arguments (`&str`, `Option<&[u8]>`).
    Value,
    /// `&T`: the caller owns a value of this Rust type and lends it, e.g. `::std::vec::Vec<::images::Item>` for
    /// `&[::images::Item]`.
    Lent {
        /// The owned type, spelled like [`Parameter::rust`].
        owned: String,
    },
}

/// The answer of a [`Function`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The value's type; `None` is `()`.
    pub ty: Option<Type>,
    /// How Rust spells that type, without the `Result`, e.g. `::std::vec::Vec<u8>`, `&'static str`, `()`.
    pub rust: String,
    /// Whether it comes in a `Result`, whose error then has `Display`.
    pub fallible: bool,
}

/// The types that can cross: a closed set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    Bool,
    Integer(Integer),
    F32,
    F64,
    /// `String`, `&str`: UTF-8.
    Text,
    /// `Vec<u8>`, `&[u8]`: bytes, never a list of numbers.
    Bytes,
    /// `Option<T>`; never of another `Optional`.
    Optional(Box<Type>),
    /// `Vec<T>`, `&[T]`, where `T` is not `u8`.
    List(Box<Type>),
    /// `HashMap<String, T>` or `BTreeMap<String, T>`.
    Map(Box<Type>),
    /// A record or enum: the index into [`Interface::definitions`].
    Defined(usize),
}

/// The whole numbers. `usize` and `isize` cross as 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Integer {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
}

impl Integer {
    /// Bits on the wire: 8, 16, 32 or 64.
    pub fn bits(self) -> u32 {
        match self {
            Integer::I8 | Integer::U8 => 8,
            Integer::I16 | Integer::U16 => 16,
            Integer::I32 | Integer::U32 => 32,
            Integer::I64 | Integer::U64 | Integer::Isize | Integer::Usize => 64,
        }
    }

    /// Whether negative values exist.
    pub fn is_signed(self) -> bool {
        use Integer::*;
        matches!(self, I8 | I16 | I32 | I64 | Isize)
    }

    /// How Rust spells it.
    pub fn rust(self) -> &'static str {
        match self {
            Integer::I8 => "i8",
            Integer::I16 => "i16",
            Integer::I32 => "i32",
            Integer::I64 => "i64",
            Integer::Isize => "isize",
            Integer::U8 => "u8",
            Integer::U16 => "u16",
            Integer::U32 => "u32",
            Integer::U64 => "u64",
            Integer::Usize => "usize",
        }
    }
}

/// A type of the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The last name of its path without `r#`, e.g. `Shape`. Unique within the interface.
    pub name: String,
    /// The shortest path by which any other crate names it, e.g. `::images::shapes::Shape`.
    pub path: String,
    /// Its doc comment as Markdown; empty where there is none.
    pub docs: String,
    pub kind: DefinitionKind,
}

/// Record or enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A struct with named, public fields, or without fields: `struct Nothing {}`.
    Record(Vec<Field>),
    /// An enum: one to 256 cases. A case's place is its number on the wire.
    Enum(Vec<Case>),
}

/// A named field of a record, or of a case with named fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its Rust name without `r#`.
    pub name: String,
    pub docs: String,
    pub ty: Type,
    /// How Rust spells the type, like [`Parameter::rust`].
    pub rust: String,
}

/// One case (in Rust: variant) of an enum; `variant` means something else in tierup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its Rust name without `r#`, e.g. `Circle`.
    pub name: String,
    pub docs: String,
    pub payload: Payload,
}

/// The payload of a [`Case`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// `Point`
    None,
    /// `Circle(f64)`, `Line(Point, Point)`: types with their Rust spelling, at least one.
    Tuple(Vec<(Type, String)>),
    /// `Circle { radius: f64 }`: at least one.
    Named(Vec<Field>),
}

impl Payload {
    /// The types of the carried values, in order.
    pub fn types(&self) -> Vec<&Type> {
        match self {
            Payload::None => vec![],
            Payload::Tuple(types) => types.iter().map(|(ty, _)| ty).collect(),
            Payload::Named(fields) => fields.iter().map(|field| &field.ty).collect(),
        }
    }
}

impl Definition {
    /// Whether this is an enum without any case that carries a value.
    pub fn is_plain_enum(&self) -> bool {
        match &self.kind {
            DefinitionKind::Enum(cases) => cases.iter().all(|case| case.payload == Payload::None),
            DefinitionKind::Record(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_shown_without_their_paths() {
        let check = |rust: &str, expected: &str| {
            let (name, ty, rust) = ("value".to_owned(), Type::Bool, rust.to_owned());
            assert_eq!(Parameter { name, ty, rust, passing: Passing::Value }.shown_type(), expected);
        };
        check("::geo::Operation", "Operation");
        check("&[::geo::shapes::Operation]", "&[Operation]");
        check("::std::option::Option<&str>", "Option<&str>");
        check(
            "::std::collections::HashMap<::std::string::String, ::std::vec::Vec<::geo::r#type::Operation>>",
            "HashMap<String, Vec<Operation>>",
        );
        check("u8", "u8");
    }
}
