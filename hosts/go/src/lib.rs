//! The host `go`: a server in Go as it is, which is tier 0, and a Rust server beside it, which is tier 4.
//!
//! Calls from Go into Rust are not written yet. So there is no package, no driver and nothing to start a project with;
//! every variant between says so.

use tierup_codegen::{
    Command, Dependency, Files, Host, HostSettings, Install, Project, Recipe, Support, Tool, Variant,
};

/// The host, for the list of hosts.
pub fn go() -> &'static dyn Host {
    &Go
}

struct Go;

/// What people read where they ask for tiers 1 to 3.
const NO_BINDINGS: &str = "the bindings for Go are not written yet: only tiers 0 and 4 can be served and measured";

impl Host for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn title(&self) -> &'static str {
        "Go"
    }

    fn support(&self, variant: Variant) -> Support {
        match variant {
            Variant::Server => Support::Yes,
            _ => Support::No(NO_BINDINGS.to_owned()),
        }
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            program: "go",
            purpose: "builds the server",
            version_arguments: &["version"],
            // The first that gets the toolchain that a module's go.mod asks for.
            minimum: "1.21.0",
            install: "https://go.dev/dl/",
        }]
    }

    fn detects(&self, file_names: &[String]) -> bool {
        file_names.iter().any(|name| name == "go.mod")
    }

    /// A module does not say which of its packages is the server.
    fn start(&self, _: &dyn Fn(&str) -> Option<String>) -> Option<Vec<String>> {
        None
    }

    fn package(&self, _: &Project, _: &HostSettings) -> Result<Files, String> {
        Ok(Files::new())
    }

    fn recipe(&self, _: &Project, _: Variant) -> Recipe {
        Recipe::default()
    }

    /// Building the server gets what it imports.
    fn install(&self, _: &[String]) -> Install {
        Install::default()
    }

    fn driver(&self, _: &Project, _: &HostSettings) -> Option<(Files, Command)> {
        None
    }

    fn scaffold(&self, _: &str) -> Option<Files> {
        None
    }

    fn dependency(&self, _: &Project, _: &str) -> Option<Dependency> {
        None
    }

    fn adoption_hint(&self, _: &Project, _: &dyn Fn(&str) -> Option<String>) -> String {
        NO_BINDINGS.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn only_a_rust_server_is_beside_tier_0() {
        let supported = Variant::ALL.into_iter().filter(|variant| go().support(*variant) == Support::Yes);
        expect![[r#"["4:server"]"#]].assert_eq(&format!("{:?}", supported.map(Variant::name).collect::<Vec<_>>()));
    }

    #[test]
    fn a_module_is_detected() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(go().detects(&names(&["main.go", "go.mod"])));
        assert!(!go().detects(&names(&["main.go", "package.json"])));
    }
}
