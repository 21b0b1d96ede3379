//! Writers and readers of records and enums.

use tierup_codegen::named::{NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_model::Type;

use super::{Codec, functions};
use crate::source::literal;

/// A field's writer adds the field's name to a mismatch.
const TELL_PLACE: &str = "except Mismatch as mismatch:\n    mismatch.path = place + mismatch.path\n    raise";

impl Codec<'_> {
    pub(super) fn definition(&self, source: &mut Source, definition: &NamedDefinition<'_>) {
        let (suffix, name) = (self.suffix(&Type::Defined(definition.number)), &definition.name);
        match &definition.kind {
            NamedKind::Record(fields) => self.record(source, &suffix, name, fields),
            NamedKind::Words(_) => words(source, &suffix, name),
            NamedKind::Cases(cases) => self.enumeration(source, &suffix, name, cases),
        }
    }

    fn record(&self, source: &mut Source, suffix: &str, name: &str, fields: &[NamedValue<'_>]) {
        let mut write = Source::piece();
        write.add(format!("value = record_of(value, _types.{name})"));
        if !fields.is_empty() {
            write.add("place = \"\"\ntry:").add_inside(self.fields(fields)).add(TELL_PLACE);
        }
        functions(source, suffix, write.text(), &format!("return {}", self.made(name, fields)));
    }

    fn enumeration(&self, source: &mut Source, suffix: &str, name: &str, cases: &[NamedCase<'_>]) {
        let (mut write, mut read) = (Source::piece(), Source::piece());
        for case in cases {
            let (number, class) = (case.number, &case.name);
            let word = if number == 0 { "if" } else { "elif" };
            write.add(format!("{word} isinstance(value, _types.{class}):\n    to.case({number})"));
            write.add_inside(self.fields(&case.fields));
            read.add(format!("if number == {number}:"));
            read.add_inside(format!("return {}", self.made(class, &case.fields)));
        }
        write.add("else:").add_inside(format!("raise expected({}, value)", literal(&format!("a case of {name}"))));
        read.add(format!("raise Malformed(f\"{{number}} is no case of {name}\")"));
        let mut guarded = Source::piece();
        guarded.add("place = \"\"\ntry:").add_inside(write.text()).add(TELL_PLACE);
        functions(source, suffix, guarded.text(), &format!("number = source.case()\n{}", read.text()));
    }

    /// The statements that write the fields of `value`.
    fn fields(&self, fields: &[NamedValue<'_>]) -> String {
        let write = fields.iter().map(|field| {
            let place = literal(&format!(".{}", field.name));
            format!("place = {place}\n{}\n", self.write(field.ty, &format!("value.{}", field.name)))
        });
        write.collect()
    }

    /// The expression that makes an object. Python evaluates arguments in order.
    fn made(&self, class: &str, fields: &[NamedValue<'_>]) -> String {
        const LONGEST: usize = 90;
        let reads: Vec<_> = fields.iter().map(|field| self.read(field.ty)).collect();
        let line = format!("_types.{class}({})", reads.join(", "));
        if line.len() <= LONGEST {
            return line;
        }
        let lines: String = reads.iter().map(|read| format!("    {read},\n")).collect();
        format!("_types.{class}(\n{lines})")
    }
}

/// An enum whose cases have no fields.
fn words(source: &mut Source, suffix: &str, name: &str) {
    source.gap(2).add(format!(
        "
        _WORDS_{suffix} = tuple(_types.{name})
        _NUMBERS_{suffix} = {{word.value: number for number, word in enumerate(_WORDS_{suffix})}}
        "
    ));
    // Plain text is accepted, too: a server may declare a `Literal`, or have an enumeration of its own.
    let write = format!(
        "
        number = _NUMBERS_{suffix}.get(str.__str__(value)) if isinstance(value, str) else None
        if number is None:
            raise expected({}, value)
        to.case(number)
        ",
        literal(&format!("a {name}"))
    );
    functions(source, suffix, &write, &format!("return source.word(_WORDS_{suffix})"));
}
