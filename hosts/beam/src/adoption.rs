//! Makes a server call the package: a new one (`tierup new`), or an existing one (`tierup init`).

use tierup_codegen::{
    Add, ByPath, Command, Dependency, Depends, Files, HostSettings, Install, IsThere, Packaging, Parts, Project,
    Publishable, Scaffold, ServerFolder, Stub, source::fill,
};

use crate::{Beam, names, package, published};

impl Packaging for Beam {
    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        Ok(Stub::part_of(&package::package(project)?, package::built(project)))
    }

    fn publishable(&self, project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        published::archive(project, parts).map(|one| vec![one])
    }

    /// A mix project called `name`, whose only dependency is the package.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold {
        let manifest = fill(
            include_str!("../templates/scaffold/mix.exs"),
            &[("application", &names::application(name)), ("name", name)],
        );
        let server = fill(include_str!("../templates/scaffold/server.ex"), &[("module", &names::module(name))]);
        let files = Files::new()
            .with(MANIFEST, manifest)
            .with(".gitignore", "/_build/\n/deps/\n")
            .with("lib/server.ex", server)
            .with("lib/server/baseline.ex", include_str!("../templates/scaffold/baseline.ex"))
            .with("lib/server/http.ex", include_str!("../templates/scaffold/http.ex"));
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Scaffold {
            files,
            start: words(&["mix", "run", "--no-compile", "--no-halt"]),
            baseline: format!("Server.Baseline.{function}"),
        }
    }

    /// A path in the dependencies of `mix.exs`.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        let application = names::application(&project.interface.package);
        let lines = format!("# Among the dependencies.\n{{:{application}, path: \"{way}\"}}");
        let manifest = folder.read(MANIFEST);
        // A server that is not a mix project may find its applications in any way.
        let is_used = manifest.is_none_or(|text| text.contains(&format!("{{:{application},")));
        Dependency {
            add: Add::Lines { file: MANIFEST, lines },
            is_there: Depends::Known(is_used),
            by_path: ByPath { quoted: &["mix.exs", "*.exs", "rebar.config"], plain: &[] },
        }
    }

    fn prepare(&self, _: &str) -> Vec<String> {
        ["mix", "compile"].map(str::to_owned).into()
    }

    /// A line that passes a baseline, and a call.
    fn adoption_hint(&self, project: &Project, _: &str, _: &dyn ServerFolder) -> String {
        let module = names::module(&project.interface.package);
        format!(
            "    # Once, where the server starts:\n    {module}.bind(baseline: YourModule)\n\n\
             `{module}.your_function(…)` is the same call at every tier: `{{:ok, value}}` or `{{:error, exception}}`;\n\
             `{module}.your_function!(…)` returns the value or raises. At tier 0 it is `YourModule.your_function(…)`.\n"
        )
    }

    /// `mix deps.get`, if the server has locked dependencies from elsewhere.
    fn install(&self, folder: &dyn ServerFolder) -> Install {
        if !folder.exists(LOCK) {
            return Install::default();
        }
        Install {
            commands: vec![Command::new("mix", ["deps.get"])],
            found_by: LOCK.to_owned(),
            decided_by: vec![MANIFEST.to_owned(), LOCK.to_owned()],
            leaves: "deps".to_owned(),
            is_there: IsThere::Ask(Command::new("mix", ["deps.loadpaths", "--no-compile"])),
        }
    }

    fn takes(&self, name: &str) -> bool {
        names::checked(name).is_err() || names::module(name) == SERVER
    }
}

/// The module of a new server. No package can have this name.
const SERVER: &str = "Server";

const MANIFEST: &str = "mix.exs";
const LOCK: &str = "mix.lock";
