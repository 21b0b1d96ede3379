//! The host `php`: a Composer package that calls Rust functions in a program and in an extension.
//!
//! In: a project. Out: the package's files (`package`), its variants' recipes, its driver, what `tierup new` and
//! `tierup init` write, and how a server is profiled (`profile`, `frames`) and watched (`witness`). Nothing here
//! touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod codec;
mod definitions;
mod frames;
mod functions;
mod names;
mod native;
mod package;
mod profile;
mod published;
mod settings;
mod source;
mod witness;

#[cfg(test)]
#[path = "../../../conformance/parts.rs"]
mod parts;

use tierup_codegen::{
    Artifact, Command, Files, Host, HostSettings, Identity, Machine, Os, Project, Recipe, ServerFolder, Support, Tool,
    Variant, Wrapping, source::fill,
};

/// The host, for the list of hosts.
pub fn php() -> &'static dyn Host {
    &Php
}

struct Php;

impl Host for Php {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "php",
            title: "PHP",
            language: "PHP",
            tell_tales: &["composer.json", "index.php", "artisan"],
            launchers: &["php-fpm"],
            // For nginx in front of PHP.
            head_limit: 32 << 10,
        }
    }

    fn support(&self, variant: Variant, machine: &Machine) -> Support {
        match variant {
            Variant::Bindgen => Support::no("wasm-bindgen supports only JavaScript; use 2:core"),
            Variant::Component => Support::no("PHP has no Wasm runtime, and the embedded one runs 2:core; use 2:core"),
            Variant::Core => native::impossible_in_sandbox(machine).map_or(Support::Yes, Support::no),
            Variant::Async => Support::no("a PHP process serves one request at a time, so nothing runs meanwhile"),
            Variant::Native => native::impossible(machine).map_or(Support::Yes, Support::no),
            Variant::Pool if machine.os == Os::Windows => {
                Support::no("the pool's program listens on a Unix socket; use 1:spawn")
            }
            Variant::Spawn | Variant::Pool | Variant::Server => Support::Yes,
        }
    }

    fn wraps(&self, wrapping: Wrapping) -> Support {
        match wrapping {
            Wrapping::Memo => Support::Yes,
            Wrapping::Workers => Support::no("the server's own processes already use all processors"),
        }
    }

    fn alternatives(&self, variant: Variant) -> Support {
        match variant {
            Variant::Pool => Support::no("servers that call another implementation may share the pool: use 3:native"),
            _ => Support::Yes,
        }
    }

    fn tools(&self) -> Vec<Tool> {
        // The oldest version that has readonly classes.
        let minimum = "8.2.0";
        vec![
            Tool {
                program: "php",
                part: None,
                purpose: "runs the server and the generated package",
                version_arguments: &["-r", "echo PHP_VERSION;"],
                minimum,
                install: "https://www.php.net/downloads (apt-get install php-cli php-fpm)",
            },
            Tool {
                program: "php-config",
                part: None,
                purpose: "tells where PHP's headers are, for the extensions of 2:core and 3:native, and for the one that watches functions",
                version_arguments: &["--version"],
                minimum,
                install: "apt-get install php-dev",
            },
        ]
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => Artifact::program(project, machine).copied_into("php/artifacts"),
            Variant::Core => native::sandboxed(project, machine),
            Variant::Native => native::recipe(project, machine),
            // At `Server`, another program answers the route without this package. PHP does not support the others.
            Variant::Server | Variant::Bindgen | Variant::Component | Variant::Async => Recipe::default(),
        }
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        let driver = fill(
            include_str!("../templates/driver/driver.php"),
            &[
                ("baselines", &settings.baseline_entries(names::literal)),
                ("folder", &names::literal(&settings.folder.display().to_string())),
                ("namespace", &names::namespace(&project.interface.package)),
            ],
        );
        let files = Files::new()
            .with("driver/driver.php", driver)
            .with("driver/baseline.php", include_str!("../templates/driver/baseline.php"))
            .with("driver/start.sh", include_str!("../templates/driver/start.sh"));
        (files, Command::new("sh", ["php/driver/start.sh"]))
    }

    fn baseline_files(&self, _: &dyn ServerFolder, name: &str) -> Vec<String> {
        match name.split_once(".php:") {
            Some((file, _)) => vec![format!("{file}.php")],
            // A class that the autoloader finds. Its namespace often stands for the folder `src`.
            None => {
                let class = name.split("::").next().unwrap_or_default().trim_start_matches('\\').replace('\\', "/");
                let below = class.split_once('/').map_or(&*class, |(_, below)| below);
                vec![format!("src/{below}.php"), format!("src/{class}.php"), format!("{class}.php")]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_supported_or_has_a_reason() {
        let yes = |target: &str| -> Vec<String> {
            let mut variants = php().supported(&Machine::from_target(target).unwrap());
            // It is built only for the machine that tierup runs on.
            variants.retain(|variant| *variant != Variant::Core);
            variants.into_iter().map(Variant::name).collect()
        };
        assert_eq!(yes("x86_64-unknown-linux-gnu"), ["1:spawn", "1:pool", "3:native", "4:server"]);
        assert_eq!(yes("x86_64-pc-windows-msvc"), ["1:spawn", "4:server"]);
        assert_eq!(php().support(Variant::Core, &Machine::this()), Support::Yes);
    }
}
