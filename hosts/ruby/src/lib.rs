//! The host `ruby`: a gem that calls one Rust function at every tier.
//!
//! In: a project. Out: the package's files (`package`), the extension's recipe (`native`), the driver, what `tierup
//! new` and `tierup init` write (`adoption`), and how a server is profiled (`profile`, `frames`) and watched
//! (`witness`). Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod agent;
mod definitions;
mod frames;
mod functions;
mod image;
mod interface;
mod names;
mod native;
mod package;
mod profile;
mod published;
mod signatures;
mod source;
mod witness;

#[cfg(test)]
#[path = "../../../conformance/parts.rs"]
mod parts;
#[cfg(test)]
#[path = "../../../conformance/test_folder.rs"]
mod test_folder;

use tierup_codegen::{
    Artifact, Command, Files, Host, HostSettings, Identity, Machine, Os, Project, Recipe, ServerFolder, Support, Tool,
    Variant, Wrapping, source::fill,
};

/// The host, for the list of hosts.
pub fn ruby() -> &'static dyn Host {
    &Ruby
}

struct Ruby;

impl Host for Ruby {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "ruby",
            title: "Ruby",
            language: "Ruby",
            tell_tales: &["Gemfile", "config.ru", "Rakefile"],
            launchers: &["bundle", "puma", "rackup", "rails"],
            // puma's limit.
            head_limit: 112 << 10,
        }
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
                // Debian and Ubuntu package Ruby without them.
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

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => Artifact::program(project, machine).copied_into("ruby/artifacts"),
            Variant::Core => native::sandboxed(project, machine),
            Variant::Native | Variant::Async => native::recipe(project, machine),
            // At `Server`, another program answers the route without this package. Ruby does not support the others.
            Variant::Server | Variant::Bindgen | Variant::Component => Recipe::default(),
        }
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        let package = &project.interface.package;
        let baselines = match settings.baseline_entries(source::literal) {
            none if none.is_empty() => "{}".to_owned(),
            entries => format!("{{ {entries} }}"),
        };
        let driver = fill(
            include_str!("../templates/driver/driver.rb"),
            &[
                ("baselines", &baselines),
                ("folder", &source::literal(&settings.folder.display().to_string())),
                ("gem", &source::literal(&names::gem(package))),
                ("module", &names::module(package)),
            ],
        );
        (Files::new().with("driver/driver.rb", driver), Command::new("ruby", ["ruby/driver/driver.rb"]))
    }

    fn baseline_files(&self, _: &dyn ServerFolder, name: &str) -> Vec<String> {
        let file = name.split(':').next().unwrap_or_default();
        let file = file.strip_suffix(".rb").unwrap_or(file);
        vec![format!("{file}.rb"), format!("lib/{file}.rb")]
    }
}
