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
mod declared;
mod driver;
mod dts;
mod frames;
mod handler;
mod installed;
mod manager;
mod manifest;
mod names;
mod native;
mod package;
mod profile;
mod witness;

use std::path::Path;

use tierup_codegen::shims::WasmRuntime;
use tierup_codegen::{
    Artifact, Command, Crossing, Declared, Dependency, Files, FrameRule, Host, HostSettings, Install, KnownCost,
    Machine, Project, Recipe, Scaffold, Sensor, ServerFolder, Stub, Support, Tool, Variant, Watch, Witness, Wrapping,
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

    fn language(&self) -> &'static str {
        "JavaScript"
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

    fn launchers(&self) -> &'static [&'static str] {
        &["npm", "npx", "yarn", "pnpm", "tsx"]
    }

    fn tell_tales(&self) -> &'static [&'static str] {
        &["package.json"]
    }

    fn start(&self, folder: &dyn ServerFolder) -> Option<Vec<String>> {
        Manifest::read(folder).start()
    }

    fn build(&self, folder: &dyn ServerFolder, start: &[String]) -> Vec<String> {
        let is_script = Manifest::read(folder).has_script("build");
        // A server that runs its sources needs none.
        if !is_script || driver::runs_typescript(start) {
            return Vec::new();
        }
        [manager::found(folder).manager.program(), "run", "build"].map(str::to_owned).to_vec()
    }

    fn takes(&self, name: &str) -> bool {
        // A new server depends on `express`; `node:sqlite` would look like the package.
        names::is_built_in(name) || ["express", "sqlite"].contains(&name)
    }

    fn package(&self, project: &Project, settings: &HostSettings) -> Result<Files, String> {
        package::package(project, settings)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        package::committed(project).map(Stub::that_finds_what_is_built)
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        let taken = |artifact: Artifact| artifact.copied_into("node/artifacts");
        match variant {
            Variant::Spawn | Variant::Pool => taken(Artifact::program(project, machine)),
            Variant::Core => taken(Artifact::core(project, WasmRuntime::MachineCode)),
            Variant::Bindgen => bindgen::recipe(project),
            Variant::Component => component::recipe(project),
            Variant::Native | Variant::Async => native::recipe(project, machine),
            // Another program answers the route: this package contains nothing of it.
            Variant::Server => Recipe::default(),
        }
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        installed::install(folder)
    }

    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an Intel Xeon with Node.js 20.20 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.42, measured: MEASURED })
    }

    fn driver(&self, _: &Project, settings: &HostSettings) -> (Files, Command) {
        driver::driver(settings)
    }

    fn scaffold(&self, name: &str, _: &str) -> Scaffold {
        adoption::scaffold(name)
    }

    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        adoption::dependency(project, way, folder)
    }

    fn adoption_hint(&self, project: &Project, _: &str, folder: &dyn ServerFolder) -> String {
        adoption::hint(project, &Manifest::read_in(folder, &manager::home(folder)))
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        Ok(profile::sensor(private))
    }

    fn witness(
        &self,
        settings: &HostSettings,
        _: &dyn ServerFolder,
        watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        Some(Ok(witness::witness(&settings.folder, watch)))
    }

    fn declared(&self, folder: &dyn ServerFolder, file: &str, name: &str) -> Option<Result<Declared, String>> {
        declared::declared(folder, file, name)
    }

    fn repository(&self, folder: &dyn ServerFolder) -> usize {
        declared::workspace(folder)
    }

    fn compiled(&self, folder: &dyn ServerFolder, source: &str) -> Vec<String> {
        declared::compiled(folder, source)
    }

    fn handles(&self, folder: &dyn ServerFolder, file: &str, line: u32) -> Option<String> {
        let given = handler::given(&folder.read(file)?, line)?;
        Some(format!("it is a handler of the framework, which gives it `{given}`"))
    }

    fn attached_sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        Ok(profile::attached(private))
    }

    fn known_costs(&self) -> &'static [KnownCost] {
        frames::COSTS
    }

    fn further_sensors(&self, _: &Path) -> Vec<(&'static str, Sensor)> {
        vec![("perf", profile::native())]
    }
}
