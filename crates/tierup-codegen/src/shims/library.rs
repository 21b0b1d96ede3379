//! Members of the workspace that others load or link: addons, extension modules, Wasm modules, archives.

use std::path::PathBuf;

use tierup_model::Interface;

use super::workspace::{
    WasmRuntime, build_native, build_sandboxed, build_wasm, built_native, built_sandboxed, built_wasm, manifest,
};
use crate::{Command, Libc, Machine, Os, THIS_MACHINE};

/// A member that others load or link.
///
/// Cargo names the built file after the library, so the library's name contains the user's crate. Otherwise projects
/// that share a build folder (`build.build-dir`) would overwrite each other's files.
#[derive(Debug, Clone)]
pub struct Library {
    package: &'static str,
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Loaded by a program that runs, or a Wasm module.
    Dynamic,
    /// An archive of object files, for a linker.
    Archive,
}

impl Library {
    pub fn dynamic(package: &'static str, interface: &Interface) -> Self {
        Library { package, name: name(package, interface), kind: Kind::Dynamic }
    }

    pub fn archive(package: &'static str, interface: &Interface) -> Self {
        Library { package, name: name(package, interface), kind: Kind::Archive }
    }

    /// The member's manifest; `rest` is everything behind `[package]` and `[lib]`.
    pub fn manifest(&self, interface: &Interface, rest: &str) -> String {
        let kind = match self.kind {
            Kind::Dynamic => "cdylib",
            Kind::Archive => "staticlib",
        };
        let library = format!("[lib]\nname = {:?}\ncrate-type = [{kind:?}]\n\n", self.name);
        manifest(interface, self.package, &(library + rest.trim()))
    }

    /// Builds it for a machine, into [`Library::built_native`].
    pub fn build_native(&self, machine: &Machine) -> Command {
        self.loadable(build_native(self.package, machine), machine)
    }

    /// Where [`Library::build_native`] leaves it.
    pub fn built_native(&self, machine: &Machine) -> PathBuf {
        built_native(&self.file(machine), machine)
    }

    /// Builds it for a machine with the sandbox inside, into [`Library::built_sandboxed`].
    pub fn build_sandboxed(&self, machine: &Machine) -> Command {
        self.loadable(build_sandboxed(self.package, machine), machine)
    }

    /// Where [`Library::build_sandboxed`] leaves it.
    pub fn built_sandboxed(&self, machine: &Machine) -> PathBuf {
        built_sandboxed(&self.file(machine), machine)
    }

    /// Rust links musl statically by default, but a loaded library cannot have a libc of its own. For macOS, zig would
    /// by default write the build folder into the library as its name.
    fn loadable(&self, mut build: Command, machine: &Machine) -> Command {
        let is_for_another = machine.target() != THIS_MACHINE;
        let flag = match self.kind {
            Kind::Dynamic if machine.libc == Some(Libc::Musl) => "-Ctarget-feature=-crt-static".to_owned(),
            Kind::Dynamic if machine.os == Os::MacOs && is_for_another => {
                format!("-Clink-arg=-Wl,-install_name,@rpath/{}", self.file(machine))
            }
            _ => return build,
        };
        build.arguments.extend(["--config".to_owned(), format!("target.{}.rustflags=[{flag:?}]", machine.target())]);
        build
    }

    fn file(&self, machine: &Machine) -> String {
        match self.kind {
            Kind::Dynamic => machine.dynamic_library(&self.name),
            Kind::Archive => format!("lib{}.a", self.name),
        }
    }

    /// Builds it as a Wasm module, into [`Library::built_wasm`].
    pub fn build_wasm(&self, runtime: WasmRuntime) -> Command {
        build_wasm(self.package, runtime)
    }

    /// Where [`Library::build_wasm`] leaves it.
    pub fn built_wasm(&self, runtime: WasmRuntime) -> PathBuf {
        built_wasm(&format!("{}.wasm", self.name), runtime)
    }
}

fn name(package: &str, interface: &Interface) -> String {
    format!("{}_{}", package.replace('-', "_"), interface.library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_libraries_share_libc_on_musl() {
        let asks = |kind, target: &str| {
            let library = Library { package: "native", name: "native".to_owned(), kind };
            let build = library.build_native(&Machine::from_target(target).unwrap());
            build.arguments.iter().any(|argument| argument.contains("-crt-static"))
        };
        assert!(asks(Kind::Dynamic, "x86_64-unknown-linux-musl"));
        assert!(!asks(Kind::Archive, "x86_64-unknown-linux-musl"));
        assert!(!asks(Kind::Dynamic, "x86_64-unknown-linux-gnu"));
    }
}
