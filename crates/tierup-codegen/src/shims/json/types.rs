//! How each record and enum looks in JSON. They are taken apart and built without `..`, so that a field which the
//! model missed does not compile.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Case, Definition, DefinitionKind, Field, Payload};

use crate::{Keys, Project, camel_case, rust};

/// The file `types.rs`.
pub(super) fn types(project: &Project, header: fn(&str) -> String) -> String {
    let naming = Naming::new(project);
    let head = quote! {
        // Some interfaces do not use every import, and the user chose the names.
        #![allow(deprecated, unused_imports, unused_variables, non_snake_case, clippy::all)]

        use super::problem::Problem;
        use super::read::{FromJson, given};
        use super::reader::Reader;
        use super::write::{ToJson, Writer, write_bare_case, write_case, write_record, write_values};
    };
    let impls = project.interface.definitions.iter().flat_map(|definition| {
        let path = rust::tokens(&definition.path);
        let (read, write) = match &definition.kind {
            DefinitionKind::Record(fields) => record(fields, naming),
            DefinitionKind::Enum(cases) if definition.is_plain_enum() => plain_enum(definition, cases),
            DefinitionKind::Enum(cases) => enumeration(cases, naming),
        };
        let from = quote! {
            impl FromJson for #path {
                fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
                    #read
                }
            }
        };
        let to = quote! {
            impl ToJson for #path {
                fn write(&self, to: &mut Writer) {
                    #write
                }
            }
        };
        [from, to]
    });
    // Each item is formatted separately, with a blank line between them, because people read these files.
    let items: Vec<_> = std::iter::once(head).chain(impls).map(rust::format).collect();
    header("How each of your records and enums looks in JSON.") + &items.join("\n")
}

fn record(fields: &[Field], naming: Naming) -> (TokenStream, TokenStream) {
    let names: Vec<Ident> = fields.iter().map(|field| rust::identifier(&field.name)).collect();
    let bindings = named_bindings(fields);
    let read = read_fields(&quote!(Self), fields, naming);
    let value = write_fields(fields, naming);
    let write = quote! {
        let Self { #(#names: #bindings),* } = self;
        #value;
    };
    (read, write)
}

fn plain_enum(definition: &Definition, cases: &[Case]) -> (TokenStream, TokenStream) {
    let idents: Vec<Ident> = cases.iter().map(|case| rust::identifier(&case.name)).collect();
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    let what = format!("the name of a {}", definition.name);
    let read = quote! {
        match &*from.string(#what)? {
            #(#names => Ok(Self::#idents),)*
            other => Err(Problem::unknown("case", other, &[#(#names),*])),
        }
    };
    let write = quote! {
        let name = match self {
            #(Self::#idents => #names,)*
        };
        name.write(to);
    };
    (read, write)
}

fn enumeration(cases: &[Case], naming: Naming) -> (TokenStream, TokenStream) {
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    let reads = cases.iter().map(|case| {
        let name = &case.name;
        let ident = rust::identifier(name);
        let read = match &case.payload {
            Payload::None => quote!(carried.nothing().map(|()| Self::#ident)),
            Payload::Tuple(types) if types.len() == 1 => quote!(carried.value().map(Self::#ident)),
            Payload::Tuple(types) => {
                let items = types.iter().map(|_| quote!(items.item()?));
                quote!(carried.items(|items| Ok(Self::#ident(#(#items),*))))
            }
            Payload::Named(fields) => {
                let read = read_fields(&quote!(Self::#ident), fields, naming);
                quote!(carried.read(|from| { #read }))
            }
        };
        quote!(#name => #read)
    });
    let writes = cases.iter().map(|case| {
        let name = &case.name;
        let ident = rust::identifier(name);
        match &case.payload {
            Payload::None => quote!(Self::#ident => write_bare_case(#name, to)),
            Payload::Tuple(types) => {
                let bindings: Vec<Ident> = (0..types.len()).map(|number| format_ident!("field_{number}")).collect();
                let value = match bindings.as_slice() {
                    [only] => quote!(#only.write(to)),
                    several => quote!(write_values(&[#(#several),*], to)),
                };
                quote!(Self::#ident(#(#bindings),*) => write_case(#name, |to| #value, to))
            }
            Payload::Named(fields) => {
                let names = fields.iter().map(|field| rust::identifier(&field.name));
                let bindings = named_bindings(fields);
                let value = write_fields(fields, naming);
                quote!(Self::#ident { #(#names: #bindings),* } => write_case(#name, |to| #value, to))
            }
        }
    });
    let read = quote! {
        from.case(|name, carried| match name {
            #(#reads,)*
            _ => Err(Problem::unknown("case", name, &[#(#names),*])),
        })
    };
    let write = quote! {
        match self {
            #(#writes,)*
        }
    };
    (read, write)
}

/// Reads an object with these fields from `from`, and builds `constructor` of them.
fn read_fields(constructor: &TokenStream, fields: &[Field], naming: Naming) -> TokenStream {
    let idents = fields.iter().map(|field| rust::identifier(&field.name));
    let (read, values) = read_object(fields, naming);
    quote! {
        #read
        Ok(#constructor { #(#idents: #values),* })
    }
}

/// The statements that read an object with these fields from `from`, and then the value of each.
pub(super) fn read_object(fields: &[Field], naming: Naming) -> (TokenStream, Vec<TokenStream>) {
    let keys = naming.keys(fields);
    let choices = keys.iter().filter_map(|key| match key {
        Key::Same(_) => None,
        Key::Two { binding, snake, camel } => Some(quote!(let #binding = from.key(#snake, #camel);)),
    });
    let patterns = keys.iter().map(|key| match key {
        Key::Same(name) => quote!(#name),
        Key::Two { binding, .. } => quote!(_ if key == #binding),
    });
    let names: Vec<TokenStream> = keys.iter().map(Key::name).collect();
    let bindings = named_bindings(fields);
    let values = names.iter().zip(&bindings).map(|(name, binding)| quote!(given(#name, #binding)?)).collect();
    let read = quote! {
        #(#choices)*
        #(let mut #bindings = None;)*
        from.object(|from, key| match key {
            #(#patterns => from.field(#names, &mut #bindings),)*
            _ => Err(Problem::unknown("field", key, &[#(#names),*])),
        })?;
    };
    (read, values)
}

fn write_fields(fields: &[Field], naming: Naming) -> TokenStream {
    let keys = naming.keys(fields);
    let names = keys.iter().map(|key| match key {
        Key::Same(name) => quote!(#name),
        Key::Two { snake, camel, .. } => quote!(to.key(#snake, #camel)),
    });
    let bindings = named_bindings(fields);
    quote!(write_record(&[#((#names, #bindings)),*], to))
}

/// Whether fields have a second name.
#[derive(Clone, Copy)]
pub(super) enum Naming {
    /// Only Rust's name: no route asks for another.
    Rust,
    RustAndCamelCase,
}

/// The names of a field.
enum Key {
    Same(String),
    /// A name for each of `Keys`. While a record is read, `binding` holds the name in use.
    Two {
        binding: Ident,
        snake: String,
        camel: String,
    },
}

impl Naming {
    pub(super) fn new(project: &Project) -> Naming {
        let asked = project.routes.iter().any(|route| route.keys == Keys::CamelCase);
        if asked { Naming::RustAndCamelCase } else { Naming::Rust }
    }

    fn keys(self, fields: &[Field]) -> Vec<Key> {
        let camel = match self {
            Naming::Rust => fields.iter().map(|field| field.name.clone()).collect(),
            Naming::RustAndCamelCase => camel_case::fields(fields),
        };
        let key = |(field, camel): (&Field, String)| match camel == field.name {
            true => Key::Same(camel),
            false => Key::Two { binding: format_ident!("key_{}", field.name), snake: field.name.clone(), camel },
        };
        fields.iter().zip(camel).map(key).collect()
    }
}

impl Key {
    /// The name that counts, while a record is read.
    fn name(&self) -> TokenStream {
        match self {
            Key::Same(name) => quote!(#name),
            Key::Two { binding, .. } => quote!(#binding),
        }
    }
}

/// Fields are bound with a prefix, because the user chose their names, which might be `from` or `to`.
fn named_bindings(fields: &[Field]) -> Vec<Ident> {
    fields.iter().map(|field| format_ident!("field_{}", field.name)).collect()
}
