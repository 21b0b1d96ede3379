//! `lib/variants/component.js`: the variant as the package loads it. A part that is the same in every package, then
//! conversions for the types of this one.

use tierup_codegen::Project;
use tierup_codegen::shims::component::Names as WitNames;
use tierup_model::Interface;

use super::shapes::{Shapes, jcos_name};
use crate::names::{Names, literal};

/// The module's source.
pub(crate) fn glue(project: &Project) -> String {
    include_str!("../../templates/component/variant.js").replace(PLACE, &conversions(&project.interface))
}

/// Where in the template the conversions go.
const PLACE: &str = "// { conversions }\n";

/// The table `FUNCTIONS`, by number, and what it needs for records and enums.
pub(super) fn conversions(interface: &Interface) -> String {
    let (names, wit) = (&Names::of(interface), &WitNames::new(interface));
    let shapes = Shapes { interface, names, wit };
    let mut text = "const FUNCTIONS = [\n".to_owned();
    for (number, function) in interface.functions.iter().enumerate() {
        let parameters = function.parameters.iter().zip(&names.functions[number].parameters).enumerate();
        let arguments: Vec<_> = parameters
            .map(|(at, (parameter, name))| {
                format!("argument({}, args[{at}], {})", literal(name), shapes.lowerer(&parameter.ty))
            })
            .collect();
        let exported = literal(&jcos_name(&wit.functions[number].name));
        let lower = match arguments.as_slice() {
            [] => "() => []".to_owned(),
            [one] => format!("(args) => [{one}]"),
            several => format!("(args) => [\n      {},\n    ]", several.join(",\n      ")),
        };
        let lift = function.output.ty.as_ref().and_then(|ty| shapes.lifter(ty)).unwrap_or("same".to_owned());
        text += &format!("  {{\n    exported: {exported},\n    lower: {lower},\n    lift: {lift},\n  }},\n");
    }
    text += "];\n";
    for index in 0..interface.definitions.len() {
        text = text + "\n" + &shapes.lower_definition(index);
        if let Some(lift) = shapes.lift_definition(index) {
            text = text + "\n" + &lift;
        }
    }
    text
}
