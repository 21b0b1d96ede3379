//! Writers and readers of records and enums.

use std::fmt::Write as _;

use tierup_model::{Case, Definition, DefinitionKind, Field, Type};

use super::{Codec, functions};
use crate::names::CaseNames;
use crate::source::literal;

/// Where a mismatch arose is known to whoever wrote the field.
const TELL_PLACE: &str =
    "    except Mismatch as mismatch:\n        mismatch.path = place + mismatch.path\n        raise\n";

impl Codec<'_> {
    pub(super) fn definitions(&self) -> String {
        let definitions = self.interface.definitions.iter().enumerate();
        definitions.map(|(index, definition)| self.definition(index, definition)).collect()
    }

    fn definition(&self, index: usize, definition: &Definition) -> String {
        let names = &self.names.definitions[index];
        let suffix = self.suffix(&Type::Defined(index));
        match &definition.kind {
            DefinitionKind::Record(fields) => self.record(&suffix, &names.name, fields, &names.fields),
            DefinitionKind::Enum(_) if definition.is_plain_enum() => words(&suffix, &names.name),
            DefinitionKind::Enum(cases) => self.enumeration(&suffix, &names.name, cases, &names.cases),
        }
    }

    fn record(&self, suffix: &str, name: &str, fields: &[Field], names: &[String]) -> String {
        let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
        let read = format!("    return {}\n", self.made(name, &types, "    "));
        let mut write = format!("    has_fields(value, _types.{name})\n");
        if !fields.is_empty() {
            write += "    place = \"\"\n    try:\n";
            write += &self.fields(&types, names, "        ");
            write += TELL_PLACE;
        }
        functions(suffix, &write, &read)
    }

    fn enumeration(&self, suffix: &str, name: &str, cases: &[Case], names: &[CaseNames]) -> String {
        let mut write = String::from("    place = \"\"\n    try:\n");
        let mut read = String::from("    number = source.case()\n");
        for ((number, case), names) in cases.iter().enumerate().zip(names) {
            let types = case.payload.types();
            let word = if number == 0 { "if" } else { "elif" };
            let class = &names.name;
            let _ = writeln!(write, "        {word} isinstance(value, _types.{class}):\n            to.case({number})");
            write += &self.fields(&types, &names.fields, "            ");
            let made = self.made(class, &types, "        ");
            let _ = write!(read, "    if number == {number}:\n        return {made}\n");
        }
        let expected = literal(&format!("a case of {name}"));
        let _ = write!(write, "        else:\n            raise expected({expected}, value)\n{TELL_PLACE}");
        let _ = writeln!(read, "    raise Malformed(f\"{{number}} is no case of {name}\")");
        functions(suffix, &write, &read)
    }

    /// The statements that write the fields of `value`.
    fn fields(&self, types: &[&Type], names: &[String], indent: &str) -> String {
        let write = types.iter().zip(names).map(|(ty, name)| {
            let place = literal(&format!(".{name}"));
            format!("{indent}place = {place}\n{indent}{}\n", self.write(ty, &format!("value.{name}")))
        });
        write.collect()
    }

    /// The expression that makes an object: Python evaluates arguments in order.
    fn made(&self, class: &str, types: &[&Type], indent: &str) -> String {
        const LONGEST: usize = 90;
        let reads: Vec<_> = types.iter().map(|ty| self.read(ty)).collect();
        let line = format!("_types.{class}({})", reads.join(", "));
        if line.len() <= LONGEST {
            return line;
        }
        let lines: String = reads.iter().map(|read| format!("{indent}    {read},\n")).collect();
        format!("_types.{class}(\n{lines}{indent})")
    }
}

/// An enum none of whose cases carries anything.
fn words(suffix: &str, name: &str) -> String {
    let tables = format!(
        "\n\n_WORDS_{suffix} = tuple(_types.{name})\n\
         _NUMBERS_{suffix} = {{word: number for number, word in enumerate(_WORDS_{suffix})}}\n"
    );
    let write = format!(
        "    if not isinstance(value, _types.{name}):\n        raise expected({}, value)\n    \
         to.case(_NUMBERS_{suffix}[value])\n",
        literal(&format!("a {name}"))
    );
    tables + &functions(suffix, &write, &format!("    return source.word(_WORDS_{suffix})\n"))
}

/// The types that a definition is made of.
pub(super) fn types_in(definition: &Definition) -> Vec<&Type> {
    match &definition.kind {
        DefinitionKind::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
        DefinitionKind::Enum(cases) => cases.iter().flat_map(|case| case.payload.types()).collect(),
    }
}
