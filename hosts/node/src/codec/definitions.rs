//! Writers and readers of records and enums.

use super::*;

use crate::names::CaseNames;
use tierup_model::{Case, Definition, DefinitionKind, Field};

impl Codec<'_> {
    pub(super) fn definitions(&self) -> String {
        let definitions = self.interface.definitions.iter().enumerate();
        definitions.map(|(index, definition)| self.definition(index, definition)).collect()
    }

    fn definition(&self, index: usize, definition: &Definition) -> String {
        let names = &self.names.definitions[index];
        let suffix = self.suffix(&Type::Defined(index));
        match &definition.kind {
            DefinitionKind::Record(fields) => self.record(&suffix, fields, &names.fields),
            DefinitionKind::Enum(_) if definition.is_plain_enum() => words(&suffix, &names.cases),
            DefinitionKind::Enum(cases) => self.enumeration(&suffix, &names.output, cases, &names.cases),
        }
    }

    fn record(&self, suffix: &str, fields: &[Field], names: &[String]) -> String {
        let read = format!("  return {};\n", self.read_fields(fields, names, "  "));
        if fields.is_empty() {
            return functions(suffix, "  object(value);\n", &read);
        }
        let mut write = String::from("  let place = '';\n  try {\n    object(value);\n");
        write += &self.write_fields("value", "", fields, names, "    ");
        write += "  } catch (error) {\n    throw within(place, error);\n  }\n";
        functions(suffix, &write, &read)
    }

    fn enumeration(&self, suffix: &str, name: &str, cases: &[Case], names: &[CaseNames]) -> String {
        let mut write = String::from(
            "  let place = '';\n  try {\n    object(value);\n    place = '.value';\n    switch (value.type) {\n",
        );
        let mut read = String::from("  const number = from.case();\n  switch (number) {\n");
        for ((number, case), names) in cases.iter().enumerate().zip(names) {
            let tag = literal(&names.tag);
            let (write_value, read_value) = self.payload(&case.payload, names);
            let block = if write_value.contains("const ") { ("{ ", "}\n") } else { ("", "") };
            let _ = write!(write, "      case {tag}:{}", if block.0.is_empty() { "\n" } else { " {\n" });
            let _ = write!(write, "        to.case({number});\n{write_value}        break;\n");
            if !block.1.is_empty() {
                write += "      }\n";
            }
            let _ = write!(read, "    case {number}:\n      return {{ type: {tag}{read_value} }};\n");
        }
        let expected = literal(&one_of(names));
        let _ = write!(
            write,
            "      default:\n        place = '.type';\n        throw expected({expected}, value.type);\n    }}\n  \
             }} catch (error) {{\n    throw within(place, error);\n  }}\n"
        );
        let message = literal(&format!(" is no case of {name}"));
        let _ = write!(read, "    default:\n      throw new Malformed(number + {message});\n  }}\n");
        functions(suffix, &write, &read)
    }

    /// The statements that write what a case carries, and the rest of the object literal that reads it.
    fn payload(&self, payload: &Payload, names: &CaseNames) -> (String, String) {
        let indent = "        ";
        match payload {
            Payload::None => (String::new(), String::new()),
            Payload::Tuple(types) => match types.as_slice() {
                [(only, _)] => {
                    (format!("{indent}{};\n", self.write(only, "value.value")), format!(", value: {}", self.read(only)))
                }
                several => {
                    let mut write = format!("{indent}const fields = tuple(value.value, {});\n", several.len());
                    for (place, (ty, _)) in several.iter().enumerate() {
                        let field = self.write(ty, &format!("fields[{place}]"));
                        let _ = write!(write, "{indent}place = '.value[{place}]';\n{indent}{field};\n");
                    }
                    let reads: Vec<_> = several.iter().map(|(ty, _)| self.read(ty)).collect();
                    (write, format!(", value: [{}]", reads.join(", ")))
                }
            },
            Payload::Named(fields) => {
                let mut write = format!("{indent}const fields = object(value.value);\n");
                write += &self.write_fields("fields", ".value", fields, &names.fields, indent);
                (write, format!(", value: {}", self.read_fields(fields, &names.fields, "      ")))
            }
        }
    }

    fn write_fields(&self, object: &str, place: &str, fields: &[Field], names: &[String], indent: &str) -> String {
        let mut text = String::new();
        for (field, name) in fields.iter().zip(names) {
            // What every object inherits is no field of this one.
            let value = if is_inherited(name) {
                format!("own({object}, {})", literal(name))
            } else {
                format!("{object}.{name}")
            };
            let place = literal(&format!("{place}.{name}"));
            let _ = write!(text, "{indent}place = {place};\n{indent}{};\n", self.write(&field.ty, &value));
        }
        text
    }

    /// An object literal: JavaScript evaluates it in order.
    fn read_fields(&self, fields: &[Field], names: &[String], indent: &str) -> String {
        if fields.is_empty() {
            return "{}".to_owned();
        }
        let fields: Vec<_> =
            fields.iter().zip(names).map(|(field, name)| format!("{name}: {}", self.read(&field.ty))).collect();
        let line = fields.join(", ");
        if line.len() <= LONGEST_LINE {
            return format!("{{ {line} }}");
        }
        let lines: String = fields.iter().map(|field| format!("{indent}  {field},\n")).collect();
        format!("{{\n{lines}{indent}}}")
    }
}

/// An enum none of whose cases carries anything.
fn words(suffix: &str, cases: &[CaseNames]) -> String {
    let list: Vec<_> = cases.iter().map(|case| literal(&case.tag)).collect();
    let constant = format!("const WORDS{suffix} = [{}];\n\n", list.join(", "));
    let write = format!(
        "  const number = WORDS{suffix}.indexOf(value);\n  if (number < 0) throw expected({}, value);\n  to.case(number);\n",
        literal(&one_of(cases))
    );
    constant + &functions(suffix, &write, &format!("  return from.word(WORDS{suffix});\n"))
}

/// For errors: `"Red", "Green" or "Blue"`.
fn one_of(cases: &[CaseNames]) -> String {
    let tags: Vec<_> = cases.iter().map(|case| format!("{:?}", case.tag)).collect();
    match tags.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => tags.concat(),
    }
}

/// The types that a definition is made of.
pub(super) fn types_in(definition: &Definition) -> impl Iterator<Item = &Type> {
    let types: Vec<&Type> = match &definition.kind {
        DefinitionKind::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
        DefinitionKind::Enum(cases) => cases.iter().flat_map(|case| case.payload.types()).collect(),
    };
    types.into_iter()
}
