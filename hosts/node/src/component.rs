//! `2:component`: a component of the Component Model, which jco's library (`tools/wasm`) turns into JavaScript.
//!
//! In: the core module of `tierup_codegen::shims::component`. Out: `artifacts/component/` (jco's JavaScript and the
//! core modules that it instantiates), and `lib/variants/component.js`, which converts jco's values.

mod adapt;
mod lift;
mod lower;
mod shapes;

use tierup_codegen::{
    Converter, Files, Project, Recipe, Step, WasmTool, abi,
    named::{Named, NamedFunction},
    shims::{
        WasmRuntime,
        component::{Names as WitNames, component_library},
    },
    source::{Source, fill},
};

use self::shapes::{Shapes, jcos_name};
use crate::{codec::INDENT, names::literal};

/// Where the component is put in the package. All hosts share the crate and its build.
pub(crate) fn recipe(project: &Project) -> Recipe {
    let abi = abi::hash_text(&project.interface);
    let convert = Step::Convert {
        from: component_library(&project.interface).built_wasm(WasmRuntime::MachineCode),
        into: "node/artifacts/component".into(),
        converter: Converter::by_tool(WasmTool::Transpile, move |files| adapt::adapt_files(&files, &abi)),
    };
    Recipe { files: Files::new(), steps: vec![convert] }
}

/// The module's source.
pub(crate) fn glue(named: &Named<'_>) -> String {
    fill(include_str!("../templates/component/variant.js"), &[("conversions", conversions(named).trim_end())])
}

/// The table `FUNCTIONS`, by number, and the functions that convert records and enums.
fn conversions(named: &Named<'_>) -> String {
    let wit = &WitNames::new(named.interface);
    let shapes = Shapes { named, wit };
    let mut source = Source::new(INDENT);
    source.add("const FUNCTIONS = [");
    source.inside(|source| named.functions.iter().for_each(|function| shapes.entry(source, function)));
    source.add("];");
    for number in 0..named.definitions.len() {
        shapes.lower_definition(&mut source, number);
        shapes.lift_definition(&mut source, number);
    }
    source.into_text()
}

impl Shapes<'_> {
    /// A function's entry in the table.
    fn entry(&self, source: &mut Source, function: &NamedFunction<'_>) {
        let arguments = function.parameters.iter().enumerate().map(|(at, parameter)| {
            format!("argument({}, args[{at}], {})", literal(&parameter.name), self.lowerer(parameter.ty))
        });
        let exported = literal(&jcos_name(&self.wit.functions[function.number].name));
        let lower = match arguments.collect::<Vec<_>>().as_slice() {
            [] => "() => []".to_owned(),
            [one] => format!("(args) => [{one}]"),
            several => format!("(args) => [\n    {},\n]", several.join(",\n    ")),
        };
        let lift = function.output.and_then(|ty| self.lifter(ty)).unwrap_or("same".to_owned());
        source.add("{").add_inside(format!("exported: {exported},\nlower: {lower},\nlift: {lift},")).add("},");
    }
}

#[cfg(test)]
mod tests;
