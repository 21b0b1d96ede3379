//! `types.go`: a struct for each record and for each case that carries something, an interface for their enum, constants
//! for an enum whose cases carry nothing.

use std::fmt::Write as _;

use tierup_model::{Case, Definition, DefinitionKind, Field, Interface, Payload, Type};

use crate::docs::comment;
use crate::names::{DefinitionNames, Names};
use crate::source::{HEADER, Types, columns, literal};

/// The file's source.
pub(crate) fn types(interface: &Interface, names: &Names, package: &str) -> String {
    let types = Types { interface, names, qualifier: "" };
    let text: String = interface
        .definitions
        .iter()
        .zip(&names.definitions)
        .map(|(definition, names)| self::definition(definition, names, &types))
        .collect();
    let import = if text.contains("fmt.") { "import \"fmt\"\n" } else { "" };
    format!("{HEADER}package {package}\n\n{import}{text}").trim_end().to_owned() + "\n"
}

fn definition(definition: &Definition, names: &DefinitionNames, types: &Types<'_>) -> String {
    match &definition.kind {
        DefinitionKind::Record(fields) => {
            "\n".to_owned()
                + &comment(&definition.docs, "")
                + &structure(&names.name, &named(fields), &names.fields, types)
        }
        DefinitionKind::Enum(cases) if definition.is_plain_enum() => words(definition, cases, names),
        DefinitionKind::Enum(cases) => sealed(definition, cases, names, types),
    }
}

/// An interface that only the cases implement.
fn sealed(definition: &Definition, cases: &[Case], names: &DefinitionNames, types: &Types<'_>) -> String {
    let name = &names.name;
    let all: Vec<_> = names.cases.iter().map(|case| case.name.as_str()).collect();
    let docs = comment(&definition.docs, "");
    let gap = if docs.is_empty() { "" } else { "//\n" };
    let list: String = all.iter().map(|case| format!("//   - [{case}]\n")).collect();
    let mut text = format!("\n{docs}{gap}// It is one of:\n{list}type {name} interface{{ tierupIs{name}() }}\n");
    for (case, names) in cases.iter().zip(&names.cases) {
        let fields = match &case.payload {
            Payload::None => vec![],
            Payload::Tuple(types) => types.iter().map(|(ty, _)| (ty, "", None)).collect(),
            Payload::Named(fields) => named(fields),
        };
        let _ = write!(
            text,
            "\n{}{}\nfunc ({}) tierupIs{name}() {{}}\n",
            comment(&case.docs, ""),
            structure(&names.name, &fields, &names.fields, types),
            names.name
        );
    }
    text
}

fn named(fields: &[Field]) -> Vec<(&Type, &str, Option<&str>)> {
    fields.iter().map(|field| (&field.ty, field.docs.as_str(), Some(field.name.as_str()))).collect()
}

/// Fields with their documentation, and the name that they have in Rust, by which JSON knows them.
fn structure(name: &str, fields: &[(&Type, &str, Option<&str>)], names: &[String], types: &Types<'_>) -> String {
    if fields.is_empty() {
        return format!("type {name} struct{{}}\n");
    }
    let rows: Vec<Vec<String>> = fields
        .iter()
        .zip(names)
        .map(|((ty, _, rust), name)| {
            let tag = rust.map(|rust| format!("`json:{}`", literal(rust.as_bytes())));
            [name.clone(), types.of(ty)].into_iter().chain(tag).collect()
        })
        .collect();
    // What has a comment stands alone, so that nothing is to be aligned with it.
    let body = if fields.iter().all(|(_, docs, _)| docs.trim().is_empty()) {
        columns(&rows)
    } else {
        let each = fields
            .iter()
            .zip(&rows)
            .map(|((_, docs, _), row)| comment(docs, "\t") + &columns(std::slice::from_ref(row)));
        each.collect::<Vec<_>>().join("\n")
    };
    format!("type {name} struct {{\n{body}}}\n")
}

/// An enum none of whose cases carries anything. It is its word wherever text is: printed, in JSON.
fn words(definition: &Definition, cases: &[Case], names: &DefinitionNames) -> String {
    let name = &names.name;
    let mut text = format!("\n{}type {name} uint8\n\nconst (\n", comment(&definition.docs, ""));
    for (at, (case, names)) in cases.iter().zip(&names.cases).enumerate() {
        text += &comment(&case.docs, "\t");
        let value = if at == 0 { format!(" {name} = iota") } else { String::new() };
        let _ = writeln!(text, "\t{}{value}", names.name);
    }
    let words: String = cases.iter().map(|case| format!("\t{},\n", literal(case.name.as_bytes()))).collect();
    let table = format!("tierupWordsOf{name}");
    let _ = write!(
        text,
        ")\n\nvar {table} = [...]string{{\n{words}}}\n\n\
         // String is the word for it in Rust.\nfunc (value {name}) String() string {{\n\
         \tif int(value) < len({table}) {{\n\t\treturn {table}[value]\n\t}}\n\
         \treturn fmt.Sprintf(\"{name}(%d)\", uint8(value))\n}}\n\n\
         // MarshalText writes its word.\nfunc (value {name}) MarshalText() ([]byte, error) {{\n\
         \tif int(value) >= len({table}) {{\n\t\treturn nil, fmt.Errorf(\"%v is no case\", value)\n\t}}\n\
         \treturn []byte({table}[value]), nil\n}}\n\n\
         // UnmarshalText reads its word.\nfunc (value *{name}) UnmarshalText(text []byte) error {{\n\
         \tfor number, word := range {table} {{\n\t\tif word == string(text) {{\n\
         \t\t\t*value = {name}(number)\n\t\t\treturn nil\n\t\t}}\n\t}}\n\
         \treturn fmt.Errorf(\"%q is no case of {name}\", text)\n}}\n"
    );
    text
}
