//! Resolves specifiers by `tsconfig.json`. In: a folder, a file in it, and a specifier of that file. Out: the file that
//! `paths` or `baseUrl` means.

use serde_json::Value;
use tierup_codegen::ServerFolder;

use super::{above, joined, of_stem, within};

/// Finds `@/line` by `paths` of the nearest `tsconfig.json`, and `src/line` by its `baseUrl`.
pub(super) fn file(folder: &dyn ServerFolder, from: &str, specifier: &str) -> Option<String> {
    let (place, _) = above(folder, from, "tsconfig.json")?;
    let options = options(folder, &place, 0);
    // `joined` takes a file in the folder that it starts from.
    let below = |base: &str, path: &str| of_stem(folder, &joined(&within(base, "tsconfig.json"), path));
    let base = options.base.as_deref();
    let by_paths = options.paths.iter().find_map(|(of, paths)| {
        paths.as_object()?.iter().find_map(|(pattern, targets)| {
            let rest = match pattern.split_once('*') {
                Some((start, end)) => specifier.strip_prefix(start)?.strip_suffix(end)?,
                None => (specifier == pattern).then_some("")?,
            };
            let mut targets = targets.as_array()?.iter().filter_map(Value::as_str);
            targets.find_map(|target| below(base.unwrap_or(of), &target.replacen('*', rest, 1)))
        })
    });
    by_paths.or_else(|| below(base?, specifier))
}

/// The options for specifiers, including those of extended files.
#[derive(Default)]
struct Options {
    /// `paths`, with the folder of its file, which counts if there is no `baseUrl`.
    paths: Option<(String, Value)>,
    /// `baseUrl`, as a path from the root.
    base: Option<String>,
}

fn options(folder: &dyn ServerFolder, place: &str, depth: usize) -> Options {
    const MOST: usize = 8;
    let mut options = Options::default();
    let Some(text) = folder.read(place).filter(|_| depth < MOST) else { return options };
    let file = read(text).unwrap_or_default();
    let extended = match &file["extends"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect::<Vec<_>>(),
    };
    // The last file takes precedence.
    for name in extended {
        let Options { paths, base } = extended_options(folder, place, name, depth);
        options = Options { paths: paths.or(options.paths), base: base.or(options.base) };
    }
    let own = &file["compilerOptions"];
    if let Some(base) = own["baseUrl"].as_str() {
        options.base = Some(joined(place, base));
    }
    if own["paths"].is_object() {
        options.paths = Some((joined(place, "."), own["paths"].clone()));
    }
    options
}

/// The options of `./base`, `../tsconfig.base.json`, or a file in a package.
fn extended_options(folder: &dyn ServerFolder, place: &str, name: &str, depth: usize) -> Options {
    let places = ["", ".json", "/tsconfig.json"].map(|end| format!("{name}{end}"));
    let found = places.iter().find_map(|name| {
        if name.starts_with('.') {
            let place = joined(place, name);
            return folder.read(&place).map(|_| place);
        }
        above(folder, place, &format!("node_modules/{name}")).map(|(place, _)| place)
    });
    found.map(|place| options(folder, &place, depth + 1)).unwrap_or_default()
}

/// Parses JSON that may have comments and trailing commas.
fn read(mut text: String) -> Option<Value> {
    json_strip_comments::strip(&mut text).ok()?;
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::test_folder;

    fn found(files: &[(&str, &str)], specifier: &str) -> Option<String> {
        let sources = [("packages/api/src/server.ts", ""), ("packages/api/src/line.ts", ""), ("shared/line.ts", "")];
        file(&test_folder(&[&sources[..], files].concat()), "packages/api/src/server.ts", specifier)
    }

    #[test]
    fn comments_and_trailing_commas_are_ignored() {
        let text = "\u{feff}{ // a comment, \"\n  /* and , ] */\n  \"compilerOptions\": {\n    \"paths\": { \"~/*\": [\"./src/*\", ], },\n  },\n}\n";
        let config = ("packages/api/tsconfig.json", text);
        assert_eq!(found(&[config], "~/line").as_deref(), Some("packages/api/src/line.ts"));
        let read = read(r#"{ "a": "// \", no } /* comment", /*/ , */ }"#.to_owned());
        assert_eq!(read, Some(serde_json::json!({ "a": "// \", no } /* comment" })));
    }

    #[test]
    fn extended_options_count_if_the_file_has_none() {
        let base = ("tsconfig.base.json", r#"{ "compilerOptions": { "paths": { "~shared/*": ["./shared/*"] } } }"#);
        let one = ("packages/api/tsconfig.json", r#"{ "extends": "../../tsconfig.base" }"#);
        assert_eq!(found(&[base, one], "~shared/line").as_deref(), Some("shared/line.ts"));
        let own = ("packages/api/strict.json", r#"{ "compilerOptions": { "strict": true } }"#);
        let all = ("packages/api/tsconfig.json", r#"{ "extends": ["../../tsconfig.base.json", "./strict.json"] }"#);
        assert_eq!(found(&[base, own, all], "~shared/line").as_deref(), Some("shared/line.ts"));
        let package = ("node_modules/@shop/config/base.json", r#"{ "compilerOptions": { "baseUrl": "../../.." } }"#);
        let named = ("packages/api/tsconfig.json", r#"{ "extends": "@shop/config/base" }"#);
        assert_eq!(found(&[package, named], "shared/line").as_deref(), Some("shared/line.ts"));
        let own = ("packages/api/tsconfig.json", r#"{ "compilerOptions": { "baseUrl": "./" } }"#);
        assert_eq!(found(&[own], "src/line").as_deref(), Some("packages/api/src/line.ts"));
        assert_eq!(found(&[own], "src/other"), None);
    }
}
