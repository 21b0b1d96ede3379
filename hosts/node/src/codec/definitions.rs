//! Writers and readers of records and enums.

use tierup_codegen::named::{NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_model::Type;

use super::{Codec, functions};
use crate::names::{Carried, carried, is_inherited, literal, one_of};

/// A longer object literal gets a line for each property.
const LONGEST_LINE: usize = 90;

/// Only the code that writes a field knows the place of a mismatch.
const TELL_PLACE: &str = "} catch (error) {\n    throw within(place, error);\n}";

impl Codec<'_> {
    pub(super) fn definition(&self, source: &mut Source, definition: &NamedDefinition<'_>) {
        let suffix = self.suffix(&Type::Defined(definition.number));
        match &definition.kind {
            NamedKind::Record(fields) => self.record(source, &suffix, fields),
            NamedKind::Words(cases) => words(source, &suffix, cases),
            NamedKind::Cases(cases) => self.enumeration(source, &suffix, &definition.name, cases),
        }
    }

    fn record(&self, source: &mut Source, suffix: &str, fields: &[NamedValue<'_>]) {
        let read = format!("return {};", self.read_fields(fields));
        if fields.is_empty() {
            return functions(source, suffix, "object(value);", &read);
        }
        let mut write = Source::piece();
        write.add("let place = '';\ntry {").inside(|write| {
            write.add("object(value);").add(self.write_fields("value", "", fields));
        });
        write.add(TELL_PLACE);
        functions(source, suffix, write.text(), &read);
    }

    fn enumeration(&self, source: &mut Source, suffix: &str, name: &str, cases: &[NamedCase<'_>]) {
        let (mut write_cases, mut read_cases) = (Source::piece(), Source::piece());
        for case in cases {
            let (number, tag) = (case.number, literal(&case.name));
            let (write, read) = self.value_of_case(case);
            let (opens, closes) = if write.contains("const ") { (" {", "}") } else { ("", "") };
            write_cases.add(format!("case {tag}:{opens}"));
            write_cases.inside(|block| {
                block.add(format!("to.case({number});")).add(write).add("break;");
            });
            write_cases.add(closes);
            read_cases.add(format!("case {number}:")).add_inside(format!("return {{ type: {tag}{read} }};"));
        }
        let expected = literal(&one_of(cases));
        write_cases.add(format!("default:\n    place = '.type';\n    throw expected({expected}, value.type);"));
        let message = literal(&format!(" is no case of {name}"));
        read_cases.add(format!("default:\n    throw new Malformed(number + {message});"));

        let (mut write, mut read) = (Source::piece(), Source::piece());
        write.add("let place = '';\ntry {").inside(|write| {
            write.add("object(value);\nplace = '.value';\nswitch (value.type) {");
            write.add_inside(write_cases.text()).add("}");
        });
        write.add(TELL_PLACE);
        read.add("const number = from.case();\nswitch (number) {").add_inside(read_cases.text()).add("}");
        functions(source, suffix, write.text(), read.text());
    }

    /// The statements that write the value of a case, and the rest of the object literal that reads it.
    fn value_of_case(&self, case: &NamedCase<'_>) -> (String, String) {
        match carried(case) {
            Carried::Nothing => (String::new(), String::new()),
            Carried::One(ty) => (format!("{};", self.write(ty, "value.value")), format!(", value: {}", self.read(ty))),
            Carried::Several(types) => {
                let mut write = format!("const fields = tuple(value.value, {});", types.len());
                for (place, ty) in types.iter().enumerate() {
                    let field = self.write(ty, &format!("fields[{place}]"));
                    write += &format!("\nplace = '.value[{place}]';\n{field};");
                }
                let reads: Vec<_> = types.iter().map(|ty| self.read(ty)).collect();
                (write, format!(", value: [{}]", reads.join(", ")))
            }
            Carried::Record(fields) => {
                let write = self.write_fields("fields", ".value", fields);
                let read = format!(", value: {}", self.read_fields(fields));
                (format!("const fields = object(value.value);\n{write}"), read)
            }
        }
    }

    /// The statements that write the fields of `object`, which stands at `place` in the value.
    fn write_fields(&self, object: &str, place: &str, fields: &[NamedValue<'_>]) -> String {
        let write = |field: &NamedValue<'_>| {
            let name = &field.name;
            // A property that every object inherits does not belong to this one.
            let value = match is_inherited(name) {
                true => format!("own({object}, {})", literal(name)),
                false => format!("{object}.{name}"),
            };
            format!("place = {};\n{};", literal(&format!("{place}.{name}")), self.write(field.ty, &value))
        };
        fields.iter().map(write).collect::<Vec<_>>().join("\n")
    }

    /// An object literal. JavaScript evaluates its fields in order.
    fn read_fields(&self, fields: &[NamedValue<'_>]) -> String {
        if fields.is_empty() {
            return "{}".to_owned();
        }
        let fields: Vec<_> = fields.iter().map(|field| format!("{}: {}", field.name, self.read(field.ty))).collect();
        let line = fields.join(", ");
        if line.len() <= LONGEST_LINE {
            return format!("{{ {line} }}");
        }
        let lines: String = fields.iter().map(|field| format!("    {field},\n")).collect();
        format!("{{\n{lines}}}")
    }
}

/// An enum whose cases carry no data.
fn words(source: &mut Source, suffix: &str, cases: &[NamedCase<'_>]) {
    let list: Vec<_> = cases.iter().map(|case| literal(&case.name)).collect();
    source.add(format!("const WORDS{suffix} = [{}];", list.join(", "))).gap(1);
    let write = format!(
        "
        const number = WORDS{suffix}.indexOf(value);
        if (number < 0) throw expected({}, value);
        to.case(number);
        ",
        literal(&one_of(cases))
    );
    functions(source, suffix, &write, &format!("return from.word(WORDS{suffix});"));
}
