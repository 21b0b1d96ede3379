//! The package's types. A record is a readonly class, an enum without data a string enum, an enum with data an abstract
//! class with a subclass for each case. Each class has a file of its own (PSR-4).

use tierup_codegen::Files;
use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;

use crate::names::{literal, namespace};
use crate::source::{comment, file, parameters, tags};

/// The files of all types, named after their classes.
pub(crate) fn types(named: &Named<'_>) -> Files {
    let mut files = Files::new();
    for definition in &named.definitions {
        let name = &definition.name;
        match &definition.kind {
            NamedKind::Record(fields) => {
                let text = class(named, name, None, definition.docs, fields);
                files.add(format!("{name}.php"), text);
            }
            NamedKind::Words(cases) => files.add(format!("{name}.php"), words(named, definition, cases)),
            NamedKind::Cases(cases) => {
                let mut source = file(&namespace(&named.interface.package));
                comment(&mut source, definition.docs, &[]);
                source.add(format!("abstract readonly class {name}\n{{\n}}"));
                files.add(format!("{name}.php"), source.into_text());
                for case in cases {
                    let text = class(named, &case.name, Some(name), case.docs, &case.fields);
                    files.add(format!("{}.php", case.name), text);
                }
            }
        }
    }
    files
}

fn class(named: &Named<'_>, name: &str, parent: Option<&str>, docs: &str, fields: &[NamedValue<'_>]) -> String {
    let mut source: Source = file(&namespace(&named.interface.package));
    comment(&mut source, docs, &[]);
    let extends = parent.map(|parent| format!(" extends {parent}")).unwrap_or_default();
    source.add(format!("final readonly class {name}{extends}\n{{"));
    if !fields.is_empty() {
        source.inside(|source| {
            comment(source, "", &tags(named, fields));
            source.add("public function __construct(");
            // Fields have no defaults, as nobody would notice a field that was forgotten.
            source.add_inside(parameters(named, fields, "public ", usize::MAX).join(",\n") + ",");
            source.add(") {\n}");
        });
    }
    source.add("}");
    source.into_text()
}

fn words(named: &Named<'_>, definition: &NamedDefinition<'_>, cases: &[NamedCase<'_>]) -> String {
    let mut source = file(&namespace(&named.interface.package));
    comment(&mut source, definition.docs, &[]);
    source.add(format!("enum {}: string\n{{", definition.name));
    source.inside(|source| {
        for case in cases {
            comment(source, case.docs, &[]);
            source.add(format!("case {} = {};", case.name, literal(case.rust)));
        }
    });
    source.add("}");
    source.into_text()
}
