//! The host `node`: an npm package that calls one Rust function at every tier.
//!
//! In: a project. Out: the package's files (`package`), what builds each variant (`native`, `bindgen`, `component`),
//! the driver, and what `tierup new` writes. Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

mod adoption;
mod bindgen;
mod codec;
mod component;
mod driver;
mod dts;
mod installed;
mod manager;
mod manifest;
mod names;
mod native;
mod package;
mod scaffold;
mod self_test;

use std::path::PathBuf;

use tierup_codegen::shims::{WasmRuntime, built_native, core_library};
use tierup_codegen::{
    Command, Dependency, Files, Host, HostSettings, Install, Project, Recipe, ServerFolder, Step, Support, Tool,
    Variant,
};

use self::manifest::Manifest;

/// The host, for the list of hosts.
pub fn node() -> &'static dyn Host {
    &Node
}

struct Node;

impl Host for Node {
    fn name(&self) -> &'static str {
        "node"
    }

    fn title(&self) -> &'static str {
        "Node.js"
    }

    fn support(&self, _: Variant) -> Support {
        Support::Yes
    }

    fn tools(&self) -> Vec<Tool> {
        vec![
            Tool {
                program: "node",
                purpose: "runs the server and the generated package",
                version_arguments: &["--version"],
                minimum: "18.0.0",
                install: "https://nodejs.org/en/download",
            },
            Tool {
                program: "npm",
                purpose: "installs the server's dependencies",
                version_arguments: &["--version"],
                minimum: "8.0.0",
                install: "comes with Node.js: https://nodejs.org/en/download",
            },
        ]
    }

    fn detects(&self, file_names: &[String]) -> bool {
        file_names.iter().any(|name| name == "package.json")
    }

    fn start(&self, read: &dyn Fn(&str) -> Option<String>) -> Option<Vec<String>> {
        Manifest::read(read).start()
    }

    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn recipe(&self, project: &Project, variant: Variant) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => {
                let suffix = std::env::consts::EXE_SUFFIX;
                let package = &project.interface.package;
                let file = format!("{package}{suffix}");
                copy(built_native(&file), &format!("node/artifacts/{file}"))
            }
            Variant::Core => {
                let library = core_library(&project.interface);
                let mut core = copy(library.built_wasm(WasmRuntime::MachineCode), "node/artifacts/core.wasm");
                core.steps.insert(0, Step::Run(library.build_wasm(WasmRuntime::MachineCode)));
                core
            }
            Variant::Bindgen => bindgen::recipe(project),
            Variant::Component => component::recipe(project),
            Variant::Native | Variant::Async => native::recipe(project),
            // Another program answers the route: nothing of it is in this package.
            Variant::Server => Recipe::default(),
        }
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        manager::install(folder)
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> Option<(Files, Command)> {
        Some(driver::driver(project, settings))
    }

    fn scaffold(&self, name: &str) -> Option<Files> {
        Some(scaffold::scaffold(name))
    }

    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Option<Dependency> {
        Some(adoption::dependency(project, way, folder))
    }

    fn adoption_hint(&self, project: &Project, read: &dyn Fn(&str) -> Option<String>) -> String {
        adoption::hint(project, &Manifest::read(read))
    }
}

fn copy(from: PathBuf, to: &str) -> Recipe {
    Recipe { files: Files::new(), steps: vec![Step::Copy { from, to: to.into() }] }
}
