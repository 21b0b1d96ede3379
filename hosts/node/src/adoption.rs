//! Makes a server call the package: a new one (`tierup new`), or an existing one (`tierup init`).

use serde_json::Value;
use tierup_codegen::{
    Add, ByPath, Dependency, Depends, Files, Forge, HostSettings, Image, Install, Packaging, Parts, Pipeline, Project,
    Publishable, Scaffold, ServerFolder, Stub, System, Tier, source::fill,
};

use crate::{Node, driver, image, installed, manager, manifest::Manifest, names, package, pipeline};

impl Packaging for Node {
    fn package(&self, project: &Project, settings: &HostSettings) -> Result<Files, String> {
        package::package(project, settings)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        package::committed(project).map(Stub::that_finds_what_is_built)
    }

    fn splits(&self) -> bool {
        true
    }

    fn publishable(&self, project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        package::publishable(project, parts)
    }

    fn pipeline(&self, project: &Project, forge: Forge) -> Result<Pipeline, String> {
        Ok(pipeline::pipeline(&project.interface.package, forge))
    }

    fn image(&self, _: &Project, folder: &dyn ServerFolder, system: System, _: Tier) -> Result<Image, String> {
        image::image(folder, system)
    }

    /// `package.json`, `server.js` and `baseline.js` of a project called `name`.
    fn scaffold(&self, name: &str, _: &str) -> Scaffold {
        let manifest = format!(
            r#"{{
  "name": "{name}-server",
  "private": true,
  "scripts": {{
    "start": "node server.js"
  }},
  "dependencies": {{
    "{name}": "file:../tierup/{name}"
  }}
}}
"#
        );
        let files = Files::new()
            .with("package.json", manifest)
            .with("baseline.js", include_str!("../templates/scaffold/baseline.js"))
            .with("server.js", fill(include_str!("../templates/scaffold/server.js"), &[("name", name)]));
        let start = ["node", "server.js"].map(str::to_owned).into();
        Scaffold { files, start, baseline: "baseline.js".to_owned() }
    }

    /// `npm install ./.tierup/node` or its like for the server's package manager, and the link that installing makes.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        let package = &project.interface.package;
        let found = manager::found(folder);
        // npm reads a path without `./` or `../` as the name of a repository.
        let way = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
        let home = manager::home(folder);
        let is_root = manager::is_root(folder, "");
        let is_there = match folder.exists(&format!("{}.pnp.cjs", found.root)) {
            // Yarn's Plug'n'Play has no `node_modules`.
            true => Depends::Known(is_declared(package, folder)),
            // Node also finds the package in a folder above the program.
            false if !home.is_empty() && folder.exists(&format!("{home}/node_modules/{package}")) => {
                Depends::Known(true)
            }
            false => Depends::Place(format!("node_modules/{package}")),
        };
        Dependency { add: Add::Run(found.manager.add(package, &way, &home, is_root)), is_there, by_path: BY_PATH }
    }

    fn adoption_hint(&self, project: &Project, _: &str, folder: &dyn ServerFolder) -> String {
        hint(project, &Manifest::read_in(folder, &manager::home(folder)))
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        installed::install(folder)
    }

    fn start(&self, folder: &dyn ServerFolder) -> Option<Vec<String>> {
        Manifest::read(folder).start()
    }

    fn build(&self, folder: &dyn ServerFolder, start: &[String]) -> Vec<String> {
        let is_script = Manifest::read(folder).has_script("build");
        // A server that runs its sources directly needs no build.
        if !is_script || driver::runs_typescript(start) {
            return Vec::new();
        }
        [manager::found(folder).manager.program(), "run", "build"].map(str::to_owned).to_vec()
    }

    fn takes(&self, name: &str) -> bool {
        // A new server depends on `express`, and `node:sqlite` would look like the package.
        names::is_built_in(name) || ["express", "sqlite"].contains(&name)
    }
}

const BY_PATH: ByPath = ByPath {
    quoted: &[
        "*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx", "package.json", "tsconfig*.json",
        "jsconfig*.json", "deno.json*", "import_map.json",
    ],
    plain: &["pnpm-workspace.yaml"],
};

/// Whether a manifest of the server or of its workspace declares the package, or whether there is no manifest.
fn is_declared(package: &str, folder: &dyn ServerFolder) -> bool {
    const TABLES: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    let manifests = folder.read_above(manager::MANIFEST);
    let declares = |manifest: &String| {
        let manifest: Value = serde_json::from_str(manifest).unwrap_or_default();
        TABLES.iter().any(|table| !manifest[table][package].is_null())
    };
    manifests.is_empty() || manifests.iter().any(declares)
}

/// The lines that import a function from the package, for the kind of module that the server's manifest names.
fn hint(project: &Project, manifest: &Manifest) -> String {
    let package = &project.interface.package;
    let import = if manifest.is_module() {
        format!(
            "    import rust from '{package}';\n    import * as baseline from './your-module.js';\n    \
             const {{ yourFunction }} = rust.with({{ baseline }});"
        )
    } else {
        format!("    const {{ yourFunction }} = require('{package}').with({{ baseline: require('./your-module') }});")
    };
    format!(
        "{import}\n\n`your_function` in Rust is `yourFunction` here, and a call now returns a Promise: `await yourFunction(…)`.\n\
         In code that cannot await, `yourFunctionSync(…)` returns the value itself, at every tier but 1:pool.\n"
    )
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tierup_model::Interface;

    use super::*;
    use crate::test_folder::test_folder;

    fn project() -> Project {
        let interface =
            Interface { package: "hot".into(), library: "hot".into(), version: "0.1.0".into(), ..Interface::default() };
        Project { interface, ..Project::default() }
    }

    #[track_caller]
    fn check(manifest: &str, expected: Expect) {
        expected.assert_eq(&hint(&project(), &Manifest::parse(manifest)));
    }

    #[test]
    fn each_kind_of_module_gets_its_import_line() {
        check(
            r#"{ "name": "shop" }"#,
            expect![[r#"
                    const { yourFunction } = require('hot').with({ baseline: require('./your-module') });

                `your_function` in Rust is `yourFunction` here, and a call now returns a Promise: `await yourFunction(…)`.
                In code that cannot await, `yourFunctionSync(…)` returns the value itself, at every tier but 1:pool.
            "#]],
        );
        check(
            "{ \"type\" :\n \"module\" }",
            expect![[r#"
                    import rust from 'hot';
                    import * as baseline from './your-module.js';
                    const { yourFunction } = rust.with({ baseline });

                `your_function` in Rust is `yourFunction` here, and a call now returns a Promise: `await yourFunction(…)`.
                In code that cannot await, `yourFunctionSync(…)` returns the value itself, at every tier but 1:pool.
            "#]],
        );
    }

    #[test]
    fn a_manifest_that_only_mentions_the_package_does_not_declare_it() {
        let declared = |manifest: &str| is_declared("hot", &test_folder(&[("package.json", manifest)]));
        assert!(declared(r#"{ "dependencies": { "hot": "link:../.tierup/node" } }"#));
        assert!(declared(r#"{ "devDependencies": { "hot": "*" } }"#));
        assert!(!declared(r#"{ "name": "hot", "keywords": ["hot"] }"#));
        assert!(is_declared("hot", &test_folder(&[])));
        assert!(is_declared("hot", &test_folder(&[("../package.json", r#"{ "dependencies": { "hot": "*" } }"#)])));
    }

    #[test]
    fn each_manager_is_given_a_path() {
        let shown = |way: &str, files: &[(&str, &str)]| {
            let dependency = Node.dependency(&project(), way, &test_folder(files));
            let Add::Run(command) = dependency.add else { panic!("it is no command") };
            format!("{command}; {:?}", dependency.is_there)
        };
        let place = r#"Place("node_modules/hot")"#;
        assert_eq!(shown(".tierup/node", &[]), format!("npm install ./.tierup/node; {place}"));
        assert_eq!(shown("../.tierup/node", &[]), format!("npm install ../.tierup/node; {place}"));
        let pnpm = [("pnpm-lock.yaml", "")];
        assert_eq!(shown("../.tierup/node", &pnpm), format!("pnpm add link:../.tierup/node; {place}"));
        assert_eq!(shown("tierup/hot", &pnpm), format!("pnpm add file:./tierup/hot; {place}"));
        let manifest = ("package.json", r#"{ "dependencies": { "hot": "link:../.tierup/node" } }"#);
        let plug_and_play = [("yarn.lock", "__metadata:"), (".pnp.cjs", ""), manifest];
        assert!(shown("../.tierup/node", &plug_and_play).starts_with("yarn add hot@link:../.tierup/node; Known(true)"));
    }
}
