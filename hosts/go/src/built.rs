//! What lies in the package because it was built: a file, and Go that embeds or links it. A variant that was not built is
//! not part of the server's program.

use std::path::PathBuf;

use tierup_codegen::shims::{WasmRuntime, built_native, core_library};
use tierup_codegen::{Command, Converter, Files, Project, Recipe, Step};

use crate::names;
use crate::package::filled;

/// `1:spawn` and `1:pool`: the program that both run.
pub(crate) fn program(project: &Project) -> Recipe {
    let name = project.interface.package.clone();
    let source = filled(include_str!("../templates/package/internal/built/program/built.go"), &module(project), "")
        .replace("PROGRAM", &name);
    let from = built_native(&format!("{name}{}", std::env::consts::EXE_SUFFIX));
    Recipe { files: Files::new(), steps: vec![embedded(from, "program", "program", source), compiled()] }
}

/// `2:core`: the Wasm module.
pub(crate) fn core(project: &Project) -> Recipe {
    let source = filled(include_str!("../templates/package/internal/built/core/built.go"), &module(project), "");
    let core = core_library(&project.interface);
    let build = Step::Run(core.build_wasm(WasmRuntime::MachineCode));
    let embedded = embedded(core.built_wasm(WasmRuntime::MachineCode), "core", "core.wasm", source);
    Recipe { files: Files::new(), steps: vec![build, embedded, compiled()] }
}

/// The built file and its source, in a folder of their own below `internal/built/`.
fn embedded(from: PathBuf, folder: &str, file: &'static str, source: String) -> Step {
    let converter = Converter::new(move |bytes| Ok(Files::new().with(file, bytes).with("built.go", source.as_bytes())));
    Step::Convert { from, into: format!("go/internal/built/{folder}").into(), converter }
}

/// Compiles the package with what was built. What could go wrong there does so now, not when the server is built.
pub(crate) fn compiled() -> Step {
    let build = Command::new("go", ["build", "./..."]);
    // The module is whole by itself, whatever workspace of the user's is around it.
    let environment = [("GOWORK", "off"), ("GOFLAGS", "-mod=readonly")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Step::Run(Command { folder: "go".into(), environment, ..build })
}

pub(crate) fn module(project: &Project) -> String {
    names::module(&project.interface.package)
}
