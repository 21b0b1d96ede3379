//! `lib/types.js`: JavaScript that checks, writes and reads the values of each type, and a table of the functions.
//!
//! A writer checks values as it writes them. If a value does not match the signature, each caller adds its place to the
//! error on the way out, so that correct values pay nothing for it.

use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use tierup_codegen::named::{Named, NamedFunction, NamedValue};
use tierup_codegen::source::{Source, mentions};
use tierup_codegen::{Project, abi, wire};
use tierup_model::Type;

use crate::names::literal;

mod definitions;
mod maps;

/// How JavaScript is indented here.
pub(crate) const INDENT: &str = "  ";

/// The file's source.
pub(crate) fn types(project: &Project, named: &Named<'_>) -> String {
    let codec = Codec { named, pure: &project.pure };
    let mut types = Source::new(INDENT);
    named.definitions.iter().for_each(|definition| codec.definition(&mut types, definition));
    for (suffix, ty) in wire::composites(named, |ty, _| Some(codec.suffix(ty))) {
        codec.composite(&mut types, &suffix, ty);
    }
    codec.maps_of_definitions(&mut types);
    let health = project.health.as_ref().map(|health| HealthTemplate {
        function: health.function,
        arguments: STANDARD.encode(&health.arguments),
        sha256: health.sha256.iter().map(|digest| literal(digest)).collect::<Vec<_>>().join(", "),
    });
    let mut template = TypesTemplate {
        package: literal(&named.interface.package),
        abi: abi::hash_text(named.interface),
        imports: String::new(),
        types: types.into_text(),
        functions: named.functions.iter().map(|function| codec.function(function)).collect(),
        health,
        alternatives: named.alternatives(literal),
    };
    let body = render(&template);
    template.imports = imports(&body);
    render(&template)
}

/// A template's text. Templates only write to a `String` here, which cannot fail.
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
    /// The names of the alternatives, as elements of a list.
    alternatives: String,
}

struct FunctionTemplate {
    name: String,
    is_direct: bool,
    is_raw: bool,
    is_pure: bool,
    /// For each argument: its place in errors, its writer, its reader, and its check without the encoding.
    arguments: Vec<ArgumentTemplate>,
    write_output: Option<String>,
    read_output: Option<String>,
    /// Converts the maps in a baseline's answer, if its type contains maps.
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
    named: &'a Named<'a>,
    /// The indices of pure functions.
    pure: &'a [usize],
}

impl Codec<'_> {
    fn function(&self, function: &NamedFunction<'_>) -> FunctionTemplate {
        let argument = |(place, parameter): (usize, &NamedValue<'_>)| {
            let value = format!("args[{place}]");
            let check = if *parameter.ty == Type::Text { "text" } else { "bytes" };
            ArgumentTemplate {
                place: literal(&parameter.name),
                write: self.write(parameter.ty, &value),
                read: self.read(parameter.ty),
                check: format!("{check}({value})"),
            }
        };
        FunctionTemplate {
            name: literal(&function.name),
            is_direct: function.is_direct(),
            is_raw: function.is_raw(),
            is_pure: self.pure.contains(&function.number),
            arguments: function.parameters.iter().enumerate().map(argument).collect(),
            write_output: function.output.map(|ty| self.write(ty, "value")),
            read_output: function.output.map(|ty| self.read(ty)),
            convert_maps: function.output.and_then(|ty| self.maps(ty)),
        }
    }

    /// An expression that writes `value`.
    fn write(&self, ty: &Type, value: &str) -> String {
        match wire::plain(ty) {
            Some(method) => format!("to.{method}({value})"),
            None => format!("write{}(to, {value})", self.suffix(ty)),
        }
    }

    /// An expression that reads a value.
    fn read(&self, ty: &Type) -> String {
        match wire::plain(ty) {
            Some(method) => format!("from.{method}()"),
            None => format!("read{}(from)", self.suffix(ty)),
        }
    }

    /// The rest of the names of a type's functions, after `write` or `read`. A name chosen by the user always comes
    /// last, after a `_`, so that names of different types differ.
    fn suffix(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("Optional{}", self.suffix(inner)),
            Type::List(inner) => format!("List{}", self.suffix(inner)),
            Type::Map(inner) => format!("Map{}", self.suffix(inner)),
            Type::Defined(number) => format!("_{}", self.named.type_name(*number)),
            plain => {
                let method = wire::plain(plain).unwrap_or_default();
                method[..1].to_uppercase() + &method[1..]
            }
        }
    }

    /// The writer and reader of an optional type, a list or a map.
    fn composite(&self, source: &mut Source, suffix: &str, ty: &Type) {
        let (write, read) = match ty {
            Type::Optional(inner) => (
                format!(
                    "
                    if (value === null || value === undefined) {{
                        to.case(0);
                        return;
                    }}
                    to.case(1);
                    {};
                    ",
                    self.write(inner, "value")
                ),
                format!("return from.bool() ? {} : null;", self.read(inner)),
            ),
            Type::List(inner) => (
                format!(
                    "
                    const {{ length }} = array(value);
                    to.count(length);
                    let at = 0;
                    try {{
                        for (; at < length; at += 1) {};
                    }} catch (error) {{
                        throw within(`[${{at}}]`, error);
                    }}
                    ",
                    self.write(inner, "value[at]")
                ),
                format!(
                    "
                    const value = [];
                    for (let left = from.count(); left > 0; left -= 1) value.push({});
                    return value;
                    ",
                    self.read(inner)
                ),
            ),
            Type::Map(inner) => (
                format!(
                    "
                    const list = entries(value);
                    to.count(list.length);
                    let key = '';
                    try {{
                        for (const entry of list) {{
                            key = entry[0];
                            to.text(key);
                            {};
                        }}
                    }} catch (error) {{
                        throw within(`[${{JSON.stringify(key)}}]`, error);
                    }}
                    ",
                    self.write(inner, "entry[1]")
                ),
                format!(
                    "
                    const value = Object.create(null);
                    let key = null;
                    for (let left = from.count(); left > 0; left -= 1) {{
                        key = from.key(key);
                        value[key] = {};
                    }}
                    return value;
                    ",
                    self.read(inner)
                ),
            ),
            _ => unreachable!("only optional types, lists and maps are composites"),
        };
        functions(source, suffix, &write, &read);
    }
}

/// A pair of functions, from their bodies.
fn functions(source: &mut Source, suffix: &str, write: &str, read: &str) {
    source.add(format!("function write{suffix}(to, value) {{")).add_inside(write).add("}").gap(1);
    source.add(format!("function read{suffix}(from) {{")).add_inside(read).add("}").gap(1);
}

/// The `require` lines for everything that a body calls.
fn imports(body: &str) -> String {
    const CHECKS: &[&str] =
        &["array", "bytes", "entries", "expected", "object", "own", "refusal", "text", "tuple", "within"];
    let called = |name: &&&str| mentions(body, &format!("{name}("));
    let checks: Vec<_> = CHECKS.iter().filter(called).copied().collect();
    let mut imports = Source::new(INDENT);
    if !checks.is_empty() {
        imports.add(format!("const {{ {} }} = require('./checks');", checks.join(", ")));
    }
    if mentions(body, "maps.") {
        imports.add("const maps = require('./maps');");
    }
    if mentions(body, "Malformed(") {
        imports.add("const { Malformed } = require('./wire');");
    }
    if !imports.is_empty() {
        imports.gap(1);
    }
    imports.into_text()
}
