//! The host `go`: a module that calls one Rust function at every tier.
//!
//! In: a project. Out: the module's files (`package`), its built parts (`built`, `native`), the driver, the files
//! that `tierup new` writes, and how a server is profiled (`profile`, `frames`). Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod built;
mod calls;
mod codec;
mod declaration;
mod declared;
mod direct;
mod docs;
mod driver;
mod frames;
mod functions;
mod image;
mod interface;
mod names;
mod native;
mod overlay;
mod package;
mod profile;
mod published;
mod source;
mod types;
mod witness;

#[cfg(test)]
#[path = "../../../conformance/names.rs"]
mod fixtures;
#[cfg(test)]
#[path = "../../../conformance/parts.rs"]
mod parts;

use tierup_codegen::{
    Command, Files, Host, HostSettings, Identity, Machine, Project, Recipe, ServerFolder, Support, Tool, Variant,
    Wrapping,
};

/// The host, for the list of hosts.
pub fn go() -> &'static dyn Host {
    &Go
}

struct Go;

impl Host for Go {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "go",
            title: "Go",
            language: "Go",
            tell_tales: &["go.mod"],
            launchers: &[],
            // Go's `DefaultMaxHeaderBytes`.
            head_limit: 1 << 20,
        }
    }

    fn support(&self, variant: Variant, machine: &Machine) -> Support {
        match variant {
            Variant::Bindgen => Support::no("wasm-bindgen supports only JavaScript; use 2:core"),
            Variant::Component => Support::no("wazero does not support components; use 2:core"),
            Variant::Async => Support::no("goroutines already run calls in parallel; use 3:native"),
            Variant::Native => native::impossible(machine).map_or(Support::Yes, Support::no),
            Variant::Spawn | Variant::Pool | Variant::Core | Variant::Server => Support::Yes,
        }
    }

    fn wraps(&self, wrapping: Wrapping) -> Support {
        match wrapping {
            Wrapping::Memo => Support::Yes,
            Wrapping::Workers => Support::no("goroutines already use all processors"),
        }
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            program: "go",
            part: None,
            purpose: "builds the server and the generated package",
            version_arguments: &["version"],
            // The first version that downloads the toolchain that a go.mod asks for.
            minimum: "1.21.0",
            install: "https://go.dev/dl/",
        }]
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => built::program(project, machine),
            Variant::Core => built::core(project),
            Variant::Native => native::recipe(project, machine),
            // At `Server`, another program answers the route without this package. Go does not support the others.
            Variant::Server | Variant::Bindgen | Variant::Component | Variant::Async => Recipe::default(),
        }
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        driver::driver(project, settings)
    }

    fn baseline_files(&self, folder: &dyn ServerFolder, name: &str) -> Vec<String> {
        declared::baseline_files(folder, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_needs_linux_with_glibc() {
        let native = |target| go().support(Variant::Native, &Machine::from_target(target).unwrap());
        assert_eq!(native("aarch64-unknown-linux-gnu"), Support::Yes);
        assert!(matches!(native("aarch64-apple-darwin"), Support::No(reason) if reason.contains("Linux")));
    }

    #[test]
    fn a_module_is_detected() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(go().detects(&names(&["main.go", "go.mod"])));
        assert!(!go().detects(&names(&["main.go", "package.json"])));
    }
}
