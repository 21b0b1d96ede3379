//! `Internal/Calls.php`: PHP that checks, writes and reads the values of each type, and facts about each function.
//!
//! A writer checks while it writes. If a value does not fit the signature, each level adds its place to the error.
//! Values that fit cost nothing extra.

use tierup_codegen::named::{Named, NamedDefinition, NamedFunction, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_codegen::{Project, abi, wire};
use tierup_model::Type;

use crate::names::{bytes, literal, namespace};
use crate::source::{class, file};

/// The file's source.
pub(crate) fn calls(project: &Project, named: &Named<'_>) -> String {
    let codec = Codec { named };
    let mut source = file(&format!("{}\\Internal", namespace(&named.interface.package)));
    source.add(
        "
        /**
         * Checks, writes and reads arguments and answers in the encoding of `Wire`. A function has the number that its name
         * has in NAMES.
         */
        final class Calls
        {
        ",
    );
    source.inside(|source| {
        constants(source, project, named);
        named.functions.iter().for_each(|function| codec.function(source, function));
        for (suffix, ty) in wire::composites(named, |ty, _| Some(codec.suffix(ty))) {
            codec.composite(source, &suffix, ty);
        }
        named.definitions.iter().for_each(|definition| codec.definition(source, definition));
    });
    source.add("}");
    source.into_text()
}

fn constants(source: &mut Source, project: &Project, named: &Named<'_>) {
    let health = project.health.as_ref().map_or_else(
        || "null".to_owned(),
        |health| {
            let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest)).collect();
            format!("[{}, {}, [{}]]", health.function, bytes(&health.arguments), right.join(", "))
        },
    );
    let names: Vec<_> = named.functions.iter().map(|function| literal(&function.name)).collect();
    let pure: Vec<_> = project.pure.iter().map(usize::to_string).collect();
    let raw: Vec<_> = named.functions.iter().map(|function| function.is_raw().to_string()).collect();
    source.add(format!(
        "
        public const PACKAGE = {};

        /** The hash of the interface: what was built for another one is not called. */
        public const ABI = {};

        /** The keys of [function.alternatives] in tierup.toml. */
        public const ALTERNATIVES = [{}];

        /** The methods, by the number of their function. */
        public const NAMES = [{}];

        /** The numbers of the functions that tierup.toml declares pure. */
        public const PURE = [{}];

        /** Whether a function's answer is text or bytes. */
        public const RAW = [{}];

        /** The golden call of [health] in tierup.toml: the function's number, its arguments, what is right. */
        public const HEALTH = {health};
        ",
        literal(&named.interface.package),
        literal(&abi::hash_text(named.interface)),
        named.alternatives(literal),
        names.join(", "),
        pure.join(", "),
        raw.join(", "),
    ));
}

struct Codec<'a> {
    named: &'a Named<'a>,
}

impl Codec<'_> {
    /// The functions that write and read a function's arguments and its answer's value.
    fn function(&self, source: &mut Source, function: &NamedFunction<'_>) {
        let number = function.number;
        let given: Vec<_> = (0..function.parameters.len()).map(|place| format!("$a{place}")).collect();
        source.gap(1).add(format!("public static function arguments{number}({}): string\n{{", given.join(", ")));
        source.inside(|source| {
            if given.is_empty() {
                source.add("return '';");
                return;
            }
            let mut body = Source::piece();
            let names = function.parameters.iter().map(|parameter| parameter.name.clone());
            self.parts(&mut body, names.zip(function.parameters.iter().map(|parameter| parameter.ty)).zip(given));
            source.add("try {").add_inside(body.text()).add_inside("return Wire::limited($bytes);");
            source.add("} catch (Mismatch $mismatch) {\n    throw $mismatch->refusal($place);\n}");
        });
        source.add("}");
        let reads: Vec<_> = function.parameters.iter().map(|parameter| self.read(parameter.ty)).collect();
        source.gap(1).add(format!(
            "
            public static function readArguments{number}(Reader $from): array
            {{
                return [{}];
            }}
            ",
            reads.join(", ")
        ));
        let (write, read) = match function.output {
            Some(ty) => (self.write(ty, "$value"), self.read(ty)),
            None => ("''".to_owned(), "null".to_owned()),
        };
        source.gap(1).add(format!(
            "
            public static function output{number}($value): string
            {{
                return {write};
            }}

            public static function readOutput{number}(Reader $from)
            {{
                return {read};
            }}
            "
        ));
    }

    /// Statements that append each value to `$bytes` and set `$place` to its place.
    fn parts<'t>(&self, source: &mut Source, values: impl Iterator<Item = ((String, &'t Type), String)>) {
        for (at, ((place, ty), value)) in values.enumerate() {
            let assigns = if at == 0 { "=" } else { ".=" };
            source.add(format!("$place = {};\n$bytes {assigns} {};", literal(&place), self.write(ty, &value)));
        }
    }

    /// An expression that writes a value.
    fn write(&self, ty: &Type, value: &str) -> String {
        match wire::plain(ty) {
            Some(method) => format!("Wire::{method}({value})"),
            None => format!("self::write_{}({value})", self.suffix(ty)),
        }
    }

    /// An expression that reads a value.
    fn read(&self, ty: &Type) -> String {
        match wire::plain(ty) {
            Some(method) => format!("$from->{method}()"),
            None => format!("self::read_{}($from)", self.suffix(ty)),
        }
    }

    /// The part of a function's name that stands for the type.
    fn suffix(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("optional_{}", self.suffix(inner)),
            Type::List(inner) => format!("list_{}", self.suffix(inner)),
            Type::Map(inner) => format!("map_{}", self.suffix(inner)),
            // By number, as type names may differ only in case.
            Type::Defined(number) => format!("defined{number}"),
            plain => wire::plain(plain).unwrap_or_default().to_owned(),
        }
    }

    /// The functions for an optional type, a list or a map.
    fn composite(&self, source: &mut Source, suffix: &str, ty: &Type) {
        let (write, read) = match ty {
            Type::Optional(inner) => (
                format!("return $value === null ? \"\\0\" : \"\\1\" . {};", self.write(inner, "$value")),
                format!("return $from->bool() ? {} : null;", self.read(inner)),
            ),
            Type::List(inner) => (
                format!(
                    "if (!\\is_array($value) || !\\array_is_list($value)) {{
    throw Mismatch::expected('a list', $value);
}}
$bytes = \\pack('V', \\count($value));
try {{
    foreach ($value as $place => $item) {{
        $bytes .= {};
    }}
}} catch (Mismatch $mismatch) {{
    throw $mismatch->within(\"[$place]\");
}}
return $bytes;",
                    self.write(inner, "$item")
                ),
                format!(
                    "$list = [];
for ($left = $from->count(); $left > 0; $left--) {{
    $list[] = {};
}}
return $list;",
                    self.read(inner)
                ),
            ),
            Type::Map(inner) => self.map(inner),
            // `composites` lists no other types.
            _ => return,
        };
        functions(source, suffix, &write, &read);
    }

    /// The bodies of the functions that write and read a map.
    fn map(&self, inner: &Type) -> (String, String) {
        (
            format!(
                "if (!\\is_array($value)) {{
    throw Mismatch::expected('an array by key', $value);
}}
\\ksort($value, \\SORT_STRING);
$bytes = \\pack('V', \\count($value));
try {{
    foreach ($value as $place => $item) {{
        $bytes .= Wire::text((string) $place) . {};
    }}
}} catch (Mismatch $mismatch) {{
    throw $mismatch->within(\"['$place']\");
}}
return $bytes;",
                self.write(inner, "$item")
            ),
            format!(
                "$map = [];
for ($left = $from->count(); $left > 0; $left--) {{
    $key = $from->text();
    $map[$key] = {};
}}
return $map;",
                self.read(inner)
            ),
        )
    }

    fn definition(&self, source: &mut Source, definition: &NamedDefinition<'_>) {
        let class = class(self.named, definition.number);
        let prefix = class.rsplit_once('\\').map_or("", |(prefix, _)| prefix);
        let mismatch = format!("throw Mismatch::expected({}, $value)", literal(class.trim_start_matches('\\')));
        let malformed = format!("default => throw $from->malformed({})", literal(&definition.name));
        let suffix = format!("defined{}", definition.number);
        let (write, read) = match &definition.kind {
            NamedKind::Record(fields) => {
                let write =
                    format!("if (!$value instanceof {class}) {{\n    {mismatch};\n}}\n{}", self.fields(fields, "''"));
                (write, format!("return {};", self.made(&class, fields)))
            }
            NamedKind::Words(cases) => {
                let arms = |arm: &dyn Fn(usize, &str) -> String, last: &str| {
                    let arms: Vec<_> =
                        cases.iter().map(|case| format!("    {},\n", arm(case.number, &case.name))).collect();
                    format!("{}    {last},\n", arms.concat())
                };
                let write = arms(
                    &|number, name| format!("{class}::{name} => \"\\x{number:02x}\""),
                    &format!("default => {mismatch}"),
                );
                let read = arms(&|number, name| format!("{number} => {class}::{name}"), &malformed);
                (format!("return match ($value) {{\n{write}}};"), format!("return match ($from->u8()) {{\n{read}}};"))
            }
            NamedKind::Cases(cases) => {
                let mut write = String::new();
                let mut read = String::new();
                for case in cases {
                    let (number, class) = (case.number, format!("{prefix}\\{}", case.name));
                    let start = format!("\"\\x{number:02x}\"");
                    let body = self.fields(&case.fields, &start).replace('\n', "\n    ");
                    write.push_str(&format!("if ($value instanceof {class}) {{\n    {body}\n}}\n"));
                    read.push_str(&format!("    {number} => {},\n", self.made(&class, &case.fields)));
                }
                (format!("{write}{mismatch};"), format!("return match ($from->u8()) {{\n{read}    {malformed},\n}};"))
            }
        };
        functions(source, &suffix, &write, &read);
    }

    /// Statements that return `start`, followed by the bytes of an object's fields.
    fn fields(&self, fields: &[NamedValue<'_>], start: &str) -> String {
        if fields.is_empty() {
            return format!("return {start};");
        }
        let mut text = format!("$bytes = {start};\ntry {{\n");
        for field in fields {
            let write = self.write(field.ty, &format!("$value->{}", field.name));
            text.push_str(&format!(
                "    $place = {};\n    $bytes .= {write};\n",
                literal(&format!("->{}", field.name))
            ));
        }
        text + "} catch (Mismatch $mismatch) {\n    throw $mismatch->within($place);\n}\nreturn $bytes;"
    }

    /// An expression that reads an object. PHP evaluates arguments from left to right.
    fn made(&self, class: &str, fields: &[NamedValue<'_>]) -> String {
        let reads: Vec<_> = fields.iter().map(|field| self.read(field.ty)).collect();
        format!("new {class}({})", reads.join(", "))
    }
}

fn functions(source: &mut Source, suffix: &str, write: &str, read: &str) {
    source.gap(1).add(format!("private static function write_{suffix}($value): string\n{{")).add_inside(write).add("}");
    source.gap(1).add(format!("private static function read_{suffix}(Reader $from)\n{{")).add_inside(read).add("}");
}
