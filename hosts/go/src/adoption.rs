//! How a server comes to call the package: a new one (`tierup new`), and one that exists (`tierup init`).

use tierup_codegen::{
    Add, ByPath, Command, Dependency, Depends, Files, HostSettings, Image, Install, Packaging, Parts, Project,
    Publishable, Scaffold, ServerFolder, Stub, System, Tier, source::fill,
};

use crate::{
    Go, image, names,
    package::{self, SUMS},
    published,
};

impl Packaging for Go {
    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        Ok(Stub::part_of(&package::package(project)?, package::BUILT))
    }

    fn publishable(&self, project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        Ok(vec![published::published(project, parts)?])
    }

    fn image(&self, project: &Project, folder: &dyn ServerFolder, system: System, tier: Tier) -> Result<Image, String> {
        image::image(&project.interface.package, folder, system, tier)
    }

    /// `go.mod`, `server.go` and `baseline/baseline.go` for a project called `name`.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold {
        let module = names::module(name);
        let values = [("module", &*module)];
        let manifest = fill(include_str!("../templates/scaffold/go.mod.txt"), &[("module", &module), ("name", name)]);
        let files = Files::new()
            .with("go.mod", manifest)
            .with("go.sum", SUMS)
            .with(".gitignore", "/server\n")
            .with("baseline/baseline.go", include_str!("../templates/scaffold/baseline.go"))
            .with("server.go", fill(include_str!("../templates/scaffold/server.go"), &values));
        let baseline = format!("{MODULE}/baseline.{}", names::function(function));
        Scaffold { files, start: vec!["./server".to_owned()], baseline }
    }

    /// `go mod edit`: the module lies in a folder and is in no registry.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        let module = names::module(&project.interface.package);
        // Go reads a path that does not start with `./` or `../` as the name of a module.
        let way = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
        let (require, replace) = (format!("-require={module}@v0.0.0"), format!("-replace={module}={way}"));
        let manifests = folder.read_above("go.mod");
        let is_there = manifests.is_empty() || manifests.iter().any(|manifest| requires(manifest, &module));
        Dependency {
            add: Add::Run(Command::new("go", ["mod", "edit", require.as_str(), replace.as_str()])),
            is_there: Depends::Known(is_there),
            by_path: ByPath { quoted: &[], plain: &["go.mod", "go.work"] },
        }
    }

    fn prepare(&self, _: &str) -> Vec<String> {
        ["go", "build", "-o", "server", "."].map(str::to_owned).into()
    }

    fn adoption_hint(&self, project: &Project, _: &str, folder: &dyn ServerFolder) -> String {
        hint(project, folder.read("go.mod").is_some())
    }

    fn takes(&self, name: &str) -> bool {
        names::checked_module(name).is_err()
    }

    /// Building the server downloads its imports.
    fn install(&self, _: &dyn ServerFolder) -> Install {
        // The build installs. The owner's install command, if there is one, runs again when these files change.
        Install { decided_by: ["go.mod", "go.sum"].map(str::to_owned).to_vec(), ..Install::default() }
    }
}

/// The module's path: only the server itself imports it.
const MODULE: &str = "server";

/// Whether a `go.mod` requires this module.
fn requires(manifest: &str, module: &str) -> bool {
    let code = manifest.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut lines = code.map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.any(|words| words.first() != Some(&"module") && words.contains(&module))
}

/// The lines that make a server call a function of the package.
fn hint(project: &Project, has_module: bool) -> String {
    let (module, package) = (names::module(&project.interface.package), names::package(&project.interface.package));
    let function = names::named(&project.interface).functions.into_iter().next().map(|function| function.name);
    let function = function.unwrap_or_else(|| "YourFunction".into());
    let first = if has_module { "" } else { "    go mod init server\n" };
    format!(
        "    import \"{module}\"\n\n    \
         rust, err := {package}.Bind({package}.Options{{Baseline: &{package}.Functions{{{function}: yourFunction}}}})\n\n\
         `rust.{function}(…)` is the same call at every tier. In the module that imports it, run this to download its dependencies (tiers differ in them):\n\n\
         {first}    go mod tidy\n\n\
         Go links the built variants, so rebuild the server after each `tierup build`; `prepare` in tierup.toml does this.\n\
         To let `tierup check` and `tierup bench --in-process` call your own function, export it from a package\n\
         other than `main`, and name it as \"0\" in [host.go.baseline]: \"the/import/path.{function}\".\n"
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use tierup_codegen::EmptyFolder;
    use tierup_model::Interface;

    use super::*;

    fn project() -> Project {
        let interface = Interface { package: "near-duplicates".into(), ..Interface::default() };
        Project { interface, ..Project::default() }
    }

    #[test]
    fn a_module_named_in_a_comment_is_not_required() {
        let requires = |manifest: &str| requires(manifest, "tierup.local/words");
        assert!(requires("module shop\nrequire tierup.local/words v0.0.0\n"));
        assert!(requires("module shop\nrequire (\n\ttierup.local/words v0.0.0 // indirect\n)\n"));
        assert!(!requires("module shop\n// tierup.local/words is for later\n"));
        assert!(!requires("module tierup.local/words\n"));
        assert!(!requires("module shop\nrequire tierup.local/words2 v0.0.0\n"));
    }

    #[test]
    fn a_relative_path_begins_with_a_dot() {
        let command = |way| match Go.dependency(&project(), way, &EmptyFolder).add {
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

            `rust.YourFunction(…)` is the same call at every tier. In the module that imports it, run this to download its dependencies (tiers differ in them):

                go mod tidy

            Go links the built variants, so rebuild the server after each `tierup build`; `prepare` in tierup.toml does this.
            To let `tierup check` and `tierup bench --in-process` call your own function, export it from a package
            other than `main`, and name it as "0" in [host.go.baseline]: "the/import/path.YourFunction".
        "#]]
        .assert_eq(&hint(&project(), true));
    }
}
