//! The host `python`: a package that calls one Rust function at every tier.
//!
//! In: a project. Out: the package's files (`package`), what builds the extension module (`native`), the driver, and
//! what `tierup new` writes. Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

mod adoption;
mod codec;
mod definitions;
mod driver;
mod environment;
mod frames;
mod functions;
mod manager;
mod names;
mod native;
mod package;
mod profile;
mod source;
mod stub;
mod witness;

use std::path::Path;

use tierup_codegen::shims::WasmRuntime;
use tierup_codegen::{
    Artifact, Command, Crossing, Dependency, Files, FrameRule, Host, HostSettings, Install, Machine, Project, Recipe,
    Scaffold, Sensor, ServerFolder, Stub, Support, Tool, Variant, Watch, Witness, Wrapping,
};

/// The host, for the list of hosts.
pub fn python() -> &'static dyn Host {
    &Python
}

struct Python;

impl Host for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn title(&self) -> &'static str {
        "Python"
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
                // Debian and Ubuntu leave ensurepip out of Python, and `-m venv` fails without it.
                part: Some("venv"),
                purpose: "makes the server's environment",
                version_arguments: &["-c", "import ensurepip, sys, venv; print(sys.version.split()[0])"],
                minimum: "",
                install,
            },
        ]
    }

    fn launchers(&self) -> &'static [&'static str] {
        &["flask", "gunicorn", "hypercorn", "uvicorn"]
    }

    fn tell_tales(&self) -> &'static [&'static str] {
        &["requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "manage.py"]
    }

    fn programs(&self, folder: &dyn ServerFolder) -> Vec<String> {
        vec![environment::programs(&environment::of(folder))]
    }

    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        package::committed(project).map(Stub::that_finds_what_is_built)
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
            // Tier 4 is another program, of which this package has nothing. The rest is not supported.
            Variant::Server | Variant::Bindgen | Variant::Component => Recipe::default(),
        }
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        manager::install(folder)
    }

    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an Intel Xeon with CPython 3.11 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.20, measured: MEASURED })
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        driver::driver(project, settings)
    }

    fn scaffold(&self, name: &str, function: &str) -> Scaffold {
        adoption::scaffold(name, function)
    }

    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        adoption::dependency(project, way, folder)
    }

    fn adoption_hint(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> String {
        adoption::hint(project, way, folder.read(manager::REQUIREMENTS).as_deref())
    }

    fn sensor(&self, settings: &HostSettings, folder: &dyn ServerFolder, _: &Path) -> Result<Sensor, String> {
        Ok(profile::sensor(settings, folder))
    }

    fn witness(
        &self,
        settings: &HostSettings,
        _: &dyn ServerFolder,
        watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        Some(Ok(witness::witness(&settings.folder, watch)))
    }

    fn sensor_tools(&self) -> Vec<Tool> {
        vec![profile::tool()]
    }
}
