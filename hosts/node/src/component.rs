//! `2:component`: a component of the Component Model, which jco's library (`tools/wasm`) turns into JavaScript.
//!
//! In: the core module of `tierup_codegen::shims::component`. Out: `artifacts/component/` (jco's JavaScript and the
//! core modules that it instantiates), and `lib/variants/component.js`, which converts between its values and the package's.

mod adapt;
mod glue;
mod lift;
mod lower;
mod shapes;

use tierup_codegen::shims::{WasmRuntime, component::component_library};
use tierup_codegen::{Converter, Files, Project, Recipe, Step, WasmTool, abi};

pub(crate) use glue::glue;

/// The component's place in the package. The crate and its build are shared by all hosts.
pub(crate) fn recipe(project: &Project) -> Recipe {
    let abi = abi::hash_text(&project.interface);
    let convert = Step::Convert {
        from: component_library(&project.interface).built_wasm(WasmRuntime::MachineCode),
        into: "node/artifacts/component".into(),
        converter: Converter::by_tool(WasmTool::Transpile, move |files| adapt::adapt_files(&files, &abi)),
    };
    Recipe { files: Files::new(), steps: vec![convert] }
}

#[cfg(test)]
mod tests;
