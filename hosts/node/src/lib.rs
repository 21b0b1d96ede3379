//! The host `node`: an npm package that calls one Rust function at every tier.
//!
//! In: a project. Out: the package's files (`package`, which fills `templates/package/`), the build of each variant
//! (`native`, `bindgen`, `component`), the driver, the files of `tierup new`, and how to profile a server (`profile`,
//! `frames`). Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod bindgen;
mod codec;
mod component;
mod declared;
mod driver;
mod dts;
mod frames;
mod handler;
mod image;
mod installed;
mod manager;
mod manifest;
mod names;
mod native;
mod package;
mod pipeline;
mod profile;

#[cfg(test)]
#[path = "../../../conformance/names.rs"]
mod fixtures;
#[cfg(test)]
#[path = "../../../conformance/test_folder.rs"]
mod test_folder;

use tierup_codegen::shims::WasmRuntime;
use tierup_codegen::{
    Artifact, Command, Files, Host, HostSettings, Identity, Machine, Project, Recipe, ServerFolder, Support, Tool,
    Variant, Wrapping,
};

/// The host, for the list of hosts.
pub fn node() -> &'static dyn Host {
    &Node
}

struct Node;

impl Host for Node {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "node",
            title: "Node.js",
            language: "JavaScript",
            tell_tales: &["package.json"],
            launchers: &["npm", "npx", "yarn", "pnpm", "tsx"],
            // The default of `--max-http-header-size`.
            head_limit: 16 << 10,
        }
    }

    fn support(&self, _: Variant, _: &Machine) -> Support {
        Support::Yes
    }

    fn wraps(&self, _: Wrapping) -> Support {
        Support::Yes
    }

    fn tools(&self) -> Vec<Tool> {
        vec![
            Tool {
                program: "node",
                part: None,
                purpose: "runs the server and the generated package",
                version_arguments: &["--version"],
                minimum: "18.0.0",
                install: "https://nodejs.org/en/download",
            },
            Tool {
                program: "npm",
                part: None,
                purpose: "installs the server's dependencies",
                version_arguments: &["--version"],
                minimum: "8.0.0",
                install: "comes with Node.js: https://nodejs.org/en/download",
            },
        ]
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        let taken = |artifact: Artifact| artifact.copied_into("node/artifacts");
        match variant {
            Variant::Spawn | Variant::Pool => taken(Artifact::program(project, machine)),
            Variant::Core => taken(Artifact::core(project, WasmRuntime::MachineCode)),
            Variant::Bindgen => bindgen::recipe(project),
            Variant::Component => component::recipe(project),
            Variant::Native | Variant::Async => native::recipe(project, machine),
            // Another program answers the route, so this package contains no code for it.
            Variant::Server => Recipe::default(),
        }
    }

    fn driver(&self, _: &Project, settings: &HostSettings) -> (Files, Command) {
        driver::driver(settings)
    }

    fn baseline_files(&self, _: &dyn ServerFolder, name: &str) -> Vec<String> {
        driver::baseline_files(name)
    }
}
