//! `lib/variants/component.js`, the variant as the package loads it: a part that is the same in every package, then
//! conversions for the types of this package.

use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::shims::component::Names as WitNames;
use tierup_codegen::source::Source;

use super::shapes::{Shapes, jcos_name};
use crate::codec::INDENT;
use crate::names::literal;

/// The module's source.
pub(crate) fn glue(named: &Named<'_>) -> String {
    include_str!("../../templates/component/variant.js").replace(PLACE, &conversions(named))
}

/// The conversions' place in the template.
const PLACE: &str = "// { conversions }\n";

/// The table `FUNCTIONS`, by number, and the functions that convert records and enums.
pub(super) fn conversions(named: &Named<'_>) -> String {
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
    /// A function's place in the table.
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
