//! How an existing server comes to call the package: what to run, and the line to change in its source.

use tierup_codegen::{Command, Dependency, Project};

use crate::manifest::Manifest;

/// `npm install ./.tierup/node`, and the link that it leaves.
pub(crate) fn dependency(project: &Project, way: &str) -> Dependency {
    // npm takes a path that does not start with `./` or `../` for the name of a repository.
    let folder = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
    Dependency {
        command: Command::new("npm", ["install", folder.as_str()]),
        place: Some(format!("node_modules/{}", project.interface.package)),
    }
}

/// The lines that take a function from the package, in the kind of module that the server's manifest says.
pub(crate) fn hint(project: &Project, manifest: &Manifest) -> String {
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
        "{import}\n\n`your_function` in Rust is `yourFunction` here, and a call returns a Promise now: `await yourFunction(…)`.\n\
         Where nothing can wait, `yourFunctionSync(…)` answers at once, at every tier but 1:pool.\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::{Expect, expect};
    use tierup_codegen::Server;
    use tierup_model::Interface;

    use super::*;

    fn project() -> Project {
        let interface = Interface {
            package: "hot".into(),
            library: "hot".into(),
            version: "0.1.0".into(),
            docs: String::new(),
            functions: vec![],
            definitions: vec![],
        };
        Project { interface, crate_folder: PathBuf::new(), routes: vec![], server: Server::None, health: None }
    }

    #[track_caller]
    fn check(manifest: &str, expected: Expect) {
        expected.assert_eq(&hint(&project(), &Manifest::of(manifest)));
    }

    #[test]
    fn each_kind_of_module_has_its_line() {
        check(
            r#"{ "name": "shop" }"#,
            expect![[r#"
                    const { yourFunction } = require('hot').with({ baseline: require('./your-module') });

                `your_function` in Rust is `yourFunction` here, and a call returns a Promise now: `await yourFunction(…)`.
                Where nothing can wait, `yourFunctionSync(…)` answers at once, at every tier but 1:pool.
            "#]],
        );
        check(
            "{ \"type\" :\n \"module\" }",
            expect![[r#"
                    import rust from 'hot';
                    import * as baseline from './your-module.js';
                    const { yourFunction } = rust.with({ baseline });

                `your_function` in Rust is `yourFunction` here, and a call returns a Promise now: `await yourFunction(…)`.
                Where nothing can wait, `yourFunctionSync(…)` answers at once, at every tier but 1:pool.
            "#]],
        );
    }

    #[test]
    fn npm_is_given_a_path() {
        let command = |way| dependency(&project(), way).command.to_string();
        assert_eq!(command(".tierup/node"), "npm install ./.tierup/node");
        assert_eq!(command("../.tierup/node"), "npm install ../.tierup/node");
        assert_eq!(dependency(&project(), "").place.as_deref(), Some("node_modules/hot"));
    }
}
