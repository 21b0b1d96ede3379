//! An interface with one language's names: one tree of functions, parameters, types, cases and fields, each with its
//! definition and its name in that language.
//!
//! In: an [`Interface`] and a [`Naming`], which defines how the language spells names and which it reserves. Out: a
//! [`Named`]. Generators that use it never look up a name by index, and never determine an enum's kind twice.

use tierup_model::{Definition, DefinitionKind, Field, Function, Interface, Parameter, Payload, Type};

use crate::shims;

/// How a language names things. Each method returns names in the order of its input. Names do not collide in their
/// scope, and have no other meaning there.
pub trait Naming {
    /// The types that records and enums become, with the names of their cases: constants where no case carries anything
    /// ([`Definition::is_plain_enum`]), else types of their own.
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames>;

    /// The names of the functions. `types` are the names that [`Naming::types`] returned, for languages where functions
    /// and types share a namespace.
    fn functions(&self, interface: &Interface, types: &[TypeNames]) -> Vec<String>;

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String>;

    /// The fields of a record or of a case.
    fn fields(&self, fields: &[Field]) -> Vec<String>;

    /// The name of a case's only value if Rust has no name for it; several values are numbered.
    fn unnamed(&self) -> &'static str {
        "value"
    }
}

/// The names of one record or enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeNames {
    pub name: String,
    /// One name per case of an enum; empty for a record.
    pub cases: Vec<String>,
}

/// A whole interface.
#[derive(Debug, Clone)]
pub struct Named<'a> {
    pub interface: &'a Interface,
    pub functions: Vec<NamedFunction<'a>>,
    pub definitions: Vec<NamedDefinition<'a>>,
}

#[derive(Debug, Clone)]
pub struct NamedFunction<'a> {
    /// Its number in the byte ABI.
    pub number: usize,
    pub name: String,
    pub parameters: Vec<NamedValue<'a>>,
    pub output: Option<&'a Type>,
    pub docs: &'a str,
    /// The function in Rust.
    pub rust: &'a Function,
}

/// A parameter, or a field of a record or a case.
#[derive(Debug, Clone)]
pub struct NamedValue<'a> {
    pub name: String,
    pub ty: &'a Type,
    pub docs: &'a str,
    /// Its name in Rust; `None` in a case like `Circle(f64)`.
    pub rust: Option<&'a str>,
}

#[derive(Debug, Clone)]
pub struct NamedDefinition<'a> {
    /// Its index in [`Interface::definitions`], which [`Type::Defined`] refers to.
    pub number: usize,
    pub name: String,
    pub docs: &'a str,
    pub kind: NamedKind<'a>,
}

#[derive(Debug, Clone)]
pub enum NamedKind<'a> {
    Record(Vec<NamedValue<'a>>),
    /// An enum in which no case carries a value.
    Words(Vec<NamedCase<'a>>),
    /// An enum in which at least one case carries a value.
    Cases(Vec<NamedCase<'a>>),
}

#[derive(Debug, Clone)]
pub struct NamedCase<'a> {
    /// Its number on the wire.
    pub number: usize,
    pub name: String,
    /// The values that it carries.
    pub fields: Vec<NamedValue<'a>>,
    pub docs: &'a str,
    /// Its name in Rust.
    pub rust: &'a str,
    /// Its payload in Rust, for languages that write `Circle(f64)` differently from `Circle { radius: f64 }`.
    pub payload: &'a Payload,
}

impl<'a> Named<'a> {
    /// The names of the interface's alternatives, as the elements of a list of literals.
    pub fn alternatives(&self, literal: impl Fn(&str) -> String) -> String {
        self.interface.alternatives.iter().map(|one| literal(&one.name)).collect::<Vec<_>>().join(", ")
    }

    pub fn new(interface: &'a Interface, naming: &dyn Naming) -> Self {
        let types = naming.types(&interface.definitions);
        let functions = naming.functions(interface, &types);
        let functions = interface.functions.iter().zip(functions).enumerate().map(|(number, (rust, name))| {
            let parameters = rust.parameters.iter().zip(naming.parameters(&rust.parameters));
            let parameters = parameters.map(|(parameter, name)| NamedValue {
                name,
                ty: &parameter.ty,
                docs: "",
                rust: Some(&parameter.name),
            });
            let (output, docs) = (rust.output.ty.as_ref(), rust.docs.as_str());
            NamedFunction { number, name, parameters: parameters.collect(), output, docs, rust }
        });
        let definitions = interface.definitions.iter().zip(types).enumerate();
        let definitions = definitions.map(|(number, (rust, names))| definition(number, rust, names, naming));
        Named { interface, functions: functions.collect(), definitions: definitions.collect() }
    }

    /// The name of the type that [`Type::Defined`] refers to by number.
    pub fn type_name(&self, number: usize) -> &str {
        &self.definitions[number].name
    }
}

fn definition<'a>(number: usize, rust: &'a Definition, names: TypeNames, naming: &dyn Naming) -> NamedDefinition<'a> {
    let kind = match &rust.kind {
        DefinitionKind::Record(fields) => NamedKind::Record(named(fields, naming)),
        DefinitionKind::Enum(cases) => {
            let cases = cases.iter().zip(names.cases).enumerate().map(|(number, (case, name))| NamedCase {
                number,
                name,
                fields: carried(&case.payload, naming),
                docs: &case.docs,
                rust: &case.name,
                payload: &case.payload,
            });
            let cases = cases.collect();
            if rust.is_plain_enum() { NamedKind::Words(cases) } else { NamedKind::Cases(cases) }
        }
    };
    NamedDefinition { number, name: names.name, docs: &rust.docs, kind }
}

fn carried<'a>(payload: &'a Payload, naming: &dyn Naming) -> Vec<NamedValue<'a>> {
    let unnamed = |name, ty| NamedValue { name, ty, docs: "", rust: None };
    match payload {
        Payload::None => vec![],
        Payload::Tuple(types) => match types.as_slice() {
            [(ty, _)] => vec![unnamed(naming.unnamed().to_owned(), ty)],
            several => {
                let several = several.iter().enumerate();
                several.map(|(place, (ty, _))| unnamed(format!("{}{place}", naming.unnamed()), ty)).collect()
            }
        },
        Payload::Named(fields) => named(fields, naming),
    }
}

fn named<'a>(fields: &'a [Field], naming: &dyn Naming) -> Vec<NamedValue<'a>> {
    let fields = fields.iter().zip(naming.fields(fields));
    fields.map(|(field, name)| NamedValue { name, ty: &field.ty, docs: &field.docs, rust: Some(&field.name) }).collect()
}

impl NamedFunction<'_> {
    /// The parameters' names.
    pub fn arguments(&self) -> Vec<&str> {
        self.parameters.iter().map(|parameter| parameter.name.as_str()).collect()
    }

    /// The index of the first parameter that may be left out together with all that follow it.
    pub fn optional_from(&self) -> usize {
        let needed = self.parameters.iter().rposition(|parameter| !matches!(parameter.ty, Type::Optional(_)));
        needed.map_or(0, |last| last + 1)
    }

    /// Whether it takes and returns nothing but text and bytes: see [`shims::is_direct`].
    pub fn is_direct(&self) -> bool {
        shims::is_direct(self.rust)
    }

    /// Whether `[health]` hashes the answer itself rather than its encoding.
    pub fn is_raw(&self) -> bool {
        matches!(self.output, Some(Type::Text | Type::Bytes))
    }
}

impl<'a> NamedDefinition<'a> {
    /// A record's fields; empty for an enum.
    pub fn fields(&self) -> &[NamedValue<'a>] {
        match &self.kind {
            NamedKind::Record(fields) => fields,
            NamedKind::Words(_) | NamedKind::Cases(_) => &[],
        }
    }

    /// An enum's cases; empty for a record.
    pub fn cases(&self) -> &[NamedCase<'a>] {
        match &self.kind {
            NamedKind::Record(_) => &[],
            NamedKind::Words(cases) | NamedKind::Cases(cases) => cases,
        }
    }

    /// The types that a definition contains.
    pub fn types(&self) -> impl Iterator<Item = &'a Type> {
        let carried = self.cases().iter().flat_map(|case| &case.fields);
        self.fields().iter().chain(carried).map(|value| value.ty)
    }
}

#[cfg(test)]
mod tests {
    use tierup_model::Case;

    use super::*;

    /// Everything is spelled in capital letters.
    struct Capitals;

    impl Naming for Capitals {
        fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
            let cases = |definition: &Definition| match &definition.kind {
                DefinitionKind::Record(_) => vec![],
                DefinitionKind::Enum(cases) => cases.iter().map(|case| case.name.to_uppercase()).collect(),
            };
            definitions.iter().map(|one| TypeNames { name: one.name.to_uppercase(), cases: cases(one) }).collect()
        }

        fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
            interface.functions.iter().map(|function| function.name.to_uppercase()).collect()
        }

        fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
            parameters.iter().map(|parameter| parameter.name.to_uppercase()).collect()
        }

        fn fields(&self, fields: &[Field]) -> Vec<String> {
            fields.iter().map(|field| field.name.to_uppercase()).collect()
        }
    }

    #[test]
    fn payloads_have_names_even_where_rust_has_none() {
        let field = Field { name: "radius".into(), docs: String::new(), ty: Type::F64, rust: "f64".into() };
        let number = (Type::F64, "f64".to_owned());
        let payloads = [
            ("Empty", Payload::None),
            ("One", Payload::Tuple(vec![number.clone()])),
            ("Two", Payload::Tuple(vec![number.clone(), number])),
            ("Round", Payload::Named(vec![field])),
        ];
        let cases = payloads.map(|(name, payload)| Case { name: name.into(), docs: String::new(), payload }).into();
        let (path, docs) = ("::x::Shape".to_owned(), String::new());
        let shape = Definition { name: "Shape".into(), path, docs, kind: DefinitionKind::Enum(cases) };
        let interface = Interface {
            package: "x".into(),
            library: "x".into(),
            version: "0.1.0".into(),
            definitions: vec![shape],
            ..Interface::default()
        };
        let named = Named::new(&interface, &Capitals);
        let NamedKind::Cases(cases) = &named.definitions[0].kind else { panic!("some case carries something") };
        let all = cases.iter().map(|case| {
            let fields: Vec<_> = case.fields.iter().map(|field| (field.name.as_str(), field.rust)).collect();
            (case.name.as_str(), fields)
        });
        let expected = [
            ("EMPTY", vec![]),
            ("ONE", vec![("value", None)]),
            ("TWO", vec![("value0", None), ("value1", None)]),
            ("ROUND", vec![("RADIUS", Some("radius"))]),
        ];
        assert_eq!(all.collect::<Vec<_>>(), expected);
    }
}
