//! The host `python`: a package that calls one Rust function at every tier.
//!
//! In: a project. Out: the package's files (`package`), the recipe of the extension module (`native`), the driver, the
//! files that `tierup new` writes, and how a server is profiled (`profile`, `frames`). Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod codec;
mod definitions;
mod driver;
mod environment;
mod frames;
mod functions;
mod image;
mod manager;
mod names;
mod native;
mod package;
mod pipeline;
mod profile;
mod source;
mod stub;
mod wheel;
mod witness;

#[cfg(test)]
#[path = "../../../conformance/names.rs"]
mod fixtures;
#[cfg(test)]
#[path = "../../../conformance/parts.rs"]
mod parts;

use tierup_codegen::shims::WasmRuntime;
use tierup_codegen::{
    Artifact, Command, Files, Host, HostSettings, Identity, Machine, Project, Recipe, ServerFolder, Support, Tool,
    Variant, Wrapping,
};

/// The host, for the list of hosts.
pub fn python() -> &'static dyn Host {
    &Python
}

struct Python;

impl Host for Python {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "python",
            title: "Python",
            language: "Python",
            tell_tales: &["requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "manage.py"],
            launchers: &["flask", "gunicorn", "hypercorn", "uvicorn"],
            // uvicorn's limit.
            head_limit: 64 << 10,
        }
    }

    fn support(&self, variant: Variant, _: &Machine) -> Support {
        match variant {
            Variant::Bindgen => Support::no("wasm-bindgen supports only JavaScript; use 2:core"),
            Variant::Component => {
                Support::no("wasmtime's Python API takes 1 ms per KiB for a component's values; use 2:core")
            }
            Variant::Spawn | Variant::Pool | Variant::Core | Variant::Native | Variant::Async | Variant::Server => {
                Support::Yes
            }
        }
    }

    fn wraps(&self, _: Wrapping) -> Support {
        Support::Yes
    }

    fn tools(&self) -> Vec<Tool> {
        let install = if cfg!(target_os = "linux") {
            "apt-get install python3 python3-venv"
        } else {
            "https://www.python.org/downloads"
        };
        vec![
            Tool {
                program: "python3",
                part: None,
                purpose: "runs the server and the generated package",
                version_arguments: &["--version"],
                minimum: "3.9.0",
                install,
            },
            Tool {
                program: "python3",
                // Debian and Ubuntu package Python without ensurepip, and `-m venv` fails without it.
                part: Some("venv"),
                purpose: "makes the server's environment",
                version_arguments: &["-c", "import ensurepip, sys, venv; print(sys.version.split()[0])"],
                minimum: "",
                install,
            },
        ]
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        let taken = |artifact: Artifact| {
            let module = names::module(&project.interface.package);
            artifact.copied_into(format!("python/src/{module}/artifacts"))
        };
        match variant {
            Variant::Spawn | Variant::Pool => taken(Artifact::program(project, machine)),
            Variant::Core => taken(Artifact::core(project, WasmRuntime::MachineCode)),
            Variant::Native | Variant::Async => native::recipe(project, machine),
            // At `Server`, another program answers the route without this package. Python does not support the others.
            Variant::Server | Variant::Bindgen | Variant::Component => Recipe::default(),
        }
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        driver::driver(project, settings)
    }

    fn baseline_files(&self, _: &dyn ServerFolder, name: &str) -> Vec<String> {
        driver::baseline_files(name)
    }
}
