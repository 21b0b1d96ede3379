//! How an existing server comes to call the package: what to run, and the lines to change in its source.

use tierup_codegen::{Add, Command, Dependency, Depends, Project};

use crate::names;

/// `go mod edit`: the module lies in a folder, and no registry has it.
pub(crate) fn dependency(project: &Project, way: &str) -> Dependency {
    let module = names::module(&project.interface.package);
    // Go takes a path that does not start with `./` or `../` for the name of a module.
    let folder = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
    let (require, replace) = (format!("-require={module}@v0.0.0"), format!("-replace={module}={folder}"));
    Dependency {
        add: Add::Run(Command::new("go", ["mod", "edit", require.as_str(), replace.as_str()])),
        is_there: Depends::Mentioned { files: &["go.mod"], text: module },
    }
}

/// The lines that take a function from the package.
pub(crate) fn hint(project: &Project, has_module: bool) -> String {
    let (module, package) = (names::module(&project.interface.package), names::package(&project.interface.package));
    let function = names::named(&project.interface).functions.into_iter().next().map(|function| function.name);
    let function = function.unwrap_or_else(|| "YourFunction".into());
    let first = if has_module { "" } else { "    go mod init server\n" };
    format!(
        "    import \"{module}\"\n\n    \
         rust, err := {package}.Bind({package}.Options{{Baseline: &{package}.Functions{{{function}: yourFunction}}}})\n\n\
         `rust.{function}(…)` is the same call at every tier. In the module that imports it, run this to download its dependencies:\n\n\
         {first}    go mod tidy\n\n\
         Go links the built variants, so rebuild the server after each `tierup build`; `prepare` in tierup.toml does this.\n\
         To let `tierup check` and `tierup bench --in-process` call your own function, export it from a package\n\
         other than `main`, and name it as \"0\" in [host.go.baseline]: \"your-module/baseline.{function}\".\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::expect;
    use tierup_codegen::Server;
    use tierup_model::Interface;

    use super::*;

    fn project() -> Project {
        let interface = Interface {
            package: "near-duplicates".into(),
            library: "near_duplicates".into(),
            version: "0.1.0".into(),
            docs: String::new(),
            functions: vec![],
            definitions: vec![],
        };
        Project { interface, crate_folder: PathBuf::new(), routes: vec![], server: Server::None, health: None }
    }

    #[test]
    fn go_is_given_a_path() {
        let command = |way| match dependency(&project(), way).add {
            Add::Run(command) => command.to_string(),
            Add::Lines { .. } => panic!("it is no command"),
        };
        assert_eq!(
            command(".tierup/go"),
            "go mod edit -require=tierup.local/near-duplicates@v0.0.0 -replace=tierup.local/near-duplicates=./.tierup/go"
        );
        assert!(command("../.tierup/go").ends_with("=../.tierup/go"));
    }

    #[test]
    fn the_hint_says_what_to_write() {
        expect![[r#"
                import "tierup.local/near-duplicates"

                rust, err := nearduplicates.Bind(nearduplicates.Options{Baseline: &nearduplicates.Functions{YourFunction: yourFunction}})

            `rust.YourFunction(…)` is the same call at every tier. In the module that imports it, run this to download its dependencies:

                go mod tidy

            Go links the built variants, so rebuild the server after each `tierup build`; `prepare` in tierup.toml does this.
            To let `tierup check` and `tierup bench --in-process` call your own function, export it from a package
            other than `main`, and name it as "0" in [host.go.baseline]: "your-module/baseline.YourFunction".
        "#]]
        .assert_eq(&hint(&project(), true));
    }
}
