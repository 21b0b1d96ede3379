//! The places of maps in a type, for `lib/maps.js`. Types without maps need no conversion.

use tierup_codegen::named::{NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_model::Type;

use super::Codec;
use crate::names::{Carried, carried, literal};

impl Codec<'_> {
    /// An expression for a function that converts the maps in a value of this type.
    pub(super) fn maps(&self, ty: &Type) -> Option<String> {
        let of = |function: &str, inner: &Type| self.maps(inner).map(|inner| format!("maps.{function}({inner})"));
        match ty {
            Type::Optional(inner) => of("optional", inner),
            Type::List(inner) => of("list", inner),
            Type::Map(inner) => of("map", inner).or_else(|| Some("maps.map()".to_owned())),
            Type::Defined(number) => self.has_maps(*number).then(|| format!("maps{}", self.suffix(ty))),
            _ => None,
        }
    }

    fn has_maps(&self, number: usize) -> bool {
        self.named.definitions[number].types().any(|ty| self.maps(ty).is_some())
    }

    /// A constant for each definition with maps, after the constants that it refers to.
    pub(super) fn maps_of_definitions(&self, source: &mut Source) {
        let mut constants = Source::piece();
        let mut done = vec![false; self.named.definitions.len()];
        for definition in &self.named.definitions {
            self.maps_of_definition(definition, &mut done, &mut constants);
        }
        if !constants.is_empty() {
            source.add(constants.text()).gap(1);
        }
    }

    fn maps_of_definition(&self, definition: &NamedDefinition<'_>, done: &mut [bool], constants: &mut Source) {
        let number = definition.number;
        if std::mem::replace(&mut done[number], true) || !self.has_maps(number) {
            return;
        }
        definition.types().for_each(|ty| self.maps_before(ty, done, constants));
        let converter = match &definition.kind {
            NamedKind::Record(fields) => self.maps_of_fields(fields),
            NamedKind::Words(cases) | NamedKind::Cases(cases) => {
                let cases: Vec<_> = cases.iter().filter_map(|case| self.maps_of_case(case)).collect();
                format!("maps.cases([{}])", cases.join(", "))
            }
        };
        constants.add(format!("const maps{} = {converter};", self.suffix(&Type::Defined(number))));
    }

    fn maps_before(&self, ty: &Type, done: &mut [bool], constants: &mut Source) {
        match ty {
            Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => self.maps_before(inner, done, constants),
            Type::Defined(number) => self.maps_of_definition(&self.named.definitions[*number], done, constants),
            _ => {}
        }
    }

    fn maps_of_case(&self, case: &NamedCase<'_>) -> Option<String> {
        let converter = match carried(case) {
            Carried::Nothing => return None,
            Carried::One(ty) => self.maps(ty)?,
            Carried::Several(types) => {
                let places = types.iter().enumerate();
                let places = places.filter_map(|(place, ty)| Some(format!("[{place}, {}]", self.maps(ty)?)));
                let places: Vec<_> = places.collect();
                if places.is_empty() {
                    return None;
                }
                format!("maps.tuple([{}])", places.join(", "))
            }
            Carried::Record(fields) if fields.iter().any(|field| self.maps(field.ty).is_some()) => {
                self.maps_of_fields(fields)
            }
            Carried::Record(_) => return None,
        };
        Some(format!("[{}, {converter}]", literal(&case.name)))
    }

    fn maps_of_fields(&self, fields: &[NamedValue<'_>]) -> String {
        let pairs = fields.iter();
        let pairs = pairs.filter_map(|field| Some(format!("[{}, {}]", literal(&field.name), self.maps(field.ty)?)));
        format!("maps.record([{}])", pairs.collect::<Vec<_>>().join(", "))
    }
}
