//! `types.go`: a struct for each record and for each case with fields, an interface for the enum of these cases, and
//! constants for an enum whose cases have none.

use tierup_codegen::named::{Named, NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;

use crate::docs::comment;
use crate::source::{Types, columns, file, literal, needs};

/// The file's source.
pub(crate) fn types(named: &Named<'_>, package: &str) -> String {
    let types = Types { named, qualifier: "" };
    let mut body = Source::new("\t");
    named.definitions.iter().for_each(|definition| self::definition(&mut body, definition, &types));
    let mut source = file(package);
    if needs(&body, "fmt") {
        source.add("import \"fmt\"");
    }
    (source.into_text() + body.text()).trim_end().to_owned() + "\n"
}

fn definition(source: &mut Source, definition: &NamedDefinition<'_>, types: &Types<'_>) {
    source.gap(1);
    match &definition.kind {
        NamedKind::Record(fields) => {
            comment(source, definition.docs);
            structure(source, &definition.name, fields, types);
        }
        NamedKind::Words(cases) => words(source, definition, cases),
        NamedKind::Cases(cases) => sealed(source, definition, cases, types),
    }
}

/// An interface that only the cases implement.
fn sealed(source: &mut Source, definition: &NamedDefinition<'_>, cases: &[NamedCase<'_>], types: &Types<'_>) {
    let name = &definition.name;
    if comment(source, definition.docs) {
        source.add("//");
    }
    source.add("// It is one of:");
    for case in cases {
        source.add(format!("//   - [{}]", case.name));
    }
    source.add(format!("type {name} interface{{ tierupIs{name}() }}"));
    for case in cases {
        source.gap(1);
        comment(source, case.docs);
        structure(source, &case.name, &case.fields, types);
        source.gap(1).add(format!("func ({}) tierupIs{name}() {{}}", case.name));
    }
}

/// Fields with their documentation and, for JSON, their Rust names.
fn structure(source: &mut Source, name: &str, fields: &[NamedValue<'_>], types: &Types<'_>) {
    if fields.is_empty() {
        source.add(format!("type {name} struct{{}}"));
        return;
    }
    let row = |field: &NamedValue<'_>| {
        let tag = field.rust.map(|rust| format!("`json:{}`", literal(rust.as_bytes())));
        [field.name.clone(), types.spell(field.ty)].into_iter().chain(tag).collect::<Vec<_>>()
    };
    source.add(format!("type {name} struct {{")).inside(|source| {
        if fields.iter().all(|field| field.docs.trim().is_empty()) {
            source.add(columns(&fields.iter().map(row).collect::<Vec<_>>()));
            return;
        }
        // An empty line separates documented fields, so that gofmt aligns nothing.
        for (at, field) in fields.iter().enumerate() {
            source.gap(usize::from(at > 0));
            comment(source, field.docs);
            source.add(columns(&[row(field)]));
        }
    });
    source.add("}");
}

/// An enum whose cases have no fields. As text (printed, or in JSON) it is the case's name in Rust.
fn words(source: &mut Source, definition: &NamedDefinition<'_>, cases: &[NamedCase<'_>]) {
    let name = &definition.name;
    comment(source, definition.docs);
    source.add(format!("type {name} uint8")).gap(1).add("const (").inside(|source| {
        for case in cases {
            comment(source, case.docs);
            let value = if case.number == 0 { format!(" {name} = iota") } else { String::new() };
            source.add(format!("{}{value}", case.name));
        }
    });
    let table = format!("tierupWordsOf{name}");
    source.add(")").gap(1).add(format!("var {table} = [...]string{{")).inside(|source| {
        for case in cases {
            source.add(format!("{},", literal(case.rust.as_bytes())));
        }
    });
    source.add("}").gap(1).add(format!(
        r#"
        // String returns the case's name in Rust.
        func (value {name}) String() string {{
            if int(value) < len({table}) {{
                return {table}[value]
            }}
            return fmt.Sprintf("{name}(%d)", uint8(value))
        }}

        // MarshalText writes the case's name in Rust.
        func (value {name}) MarshalText() ([]byte, error) {{
            if int(value) >= len({table}) {{
                return nil, fmt.Errorf("%v is no case", value)
            }}
            return []byte({table}[value]), nil
        }}

        // UnmarshalText reads the case's name in Rust.
        func (value *{name}) UnmarshalText(text []byte) error {{
            for number, word := range {table} {{
                if word == string(text) {{
                    *value = {name}(number)
                    return nil
                }}
            }}
            return fmt.Errorf("%q is no case of {name}", text)
        }}
        "#
    ));
}
