//! Generates `docs/reference/report.md`: every field of `report.json`, from the doc comments of the serialized types.

use std::{fmt::Write as _, fs, path::Path};

use expect_test::expect_file;
use syn::{Attribute, Expr, ExprLit, Fields, Item, Lit, Meta, Type, parse_file};

const INTRODUCTION: &str = "\
# report.json

`tierup bench` and `tierup ceiling` write this file, and print it with `--json`. It holds raw results, and beside them the
figures that the other reports show, in `analysis`. Times are seconds unless a name says otherwise; sizes are bytes; CPU times
are microseconds. `format` is the version of the file: a version of tierup that does not know it refuses to read it. An older
file of the same format may lack fields.

`?` after a type: the field may be `null` or missing. `Latencies` are a histogram in nanoseconds: the V2 format of
[HdrHistogram](https://hdrhistogram.github.io/HdrHistogram/), deflated, as base64.
";

/// The files whose types are serialized, in the order of the page.
const FILES: [(&str, &str); 11] = [
    ("The file", "record.rs"),
    ("What was run, where", "record/provenance.rs"),
    ("Settings", "record/settings.rs"),
    ("Rows", "record/rows.rs"),
    ("Blocks", "record/blocks.rs"),
    ("Memory", "../../tierup-subject/src/processes.rs"),
    ("Troubles", "../../tierup-subject/src/subject.rs"),
    ("Analysis", "analysis/result.rs"),
    ("Where the gain comes from", "analysis/parts.rs"),
    ("Pods", "analysis/pods.rs"),
    ("Kept answers", "analysis/kept.rs"),
];

#[test]
fn every_field_is_on_the_page() {
    let mut page = INTRODUCTION.to_owned();
    for (title, file) in FILES {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file)).unwrap();
        write!(page, "\n## {title}\n").unwrap();
        for item in parse_file(&text).unwrap().items {
            match item {
                Item::Struct(item) if is_written(&item.attrs) => {
                    write!(page, "\n### {}\n\n{}\n\n", item.ident, words(&item.attrs)).unwrap();
                    page.push_str("| field | type | meaning |\n|---|---|---|\n");
                    fields(&item.fields, &mut page);
                }
                Item::Enum(item) if is_written(&item.attrs) => {
                    write!(page, "\n### {}\n\n{}\n\n| value | meaning |\n|---|---|\n", item.ident, words(&item.attrs))
                        .unwrap();
                    for variant in item.variants {
                        let has = match &variant.fields {
                            Fields::Unit => String::new(),
                            Fields::Unnamed(_) => " and a number".to_owned(),
                            Fields::Named(named) => {
                                let names =
                                    named.named.iter().map(|field| format!("`{}`", field.ident.as_ref().unwrap()));
                                format!(" with {}", names.collect::<Vec<_>>().join(", "))
                            }
                        };
                        writeln!(
                            page,
                            "| `\"{}\"`{has} | {} |",
                            kebab(&variant.ident.to_string()),
                            words(&variant.attrs)
                        )
                        .unwrap();
                    }
                }
                _ => {}
            }
        }
    }
    expect_file!["../../../../docs/reference/report.md"].assert_eq(&page);
}

fn fields(fields: &Fields, page: &mut String) {
    for field in fields {
        let serde = attribute(&field.attrs, "serde");
        if serde.split([',', ' ']).any(|word| word == "skip") {
            continue;
        }
        let name = field.ident.as_ref().unwrap();
        let ty = shown(&field.ty);
        match serde.contains("flatten") {
            true => writeln!(page, "| | {ty} | its fields stand here |").unwrap(),
            false => writeln!(page, "| `{name}` | {ty} | {} |", words(&field.attrs)).unwrap(),
        }
    }
}

fn is_written(attributes: &[Attribute]) -> bool {
    attribute(attributes, "derive").split(", ").any(|derived| derived == "Serialize")
}

/// The text in the brackets of all attributes with this name.
fn attribute(attributes: &[Attribute], name: &str) -> String {
    let lists = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident(name) => Some(list.tokens.to_string().replace(" ,", ",")),
        _ => None,
    });
    lists.collect::<Vec<_>>().join(", ")
}

/// The doc comment, as one line of a table.
fn words(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    // rustdoc's links do not work on this page.
    lines.collect::<Vec<_>>().join(" ").trim().replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}

/// The JSON type for a Rust type, in words.
fn shown(ty: &Type) -> String {
    let Type::Path(path) = ty else { return "values".to_owned() };
    let last = path.path.segments.last().unwrap();
    let inner = match &last.arguments {
        syn::PathArguments::AngleBracketed(all) => all.args.iter().find_map(|argument| match argument {
            syn::GenericArgument::Type(ty) => Some(shown(ty)),
            _ => None,
        }),
        _ => None,
    };
    match (last.ident.to_string().as_str(), inner) {
        ("Option", Some(inner)) => format!("{inner}?"),
        ("Vec", Some(inner)) => format!("list of {inner}"),
        ("String", _) => "string".to_owned(),
        ("bool", _) => "boolean".to_owned(),
        ("f64" | "f32" | "u8" | "u16" | "u32" | "u64" | "usize" | "i64", _) => "number".to_owned(),
        (name, _) => name.to_owned(),
    }
}

fn kebab(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(c.to_lowercase());
    }
    text
}
