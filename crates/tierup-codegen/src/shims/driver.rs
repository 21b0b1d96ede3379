//! The functions alone: a program in Rust that speaks `docs/driver.md` and calls them without any host in between. The
//! extra time that a variant takes over this program is the cost of its crossing.
//!
//! In: the interface. Out: `driver/`, whose fixed part reads requests and whose `timed.rs` knows the functions.

use std::path::PathBuf;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Function, Parameter, Passing};

use super::{build_native, built_native, manifest};
use crate::{Files, Machine, Project, Recipe, Step, rust};

/// The driver's name for its only row.
pub const ALONE: &str = "rust";

/// The package and its program.
const PROGRAM: &str = "tierup-driver";

/// The crate `driver/`, and the build that leaves [`driver_program`].
pub fn driver(project: &Project) -> Recipe {
    let interface = &project.interface;
    let dependency = rust::dependency(interface, &project.crate_folder);
    let rest = format!("[dependencies]\n{dependency}\ntierup-calls = {{ path = \"../calls\" }}");
    let files = Files::new()
        .with("driver/Cargo.toml", manifest(interface, PROGRAM, &rest))
        .with("driver/src/main.rs", include_str!("../../templates/driver/main.rs"))
        .with("driver/src/repeated.rs", include_str!("../../templates/driver/repeated.rs"))
        .with("driver/src/timed.rs", timed(&interface.functions));
    // The driver is timed on this machine, whichever machine the rest is built for.
    let machine = Machine::this();
    let copy = Step::Copy { from: built_native(&machine.program(PROGRAM), &machine), to: driver_program() };
    Recipe { files, steps: vec![Step::Run(build_native(PROGRAM, &machine)), copy] }
}

/// The built program, below `.tierup/`.
pub fn driver_program() -> PathBuf {
    PathBuf::from("bin").join(Machine::this().program(PROGRAM))
}

fn timed(functions: &[Function]) -> String {
    let arms = functions.iter().zip(0u32..).map(|(function, number)| {
        let call = call(function);
        quote!(#number => #call)
    });
    let tokens = quote! {
        // This crate must not warn about the user's deprecated functions.
        #![allow(deprecated, clippy::all)]

        use std::hint::black_box;
        use std::time::Duration;

        use crate::repeated::{Failure, repeated};

        /// How long `repeat` calls of a function take, by its number.
        pub fn timed(function: u32, arguments: &[u8], repeat: u32) -> Result<Duration, Failure> {
            match function {
                #(#arms,)*
                _ => Err(Failure::unknown(function)),
            }
        }
    };
    rust::header("Calls your functions again and again, and nothing else, while the time is taken.")
        + &rust::format(tokens)
}

/// Reads the arguments once for each call, then calls.
fn call(function: &Function) -> TokenStream {
    let path = rust::tokens(&function.path);
    let names: Vec<Ident> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let types: Vec<TokenStream> =
        function.parameters.iter().map(|parameter| rust::tokens(owned_type(parameter))).collect();
    let reads = types.iter().map(|_| quote!(from.read()?));
    let handed_over = function.parameters.iter().zip(&names).map(|(parameter, name)| match parameter.passing {
        Passing::Value => quote!(#name),
        Passing::Lent { .. } => quote!(&#name),
    });
    let from = if names.is_empty() { quote!(_) } else { quote!(from) };
    quote! {
        repeated(arguments, repeat, |#from| Ok((#(#reads,)*)), |(#(#names,)*): (#(#types,)*)| {
            black_box(#path(#(#handed_over),*));
        })
    }
}

/// The type of the value that the caller holds.
fn owned_type(parameter: &Parameter) -> &str {
    match &parameter.passing {
        Passing::Value => &parameter.rust,
        Passing::Lent { owned } => owned,
    }
}
