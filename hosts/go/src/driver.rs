//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).
//!
//! It is compiled when it starts, in a workspace of the package's module and the server's, so that it can import the
//! server's own functions with all that they import.

use std::fmt::Write as _;

use tierup_codegen::{Command, Files, HostSettings, Project};

use crate::names::{self, Names};
use crate::package::filled;
use crate::source::{HEADER, Types, literal};

/// Its files, below `.tierup/go/`, and the command that starts it, in `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    let module = names::module(&project.interface.package);
    let main = filled(include_str!("../templates/driver/main.go"), &module, "");
    let folder = match settings.baselines.is_empty() {
        true => String::new(),
        false => format!("'{}'", settings.folder.display().to_string().replace('\'', r"'\''")),
    };
    let files = Files::new()
        .with("driver/go.mod", format!("module {module}/driver\n\ngo 1.25.0\n"))
        .with("driver/main.go", main)
        .with("driver/frames.go", include_str!("../templates/driver/frames.go"))
        .with("driver/baselines.go", baselines(project, settings, &module))
        .with("driver/start.sh", include_str!("../templates/driver/start.sh").replace("FOLDER", &folder));
    (files, Command::new("sh", ["go/driver/start.sh"]))
}

/// The server's own functions, by label; the one without a label is tier 0.
fn baselines(project: &Project, settings: &HostSettings, module: &str) -> String {
    let names = Names::of(&project.interface);
    let mut imports = String::new();
    let mut entries = String::new();
    for (number, (label, name)) in settings.baselines.iter().enumerate() {
        let label = literal(label.as_deref().unwrap_or_default().as_bytes());
        let Some((path, function)) = name.rsplit_once('.').filter(|(path, name)| is_importable(path, name)) else {
            // What is no name of Go's is no less than wrong in another way: the driver says so when it is asked.
            let _ = writeln!(
                entries,
                "\t{label}: wrong({}),",
                literal(
                    format!("`{name}` is no name of Go's: write `import/path.Function`, with a capital letter")
                        .as_bytes()
                )
            );
            continue;
        };
        let _ = writeln!(imports, "\tbaseline{number} {}", literal(path.as_bytes()));
        let _ =
            writeln!(entries, "\t{label}: baselineOf({}, baseline{number}.{function}),", literal(function.as_bytes()));
    }
    let types = Types { interface: &project.interface, names: &names, qualifier: "packaged." };
    let only = names.functions.len() == 1;
    let mut functions = String::new();
    for (function, names) in project.interface.functions.iter().zip(&names.functions) {
        functions += &adapter(function, &names.name, only, &types);
    }
    let imports = if imports.is_empty() { imports } else { format!("\n{imports}") };
    let aligned = if entries.is_empty() { String::new() } else { format!("\n{}", aligned(&entries)) };
    format!(
        "{HEADER}package main\n\nimport (\n\t\"fmt\"\n\n\tpackaged \"{module}\"\n{imports})\n\n\
         // What tierup.toml says of the server: its own functions, by label; the one without a label is tier 0.\n\
         var baselines = map[string]baseline{{{aligned}}}\n\n\
         // baselineOf is all functions at once, or the one of this name, with an error or without.\n\
         func baselineOf(name string, given any) baseline {{\n\tswitch given := given.(type) {{\n\
         \tcase packaged.Functions:\n\t\treturn baseline{{functions: &given}}\n\
         \tcase *packaged.Functions:\n\t\treturn baseline{{functions: given}}\n\t}}\n{functions}\
         \treturn wrong(fmt.Sprintf(\"%s is a %T: write a function of the package's names and types, or a value of its type Functions\", name, given))\n}}\n"
    )
}

/// Takes a server's function for one of the package's.
fn adapter(function: &tierup_model::Function, name: &str, only: bool, types: &Types<'_>) -> String {
    let parameters: Vec<_> = function.parameters.iter().map(|parameter| types.of(&parameter.ty)).collect();
    let named: Vec<_> = parameters.iter().enumerate().map(|(number, ty)| format!("argument{number} {ty}")).collect();
    let arguments: Vec<_> = (0..parameters.len()).map(|number| format!("argument{number}")).collect();
    let (parameters, named, arguments) = (parameters.join(", "), named.join(", "), arguments.join(", "));
    let output = types.output(function.output.ty.as_ref());
    let (plain, body) = match &function.output.ty {
        Some(ty) => (format!(" {}", types.of(ty)), format!("return given({arguments}), nil")),
        None => (String::new(), format!("given({arguments})\n\t\t\t\treturn nil")),
    };
    let condition = if only { "true".to_owned() } else { format!("name == \"{name}\"") };
    format!(
        "\tif {condition} {{\n\t\tswitch given := given.(type) {{\n\
         \t\tcase func({parameters}) {output}:\n\t\t\treturn baseline{{functions: &packaged.Functions{{{name}: given}}}}\n\
         \t\tcase func({parameters}){plain}:\n\
         \t\t\treturn baseline{{functions: &packaged.Functions{{{name}: func({named}) {output} {{\n\
         \t\t\t\t{body}\n\t\t\t}}}}}}\n\t\t}}\n\t}}\n"
    )
}

/// Whether Go can import a path and name something there.
fn is_importable(path: &str, name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c))
            && !part.starts_with('.')
    };
    let is_name = name.starts_with(|c: char| c.is_uppercase()) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && path.split('/').all(is_part)
}

/// Keys and values as gofmt aligns them.
fn aligned(entries: &str) -> String {
    let rows: Vec<Vec<String>> = entries
        .lines()
        .filter_map(|line| line.trim_start().split_once(": "))
        .map(|(key, value)| vec![format!("{key}:"), value.to_owned()])
        .collect();
    crate::source::columns(&rows)
}
