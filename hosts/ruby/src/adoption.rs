//! How a server comes to call the package: a new one (`tierup new`), and one that exists (`tierup init`).

use tierup_codegen::{
    Add, ByPath, Command, Dependency, Depends, Files, HostSettings, Image, Install, IsThere, Packaging, Parts, Project,
    Publishable, Scaffold, ServerFolder, Stub, System, Tier, source::fill,
};

use crate::{
    Ruby, image, names, package,
    package::{GEMFILE, LOCK},
    published,
};

impl Packaging for Ruby {
    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        package::committed(project).map(Stub::that_finds_what_is_built)
    }

    fn publishable(&self, project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        published::gems(project, parts)
    }

    fn image(&self, _: &Project, folder: &dyn ServerFolder, system: System, _: Tier) -> Result<Image, String> {
        image::image(folder, system)
    }

    /// A server for a project called `name`. It uses Ruby's standard library and, as its only dependency, the package.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold {
        let (module, gem) = (names::module(name), names::gem(name));
        let server = fill(
            include_str!("../templates/scaffold/server.rb"),
            &[("function", function), ("gem", &gem), ("module", &module), ("name", name)],
        );
        let files = Files::new()
            .with("baseline.rb", include_str!("../templates/scaffold/baseline.rb"))
            .with("connection.rb", include_str!("../templates/scaffold/connection.rb"))
            .with("server.rb", server);
        let start = ["ruby", "server.rb"].map(str::to_owned).into();
        Scaffold { files, start, baseline: "baseline:Baseline".to_owned() }
    }

    /// A line in the Gemfile, or two lines in the source of a server without a Gemfile.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        let gem = names::gem(&project.interface.package);
        let by_path = ByPath { quoted: &["*.rb", "*.ru", "Gemfile"], plain: &[] };
        if let Some(gemfile) = folder.read(GEMFILE) {
            let lines = format!("gem \"{gem}\", path: \"{way}\"");
            let is_there = ["\"", "'"].iter().any(|quote| gemfile.contains(&format!("gem {quote}{gem}{quote}")));
            return Dependency {
                add: Add::Lines { file: GEMFILE, lines },
                is_there: Depends::Known(is_there),
                by_path,
            };
        }
        let lines = format!("$LOAD_PATH.unshift File.expand_path(\"{way}/lib\", __dir__)\nrequire \"{gem}\"");
        let names_it = |text: &str| text.contains(&format!("\"{gem}\"")) || text.contains(&format!("'{gem}'"));
        let is_there = Depends::in_sources(folder, &SOURCES, names_it);
        let file = SOURCES.into_iter().find(|name| folder.exists(name)).unwrap_or(SOURCES[0]);
        Dependency { add: Add::Lines { file, lines }, is_there, by_path }
    }

    /// The lines that import a function from the package.
    fn adoption_hint(&self, project: &Project, _: &str, _: &dyn ServerFolder) -> String {
        let (gem, module) = (names::gem(&project.interface.package), names::module(&project.interface.package));
        format!(
            "    require \"{gem}\"\n    RUST = {module}.with(baseline: YourModule)\n\n\
             `RUST.your_function(…)` is the same call at every tier, from any thread, also after a server forks its workers.\n\
             At tier 0 it is `YourModule.your_function(…)`.\n"
        )
    }

    /// Bundler installs the gems in the Gemfile.
    fn install(&self, folder: &dyn ServerFolder) -> Install {
        if !folder.exists(GEMFILE) {
            return Install::default();
        }
        Install {
            commands: vec![Command::new("bundle", ["install"])],
            found_by: GEMFILE.to_owned(),
            decided_by: [GEMFILE, LOCK].map(str::to_owned).into(),
            leaves: String::new(),
            is_there: IsThere::Ask(Command::new("bundle", ["check"])),
        }
    }
}

/// The usual names of a server's first file. Without one of them, it is unknown whether the server uses the package.
const SOURCES: [&str; 4] = ["server.rb", "app.rb", "config.ru", "config/application.rb"];
