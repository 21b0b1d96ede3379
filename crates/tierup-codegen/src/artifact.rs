//! Built files that a host's package includes: the program, the Wasm module, a native library.

use std::path::PathBuf;

use crate::shims::{Library, WasmRuntime, built_native, core_library, precompiled, sandbox};
use crate::{Converter, Files, Machine, Project, Recipe, Step};

/// A built file.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// The name that a package may use for it; no other artifact of the project has this name.
    pub name: String,
    /// Crates that only this artifact needs.
    files: Files,
    steps: Vec<Step>,
    built: PathBuf,
}

impl Artifact {
    /// The program of `1:spawn` and `1:pool`, which [`crate::shims::cli`] builds for all hosts.
    pub fn program(project: &Project, machine: &Machine) -> Artifact {
        let name = machine.program(&project.interface.package);
        Artifact { built: built_native(&name, machine), name, files: Files::new(), steps: vec![] }
    }

    /// The Wasm module of `2:core`, for runtimes of one kind.
    pub fn core(project: &Project, runtime: WasmRuntime) -> Artifact {
        let core = core_library(&project.interface);
        let steps = vec![Step::Run(core.build_wasm(runtime))];
        Artifact { name: "core.wasm".to_owned(), files: Files::new(), steps, built: core.built_wasm(runtime) }
    }

    /// The library of `3:native`. Its `name` follows the machine's convention for such libraries, for packages that do
    /// not need a particular name.
    pub fn library(library: &Library, machine: &Machine) -> Artifact {
        let steps = vec![Step::Run(library.build_native(machine))];
        let (name, built) = (machine.dynamic_library("native"), library.built_native(machine));
        Artifact { name, files: Files::new(), steps, built }
    }

    /// The library of `2:core` for a host without a Wasm runtime: the host's own library, whose calls go through
    /// [`shims::CALLS_IN_SANDBOX`](crate::shims::CALLS_IN_SANDBOX).
    pub fn sandboxed(project: &Project, library: &Library, machine: &Machine) -> Artifact {
        let build = Step::Run(library.build_sandboxed(machine));
        let steps = precompiled(project).into_iter().chain([build]).collect();
        let (name, built) = (machine.dynamic_library("core"), library.built_sandboxed(machine));
        Artifact { name, files: sandbox(project), steps, built }
    }

    /// The same artifact, built with these environment variables.
    #[must_use]
    pub fn built_with(mut self, environment: &[(&str, &str)]) -> Artifact {
        for command in self.steps.iter_mut().flat_map(Step::commands_mut) {
            let variables = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            command.environment.extend(variables);
        }
        self
    }

    /// The same artifact; if the compiler's output has `conflict`, it is built without its crate's default features.
    #[must_use]
    pub fn without_default_features_on(mut self, conflict: &'static str) -> Artifact {
        let either = |step| match step {
            Step::Run(preferred) => {
                let mut otherwise = preferred.clone();
                otherwise.arguments.push("--no-default-features".to_owned());
                Step::Either { preferred, conflict, otherwise }
            }
            other => other,
        };
        self.steps = self.steps.into_iter().map(either).collect();
        self
    }

    /// A recipe that builds the artifact and copies it to `to`, its place in the package, relative to `.tierup/`.
    pub fn copied(self, to: impl Into<PathBuf>) -> Recipe {
        let copy = Step::Copy { from: self.built, to: to.into() };
        Recipe { files: self.files, steps: self.steps.into_iter().chain([copy]).collect() }
    }

    /// As [`Artifact::copied`], into this folder of the package, under the artifact's own name.
    pub fn copied_into(self, folder: impl Into<PathBuf>) -> Recipe {
        let place = folder.into().join(&self.name);
        self.copied(place)
    }

    /// A recipe that builds the artifact, converts it and writes the resulting files into the package's folder `into`.
    pub fn converted(self, into: impl Into<PathBuf>, converter: Converter) -> Recipe {
        let convert = Step::Convert { from: self.built, into: into.into(), converter };
        Recipe { files: self.files, steps: self.steps.into_iter().chain([convert]).collect() }
    }
}
