//! How a server comes to call the package: a new one (`tierup new`), and one that exists (`tierup init`).

use tierup_codegen::{
    Add, ByPath, Command, Dependency, Depends, Files, Forge, HostSettings, Image, Install, Packaging, Parts, Pipeline,
    Project, Publishable, Scaffold, ServerFolder, Stub, System, Tier, source::fill,
};

use crate::{Python, environment, image, manager, names, package, pipeline, wheel};

impl Packaging for Python {
    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        package::committed(project).map(Stub::that_finds_what_is_built)
    }

    fn publishable(&self, project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        wheel::wheels(project, parts)
    }

    fn pipeline(&self, project: &Project, forge: Forge) -> Result<Pipeline, String> {
        Ok(pipeline::pipeline(&project.interface.package, forge))
    }

    fn image(&self, _: &Project, folder: &dyn ServerFolder, system: System, _: Tier) -> Result<Image, String> {
        image::image(folder, system)
    }

    /// `requirements.txt`, `server.py` and `baseline.py` for a project called `name`.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold {
        let files = Files::new()
            .with(
                "requirements.txt",
                format!(
                    "# The package that `tierup stub` writes, as a link to its folder.\n-e ../tierup/{name}[wasm]\n"
                ),
            )
            .with("baseline.py", include_str!("../templates/scaffold/baseline.py"))
            .with(
                "server.py",
                fill(include_str!("../templates/scaffold/server.py"), &[("module", &names::module(name))]),
            );
        let start = ["python3", "server.py"].map(str::to_owned).into();
        Scaffold { files, start, baseline: format!("baseline:{function}") }
    }

    /// `pip install -e ./.tierup/python[wasm]`, or the equivalent of the server's own package manager.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        // pip takes a path that does not start with `./` or `../` for the name of a package.
        let way = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
        let module = names::module(&project.interface.package);
        // Only the server's interpreter knows its environment and the packages in it.
        let ask =
            format!("import importlib.util, sys; sys.exit(3 if importlib.util.find_spec({module:?}) is None else 0)");
        let command = Command::new("python", ["-c", ask.as_str()]);
        Dependency {
            add: Add::Run(manager::add(folder, &way)),
            is_there: Depends::Unless { command, code: 3 },
            by_path: ByPath {
                quoted: &["*.py", "pyproject.toml", "Pipfile"],
                plain: &[
                    "requirements*.txt", "requirements*.in", "setup.cfg", "environment.yml", "environment.yaml",
                    "*.pth",
                ],
            },
        }
    }

    fn adoption_hint(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> String {
        hint(project, way, folder.read(manager::REQUIREMENTS).as_deref())
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        manager::install(folder)
    }

    fn programs(&self, folder: &dyn ServerFolder) -> Vec<String> {
        vec![environment::programs(&environment::read(folder))]
    }
}

/// The lines that take a function from the package, for a server with this `requirements.txt`.
fn hint(project: &Project, way: &str, requirements: Option<&str>) -> String {
    let module = names::module(&project.interface.package);
    let mut hint = format!(
        "    import {module}\n    import your_module\n    rust = {module}.bind(baseline=your_module)\n\n\
         `rust.your_function(…)` answers at once, at every tier; in a coroutine, `await rust.your_function_async(…)` does, and\n\
         the tier decides whether in a thread.\n"
    );
    // The environment lacks packages that are installed elsewhere.
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
    use expect_test::expect;
    use tierup_model::Interface;

    use super::*;

    fn said(requirements: Option<&str>) -> String {
        let interface = Interface { package: "near-duplicates".into(), ..Interface::default() };
        let project = Project { interface, ..Project::default() };
        let of_own = hint(&project, "../.tierup/python", requirements);
        assert_eq!(of_own.contains("./.tierup"), of_own.contains(" -e ../.tierup/python[wasm]"), "{of_own}");
        hint(&project, ".tierup/python", requirements)
    }

    #[test]
    fn the_hint_adds_the_package_to_requirements() {
        let plain = said(None);
        expect![[r#"
                import near_duplicates
                import your_module
                rust = near_duplicates.bind(baseline=your_module)

            `rust.your_function(…)` answers at once, at every tier; in a coroutine, `await rust.your_function_async(…)` does, and
            the tier decides whether in a thread.
        "#]]
        .assert_eq(&plain);
        assert_eq!(said(Some("-e ./.tierup/python\n")), plain);
        expect![[r#"

            This server has a requirements.txt: `tierup` serves it from the environment `.venv` beside it, which it makes
            from that file. So let the file name the package, in a line of its own, instead of installing it by hand:

                -e ./.tierup/python[wasm]
        "#]]
        .assert_eq(said(Some("flask\n")).strip_prefix(&plain).unwrap());
    }
}
