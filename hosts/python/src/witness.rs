//! The witness of Python servers: a hook that the interpreter calls at the start and the return of functions.
//!
//! Python imports `sitecustomize` from `PYTHONPATH` before the server's own code. The witness's own sets the hook for
//! the main thread and all later threads, then loads the `sitecustomize` that it replaced.

use std::path::Path;

use serde_json::json;
use tierup_codegen::source::fill;
use tierup_codegen::{Files, SOCKET, Spelling, Types, Variable, Watch, Witness};

/// A separate folder, as everything on `PYTHONPATH` can be imported.
const FOLDER: &str = "modules";

pub(crate) fn witness(folder: &Path, watch: &Watch<'_>) -> Witness {
    let functions: Vec<_> = watch
        .functions
        .iter()
        .map(|function| json!({ "file": function.file, "name": function.name, "line": function.line }))
        .collect();
    let socket = watch.private.join(SOCKET).display().to_string();
    let settings = json!({ "socket": socket, "key": watch.key, "functions": functions }).to_string();
    // A JSON text that is quoted as a JSON string is a Python string, too.
    let literal = format!("__import__('json').loads({})", serde_json::Value::from(settings));
    let text = fill(include_str!("../templates/witness/sitecustomize.py"), &[("settings", &literal)]);
    let path = Variable {
        name: "PYTHONPATH",
        value: watch.private.join(FOLDER).display().to_string(),
        joined_by: Some(":"),
        asked_by: None,
    };
    Witness {
        files: Files::new()
            .with(format!("{FOLDER}/sitecustomize.py"), text)
            .with(format!("{FOLDER}/_tierup_annotations.py"), include_str!("../templates/witness/annotations.py")),
        preparation: Vec::new(),
        environment: vec![path],
        in_the_build: false,
        types: Some(Types {
            spelling: Spelling::AsInRust,
            baselines: watch
                .functions
                .iter()
                .map(|function| baseline(folder, &function.file, &function.name))
                .collect(),
        }),
        calls: false,
        hint: "the server must run on Python, and take PYTHONPATH from its environment: not with -E or -I".to_owned(),
    }
}

/// `package.module:function`, relative to the server's folder.
fn baseline(folder: &Path, file: &str, function: &str) -> String {
    let path = Path::new(file);
    let path = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    format!("{}:{function}", parts.join("."))
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Watched;

    use super::*;

    #[test]
    fn a_function_is_named_by_its_module() {
        let (file, name) = ("/srv/shop/lib/it's \"x\".py".to_owned(), "price".to_owned());
        let functions = [Watched { file, qualified_name: name.clone(), name, line: None, fields: Vec::new() }];
        let witness = witness(
            Path::new("/srv/shop"),
            &Watch { private: Path::new("/p"), key: "k", functions: &functions, calls: false },
        );
        assert_eq!(witness.types.unwrap().baselines, ["lib.it's \"x\":price"]);
        assert_eq!(witness.environment[0].beside(Some("/own")), "/own:/p/modules");
        let text = String::from_utf8(witness.files.get("modules/sitecustomize.py").unwrap().to_vec()).unwrap();
        assert!(!text.contains("{{"), "{text}");
    }
}
