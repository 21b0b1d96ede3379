//! `rustc` is the referee: it compiles everything that is accepted, with code that calls the functions and that takes
//! apart and builds the types, by the interface alone.

use crate::fixtures::{Fixture, fixtures};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use tierup_model::*;

#[test]
fn rustc_agrees_with_every_interface() {
    let mut agrees = true;
    for fixture in fixtures("accepted") {
        let text = &fixture.files["src/lib.rs"];
        if text.contains("// not for rustc") {
            continue;
        }
        let interface = fixture.read().expect("tests/golden.rs tells more");
        let name = fixture.path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rustc_agrees").join(name);
        let _ = fs::remove_dir_all(&folder);
        write(&fixture, &folder);
        let caller = caller(&interface);
        fs::write(folder.join("caller.rs"), &caller).unwrap();
        let compiles = rustc(&folder, "src/lib.rs", &["--crate-name", "fixture"])
            && rustc(&folder, "caller.rs", &["--extern", "fixture=libfixture.rmeta"]);
        if !compiles {
            eprintln!("{name} does not compile with\n{caller}");
            agrees = false;
        }
    }
    assert!(agrees, "see above");
}

fn write(fixture: &Fixture, folder: &Path) {
    for (path, text) in &fixture.files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn rustc(folder: &Path, file: &str, arguments: &[&str]) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.current_dir(folder).args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--cap-lints=allow"]);
    command.arg(file).args(arguments).status().unwrap().success()
}

fn caller(interface: &Interface) -> String {
    let mut code = String::new();
    for (index, function) in interface.functions.iter().enumerate() {
        let parameters = function.parameters.iter().enumerate().map(|(index, parameter)| match &parameter.passing {
            Passing::Value => format!("p{index}: {}", with_lifetime(&parameter.rust)),
            Passing::Lent { owned } => format!("p{index}: &'a {}", with_lifetime(owned)),
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let (mut lets, mut arguments) = (String::new(), String::new());
        for (index, parameter) in function.parameters.iter().enumerate() {
            let _ = writeln!(lets, "    let p{index}: {} = p{index};", with_lifetime(&parameter.rust));
            let _ = write!(arguments, "p{index}, ");
        }
        let output = with_lifetime(&function.output.rust);
        let call = format!("{}({arguments})", function.path);
        let body = if function.output.fallible {
            format!("match {call} {{ Ok(value) => value, Err(error) => panic!(\"{{error}}\") }}")
        } else {
            call
        };
        let _ = writeln!(code, "pub fn call_{index}<'a>({parameters}) -> {output} {{\n{lets}    {body}\n}}");
    }
    for (index, definition) in interface.definitions.iter().enumerate() {
        let path = &definition.path;
        let arms = match &definition.kind {
            DefinitionKind::Record(fields) => arm(path, &Payload::Named(fields.clone())),
            DefinitionKind::Enum(cases) => {
                let arms = cases.iter().map(|case| arm(&format!("{path}::r#{}", case.name), &case.payload));
                arms.collect()
            }
        };
        let _ =
            writeln!(code, "pub fn rebuild_{index}(value: {path}) -> {path} {{\n    match value {{\n{arms}    }}\n}}");
    }
    code
}

/// A match arm that takes a record or case apart, asserts the type of each part, and builds it again.
fn arm(path: &str, payload: &Payload) -> String {
    let (pattern, types): (String, Vec<&String>) = match payload {
        Payload::None => (path.to_string(), Vec::new()),
        Payload::Tuple(types) => {
            let parts = (0..types.len()).map(|index| format!("p{index}")).collect::<Vec<_>>().join(", ");
            (format!("{path}({parts})"), types.iter().map(|(_, rust)| rust).collect())
        }
        Payload::Named(fields) => {
            let parts = fields.iter().enumerate().map(|(index, field)| format!("r#{}: p{index}", field.name));
            let parts = parts.collect::<Vec<_>>().join(", ");
            (format!("{path} {{ {parts} }}"), fields.iter().map(|field| &field.rust).collect())
        }
    };
    let lets = types.iter().enumerate().map(|(index, rust)| format!("let p{index}: {rust} = p{index}; "));
    format!("        {pattern} => {{ {}{pattern} }}\n", lets.collect::<String>())
}

/// All references get the same lifetime, except those that have one.
fn with_lifetime(rust: &str) -> String {
    rust.replace('&', "&'a ").replace("&'a 'static", "&'static")
}
