//! `lib/types.js`: JavaScript that checks, writes and reads the values of each type, and a table of the functions.
//!
//! A writer checks while it writes; where a value is not what the signature says, the error learns on its way out where
//! it arose, which costs nothing as long as there is none.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use askama::Template;
use tierup_codegen::shims::is_direct;
use tierup_codegen::{Project, abi};
use tierup_model::{Function, Integer, Interface, Payload, Type};

use crate::names::{FunctionNames, Names, is_inherited, literal};

mod definitions;
mod maps;

/// Literals that would be longer stand on a line for each part.
const LONGEST_LINE: usize = 90;

/// The file's source.
pub(crate) fn types(project: &Project) -> String {
    let interface = &project.interface;
    let codec = Codec { interface, names: &Names::of(interface) };
    let functions: Vec<_> =
        interface.functions.iter().zip(&codec.names.functions).map(|(f, names)| codec.function(f, names)).collect();
    let mut types = codec.definitions();
    for (suffix, ty) in codec.composites() {
        types += &codec.composite(&suffix, &ty);
    }
    types += &codec.maps_of_definitions();
    let health = project.health.as_ref().map(|health| HealthTemplate {
        function: health.function,
        arguments: base64(&health.arguments),
        sha256: health.sha256.iter().map(|digest| literal(digest)).collect::<Vec<_>>().join(", "),
    });
    let mut template = TypesTemplate {
        package: literal(&interface.package),
        abi: abi::hash_text(interface),
        imports: String::new(),
        types,
        functions,
        health,
    };
    let body = render(&template);
    template.imports = imports(&body);
    render(&template)
}

/// A template's text. Ours only ever write to a `String`, so that nothing can fail.
pub(crate) fn render(template: &impl Template) -> String {
    template.render().expect("writing to a string does not fail")
}

#[derive(Template)]
#[template(path = "package/types.js", escape = "none")]
struct TypesTemplate {
    package: String,
    abi: String,
    imports: String,
    types: String,
    functions: Vec<FunctionTemplate>,
    health: Option<HealthTemplate>,
}

struct FunctionTemplate {
    name: String,
    is_direct: bool,
    is_raw: bool,
    /// Each argument's place in errors, its writer, its reader, and its check on the way past the encoding.
    arguments: Vec<ArgumentTemplate>,
    write_output: Option<String>,
    read_output: Option<String>,
    /// What converts the maps in a baseline's answer, where there can be any.
    convert_maps: Option<String>,
}

struct ArgumentTemplate {
    place: String,
    write: String,
    read: String,
    check: String,
}

struct HealthTemplate {
    function: usize,
    arguments: String,
    sha256: String,
}

struct Codec<'a> {
    interface: &'a Interface,
    names: &'a Names,
}

impl Codec<'_> {
    fn function(&self, function: &Function, names: &FunctionNames) -> FunctionTemplate {
        let arguments = function.parameters.iter().zip(&names.parameters).enumerate();
        let output = function.output.ty.as_ref();
        FunctionTemplate {
            name: literal(&names.property),
            is_direct: is_direct(function),
            is_raw: matches!(output, Some(Type::Text | Type::Bytes)),
            arguments: arguments
                .map(|(place, (parameter, name))| {
                    let argument = format!("args[{place}]");
                    let check = if parameter.ty == Type::Text { "text" } else { "bytes" };
                    ArgumentTemplate {
                        place: literal(name),
                        write: self.write(&parameter.ty, &argument),
                        read: self.read(&parameter.ty),
                        check: format!("{check}({argument})"),
                    }
                })
                .collect(),
            write_output: output.map(|ty| self.write(ty, "value")),
            read_output: output.map(|ty| self.read(ty)),
            convert_maps: output.and_then(|ty| self.maps(ty)),
        }
    }

    /// An expression that writes `value`.
    fn write(&self, ty: &Type, value: &str) -> String {
        match method(ty) {
            Some(method) => format!("to.{method}({value})"),
            None => format!("write{}(to, {value})", self.suffix(ty)),
        }
    }

    /// An expression that reads a value.
    fn read(&self, ty: &Type) -> String {
        match method(ty) {
            Some(method) => format!("from.{method}()"),
            None => format!("read{}(from)", self.suffix(ty)),
        }
    }

    /// What the type's functions are called behind `write` and `read`. A name of the user's always comes last and
    /// behind a `_`, so that none of them is that of another type.
    fn suffix(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("Optional{}", self.suffix(inner)),
            Type::List(inner) => format!("List{}", self.suffix(inner)),
            Type::Map(inner) => format!("Map{}", self.suffix(inner)),
            Type::Defined(index) => format!("_{}", self.names.definitions[*index].output),
            plain => {
                let method = method(plain).unwrap_or_default();
                method[..1].to_uppercase() + &method[1..]
            }
        }
    }

    /// Every optional type, list and map in the interface, by suffix.
    fn composites(&self) -> BTreeMap<String, Type> {
        let mut composites = BTreeMap::new();
        for function in &self.interface.functions {
            let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
            parameters.chain(&function.output.ty).for_each(|ty| self.collect(ty, &mut composites));
        }
        for definition in &self.interface.definitions {
            definitions::types_in(definition).for_each(|ty| self.collect(ty, &mut composites));
        }
        composites
    }

    fn collect(&self, ty: &Type, composites: &mut BTreeMap<String, Type>) {
        if let Type::Optional(inner) | Type::List(inner) | Type::Map(inner) = ty {
            composites.insert(self.suffix(ty), ty.clone());
            self.collect(inner, composites);
        }
    }

    /// The writer and reader of an optional type, a list or a map.
    fn composite(&self, suffix: &str, ty: &Type) -> String {
        let (write, read) = match ty {
            Type::Optional(inner) => (
                format!(
                    "  if (value === null || value === undefined) {{\n    to.case(0);\n    return;\n  }}\n  \
                     to.case(1);\n  {};\n",
                    self.write(inner, "value")
                ),
                format!("  return from.bool() ? {} : null;\n", self.read(inner)),
            ),
            Type::List(inner) => (
                format!(
                    "  const {{ length }} = array(value);\n  to.count(length);\n  let at = 0;\n  try {{\n    \
                     for (; at < length; at += 1) {};\n  }} catch (error) {{\n    throw within(`[${{at}}]`, error);\n  }}\n",
                    self.write(inner, "value[at]")
                ),
                format!(
                    "  const value = [];\n  for (let left = from.count(); left > 0; left -= 1) value.push({});\n  \
                     return value;\n",
                    self.read(inner)
                ),
            ),
            Type::Map(inner) => (
                format!(
                    "  const list = entries(value);\n  to.count(list.length);\n  let key = '';\n  try {{\n    \
                     for (const entry of list) {{\n      key = entry[0];\n      to.text(key);\n      {};\n    }}\n  \
                     }} catch (error) {{\n    throw within(`[${{JSON.stringify(key)}}]`, error);\n  }}\n",
                    self.write(inner, "entry[1]")
                ),
                format!(
                    "  const value = Object.create(null);\n  let key = null;\n  \
                     for (let left = from.count(); left > 0; left -= 1) {{\n    key = from.key(key);\n    \
                     value[key] = {};\n  }}\n  return value;\n",
                    self.read(inner)
                ),
            ),
            _ => unreachable!("only optional types, lists and maps are composites"),
        };
        functions(suffix, &write, &read)
    }
}

/// A pair of functions, from their bodies.
fn functions(suffix: &str, write: &str, read: &str) -> String {
    format!("function write{suffix}(to, value) {{\n{write}}}\n\nfunction read{suffix}(from) {{\n{read}}}\n\n")
}

/// The method of Writer and Reader for a type that needs no function of its own.
fn method(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "bool",
        Type::Integer(Integer::Usize) => "u64",
        Type::Integer(Integer::Isize) => "i64",
        Type::Integer(integer) => integer.rust(),
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Text => "text",
        Type::Bytes => "bytes",
        Type::Optional(_) | Type::List(_) | Type::Map(_) | Type::Defined(_) => return None,
    })
}

/// The `require` lines for what a file calls.
fn imports(body: &str) -> String {
    let from = |module: &str, names: &[&str]| {
        let used: Vec<_> = names.iter().copied().filter(|name| calls(body, name)).collect();
        if used.is_empty() {
            return String::new();
        }
        format!("const {{ {} }} = require('./{module}');\n", used.join(", "))
    };
    let checks = ["array", "bytes", "entries", "expected", "object", "own", "refusal", "text", "tuple", "within"];
    let maps = if body.contains("maps.") { "const maps = require('./maps');\n" } else { "" };
    let imports = from("checks", &checks) + maps + &from("wire", &["Malformed"]);
    if imports.is_empty() { imports } else { imports + "\n" }
}

/// Whether a function of this name, rather than a method, is called.
fn calls(body: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let call = format!("{name}(");
    body.match_indices(&call).any(|(at, _)| !body[..at].ends_with(is_part))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_padded() {
        let encoded: Vec<_> = ["", "f", "fo", "foo", "foob"].iter().map(|text| base64(text.as_bytes())).collect();
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
