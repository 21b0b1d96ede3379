//! The witness of Node servers: V8 as a debugger of its own process, driven by a thread beside the main thread.
//!
//! `NODE_OPTIONS=--require` loads it before the server's own code. An in-process inspector session cannot stop its own
//! thread, so a worker thread connects to the main thread. This reaches functions that no module exports, in CommonJS
//! and ES modules alike, and does not change the server's source.

use std::path::Path;

use serde_json::json;
use tierup_codegen::source::fill;
use tierup_codegen::{Files, SOCKET, Spelling, Types, Variable, Watch, Witness};

use super::quoted;

const PRELOAD: &str = "witness.cjs";
const SHAPES: &str = "shapes.cjs";
const WATCHER: &str = "watcher.cjs";
const HEAD: &str = "head.cjs";

pub(crate) fn witness(folder: &Path, watch: &Watch<'_>) -> Witness {
    let path = |name: &str| watch.private.join(name).display().to_string();
    let functions: Vec<_> = watch
        .functions
        .iter()
        .map(|function| json!({ "file": function.file, "name": function.name, "line": function.line, "fields": function.fields }))
        .collect();
    let settings =
        json!({ "socket": path(SOCKET), "watcher": path(WATCHER), "key": watch.key, "functions": functions });
    let word = |name: &str| serde_json::Value::from(path(name)).to_string();
    let files = Files::new()
        .with(
            PRELOAD,
            fill(
                include_str!("../../templates/witness/preload.cjs"),
                &[("settings", &settings.to_string()), ("shapes", &word(SHAPES))],
            ),
        )
        .with(SHAPES, include_str!("../../templates/witness/shapes.cjs"))
        .with(WATCHER, fill(include_str!("../../templates/witness/watcher.cjs"), &[("head", &word(HEAD))]))
        .with(HEAD, include_str!("../../templates/witness/head.cjs"));
    let require = Variable {
        name: "NODE_OPTIONS",
        value: format!("--require {}", quoted(&watch.private.join(PRELOAD))),
        joined_by: Some(" "),
        asked_by: None,
    };
    Witness {
        files,
        preparation: Vec::new(),
        environment: vec![require],
        in_the_build: false,
        types: Some(Types {
            spelling: Spelling::CamelCase,
            baselines: watch.functions.iter().map(|function| from(folder, &function.file)).collect(),
        }),
        calls: false,
        hint: "the server must run on Node.js 18 or newer, and take NODE_OPTIONS from its environment".to_owned(),
    }
}

/// A module's path relative to the server's folder, even in another package of a workspace: `../text/slugify.js`.
fn from(folder: &Path, file: &str) -> String {
    let found = folder.ancestors().enumerate().find_map(|(up, above)| {
        let inside = Path::new(file).strip_prefix(above).ok()?;
        Some("../".repeat(up) + &inside.display().to_string())
    });
    found.unwrap_or_else(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Watched;

    use super::*;

    #[test]
    fn a_module_of_another_package_is_named_from_the_server() {
        let of = |file| from(Path::new("/shop/packages/api"), file);
        assert_eq!(of("/shop/packages/api/lib/price.js"), "lib/price.js");
        assert_eq!(of("/shop/packages/text/slugify.js"), "../text/slugify.js");
    }

    #[test]
    fn any_path_and_name_is_one_string() {
        let (file, name) = ("/a b/it's \"c\".js".to_owned(), "f'\"".to_owned());
        let functions =
            [Watched { file, qualified_name: name.clone(), name, line: Some(7), fields: vec!["sku".to_owned()] }];
        let witness = witness(
            Path::new("/a b"),
            &Watch { private: Path::new("/p 'q\""), key: "k", functions: &functions, calls: false },
        );
        assert_eq!(witness.types.unwrap().baselines, ["it's \"c\".js"]);
        assert_eq!(witness.environment[0].value, r#"--require "/p 'q\"/witness.cjs""#);
        for (name, content) in witness.files.iter() {
            assert!(!String::from_utf8_lossy(content).contains("{{"), "{name}");
        }
        let preload = String::from_utf8(witness.files.get(PRELOAD).unwrap().to_vec()).unwrap();
        assert!(
            preload.contains(r#"{"fields":["sku"],"file":"/a b/it's \"c\".js","line":7,"name":"f'\""}"#),
            "{preload}"
        );
    }
}
