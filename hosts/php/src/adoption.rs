//! How a server comes to call the package: a new one (`tierup new`), and one that exists (`tierup init`).

use tierup_codegen::{
    Add, ByPath, Command, Dependency, Depends, Files, HostSettings, Install, IsThere, Packaging, Parts, Project,
    Publishable, Scaffold, ServerFolder, Stub, source::fill,
};

use crate::{Php, names, package, published};

impl Packaging for Php {
    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        Ok(package::package(project))
    }

    fn stub(&self, project: &Project, _: &HostSettings) -> Result<Stub, String> {
        Ok(Stub::part_of(&package::package(project), package::BUILT))
    }

    fn publishable(&self, project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        published::archive(project, parts).map(|one| vec![one])
    }

    /// A server for PHP's built-in web server, for a project called `name`. The package is its only dependency.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold {
        let filled = |text: &str| fill(text, &[("name", name), ("namespace", &names::namespace(name))]);
        let files = Files::new()
            .with("baseline.php", include_str!("../templates/scaffold/baseline.php"))
            .with("index.php", filled(include_str!("../templates/scaffold/index.php")))
            .with("serve.php", filled(include_str!("../templates/scaffold/serve.php")));
        let start = ["php", "serve.php"].map(str::to_owned).into();
        Scaffold { files, start, baseline: format!("baseline.php:{function}") }
    }

    /// A `path` repository if the server has a `composer.json`, otherwise a line that loads the package's autoloader.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        let package = &project.interface.package;
        let by_path = ByPath { quoted: &["*.php", "composer.json"], plain: &[] };
        if let Some(manifest) = folder.read("composer.json") {
            let name = names::composer(package);
            let lines = format!(
                "\"repositories\": [{{ \"type\": \"path\", \"url\": \"{way}\" }}],\n\
                 \"require\": {{ \"{name}\": \"*\" }}"
            );
            let is_there = Depends::Known(manifest.contains(&name));
            return Dependency { add: Add::Lines { file: "composer.json", lines }, is_there, by_path };
        }
        let file = SOURCES.into_iter().find(|name| folder.exists(name)).unwrap_or(SOURCES[0]);
        let up = if file.contains('/') { "/.." } else { "" };
        Dependency {
            add: Add::Lines { file, lines: format!("require __DIR__ . '{up}/{way}/autoload.php';") },
            is_there: Depends::in_sources(folder, &SOURCES, |text| text.contains(way)),
            by_path,
        }
    }

    /// The lines that import a function from the package.
    fn adoption_hint(&self, project: &Project, way: &str, _: &dyn ServerFolder) -> String {
        let namespace = names::namespace(&project.interface.package);
        format!(
            "    $rust = \\{namespace}\\Rust::with(baseline: \\your_own_function(...));\n\n\
             `$rust->yourFunction(…)` is the same call at every tier. PHP loads the extension of tier 3 (or `core.so`, of tier 2) when it starts:\n\n    \
             php -d extension=\"$PWD/{way}/artifacts/native.so\" …\n\n\
             PHP-FPM takes the same option. The README in {way} says how to deploy it.\n"
        )
    }

    fn install(&self, folder: &dyn ServerFolder) -> Install {
        if !folder.exists("composer.json") {
            return Install::default();
        }
        let found_by = if folder.exists("composer.lock") { "composer.lock" } else { "composer.json" };
        Install {
            commands: vec![Command::new("composer", ["install", "--no-interaction"])],
            found_by: found_by.to_owned(),
            decided_by: ["composer.json", "composer.lock"].map(str::to_owned).to_vec(),
            leaves: "vendor/autoload.php".to_owned(),
            is_there: IsThere::No,
        }
    }
}

/// The usual names of a server's first file. Without one of them, it is unknown whether the server uses the package.
const SOURCES: [&str; 4] = ["index.php", "public/index.php", "server.php", "serve.php"];
