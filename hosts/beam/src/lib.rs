//! The host `beam`: an Elixir application that calls one Rust function at every tier, from Elixir and from Erlang.
//!
//! In: a project. Out: the application's files (`package`), what builds the NIF library (`native`), the driver, what
//! `tierup new` writes, and how a server is profiled (`profile`, `frames`) and watched (`witness`). Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

mod adoption;
mod agent;
mod driver;
mod frames;
mod functions;
mod interface;
mod names;
mod native;
mod package;
mod profile;
mod source;
mod types;
mod witness;

use std::path::Path;

use tierup_codegen::{
    Artifact, Command, Crossing, Dependency, Files, FrameRule, Host, HostSettings, Install, Machine, Os, Project,
    Recipe, Scaffold, Sensor, ServerFolder, Stub, Support, Tool, Variant, Watch, Witness, Wrapping, shims,
};

/// The host, for the list of hosts.
pub fn beam() -> &'static dyn Host {
    &Beam
}

struct Beam;

impl Host for Beam {
    fn name(&self) -> &'static str {
        "beam"
    }

    fn title(&self) -> &'static str {
        "Elixir"
    }

    fn support(&self, variant: Variant, machine: &Machine) -> Support {
        match variant {
            // Tier 4 is another program, without a host.
            Variant::Server => Support::Yes,
            Variant::Bindgen => Support::no("wasm-bindgen supports only JavaScript; use 2:core"),
            Variant::Component => {
                Support::no("OTP includes no Wasm runtime, and the embedded one runs 2:core; use 2:core")
            }
            Variant::Async => Support::no("a process that calls 3:native does not keep others waiting; use 3:native"),
            Variant::Spawn | Variant::Pool | Variant::Core | Variant::Native if machine.os == Os::Windows => {
                Support::no("the package ends programs with a POSIX shell, and its library was never tried on Windows")
            }
            Variant::Core => shims::sandbox_impossible(machine).map_or(Support::Yes, Support::no),
            Variant::Spawn | Variant::Pool | Variant::Native => Support::Yes,
        }
    }

    fn wraps(&self, wrapping: Wrapping) -> Support {
        match wrapping {
            Wrapping::Memo => Support::Yes,
            Wrapping::Workers => Support::no("processes already run on all processors"),
        }
    }

    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        Ok(profile::sensor(private))
    }

    fn further_sensors(&self, private: &Path) -> Vec<(&'static str, Sensor)> {
        vec![("perf", profile::native(private))]
    }

    fn witness(&self, _: &HostSettings, _: &dyn ServerFolder, watch: &Watch<'_>) -> Option<Result<Witness, String>> {
        Some(Ok(witness::witness(watch)))
    }

    fn is_closure(&self, function: &str) -> bool {
        frames::is_closure(function)
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an AMD EPYC with Elixir 1.14 and OTP 25 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 3.97, measured: MEASURED })
    }

    fn tools(&self) -> Vec<Tool> {
        let install = if cfg!(target_os = "linux") {
            "apt-get install elixir erlang-dev"
        } else {
            "https://elixir-lang.org/install.html"
        };
        vec![Tool {
            program: "elixir",
            part: None,
            purpose: "runs the server and the generated application; `mix` comes with it",
            // `--version` begins with the version of Erlang.
            version_arguments: &["-e", "IO.puts(System.version())"],
            minimum: "1.14.0",
            install,
        }]
    }

    fn launchers(&self) -> &'static [&'static str] {
        &["beam.smp", "elixir", "erl", "iex", "mix", "rebar3"]
    }

    fn tell_tales(&self) -> &'static [&'static str] {
        &["mix.exs", "rebar.config"]
    }

    fn takes(&self, name: &str) -> bool {
        names::checked(name).is_err() || names::module(name) == adoption::SERVER
    }

    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        Ok(Stub::part_of(&package::package(project)?, package::built(project)))
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => Artifact::program(project, machine).copied_into("beam/priv/artifacts"),
            Variant::Core => native::sandboxed(project, machine),
            Variant::Native => native::recipe(project, machine),
            // Tier 4 is another program, of which this package has nothing. The rest is not supported.
            Variant::Server | Variant::Bindgen | Variant::Component | Variant::Async => Recipe::default(),
        }
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        adoption::install(folder)
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

    fn prepare(&self, _: &str) -> Vec<String> {
        ["mix", "compile"].map(str::to_owned).into()
    }

    fn adoption_hint(&self, project: &Project, _: &str, _: &dyn ServerFolder) -> String {
        adoption::hint(project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_supported_or_has_a_reason() {
        let yes = |target: &str| -> Vec<String> {
            let supported = beam().supported(&Machine::from_target(target).unwrap()).into_iter();
            // 2:core depends on the machine that builds.
            supported.filter(|variant| *variant != Variant::Core).map(Variant::name).collect()
        };
        assert_eq!(yes("x86_64-unknown-linux-gnu"), ["1:spawn", "1:pool", "3:native", "4:server"]);
        assert_eq!(beam().support(Variant::Core, &Machine::this()), Support::Yes);
        assert_eq!(yes("x86_64-pc-windows-msvc"), ["4:server"]);
    }
}
