//! `types.rb`: a class for each record and for each case with fields, and a module with symbols for each enum whose
//! cases have none.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;

use crate::interface::symbol;
use crate::names;
use crate::signatures::Types;
use crate::source::{comment, file};

/// The file's source.
pub(crate) fn types(named: &Named<'_>) -> String {
    let module = names::module(&named.interface.package);
    let mut source = file("Your records and enums.");
    source.gap(1).add("require_relative \"tierup/record\"");
    let types = Types { named, module: &module };
    for definition in &named.definitions {
        self::definition(&mut source, definition, &types);
    }
    source.into_text()
}

fn definition(source: &mut Source, definition: &NamedDefinition<'_>, types: &Types<'_>) {
    let name = format!("{}::{}", types.module, definition.name);
    source.gap(1);
    comment(source, definition.docs);
    match &definition.kind {
        NamedKind::Record(fields) => class(source, &name, None, fields, types),
        NamedKind::Words(cases) => words(source, &name, cases),
        NamedKind::Cases(cases) => {
            let all: Vec<_> = cases.iter().map(|case| format!("{{{name}::{}}}", case.name)).collect();
            source.add(format!("#\n# One of {}: each of their objects is also a {{{name}}}.", all.join(", ")));
            source.add(format!("module {name}; end"));
            for case in cases {
                source.gap(1);
                comment(source, case.docs);
                class(source, &format!("{name}::{}", case.name), Some(&name), &case.fields, types);
            }
        }
    }
}

/// The class of a frozen value.
fn class(source: &mut Source, name: &str, included: Option<&str>, fields: &[NamedValue<'_>], types: &Types<'_>) {
    let module = types.module;
    source.add(format!("class {name} < {module}::Tierup::Record")).inside(|source| {
        if let Some(included) = included {
            source.add(format!("include {included}")).gap(1);
        }
        let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
        source.add(format!("FIELDS = %i[{}].freeze", names.join(" ")));
        for field in fields {
            source.gap(1);
            comment(source, field.docs);
            source.add(format!("# @return [{}]", types.documented(field.ty)));
            source.add(format!("attr_reader :{}", field.name));
        }
        let parameters: Vec<_> = names.iter().map(|name| format!("{name}:")).collect();
        let signature = if names.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
        source.gap(1).add(format!("def initialize{signature}")).inside(|source| {
            source.add("super()");
            for name in &names {
                source.add(format!("@{name} = {name}"));
            }
            source.add("freeze");
        });
        source.add("end");
    });
    source.add("end");
}

fn words(source: &mut Source, name: &str, cases: &[NamedCase<'_>]) {
    source.add(format!("module {name}")).inside(|source| {
        source.add("# The symbols.").add("ALL = [").inside(|source| {
            for case in cases {
                comment(source, case.docs);
                source.add(format!("{},", symbol(case)));
            }
        });
        source.add("].freeze");
    });
    source.add("end");
}
