//! The host `ruby`: a gem that calls one Rust function at every tier.
//!
//! In: a project. Out: the package's files (`package`), what builds the extension (`native`), the driver, what
//! `tierup new` and `tierup init` write (`adoption`), and how a server is profiled (`profile`, `frames`) and watched (`witness`). Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

mod adoption;
mod agent;
mod definitions;
mod driver;
mod frames;
mod functions;
mod interface;
mod names;
mod native;
mod package;
mod profile;
mod signatures;
mod source;
mod witness;

use std::path::Path;

use tierup_codegen::{
    Artifact, Command, Crossing, Dependency, Files, FrameRule, Host, HostSettings, Install, Machine, Os, Project,
    Recipe, Scaffold, Sensor, ServerFolder, Stub, Support, Tool, Variant, Watch, Witness, Wrapping,
};

/// The host, for the list of hosts.
pub fn ruby() -> &'static dyn Host {
    &Ruby
}

struct Ruby;

impl Host for Ruby {
    fn name(&self) -> &'static str {
        "ruby"
    }

    fn title(&self) -> &'static str {
        "Ruby"
    }

    fn support(&self, variant: Variant, machine: &Machine) -> Support {
        match variant {
            Variant::Bindgen => Support::no("wasm-bindgen supports only JavaScript; use 2:core"),
            Variant::Component => Support::no("Ruby has no Wasm runtime, and the embedded one runs 2:core; use 2:core"),
            Variant::Core => native::impossible_in_sandbox(machine).map_or(Support::Yes, Support::no),
            Variant::Native | Variant::Async => native::impossible(machine).map_or(Support::Yes, Support::no),
            Variant::Pool if machine.os == Os::Windows => {
                Support::no("Ruby's pipes on Windows cannot be waited for; use 1:spawn")
            }
            Variant::Spawn | Variant::Pool | Variant::Server => Support::Yes,
        }
    }

    fn wraps(&self, wrapping: Wrapping) -> Support {
        match wrapping {
            Wrapping::Memo => Support::Yes,
            Wrapping::Workers => {
                Support::No("servers of Ruby fork processes themselves, as puma does with `workers`".into())
            }
        }
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an AMD EPYC with Ruby 3.1 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.26, measured: MEASURED })
    }

    fn tools(&self) -> Vec<Tool> {
        let install = if cfg!(target_os = "linux") {
            "apt-get install ruby ruby-dev"
        } else {
            "https://www.ruby-lang.org/en/documentation/installation"
        };
        vec![
            Tool {
                program: "ruby",
                part: None,
                purpose: "runs the server and the generated package",
                version_arguments: &["-e", "print RUBY_VERSION"],
                minimum: "3.1.0",
                install,
            },
            Tool {
                program: "ruby",
                // Debian and Ubuntu leave them out of Ruby.
                part: Some("headers"),
                purpose: "builds the extension of tier 3",
                version_arguments: &[
                    "-e",
                    "File.exist?(RbConfig::CONFIG['rubyhdrdir'].to_s + '/ruby.h') || abort; print RUBY_VERSION",
                ],
                minimum: "",
                install,
            },
        ]
    }

    fn launchers(&self) -> &'static [&'static str] {
        &["bundle", "puma", "rackup", "rails"]
    }

    fn tell_tales(&self) -> &'static [&'static str] {
        &["Gemfile", "config.ru", "Rakefile"]
    }

    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        package::committed(project).map(Stub::that_finds_what_is_built)
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => Artifact::program(project, machine).copied_into("ruby/artifacts"),
            Variant::Core => native::sandboxed(project, machine),
            Variant::Native | Variant::Async => native::recipe(project, machine),
            // Tier 4 is another program, of which this package has nothing. The rest is not supported.
            Variant::Server | Variant::Bindgen | Variant::Component => Recipe::default(),
        }
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        adoption::install(folder)
    }

    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
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

    fn adoption_hint(&self, project: &Project, _: &str, _: &dyn ServerFolder) -> String {
        adoption::hint(project)
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        profile::sensor(private)
    }

    fn witness(
        &self,
        settings: &HostSettings,
        _: &dyn ServerFolder,
        watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        Some(witness::witness(&settings.folder, watch))
    }

    fn sensor_tools(&self) -> Vec<Tool> {
        vec![profile::tool()]
    }
}
