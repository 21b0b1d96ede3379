//! Reader and writer of each record and enum. They are taken apart and built without `..`, so that a field
//! which the model missed does not compile.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Case, Definition, DefinitionKind, Field, Payload};

use crate::rust;

pub(super) fn codec(definition: &Definition) -> TokenStream {
    let path = rust::tokens(&definition.path);
    let (read, write) = match &definition.kind {
        DefinitionKind::Record(fields) => record(fields),
        DefinitionKind::Enum(cases) => enumeration(definition, cases),
    };
    quote! {
        impl<'a> Read<'a> for #path {
            fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
                #read
            }
        }

        impl Write for #path {
            fn write(&self, to: &mut Vec<u8>) {
                #write
            }
        }
    }
}

fn record(fields: &[Field]) -> (TokenStream, TokenStream) {
    let names: Vec<Ident> = fields.iter().map(|field| rust::identifier(&field.name)).collect();
    // Fields are bound by position, not by name: a field may have the name of anything in scope here.
    let bindings = bindings(fields.len());
    let read = quote!(Ok(Self { #(#names: from.read()?),* }));
    let write = quote! {
        let Self { #(#names: #bindings),* } = self;
        #(#bindings.write(to);)*
    };
    (read, write)
}

fn enumeration(definition: &Definition, cases: &[Case]) -> (TokenStream, TokenStream) {
    let what = &definition.name;
    let reads = cases.iter().zip(0u8..).map(|(case, number)| {
        let name = rust::identifier(&case.name);
        let value = match &case.payload {
            Payload::None => quote!(Self::#name),
            Payload::Tuple(types) => {
                let reads = types.iter().map(|_| quote!(from.read()?));
                quote!(Self::#name(#(#reads),*))
            }
            Payload::Named(fields) => {
                let names = fields.iter().map(|field| rust::identifier(&field.name));
                quote!(Self::#name { #(#names: from.read()?),* })
            }
        };
        quote!(#number => #value)
    });
    let writes = cases.iter().zip(0u8..).map(|(case, number)| {
        let name = rust::identifier(&case.name);
        let (pattern, bindings) = match &case.payload {
            Payload::None => (quote!(), vec![]),
            Payload::Tuple(types) => {
                let bindings = bindings(types.len());
                (quote!((#(#bindings),*)), bindings)
            }
            Payload::Named(fields) => {
                let bindings = bindings(fields.len());
                let names = fields.iter().map(|field| rust::identifier(&field.name));
                (quote!({ #(#names: #bindings),* }), bindings)
            }
        };
        quote! {
            Self::#name #pattern => {
                to.push(#number);
                #(#bindings.write(to);)*
            }
        }
    });
    let read = quote! {
        Ok(match from.case()? {
            #(#reads,)*
            byte => return Err(Malformed::Tag { what: #what, byte }),
        })
    };
    let write = quote! {
        match self {
            #(#writes)*
        }
    };
    (read, write)
}

fn bindings(count: usize) -> Vec<Ident> {
    (0..count).map(|number| format_ident!("field{number}")).collect()
}
