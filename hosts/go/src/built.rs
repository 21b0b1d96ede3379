//! The package's built parts: a file for each, and the Go code that embeds or links it. The server's program omits
//! variants that were not built.

use tierup_codegen::shims::WasmRuntime;
use tierup_codegen::source::fill;
use tierup_codegen::{Artifact, Command, Converter, Files, Machine, Project, Recipe, Step};

use crate::names;

/// `1:spawn` and `1:pool`: the program that both run.
pub(crate) fn program(project: &Project, machine: &Machine) -> Recipe {
    let source = fill(
        include_str!("../templates/package/internal/built/program/built.go"),
        &[("module", &module(project)), ("program", &project.interface.package)],
    );
    embedded(Artifact::program(project, machine), "program", "program", source)
}

/// `2:core`: the Wasm module.
pub(crate) fn core(project: &Project) -> Recipe {
    let template = include_str!("../templates/package/internal/built/core/built.go");
    let source = fill(template, &[("module", &module(project))]);
    embedded(Artifact::core(project, WasmRuntime::MachineCode), "core", "core.wasm", source)
}

/// Puts the built file and the source that embeds it in a folder below `internal/built/`; compiles the package.
fn embedded(artifact: Artifact, folder: &str, file: &'static str, source: String) -> Recipe {
    let converter = Converter::new(move |bytes| Ok(Files::new().with(file, bytes).with("built.go", source.as_bytes())));
    let mut recipe = artifact.converted(format!("go/internal/built/{folder}"), converter);
    recipe.steps.push(compiled());
    recipe
}

/// Compiles the package with its built parts, so that errors appear now and not in the server's build.
pub(crate) fn compiled() -> Step {
    let build = Command::new("go", ["build", "./..."]);
    // The module is complete by itself. A workspace around it must not change its build.
    let environment = [("GOWORK", "off"), ("GOFLAGS", "-mod=readonly")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Step::Run(Command { folder: "go".into(), environment, ..build })
}

pub(crate) fn module(project: &Project) -> String {
    names::module(&project.interface.package)
}
