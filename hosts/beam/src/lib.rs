//! The host `beam`: an Elixir application that calls one Rust function at every tier, from Elixir and from Erlang.
//!
//! In: a project. Out: the application's files (`package`), the build of the NIF library (`native`), the driver, the
//! files of `tierup new`, and how a server is profiled (`profile`, `frames`) and watched (`witness`). Nothing touches
//! the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod agent;
mod frames;
mod functions;
mod interface;
mod names;
mod native;
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
    Artifact, Command, Files, Host, HostSettings, Identity, Machine, Os, Project, Recipe, ServerFolder, Support, Tool,
    Variant, Wrapping, quoted, shims, source::fill,
};

/// The host, for the list of hosts.
pub fn beam() -> &'static dyn Host {
    &Beam
}

struct Beam;

impl Host for Beam {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "beam",
            title: "Elixir",
            language: "Elixir",
            tell_tales: &["mix.exs", "rebar.config"],
            launchers: &["beam.smp", "elixir", "erl", "iex", "mix", "rebar3"],
            head_limit: 64 << 10,
        }
    }

    fn support(&self, variant: Variant, machine: &Machine) -> Support {
        match variant {
            // Tier 4 is another program, which needs no host.
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
            // `--version` would print Erlang's version first.
            version_arguments: &["-e", "IO.puts(System.version())"],
            minimum: "1.14.0",
            install,
        }]
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => Artifact::program(project, machine).copied_into("beam/priv/artifacts"),
            Variant::Core => native::sandboxed(project, machine),
            Variant::Native => native::recipe(project, machine),
            // Tier 4 is another program, so the package contains nothing for it. The other variants are not supported.
            Variant::Server | Variant::Bindgen | Variant::Component | Variant::Async => Recipe::default(),
        }
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        let package = &project.interface.package;
        let baselines = format!("%{{{}}}", settings.baseline_entries(source::literal));
        let driver = fill(
            include_str!("../templates/driver/driver.exs"),
            &[("baselines", &baselines), ("module", &names::module(package))],
        );
        let start = fill(
            include_str!("../templates/driver/start.sh"),
            &[
                ("application", &names::application(package)),
                ("folder", &quoted(&settings.folder.display().to_string())),
            ],
        );
        let files = Files::new().with("driver/driver.exs", driver).with("driver/start.sh", start);
        // A crash dump would leave a file in the server's folder.
        let environment = vec![("ERL_CRASH_DUMP_SECONDS".to_owned(), "0".to_owned())];
        (files, Command { environment, ..Command::new("sh", ["beam/driver/start.sh"]) })
    }

    fn baseline_files(&self, folder: &dyn ServerFolder, name: &str) -> Vec<String> {
        // By convention, `Shop.PriceList.total` is in `lib/shop/price_list.ex`, but Mix compiles any file in `lib/`.
        let modules: Vec<&str> = name.split('.').take_while(|part| part.starts_with(char::is_uppercase)).collect();
        let way = modules.iter().map(|part| underscored(part)).collect::<Vec<_>>().join("/");
        let declaration = format!("defmodule {} do", modules.join("."));
        let declares =
            |file: &String| folder.read(file).is_some_and(|text| text.lines().any(|line| line.trim() == declaration));
        let mut others: Vec<String> = folder.names("lib").iter().map(|name| format!("lib/{name}")).collect();
        others.retain(declares);
        others.sort();
        [vec![format!("lib/{way}.ex")], others].concat()
    }
}

/// A module's name as the name of its file: `PriceList` becomes `price_list`.
fn underscored(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && text.ends_with(|before: char| before.is_ascii_lowercase()) {
            text.push('_');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_supported_or_has_a_reason() {
        let yes = |target: &str| -> Vec<String> {
            let supported = beam().supported(&Machine::from_target(target).unwrap()).into_iter();
            // 2:core depends on the machine of the build.
            supported.filter(|variant| *variant != Variant::Core).map(Variant::name).collect()
        };
        assert_eq!(yes("x86_64-unknown-linux-gnu"), ["1:spawn", "1:pool", "3:native", "4:server"]);
        assert_eq!(beam().support(Variant::Core, &Machine::this()), Support::Yes);
        assert_eq!(yes("x86_64-pc-windows-msvc"), ["4:server"]);
    }
}
