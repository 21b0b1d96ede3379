//! The host `perl`: a package that calls Rust functions in a program, at `1:spawn` and `1:pool`. It needs only Perl and
//! its core modules.
//!
//! In: a project. Out: the package's files (`package`), what builds its variants, its driver, and what `tierup new` and
//! `tierup init` write. Nothing here touches the disk.
//!
//! This is the smallest complete host, and the one to copy for a new host: CONTRIBUTING.md walks through it. The program
//! `tierup` does not list it; `tests/conformance.rs` builds it in the same way, and tests it.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod interface;
mod names;
mod package;

use tierup_codegen::{
    Artifact, Command, Files, Host, HostSettings, Identity, Machine, Os, Profiling, Project, Recipe, Support, Tool,
    Variant, source::fill,
};

/// The host, for a list of hosts.
pub fn perl() -> &'static dyn Host {
    &Perl
}

struct Perl;

/// A server in Perl cannot be profiled yet.
impl Profiling for Perl {}

impl Host for Perl {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "perl",
            title: "Perl",
            language: "Perl",
            tell_tales: &["cpanfile", "Makefile.PL", "Build.PL", "app.psgi"],
            launchers: &[],
            head_limit: 64 << 10,
        }
    }

    fn support(&self, variant: Variant, machine: &Machine) -> Support {
        match variant {
            Variant::Spawn | Variant::Pool if machine.os == Os::Windows => {
                Support::no("the package starts programs with fork and exec, which Perl only emulates on Windows")
            }
            // Tier 4 is another program, which needs nothing from a host.
            Variant::Spawn | Variant::Pool | Variant::Server => Support::Yes,
            Variant::Bindgen => Support::no("wasm-bindgen supports only JavaScript; use 1:pool"),
            Variant::Core | Variant::Component => {
                Support::no("Perl's core modules include no Wasm runtime; use 1:pool")
            }
            Variant::Native | Variant::Async => Support::no("tierup writes no XS module; use 1:pool"),
        }
    }

    fn alternatives(&self, _: Variant) -> Support {
        Support::no("its package calls the exported function only")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            program: "perl",
            part: None,
            purpose: "runs the server and the generated package",
            version_arguments: &["-e", "print $^V"],
            minimum: "5.36.0",
            install: "https://www.perl.org/get.html",
        }]
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => Artifact::program(project, machine).copied_into("perl/artifacts"),
            // The package contains nothing of tier 4, and the other variants are not supported.
            Variant::Server
            | Variant::Bindgen
            | Variant::Core
            | Variant::Component
            | Variant::Native
            | Variant::Async => Recipe::default(),
        }
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        // A name that `module` refuses was refused earlier, when the package was made.
        let module = names::module(&project.interface.package).unwrap_or_default();
        let driver = fill(
            include_str!("../templates/driver/driver.pl"),
            &[
                ("baselines", &settings.baseline_entries(names::literal)),
                ("folder", &names::literal(&settings.folder.display().to_string())),
                ("module", &module),
            ],
        );
        (Files::new().with("driver/driver.pl", driver), Command::new("perl", ["perl/driver/driver.pl"]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_supported_or_has_a_reason() {
        let (linux, windows) = ("x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc");
        let yes = |target: &str| -> Vec<String> {
            perl().supported(&Machine::from_target(target).unwrap()).into_iter().map(Variant::name).collect()
        };
        assert_eq!(yes(linux), ["1:spawn", "1:pool", "4:server"]);
        assert_eq!(yes(windows), ["4:server"]);
    }
}
