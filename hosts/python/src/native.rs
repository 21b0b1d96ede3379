//! `3:native`: an extension module made with PyO3.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_codegen::named::NamedFunction;
use tierup_codegen::shims::Library;
use tierup_codegen::{Artifact, Files, Machine, Os, Project, Recipe, rust};
use tierup_model::{Interface, Type};

use crate::names;

/// The crate `python-native/`, its build, and where the package keeps the module.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-python-native", &project.interface);
    let manifest = library.manifest(
        &project.interface,
        r#"[dependencies]
# One file for every Python from 3.9 on.
pyo3 = { version = "0.30", features = ["abi3-py39"] }
tierup-calls = { path = "../calls" }

[build-dependencies]
pyo3-build-config = "0.30""#,
    );
    let build_script = "//! Tells the linker what an extension module of Python needs.\n\nfn main() {\n    \
                        println!(\"cargo::rerun-if-changed=build.rs\");\n    \
                        pyo3_build_config::add_extension_module_link_args();\n}\n";
    let files = Files::new()
        .with("python-native/Cargo.toml", manifest)
        .with("python-native/build.rs", build_script)
        .with("python-native/src/lib.rs", include_str!("../templates/native/lib.rs"))
        .with("python-native/src/lending.rs", include_str!("../templates/native/lending.rs"))
        .with("python-native/src/outcome.rs", include_str!("../templates/native/outcome.rs"))
        .with("python-native/src/direct.rs", direct(&project.interface));
    let module = names::module(&project.interface.package);
    let ending = if machine.os == Os::Windows { ".pyd" } else { ".abi3.so" };
    // The stable ABI is the same in all interpreters, so none has to be found. The one that loads the module provides
    // Python's library.
    let environment = [("PYO3_NO_PYTHON", "1"), ("PYO3_BUILD_EXTENSION_MODULE", "1")];
    let artifact = Artifact::library(&library, machine).built_with(&environment);
    Recipe { files, ..artifact.copied(format!("python/src/{module}/_native{ending}")) }
}

/// Fast paths: text and bytes are passed in Python's own form, without the byte encoding.
fn direct(interface: &Interface) -> String {
    let named = names::named(interface);
    let functions = || named.functions.iter().filter(|function| function.is_direct());
    let exports = functions().map(export);
    let module = names::module(&interface.package);
    let (errors, lending) = (format!("{module}._tierup.errors"), format!("{module}._tierup.lending"));
    let tokens = quote! {
        #![allow(unused_imports, unused_variables)]

        use pyo3::prelude::*;
        use pyo3::types::{PyBytes, PyString};
        use tierup_calls::direct;

        use crate::lending;
        use crate::outcome::Counts;

        /// The package's exceptions.
        pub const ERRORS: &str = #errors;

        /// The package's function for arguments that cannot be read in place.
        pub const LENDING: &str = #lending;

        /// The functions for one binding, whose calls are counted.
        #[pyclass(frozen)]
        pub struct Functions(Counts);

        #[pymethods]
        impl Functions {
            #[new]
            fn new() -> Self {
                Self(Counts::default())
            }

            /// The calls, and those of them that ended in an error, and in a panic.
            fn counts(&self) -> (u64, u64, u64) {
                self.0.read()
            }

            #(#exports)*
        }
    };
    rust::header("Functions that take and give only text and bytes.") + &rust::format(tokens)
}

fn export(function: &NamedFunction<'_>) -> TokenStream {
    let number = function.number;
    // The prefix is not `f` alone, as `f16` is a type.
    let (name, called) = (format_ident!("direct_{number}"), format_ident!("f{number}"));
    let bindings: Vec<_> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    // The caller's references keep the values alive, and text and bytes are immutable.
    let lent = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| {
        let name = &parameter.name;
        match parameter.ty {
            Type::Text => quote!(let #binding = lending::text(#binding, #name)?; let #binding: &str = &#binding;),
            _ => quote!(let #binding = lending::bytes(#binding, #name)?; let #binding = #binding.as_bytes();),
        }
    });
    let (output, hand_over) = match function.output {
        Some(Type::Bytes) => (quote!(Bound<'py, PyBytes>), quote!(Ok(PyBytes::new(py, &answer)))),
        Some(_) => (quote!(Bound<'py, PyString>), quote!(Ok(PyString::new(py, &answer)))),
        None => (quote!(()), quote!(Ok(answer))),
    };
    let docs = format!("`{}`", function.rust.path.trim_start_matches("::"));
    quote! {
        #[doc = #docs]
        fn #name<'py>(&self, py: Python<'py>, #(#bindings: &Bound<'py, PyAny>),*) -> PyResult<#output> {
            self.0.begin();
            #(#lent)*
            let answer = self.0.value(py, py.detach(|| direct::#called(#(#bindings),*)))?;
            #hand_over
        }
    }
}
