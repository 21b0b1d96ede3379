//! `2:core` for hosts whose language has no Wasm runtime: a crate that embeds wasmtime's, without its compiler, and the
//! core module as machine code (`docs/decisions/0041-sandbox.md`).
//!
//! It has the entry points of the crate `tierup-calls`, so that a host's native library becomes its `2:core` by another
//! dependency ([`CALLS_IN_SANDBOX`]). In: a project. Out: `sandbox/`, and the steps that make its machine code.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_model::{Function, Type};

use super::{WasmRuntime, calls, core_library, identified, is_direct, manifest};
use crate::{Converter, Files, Machine, Project, Step, WasmTool, abi, rust};

/// The version of wasmtime that runs the modules, and that tools/precompile compiles them with.
const WASMTIME: &str = "48.0.8";

/// The dependency of a library whose calls run in the sandbox; with [`CALLS`], they run in the process.
pub const CALLS_IN_SANDBOX: &str = r#"tierup-calls = { package = "tierup-sandbox", path = "../sandbox" }"#;

/// The dependency of a library that calls the functions directly.
pub const CALLS: &str = r#"tierup-calls = { path = "../calls" }"#;

/// Why a machine cannot have the sandbox; `None` where it can.
pub fn impossible(machine: &Machine) -> Option<&'static str> {
    let this = Machine::this();
    let is_other = (machine.os, &machine.arch) != (this.os, &this.arch);
    is_other.then_some(
        "2:core is machine code here, for the system and processor that it is built on; build it on such a machine",
    )
}

/// The crate `sandbox/`.
pub fn sandbox(project: &Project) -> Files {
    // libc serves forks, signals and the loader.
    let rest = format!(
        r#"[dependencies]
corosensei = "0.3"
wasmtime = {{ version = "={WASMTIME}", default-features = false, features = ["runtime", "std"] }}

[target.'cfg(unix)'.dependencies]
libc = "0.2"

# With all features that any host's macros ask for: with others in each host, wasmtime would be compiled once for each.
# Cargo counts them only where there is a build script.
[build-dependencies]
syn = {{ version = "3", features = ["extra-traits", "full", "visit-mut"] }}
"#
    );
    Files::new()
        .with("sandbox/Cargo.toml", manifest(&identified(project), "tierup-sandbox", &rest))
        .with("sandbox/build.rs", "fn main() {\n    println!(\"cargo::rerun-if-changed=build.rs\");\n}\n")
        .with("sandbox/src/lib.rs", library(project))
        .with("sandbox/src/calls.rs", include_str!("../../templates/sandbox/calls.rs"))
        .with("sandbox/src/clock.rs", include_str!("../../templates/sandbox/clock.rs"))
        .with("sandbox/src/ended.rs", include_str!("../../templates/sandbox/ended.rs"))
        .with("sandbox/src/forks.rs", include_str!("../../templates/sandbox/forks.rs"))
        .with("sandbox/src/instance.rs", include_str!("../../templates/sandbox/instance.rs"))
        .with("sandbox/src/limits.rs", include_str!("../../templates/sandbox/limits.rs"))
        .with("sandbox/src/module.rs", include_str!("../../templates/sandbox/module.rs"))
        .with("sandbox/src/outcome.rs", calls::outcome(true))
        .with("sandbox/src/pin.rs", include_str!("../../templates/sandbox/pin.rs"))
        .with("sandbox/src/seat.rs", include_str!("../../templates/sandbox/seat.rs"))
        .with("sandbox/src/settings.rs", include_str!("../../../../tools/precompile/src/settings.rs"))
}

/// Builds the core module, and compiles it to machine code inside of the crate.
pub fn precompiled(project: &Project) -> Vec<Step> {
    let core = core_library(&project.interface);
    let runtime = WasmRuntime::MachineCode;
    let converter = Converter::by_tool(WasmTool::Precompile, Ok);
    let compile = Step::Convert { from: core.built_wasm(runtime), into: "sandbox/compiled".into(), converter };
    vec![Step::Run(core.build_wasm(runtime)), compile]
}

fn library(project: &Project) -> String {
    let abi = abi::hash(&project.interface);
    let functions = project.interface.functions.iter().zip(0u32..);
    let names = project.interface.alternatives.iter().map(|alternative| &alternative.name);
    let direct = functions.filter(|(function, _)| is_direct(function)).map(direct);
    let tokens = quote! {
        #![allow(clippy::all)]

        #[cfg(not(panic = "unwind"))]
        compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

        mod calls;
        mod clock;
        mod ended;
        mod forks;
        mod instance;
        mod limits;
        mod module;
        mod outcome;
        mod pin;
        mod seat;
        mod settings;

        pub use calls::{call, ready, write_panic};
        pub use outcome::{Failed, Outcome};

        /// The hash of the interface that this crate was made from. The host compares it before it calls.
        pub const ABI: u64 = #abi;

        /// The keys of `[function.alternatives]`. The first is number 1; 0 is the exported function.
        pub(crate) const ALTERNATIVES: &[&str] = &[#(#names),*];

        /// Functions that take and give only text and bytes, without the encoding. They never unwind.
        pub mod direct {
            #[allow(unused_imports)]
            use super::{Outcome, calls};

            #(#direct)*
        }
    };
    rust::header("Calls your functions in a Wasm sandbox, with wasmtime: <https://wasmtime.dev>.")
        + &rust::format(tokens)
}

/// One function by its number, as `tierup-calls` has it.
fn direct((function, number): (&Function, u32)) -> TokenStream {
    let name = format_ident!("f{number}");
    let bindings: Vec<_> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let (types, pieces): (Vec<_>, Vec<_>) = function
        .parameters
        .iter()
        .zip(&bindings)
        .map(|(parameter, binding)| match parameter.ty {
            Type::Text => (quote!(&str), quote!(#binding.as_bytes())),
            _ => (quote!(&[u8]), quote!(#binding)),
        })
        .unzip();
    let (output, call) = match function.output.ty {
        None => (quote!(()), quote!(nothing)),
        Some(Type::Text) => (quote!(String), quote!(text)),
        Some(_) => (quote!(Vec<u8>), quote!(bytes)),
    };
    let docs = format!("`{}`", function.path.trim_start_matches("::"));
    quote! {
        #[doc = #docs]
        pub fn #name(#(#bindings: #types),*) -> Outcome<#output> {
            calls::#call(#number, &[#(#pieces),*])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_version_compiles_and_runs() {
        let sources = WasmTool::Precompile.program().sources();
        let text = |name: &str| String::from_utf8_lossy(sources.get(name).unwrap()).into_owned();
        assert!(text("Cargo.toml").contains(&format!("wasmtime = {{ version = \"={WASMTIME}\"")));
        assert!(text("src/settings.rs").contains(&format!("const VERSION: &str = \"{WASMTIME}\";")));
    }

    /// The sandbox reuses room for arguments, so it must know up to which size the module keeps that room.
    #[test]
    fn both_sides_keep_room_of_the_same_size() {
        let kept = "const KEPT: usize = 1 << 20;";
        assert!(include_str!("../../templates/core/lib.rs").contains(kept));
        assert!(include_str!("../../templates/sandbox/instance.rs").contains(kept));
    }
}
