//! The host `java`: a Maven artifact that calls one Rust function at every tier.
//!
//! In: a project. Out: the package's files (`package`), its built parts (`built`), the driver, the files that
//! `tierup new` writes, and how a server is profiled (`profile`, `frames`). Nothing here touches the disk.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod adoption;
mod built;
mod calls;
mod codec;
mod declared;
mod definitions;
mod docs;
mod driver;
mod frames;
mod functions;
mod image;
mod interface;
mod names;
mod package;
mod profile;
mod published;
mod source;

#[cfg(test)]
#[path = "../../../conformance/names.rs"]
mod fixtures;
#[cfg(test)]
#[path = "../../../conformance/parts.rs"]
mod parts;
#[cfg(test)]
#[path = "../../../conformance/test_folder.rs"]
mod test_folder;

use tierup_codegen::{
    Command, Files, Host, HostSettings, Identity, Machine, Project, Recipe, ServerFolder, Support, Tool, Variant,
    Wrapping,
};

/// The host, for the list of hosts.
pub fn java() -> &'static dyn Host {
    &Java
}

struct Java;

impl Host for Java {
    fn identity(&self) -> &'static Identity {
        &Identity {
            name: "java",
            title: "Java",
            language: "Java",
            tell_tales: &["pom.xml"],
            launchers: &["mvn", "mvnw", "gradle", "gradlew"],
            // For the JDK's own server; Tomcat's limit is 8 KiB.
            head_limit: 380 << 10,
        }
    }

    fn support(&self, variant: Variant, _: &Machine) -> Support {
        match variant {
            Variant::Bindgen => Support::no("wasm-bindgen supports only JavaScript; use 2:core"),
            Variant::Component => Support::no("Endive does not support components; use 2:core"),
            Variant::Async => {
                Support::no("threads, including virtual ones, already run calls in parallel; use 3:native")
            }
            Variant::Spawn | Variant::Pool | Variant::Core | Variant::Native | Variant::Server => Support::Yes,
        }
    }

    fn wraps(&self, wrapping: Wrapping) -> Support {
        match wrapping {
            Wrapping::Memo => Support::Yes,
            Wrapping::Workers => Support::no("the server's own threads already use all processors"),
        }
    }

    fn tools(&self) -> Vec<Tool> {
        vec![
            Tool {
                program: "javac",
                part: None,
                purpose: "compiles the server and the generated package",
                version_arguments: &["-version"],
                // The oldest version that has sealed interfaces and still gets fixes.
                minimum: "17.0.0",
                install: "https://adoptium.net (apt-get install openjdk-17-jdk-headless)",
            },
            Tool {
                program: "mvn",
                part: None,
                purpose: "builds the server and the generated package",
                version_arguments: &["--version"],
                // The version that the plugins require.
                minimum: "3.6.3",
                install: "https://maven.apache.org/install.html (apt-get install maven)",
            },
        ]
    }

    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe {
        match variant {
            Variant::Spawn | Variant::Pool => built::program(project, machine),
            Variant::Core => built::core(project),
            Variant::Native => built::native(project, machine),
            // At `Server`, another program answers the route without this package. Java does not support the others.
            Variant::Server | Variant::Bindgen | Variant::Component | Variant::Async => Recipe::default(),
        }
    }

    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command) {
        driver::driver(project, settings)
    }

    fn baseline_files(&self, _: &dyn ServerFolder, name: &str) -> Vec<String> {
        declared::baseline_files(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server may be in the project's folder or in one of its own.
    #[test]
    fn the_package_is_built_in_its_own_folder() {
        for way in [".tierup/java", "../.tierup/java"] {
            let both = format!("{way}/with-server");
            assert_eq!(java().prepare(way)[4], both);
        }
    }

    #[test]
    fn a_maven_project_is_detected() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(java().detects(&names(&["src", "pom.xml"])));
        assert!(!java().detects(&names(&["main.go", "package.json"])));
    }
}
