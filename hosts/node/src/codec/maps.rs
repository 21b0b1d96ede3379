//! What `lib/maps.js` is told of a type: where in it there are maps. Nothing for a type without any.

use super::*;

use crate::names::CaseNames;
use tierup_model::{Case, DefinitionKind, Field};

impl Codec<'_> {
    /// An expression for a function that converts the maps in a value of that type.
    pub(super) fn maps(&self, ty: &Type) -> Option<String> {
        let of = |function: &str, inner: &Type| self.maps(inner).map(|inner| format!("maps.{function}({inner})"));
        match ty {
            Type::Optional(inner) => of("optional", inner),
            Type::List(inner) => of("list", inner),
            Type::Map(inner) => of("map", inner).or_else(|| Some("maps.map()".to_owned())),
            Type::Defined(index) => self.has_maps(*index).then(|| format!("maps{}", self.suffix(ty))),
            _ => None,
        }
    }

    fn has_maps(&self, index: usize) -> bool {
        let mut types = definitions::types_in(&self.interface.definitions[index]);
        types.any(|ty| self.maps(ty).is_some())
    }

    /// A constant for each definition with maps in it, behind those that it stands on.
    pub(super) fn maps_of_definitions(&self) -> String {
        let mut text = String::new();
        let mut done = vec![false; self.interface.definitions.len()];
        for index in 0..done.len() {
            self.maps_of_definition(index, &mut done, &mut text);
        }
        if text.is_empty() { text } else { text + "\n" }
    }

    fn maps_of_definition(&self, index: usize, done: &mut [bool], text: &mut String) {
        if std::mem::replace(&mut done[index], true) || !self.has_maps(index) {
            return;
        }
        let definition = &self.interface.definitions[index];
        definitions::types_in(definition).for_each(|ty| self.maps_before(ty, done, text));
        let names = &self.names.definitions[index];
        let converter = match &definition.kind {
            DefinitionKind::Record(fields) => self.maps_of_fields(fields, &names.fields),
            DefinitionKind::Enum(cases) => {
                let cases = cases.iter().zip(&names.cases).filter_map(|(case, names)| self.maps_of_case(case, names));
                format!("maps.cases([{}])", cases.collect::<Vec<_>>().join(", "))
            }
        };
        let _ = writeln!(text, "const maps{} = {converter};", self.suffix(&Type::Defined(index)));
    }

    fn maps_before(&self, ty: &Type, done: &mut [bool], text: &mut String) {
        match ty {
            Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => self.maps_before(inner, done, text),
            Type::Defined(index) => self.maps_of_definition(*index, done, text),
            _ => {}
        }
    }

    fn maps_of_case(&self, case: &Case, names: &CaseNames) -> Option<String> {
        let converter = match &case.payload {
            Payload::None => return None,
            Payload::Tuple(types) => match types.as_slice() {
                [(only, _)] => self.maps(only)?,
                several => {
                    let places = several.iter().enumerate();
                    let places = places.filter_map(|(place, (ty, _))| Some(format!("[{place}, {}]", self.maps(ty)?)));
                    let places: Vec<_> = places.collect();
                    if places.is_empty() {
                        return None;
                    }
                    format!("maps.tuple([{}])", places.join(", "))
                }
            },
            Payload::Named(fields) if fields.iter().any(|field| self.maps(&field.ty).is_some()) => {
                self.maps_of_fields(fields, &names.fields)
            }
            Payload::Named(_) => return None,
        };
        Some(format!("[{}, {converter}]", literal(&names.tag)))
    }

    fn maps_of_fields(&self, fields: &[Field], names: &[String]) -> String {
        let pairs = fields.iter().zip(names);
        let pairs = pairs.filter_map(|(field, name)| Some(format!("[{}, {}]", literal(name), self.maps(&field.ty)?)));
        format!("maps.record([{}])", pairs.collect::<Vec<_>>().join(", "))
    }
}
