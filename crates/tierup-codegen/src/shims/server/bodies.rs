//! The file `bodies.rs`: readers of bodies that fill several parameters, one for each such route.

use quote::quote;
use tierup_model::Field;

use super::{arguments, request_line, routes};
use crate::shims::{json, lend};
use crate::{Project, rust};

pub(super) fn bodies(project: &Project, header: fn(&str) -> String) -> String {
    let head = quote! {
        use crate::json::{Problem, Reader, given};
    };
    let names = routes::handler_names(&project.routes);
    let with_members = project.routes.iter().zip(&names).filter(|(route, _)| !route.members().is_empty());
    let readers = with_members.map(|(route, name)| {
        // An object is read like a record with these fields.
        let members = arguments::members(route, &project.interface.functions[route.function]);
        let fields: Vec<Field> = members
            .map(|parameter| Field {
                name: parameter.name.clone(),
                docs: String::new(),
                ty: parameter.ty.clone(),
                rust: lend::owned(parameter),
            })
            .collect();
        let types = fields.iter().map(|field| rust::tokens(&field.rust));
        let (read, values) = json::read_object(project, &fields);
        let docs = format!(" The body of `{}`.", request_line(route));
        quote! {
            #[doc = #docs]
            pub fn #name(from: &mut Reader<'_>) -> Result<(#(#types,)*), Problem> {
                #read
                Ok((#(#values,)*))
            }
        }
    });
    let items: Vec<_> = std::iter::once(head).chain(readers).map(rust::format).collect();
    header("Bodies that fill several parameters: objects whose members are called like them.") + &items.join("\n")
}
