//! How a server comes to call the package: a new one (`tierup new`), and one that exists (`tierup init`).

use tierup_codegen::{Add, ByPath, Command, Dependency, Depends, Files, Project, Scaffold, ServerFolder, source::fill};

use crate::{manager, names};

/// `requirements.txt`, `server.py` and `baseline.py` for a project called `name`.
pub(crate) fn scaffold(name: &str, function: &str) -> Scaffold {
    let files = Files::new()
        .with(
            "requirements.txt",
            format!("# The package that `tierup stub` writes, as a link to its folder.\n-e ../tierup/{name}[wasm]\n"),
        )
        .with("baseline.py", include_str!("../templates/scaffold/baseline.py"))
        .with("server.py", fill(include_str!("../templates/scaffold/server.py"), &[("module", &names::module(name))]));
    let start = ["python3", "server.py"].map(str::to_owned).into();
    Scaffold { files, start, baseline: format!("baseline:{function}") }
}

/// `pip install -e ./.tierup/python[wasm]`, or what the server's own manager has for it.
pub(crate) fn dependency(project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
    // pip takes a path that does not start with `./` or `../` for the name of a package.
    let way = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
    let module = names::module(&project.interface.package);
    // Only the server's interpreter knows its environment and the packages in it.
    let ask = format!("import importlib.util, sys; sys.exit(3 if importlib.util.find_spec({module:?}) is None else 0)");
    let command = Command::new("python", ["-c", ask.as_str()]);
    Dependency {
        add: Add::Run(manager::add(folder, &way)),
        is_there: Depends::Unless { command, code: 3 },
        by_path: ByPath {
            quoted: &["*.py", "pyproject.toml", "Pipfile"],
            plain: &[
                "requirements*.txt", "requirements*.in", "setup.cfg", "environment.yml", "environment.yaml", "*.pth",
            ],
        },
    }
}

/// The lines that take a function from the package, for a server with this `requirements.txt`.
pub(crate) fn hint(project: &Project, way: &str, requirements: Option<&str>) -> String {
    let module = names::module(&project.interface.package);
    let mut hint = format!(
        "    import {module}\n    import your_module\n    rust = {module}.bind(baseline=your_module)\n\n\
         `rust.your_function(…)` answers at once, at every tier; in a coroutine, `await rust.your_function_async(…)` does, and\n\
         the tier decides whether in a thread.\n"
    );
    // The environment does not have packages that are installed elsewhere.
    if requirements.is_some_and(|text| !text.contains(way)) {
        // pip takes `.tierup` for a package's name.
        let way = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
        hint += &format!(
            "\nThis server has a requirements.txt: `tierup` serves it from the environment `.venv` beside it, which it makes\n\
             from that file. So let the file name the package, in a line of its own, instead of installing it by hand:\n\n    \
             -e {way}[wasm]\n"
        );
    }
    hint
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::{Expect, expect};
    use tierup_codegen::Server;
    use tierup_model::Interface;

    use super::*;

    #[track_caller]
    fn check(requirements: Option<&str>, expected: Expect) {
        let interface = Interface {
            package: "near-duplicates".into(),
            library: "near_duplicates".into(),
            version: "0.1.0".into(),
            docs: String::new(),
            functions: vec![],
            definitions: vec![],
            alternatives: vec![],
        };
        let crate_folder = PathBuf::new();
        let project =
            Project { interface, pure: vec![], crate_folder, routes: vec![], server: Server::None, health: None };
        expected.assert_eq(&hint(&project, ".tierup/python", requirements));
        let of_own = hint(&project, "../.tierup/python", requirements);
        assert_eq!(of_own.contains("./.tierup"), of_own.contains(" -e ../.tierup/python[wasm]"), "{of_own}");
    }

    #[test]
    fn a_file_of_requirements_is_where_the_package_belongs() {
        check(
            None,
            expect![[r#"
                import near_duplicates
                import your_module
                rust = near_duplicates.bind(baseline=your_module)

            `rust.your_function(…)` answers at once, at every tier; in a coroutine, `await rust.your_function_async(…)` does, and
            the tier decides whether in a thread.
        "#]],
        );
        check(
            Some("-e ./.tierup/python\n"),
            expect![[r#"
                import near_duplicates
                import your_module
                rust = near_duplicates.bind(baseline=your_module)

            `rust.your_function(…)` answers at once, at every tier; in a coroutine, `await rust.your_function_async(…)` does, and
            the tier decides whether in a thread.
        "#]],
        );
        check(
            Some("flask\n"),
            expect![[r#"
                import near_duplicates
                import your_module
                rust = near_duplicates.bind(baseline=your_module)

            `rust.your_function(…)` answers at once, at every tier; in a coroutine, `await rust.your_function_async(…)` does, and
            the tier decides whether in a thread.

            This server has a requirements.txt: `tierup` serves it from the environment `.venv` beside it, which it makes
            from that file. So let the file name the package, in a line of its own, instead of installing it by hand:

                -e ./.tierup/python[wasm]
        "#]],
        );
    }
}
