//! The driver: a program that calls every variant and every baseline through the package (`docs/driver.md`).
//!
//! It is compiled when it starts, in a Go workspace of the package's module and the server's, so that it can import the
//! server's own functions with all their dependencies.

use tierup_codegen::named::NamedFunction;
use tierup_codegen::source::{Source, fill};
use tierup_codegen::{Command, Files, HostSettings, Project};

use crate::names;
use crate::source::{Types, columns, file, literal};

/// The driver's files, below `.tierup/go/`, and the command that starts it from `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    let module = names::module(&project.interface.package);
    let main = fill(include_str!("../templates/driver/main.go"), &[("module", &module)]);
    let folder = match settings.baselines.is_empty() {
        true => String::new(),
        false => format!("'{}'", settings.folder.display().to_string().replace('\'', r"'\''")),
    };
    let files = Files::new()
        .with("driver/go.mod", format!("module {module}/driver\n\ngo 1.25.0\n"))
        .with("driver/main.go", main)
        .with("driver/frames.go", include_str!("../templates/driver/frames.go"))
        .with("driver/baselines.go", baselines(project, settings, &module))
        .with("driver/start.sh", fill(include_str!("../templates/driver/start.sh"), &[("folder", &folder)]));
    (files, Command::new("sh", ["go/driver/start.sh"]))
}

/// The server's own functions by label. The one without a label is tier 0.
fn baselines(project: &Project, settings: &HostSettings, module: &str) -> String {
    let mut imports = Source::piece();
    let mut entries = Vec::new();
    for (number, (label, name)) in settings.baselines.iter().enumerate() {
        let label = literal(label.as_deref().unwrap_or_default().as_bytes());
        let value = match name.rsplit_once('.').filter(|(path, name)| is_importable(path, name)) {
            Some((path, function)) => {
                imports.add(format!("baseline{number} {}", literal(path.as_bytes())));
                format!("baselineOf({}, baseline{number}.{function}),", literal(function.as_bytes()))
            }
            // Go cannot have this name. The driver reports that when a call asks for the baseline.
            None => {
                let why = format!("`{name}` is no name of Go's: write `import/path.Function`, with a capital letter");
                format!("wrong({}),", literal(why.as_bytes()))
            }
        };
        entries.push(vec![format!("{label}:"), value]);
    }
    let named = names::named(&project.interface);
    let types = Types { named: &named, qualifier: "packaged." };
    let mut source = file("main");
    source.add(format!("import (\n    \"fmt\"\n\n    packaged \"{module}\""));
    if !imports.is_empty() {
        source.gap(1).add_inside(imports.text());
    }
    source
        .add(")")
        .gap(1)
        .add("// What tierup.toml says of the server: its own functions, by label; the one without a label is tier 0.");
    match entries.is_empty() {
        true => source.add("var baselines = map[string]baseline{}"),
        false => source.add("var baselines = map[string]baseline{").add_inside(columns(&entries)).add("}"),
    };
    source.gap(1).add(
        "
        // baselineOf is all functions at once, or the one of this name, with an error or without.
        func baselineOf(name string, given any) baseline {
            switch given := given.(type) {
            case packaged.Functions:
                return baseline{functions: &given}
            case *packaged.Functions:
                return baseline{functions: given}
            }
        ",
    );
    source.inside(|source| {
        for function in &named.functions {
            adapter(source, function, named.functions.len() == 1, &types);
        }
        source.add(
            "return wrong(fmt.Sprintf(\"%s is a %T: write a function of the package's names and types, or a value of its type \
             Functions\", name, given))",
        );
    });
    source.add("}");
    source.into_text()
}

/// Adapts a server's function to one of the package's.
fn adapter(source: &mut Source, function: &NamedFunction<'_>, only: bool, types: &Types<'_>) {
    let name = &function.name;
    let parameters: Vec<_> = function.parameters.iter().map(|parameter| types.spell(parameter.ty)).collect();
    let typed: Vec<_> = parameters.iter().enumerate().map(|(number, ty)| format!("argument{number} {ty}")).collect();
    let arguments: Vec<_> = (0..parameters.len()).map(|number| format!("argument{number}")).collect();
    let (parameters, typed, arguments) = (parameters.join(", "), typed.join(", "), arguments.join(", "));
    let output = types.output(function.output);
    let (plain, body) = match function.output {
        Some(ty) => (format!(" {}", types.spell(ty)), format!("return given({arguments}), nil")),
        None => (String::new(), format!("given({arguments})\nreturn nil")),
    };
    let condition = if only { "true".to_owned() } else { format!("name == \"{name}\"") };
    source.add(format!("if {condition} {{")).inside(|source| {
        source.add(format!(
            "
            switch given := given.(type) {{
            case func({parameters}) {output}:
                return baseline{{functions: &packaged.Functions{{{name}: given}}}}
            case func({parameters}){plain}:
                return baseline{{functions: &packaged.Functions{{{name}: func({typed}) {output} {{
            "
        ));
        source.inside(|source| {
            source.add_inside(body).add("}}}");
        });
        source.add("}");
    });
    source.add("}");
}

/// Whether Go can import this path and this name from it.
fn is_importable(path: &str, name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c))
            && !part.starts_with('.')
    };
    let is_name = name.starts_with(|c: char| c.is_uppercase()) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && path.split('/').all(is_part)
}
