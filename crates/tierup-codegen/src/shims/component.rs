//! The component: WIT from the signatures, and the guest that wit-bindgen binds to it.
//!
//! In: the interface. Out: `component/`, a crate that reads like a hand-written guest (`wit/world.wit`, the bindings
//! that wit-bindgen makes of it, and conversions between its types and the user's). Cargo builds a core module; each
//! host has its own step that makes a component of it.

mod bindings;
mod conversions;
mod definitions;
mod guest;
mod names;
mod wit;

pub use names::{DefinitionNames, FunctionNames, MemberNames, Names};
pub use wit::wit;

use tierup_model::Interface;

use super::{Library, WasmRuntime};
use crate::{Files, Project, Recipe, Step};

/// The interface in the WIT package that holds every function and type.
pub const INTERFACE: &str = "functions";

/// The import that receives a panic's message and place, right before the trap; `tools/wasm` allows it.
pub const PANICKED: &str = "panicked";

/// The field of a record without fields, which WIT does not allow: a `bool` without meaning.
pub const NO_FIELD: &str = "nothing";

/// The library that is built: the core module within the component.
pub fn component_library(interface: &Interface) -> Library {
    Library::dynamic("tierup-component", interface)
}

/// The crate `component/`, and its build.
pub fn component(project: &Project) -> Recipe {
    let interface = &project.interface;
    let library = component_library(interface);
    let names = Names::new(interface);
    let wit = wit(interface);
    let dependency = crate::rust::dependency(interface, &project.crate_folder);
    let rest = format!(
        "[dependencies]\n{dependency}\n\
         # Exactly the version that wrote src/bindings.rs; without its macros, which would take long to build.\n\
         wit-bindgen = {{ version = \"={}\", default-features = false, features = [\"realloc\"] }}",
        bindings::VERSION
    );
    // `gen` is a keyword of the 2024 edition that wit-bindgen does not escape.
    let manifest = library.manifest(interface, &rest).replace("edition = \"2024\"", "edition = \"2021\"");
    let files = Files::new()
        .with("component/Cargo.toml", manifest)
        .with("component/src/place.rs", include_str!("../../templates/calls/place.rs"))
        .with("component/src/panics.rs", include_str!("../../templates/component/panics.rs"))
        .with("component/src/lib.rs", guest::library(interface, &names))
        .with("component/wit/world.wit", wit);
    Recipe { files, steps: vec![bindings::bind(), Step::Run(library.build_wasm(WasmRuntime::MachineCode))] }
}

#[cfg(test)]
mod tests;
